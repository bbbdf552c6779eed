"""Settings: everything that a training run can be told: a recipe, and what belongs to no recipe.

    Settings()                                       the default (default.py)
    Settings("u2.g1", c2=0.1)                        a recipe by name, or a record
    Settings.of("u2.g1", c2=0.1, average=True)       options of the recipe and of the settings, side by side
    Settings.of(c2=0.5, average=False)               the default, with some options changed

`Settings.of` is the one way from names and values to a run: the command line and `CRF` use it too.
"""

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from tagfield.cores import usual_threads
from tagfield.corpus import Corpus
from tagfield.encode import Encoded
from tagfield.errors import InputError
from tagfield.evaluate.scores import FIGURES
from tagfield.page import facts
from tagfield.train.default import DEFAULT, NAME, NAMED, default_features
from tagfield.train.fields import (
    Found,
    check_record,
    default_text,
    documented,
    option,
    options_of,
    plain_values,
    with_options,
)
from tagfield.train.metrics import MetaDescent, Newton, SgdQn
from tagfield.train.options import (
    AUTO,
    BATCH,
    Arow,
    Auto,
    Margin,
    Perceptron,
    QuasiNewton,
    Recipe,
    Stochastic,
    WholeCorpus,
)
from tagfield.train.recipes import RECIPES, find_recipe
from tagfield.train.updates import AdaGrad, Calibration, Divergence

TRAINING, STOPPING = "The training", "When training stops"
KINDS = {"observed": "observed", "all": "all"}
UPDATE = ("loss", "gamma", "generator", "batch")  # one of these, without a recipe, is for ngd
LIKELIHOOD = (Stochastic.family, QuasiNewton.family)
OWNERS = {  # for messages
    Divergence: "ngd",
    AdaGrad: "AdaGrad (metric adaptive)",
    Newton: "online Newton (metric newton)",
    SgdQn: "SGD-QN (metric sgdqn)",
    MetaDescent: "stochastic meta-descent (metric smd)",
    Calibration: Stochastic.family,
}


def _usual(name: str) -> str:
    """What the help says of an option that a named recipe has another default for."""
    shown = [f"{each[name]:g}" if isinstance(each[name], float) else each[name] for each in (DEFAULT, NAMED)]
    return f"{shown[0]}; {shown[1]} for a named recipe"


