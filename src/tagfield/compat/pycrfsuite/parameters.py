"""CRFsuite's parameters, and the options of tagfield that they stand for.

    algorithm ─▶ its recipe        parameter ─▶ the option: its default, its type, its help (train/recipes/catalogue.py)

Four parameters are not options as they are: `feature.minfreq` and the two `feature.possible_*` name a feature set, and
`max_iterations` has CRFsuite's default. A value is checked when training starts, by the option that it stands for.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tagfield.errors import InputError
from tagfield.train import RECIPES, Settings
from tagfield.train.recipes.catalogue import all_options
from tagfield.train.recipes.fields import options_of
from tagfield.train.recipes.recipe import Recipe

ALIASES = {"ap": "averaged-perceptron", "pa": "passive-aggressive"}
RECIPE_OF = {"lbfgs": "lbfgs", "l2sgd": "sgd", "averaged-perceptron": "ap", "passive-aggressive": "pa", "arow": "arow"}
FEATURES = {
    "feature.minfreq": "min_count",
    "feature.possible_states": "features",
    "feature.possible_transitions": "transitions",
}
_LBFGS = ("c1", "c2", "max_iterations", "num_memories", "epsilon", "period", "delta", "linesearch", "max_linesearch")
_CALIBRATION = ("eta", "rate", "samples", "candidates", "max_trials")
OPTIONS: dict[str, dict[str, str]] = {  # algorithm: parameter: option
    "lbfgs": {name: "epochs" if name == "max_iterations" else name for name in _LBFGS},
    "l2sgd": {
        "c2": "c2",
        "max_iterations": "epochs",
        "period": "period",
        "delta": "delta",
        **{f"calibration.{name}": f"calibration_{name}" for name in _CALIBRATION},
    },
    "averaged-perceptron": {"max_iterations": "epochs", "epsilon": "epsilon"},
    "passive-aggressive": {
        "type": "pa_type",
        "c": "pa_c",
        "error_sensitive": "pa_cost_sensitive",
        "averaging": "pa_average",
        "max_iterations": "epochs",
        "epsilon": "epsilon",
    },
    "arow": {"variance": "arow_variance", "gamma": "arow_gamma", "max_iterations": "epochs", "epsilon": "epsilon"},
}


class Parameter(NamedTuple):
    """A parameter of an algorithm."""

    option: str
    kind: Callable[[Any], Any]
    default: Any
    help: str


def boolean(value: Any) -> bool:
    """A switch as CRFsuite's users write it: True, 1, "1", "true".

    >>> boolean("0"), boolean("True"), boolean(1)
    (False, True, True)
    """
    words = {"true": True, "false": False, "yes": True, "no": False}
    return words[value.lower()] if isinstance(value, str) and value.lower() in words else bool(int(float(value)))


def whole(value: Any) -> int:
    """A whole number; a fraction is cut off, as CRFsuite does.

    >>> whole("3.7")
    3
    """
    return int(value) if isinstance(value, int) else int(float(value))


_KINDS: dict[type, Callable[[Any], Any]] = {bool: boolean, int: whole, float: float, str: str}


def parameters_of(algorithm: str) -> dict[str, Parameter]:
    """The parameters of an algorithm, in CRFsuite's order.

    >>> parameters_of("arow")["gamma"].default, list(parameters_of("arow"))[0]
    (1.0, 'feature.minfreq')
    """
    recipe = RECIPES[RECIPE_OF[algorithm]]
    known, own, common = all_options(), options_of(recipe), options_of(Settings(recipe))
    found = {
        "feature.minfreq": Parameter("min_count", float, 0.0, known["min_count"].option.help),
        "feature.possible_states": Parameter("features", boolean, False, "Give every attribute a weight per label."),
        "feature.possible_transitions": Parameter("transitions", boolean, False, "Give every transition a weight."),
    }
    for name, option in OPTIONS[algorithm].items():
        at = own[option] if option in own else common[option]
        default = _default(option, at.value, recipe)
        found[name] = Parameter(option, _KINDS[type(default)], default, at.option.help)
    if "calibration.samples" in found:  # a real number in CRFsuite
        found["calibration.samples"] = found["calibration.samples"]._replace(kind=float, default=1000.0)
    return found


def _default(option: str, value: Any, recipe: Recipe) -> Any:
    return {"epochs": recipe.crfsuite_epochs, "delta": recipe.delta}.get(option, value)


def settings_of(algorithm: str, values: Mapping[str, Any]) -> Settings:
    """The settings of a training run; InputError, a ValueError, names the parameter that is out of range.

    >>> settings_of("lbfgs", {"c2": 0.5, "feature.possible_states": True}).features
    'all'
    """
    given = {name: each.default for name, each in parameters_of(algorithm).items()} | dict(values)
    names = OPTIONS[algorithm]
    options: dict[str, Any] = {option: given[name] for name, option in names.items()}
    if "calibration_samples" in options:
        options["calibration_samples"] = whole(options["calibration_samples"])
    if not given["feature.minfreq"] >= 0:
        raise InputError(f"feature.minfreq must be ≥ 0, got {given['feature.minfreq']}")
    options |= {
        "features": "all" if given["feature.possible_states"] else "observed",
        "transitions": "all" if given["feature.possible_transitions"] else "observed",
        "min_count": max(1, -int(-min(given["feature.minfreq"], 2**31 - 1) // 1)),
        "max_dev_rise": None,  # as in CRFsuite, held-out data is only scored
        "keep_best": False,
    }
    called = {option: name for name, option in (FEATURES | names).items()}
    return Settings.of(RECIPE_OF[algorithm], called, **options)
