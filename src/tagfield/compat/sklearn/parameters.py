"""CRF's arguments → Settings: sklearn-crfsuite's names, CRFsuite's defaults, and the options of tagfield's recipes.

    algorithm ─▶ a recipe, or "default", the settings of `tagfield train`
    every other argument ─▶ the option with that name in CRF (tagfield/train checks its value)

None stands for CRFsuite's default. An argument that the algorithm does not have is an error, as in sklearn-crfsuite.
`gamma` has two meanings: AROW's for arow, and the γ of the loss for ngd.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tagfield.errors import InputError
from tagfield.system.checks import flag, number, whole
from tagfield.system.cores import cores, usual_threads
from tagfield.train import RECIPES, Settings
from tagfield.train.recipes.catalogue import all_options
from tagfield.train.recipes.default import NAME
from tagfield.train.recipes.fields import default_text, options_of
from tagfield.train.recipes.recipe import Recipe
from tagfield.train.recipes.table import find_recipe

NAMES = {"l2sgd": "sgd", "averaged-perceptron": "ap", "passive-aggressive": "pa"}
# Options whose values are converted, with their names in CRF.
CONVERTED = {
    "features": "all_possible_states",
    "transitions": "all_possible_transitions",
    "min_count": "min_freq",
    "epochs": "max_iterations",
    "seed": "random_state",
    "threads": "n_jobs",
    "patience": "n_iter_no_change",
    "max_dev_rise": "",
    "keep_best": "",
}
STREAM = "adaptive"  # the default algorithm of partial_fit


def recipe_of(algorithm: str | None, default: str = "lbfgs") -> Recipe:
    """The recipe for an algorithm's name; None means lbfgs, as in sklearn-crfsuite.

    >>> recipe_of(None).name, recipe_of("l2sgd").name, recipe_of("u2.g2").name
    ('lbfgs', 'sgd', 'u2.g2')
    """
    name = default if algorithm is None else NAMES.get(str(algorithm), algorithm)
    if not isinstance(name, str) or name not in RECIPES:
        offered = ", ".join(["l2sgd", *RECIPES, NAME])
        raise InputError(f"no algorithm named {algorithm!r}; choose one of {offered}")
    return find_recipe(name)


def names_in_crf(recipe: Recipe | None = None) -> dict[str, str]:
    """CRF's argument → the option's name, for values that need no conversion; `gamma` is the recipe's own."""
    names = {option.crf: name for name, option in all_options().items()}
    names |= {option.crf: name for name, option in options_of(recipe).items()} if recipe is not None else {}
    return {crf: name for crf, name in names.items() if name not in CONVERTED}


def settings_of(params: Mapping[str, Any], default: str = "lbfgs") -> Settings:
    """Settings from the arguments of CRF.

    >>> settings_of({"algorithm": "l2sgd", "c2": 0.5}).max_epochs
    1000
    >>> settings_of({"algorithm": "default"}).saved() == Settings.of(max_dev_rise=None, keep_best=False).saved()
    True
    >>> settings_of({"num_memories": 0})
    Traceback (most recent call last):
    tagfield.errors.InputError: num_memories must be at least 1, got 0
    """
    if params.get("trainer_cls") is not None:
        raise InputError("trainer_cls works with fit only; leave it out, and use callbacks to follow training")
    usual = params.get("algorithm") == NAME
    recipe = Settings().recipe if usual else recipe_of(params.get("algorithm"), default)
    names = names_in_crf(recipe)
    given = {name: value for name, value in params.items() if name in names and value is not None}
    called = {names[name]: name for name in names} | CONVERTED
    options: dict[str, Any] = {names[name]: value for name, value in given.items()}
    limit = params.get("max_iterations")
    states, edges = params.get("all_possible_states"), params.get("all_possible_transitions")
    options |= {
        "features": None if usual and states is None else kind_of(params, "all_possible_states"),
        "transitions": None if usual and edges is None else kind_of(params, "all_possible_transitions"),
        "min_count": count_of(0 if params.get("min_freq") is None else params["min_freq"]),
        "epochs": recipe.crfsuite_epochs if limit is None and not usual else limit,
        "seed": seed_of(params.get("random_state")),
        "threads": threads_of(params.get("n_jobs")),
        "patience": patience_of(params),
        "max_dev_rise": None,  # as in CRFsuite, held-out data alone does not stop training,
        "keep_best": False,  # and does not choose the weights; early_stopping does both
    }
    if usual and params.get("class_weight") is not None:
        options.setdefault("cost", 0.0)  # class weights are a margin of their own
    return Settings.of(NAME if usual else recipe, called, **options)


def documented_arguments(text: str, arguments: list[str]) -> str:
    """The docstring with `{options}` replaced by one line per argument that is an option."""
    options = all_options()
    names = names_in_crf()
    lines = [
        f"    {argument}: {options[names[argument]].option.help} Default: {default_text(options[names[argument]])}."
        for argument in arguments
        if argument in names
    ]
    return text.replace("    {options}", "\n".join(lines))


def kind_of(params: Mapping[str, Any], name: str) -> str:
    """The feature set that all_possible_states or all_possible_transitions asks for.

    >>> kind_of({"all_possible_states": True}, "all_possible_states")
    'all'
    """
    given = params.get(name)
    return "all" if given is not None and flag(name, given) else "observed"


def patience_of(params: Mapping[str, Any]) -> int:
    """Passes without a better score before early stopping; 0 if it is off.

    >>> patience_of({"early_stopping": True, "n_iter_no_change": 3}), patience_of({})
    (3, 0)
    """
    patience = whole("n_iter_no_change", params.get("n_iter_no_change", 5))
    if not params.get("early_stopping"):
        return 0
    if patience < 1:
        raise InputError(
            f"n_iter_no_change must be at least 1, got {patience}; early_stopping=False turns early stopping off"
        )
    return patience


def count_of(min_freq: float) -> int:
    """CRFsuite's threshold as a count: features that occur at least min_freq times are kept.

    >>> count_of(0), count_of(1.5), count_of(3)
    (1, 2, 3)
    """
    found = number("min_freq", min_freq)
    if not (found >= 0 and math.isfinite(found)):
        raise InputError(f"min_freq must be a number ≥ 0, got {min_freq}")
    return max(1, min(math.ceil(found), 2**31 - 1))


def threads_of(n_jobs: int | None) -> int:
    """Number of threads: None means every core, or OMP_NUM_THREADS if that is less; −1 every core, −2 all but one.

    >>> threads_of(3), threads_of(-1) >= threads_of(None) >= 1
    (3, True)
    """
    if n_jobs is None:
        return usual_threads()
    n_jobs = whole("n_jobs", n_jobs)
    if n_jobs == 0:
        raise InputError("n_jobs must not be 0; pass a number of threads, or -1 for every core")
    if n_jobs > 4096:
        raise InputError(f"n_jobs must be at most 4096, got {n_jobs}")
    return n_jobs if n_jobs > 0 else max(1, cores() + 1 + n_jobs)


def seed_of(random_state: Any) -> int:
    """A seed from None (always 0), an int, a RandomState or a Generator.

    >>> seed_of(None), seed_of(7)
    (0, 7)
    """
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return int(random_state)
    raise InputError(f"random_state must be None, an int ≥ 0, a RandomState or a Generator, got {random_state!r}")