@documented
@dataclass(frozen=True)
class Settings:
    """Everything that a training run can be told; c1, c2, period and delta mean what they mean in CRFsuite.

    recipe: A name from RECIPES, or a record such as Stochastic(...). Default: adaptive, averaged, with a fixed rate.

    Without a recipe, these are the settings that `tagfield train` uses (default.py). A recipe that you name has its own
    defaults, which are those of CRFsuite and of the paper: features observed, c2 1, a calibrated rate, no averaging.

    >>> Settings().describe()
    "adaptive, averaged, cost 2, rate 0.4, c2 0.1, seed 0 · u/(√Σu² + δ): plain gradients with AdaGrad's step sizes"
    >>> Settings("lbfgs", c1=0.1).recipe.num_memories
    6
    >>> Settings.of("u2.g1", average=True, c2=0.5)
    Settings.of('u2.g1', c2=0.5, average=True)
    """

    recipe: Any = NAME  # a Recipe; a name is looked up
    features: str = option(
        None,
        "Features: one weight per attribute and label seen together (observed), or per possible pair (all); auto is "
        "all if that fits into memory, else observed.",
        group=TRAINING,
        choices=KINDS | {"auto": "auto"},
        usual=_usual("features"),
    )
    transitions: str | None = option(
        None,
        "Transition weights: for each pair of labels seen in a row (observed), or for every pair (all).",
        group=TRAINING,
        choices=KINDS,
        usual="as features",
    )
    min_count: int = option(
        1, "Drop features (with all: attributes) that occur less often.", group=TRAINING, low=1, metavar="N"
    )
    c1: float = option(0.0, "L1 penalty C·‖θ‖₁; lbfgs only.", group=TRAINING, low=0.0, metavar="C", applies=("lbfgs",))
    c2: float = option(
        None, "L2 penalty C·‖θ‖².", group=TRAINING, low=0.0, metavar="C",
        applies=LIKELIHOOD, usual=_usual("c2"),
    )  # fmt: skip
    epochs: int | None = option(
        None, "Maximum number of passes over the data.", group=STOPPING, low=1,
        usual=f"{DEFAULT['epochs']}; 50 for a named recipe, 1000 for lbfgs", metavar="N",
    )  # fmt: skip
    seed: int = option(
        0, "Random seed: the same seed gives the same model.", group=TRAINING, low=0, high=2**63 - 1, metavar="S"
    )
    threads: int | None = option(
        None, "Number of threads, which never changes the model; pa, ap and arow train on one.", group=TRAINING, low=1,
        high=4096, usual="all cores, or OMP_NUM_THREADS", metavar="N",
    )  # fmt: skip
    period: int = option(
        10, "Epochs over which the loss (plain sgd, lbfgs: objective) must improve by delta; 0 never stops.",
        group=STOPPING, low=0, metavar="N", applies=LIKELIHOOD,
    )  # fmt: skip
    delta: float | None = option(
        None, "Minimum relative improvement over period epochs; with batch, the part of the first step that ends it.",
        group=STOPPING, low=0.0, metavar="D", applies=LIKELIHOOD, usual="1e-6; 1e-5 for lbfgs and batch",
    )  # fmt: skip
    patience: int = option(
        0, "Stop after this many epochs without a better score on the held-out data, and keep the best; 0 never stops.",
        group=STOPPING, low=0, metavar="N",
    )  # fmt: skip
    keep_best: bool = option(
        True, "With held-out data, keep the epoch with the best score on it, and not the last one.", group=STOPPING,
    )  # fmt: skip
    monitor: str = option(
        "auto", "Score that keep_best and patience use; auto is f1 if the labels mark chunks, else accuracy.",
        group=STOPPING, choices={name: name for name in ("auto", *FIGURES)}, metavar="NAME",
    )  # fmt: skip
    max_dev_rise: float | None = option(
        0.25, "Stop when the errors on the held-out data exceed their minimum by this fraction; inf never stops.",
        group=STOPPING, low=0.0, high=math.inf, metavar="F",
    )  # fmt: skip

    def __post_init__(self) -> None:
        usual = isinstance(self.recipe, str) and self.recipe == NAME
        for name in NAMED:
            if getattr(self, name) is None:
                object.__setattr__(self, name, (DEFAULT if usual else NAMED)[name])
        if isinstance(self.recipe, str):
            object.__setattr__(self, "recipe", _default_recipe() if usual else find_recipe(self.recipe))
        if not isinstance(self.recipe, Recipe):
            raise InputError(f"recipe must be a name or a recipe, got {self.recipe!r}")
        check_record(self)
        if self.max_dev_rise is not None and math.isinf(self.max_dev_rise):
            object.__setattr__(self, "max_dev_rise", None)  # JSON knows no infinity
        if isinstance(self.recipe, Stochastic) and self.recipe.metric is not None:
            self.recipe.metric.check(self.c2)
        if self.c1 and self.recipe.family != QuasiNewton.family:
            raise InputError(f"c1 applies only to lbfgs, not to {self.recipe.name or self.recipe.family}")

    @classmethod
    def of(cls, recipe: str | Recipe = NAME, called: Mapping[str, str] | None = None, **options: Any) -> "Settings":
        """Settings from a recipe and any options, of the recipe or of the settings; without a recipe, from the default.

        An option that the recipe does not have is an InputError. `called` are the caller's names, for messages.
        Without a recipe, an option of ngd (loss, gamma, generator, batch) selects ngd.

        >>> Settings.of("lbfgs", average=True)
        Traceback (most recent call last):
        tagfield.errors.InputError: average applies only to stochastic recipes, not to lbfgs
        """
        if isinstance(recipe, str) and recipe == NAME and _names_an_update(options):
            recipe = "ngd"
        start = cls(recipe)
        chosen = start.recipe
        called = called or {}
        if options.get("batch") is not None:
            options["batch"] = BATCH.check(called.get("batch", "batch"), options["batch"], bool)
        chosen = chosen.variant(options)
        if options.pop("batch", None) and not isinstance(chosen, WholeCorpus):
            raise _misplaced("batch", chosen, called)
        if isinstance(chosen, Auto):
            options.pop("generator", None)
        direct = {name: options.pop(name) for name in _direct(chosen) if name in options}
        chosen = with_options(chosen, direct, called)  # these decide which records are inside
        own, common = options_of(chosen), options_of(cls)
        for name in options:
            if name not in own and (name not in common or not _applies(common[name], chosen)):
                raise _misplaced(name, chosen, called)
        chosen = with_options(chosen, {name: value for name, value in options.items() if name in own}, called)
        unset = {name for name in NAMED if options.get(name) is None}  # None stands for the default
        rest = {name: value for name, value in options.items() if name not in own and name not in unset}
        return with_options(replace(start, recipe=chosen), rest, called)

    def for_data(self, encoded: Encoded | Corpus) -> "Settings":
        """The same settings with everything decided that depends on the data: which features `auto` stands for.

        >>> from tagfield.encode import encode_sequences
        >>> Settings().for_data(encode_sequences([[["a"]]], [["X"]])).features
        'all'
        """
        if self.features != "auto":
            return self
        sizes = len(encoded.attributes), len(encoded.labels)
        chosen = replace(self, features=default_features(*sizes))
        if self.transitions is None and encoded.edges and chosen.features == "all":
            linked = default_features(*sizes, len(encoded.edges))  # edge attributes may have too many pairs of labels
            chosen = chosen if linked == "all" else replace(chosen, transitions="observed")
        return chosen

    @property
    def max_epochs(self) -> int:
        return self.recipe.epochs if self.epochs is None else self.epochs

    @property
    def team(self) -> int:
        """The number of threads in use: as given, or else every core (cores.py)."""
        return usual_threads() if self.threads is None else self.threads

    @property
    def min_improvement(self) -> float:
        return self.recipe.delta if self.delta is None else self.delta

    def to_dict(self) -> dict[str, Any]:
        """Plain values of the options that apply, for a model's file.

        `Settings.of(**values)` reads them, except for functions of your own.

        >>> Settings.of(**Settings("pa").to_dict()) == Settings("pa")
        True
        """
        common = options_of(self)
        values = {
            "recipe": self.recipe.name or str(self.recipe),
            **{name: v for name, v in plain_values(self).items() if _applies(common[name], self.recipe)},
            **plain_values(self.recipe),
        }
        values |= {"batch": True} if isinstance(self.recipe, WholeCorpus) else {}
        return values | ({"generator": AUTO} if isinstance(self.recipe, Auto) else {})

    def saved(self) -> dict[str, Any]:
        """What a model's file keeps: everything but the threads, which leave no trace in a model.

        >>> Settings.of("sgd", threads=2).saved() == Settings("sgd").saved()
        True
        """
        return {name: value for name, value in self.to_dict().items() if name != "threads"}

    def __reduce__(self) -> Any:
        """By the values of its options: the functions of a named recipe are found again by its name."""
        values = self.to_dict()
        try:
            same = Settings.of(**values) == self
        except InputError:  # a recipe, a loss or a generator of one's own
            same = False
        return (_read, (values,)) if same else super().__reduce__()

    def describe(self) -> str:
        """The run in a few words: the recipe with what was changed of it, and what the recipe is.

        >>> Settings.of("u2.g1", average=True, rate=0.1).describe()
        "u2.g1, averaged, rate 0.1, c2 1, seed 0 · arctan(u/√0.1): the paper's U2*.G1"
        """
        rate = getattr(self.recipe, "rate", None)
        words = [str(self.recipe)] + ([f"rate {rate:g}"] if rate is not None else [])
        words += [f"c1 {self.c1:g}"] if self.c1 else []
        words += [f"c2 {self.c2:g}"] if self.recipe.settles else []
        words += [f"seed {self.seed}"] + ([f"minimum count {self.min_count}"] if self.min_count > 1 else [])
        return ", ".join(words) + (f" · {self.recipe.about}" if self.recipe.about else "")

    def _repr_html_(self) -> str:
        return facts("Settings", [(name, value) for name, value in self.to_dict().items() if value is not None])

    def __repr__(self) -> str:
        """What was changed of the default, or of the recipe where that is shorter."""
        named = RECIPES.get(self.recipe.name)
        before = plain_values(type(self)(named or self.recipe)) | (plain_values(named) if named else {})
        parts = [repr(self.recipe.name or str(self.recipe)), *self._changed(before)]
        if self.recipe.name == DEFAULT["recipe"]:
            parts = min(parts, self._changed(type(self)().to_dict()), key=len)
        return f"Settings.of({', '.join(parts)})"

    def _changed(self, before: Mapping[str, Any]) -> list[str]:
        now = self.to_dict().items()
        return [f"{name}={value!r}" for name, value in now if name != "recipe" and before.get(name) != value]


def settings_from(given: Settings | str | None) -> Settings:
    """Settings as they are, those of a recipe's name, or the default; InputError for anything else.

    >>> settings_from("lbfgs") == Settings("lbfgs"), settings_from(None) == Settings()
    (True, True)
    """
    if given is None or isinstance(given, str):
        return Settings(given or NAME)
    if not isinstance(given, Settings):
        raise InputError(f"settings must be Settings or the name of a recipe, got {type(given).__name__}")
    return given


def _names_an_update(options: Mapping[str, Any]) -> bool:
    given = [options.get(name) for name in UPDATE]
    return any(value is not None and value is not False for value in given)


def _default_recipe() -> Recipe:
    """The recipe of the default, with its options."""
    found = find_recipe(DEFAULT["recipe"])
    return with_options(found, {name: value for name, value in DEFAULT.items() if name in options_of(found)})


def _applies(found: Found, recipe: Recipe) -> bool:
    return not found.option.applies or recipe.family in found.option.applies


def _read(values: dict[str, Any]) -> Settings:
    return Settings.of(**values)


RECORDS: tuple[Any, ...] = (
    Settings, Stochastic, AdaGrad, Newton, SgdQn, MetaDescent, Auto, Divergence, WholeCorpus, Calibration, Margin,
    Perceptron, Arow, QuasiNewton,
)  # fmt: skip


@cache
def all_options() -> dict[str, Found]:
    """Every option there is, by name: what the command line and docs/options.md show."""
    found: dict[str, Found] = {}
    for record in RECORDS:
        found |= {name: each for name, each in options_of(record).items() if name not in found}
    return found | {"batch": Found("batch", (), BATCH, bool, False, False)}


def _misplaced(name: str, recipe: Recipe, called: Mapping[str, str]) -> InputError:
    """What to say of an option that the recipe does not have."""
    shown, there = called.get(name, name), recipe.name or recipe.family
    if name not in all_options():
        near = difflib.get_close_matches(name, all_options(), 1)
        return InputError(f"no option named {shown!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    if recipe.suffix:
        return InputError(f"{shown} does not apply to {there}{recipe.suffix}")
    if name == "batch":
        owners = [Stochastic.family]
    else:
        owners = [OWNERS.get(record) or record.family for record in RECORDS[1:] if name in _direct(record)]
        owners = list(dict.fromkeys(owners)) or list(options_of(Settings)[name].option.applies)
    listed = owners[0] if len(owners) == 1 else f"{', '.join(owners[:-1])} and {owners[-1]}"
    return InputError(f"{shown} applies only to {listed}, not to {there}")


def _direct(record: Any) -> set[str]:
    return {found.name for found in options_of(record).values() if len(found.path) == 1}


def shown_default(found: Found) -> str:
    """The default of an option where no recipe is named, and that of named recipes if it is another one.

    >>> shown_default(all_options()["cost"]), shown_default(all_options()["seed"])
    ('2; 0 for a named recipe', '0')
    """
    named, value = default_text(found), Settings().to_dict().get(found.name)
    if found.name not in {*DEFAULT, "metric"} - {*NAMED, "recipe"}:
        return named
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return named if text == named else f"{text}; {named} for a named recipe"
