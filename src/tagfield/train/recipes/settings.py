"""Settings: all options of a training run. A recipe, and the options that belong to no recipe.

    Settings()                                       the default (default.py)
    Settings("u2.g1", c2=0.1)                        a recipe by name, or a record
    Settings.of("u2.g1", c2=0.1, average=True)       options of the recipe and of the settings, side by side
    Settings.of(c2=0.5, average=False)               the default, with some options changed

The command line and `CRF` use `Settings.of` too.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from tagfield.data.corpus import Corpus
from tagfield.data.encode import Encoded
from tagfield.errors import InputError
from tagfield.system.checks import number
from tagfield.system.cores import usual_threads
from tagfield.system.html import facts
from tagfield.system.memory import check_fits
from tagfield.train.recipes.catalogue import direct, misplaced
from tagfield.train.recipes.crfsuite_recipes import QuasiNewton
from tagfield.train.recipes.default import (
    DEFAULT,
    NAME,
    NAMED,
    attributes_per_token,
    default_features,
    default_rate,
    weight_bytes,
)
from tagfield.train.recipes.fields import (
    Found,
    check_record,
    default_text,
    documented,
    options_of,
    plain_values,
    with_options,
)
from tagfield.train.recipes.recipe import Recipe
from tagfield.train.recipes.shared_options import SharedOptions
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.recipes.table import RECIPES, find_recipe
from tagfield.train.recipes.variants import AUTO, BATCH, Auto, WholeCorpus

UPDATE = ("loss", "gamma", "generator", "batch")  # one of these, without a recipe, is for ngd


@documented
@dataclass(frozen=True)
class Settings(SharedOptions):
    """All options of a training run; c1, c2, period and delta mean the same as in CRFsuite.

    recipe: A name from RECIPES, or a record such as Stochastic(...). Default: adaptive, averaged.

    Without a recipe, these are the settings that `tagfield train` uses (default.py). A recipe that you name has its own
    defaults, which are those of CRFsuite and of the paper: features observed, c2 1, a calibrated rate, no averaging.

    >>> Settings().describe().partition(" · ")[0]
    'adaptive, averaged, cost 2, rate by attributes, c2 0.1, seed 0'
    >>> Settings("lbfgs", c1=0.1).recipe.num_memories
    6
    >>> Settings.of("u2.g1", average=True, c2=0.5)
    Settings.of('u2.g1', c2=0.5, average=True)
    """

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
        object.__setattr__(self, "prune", read_threshold(self.prune))
        if self.max_dev_rise is not None and math.isinf(self.max_dev_rise):
            object.__setattr__(self, "max_dev_rise", None)  # JSON knows no infinity
        if isinstance(self.recipe, Stochastic) and self.recipe.preconditioner is not None:
            self.recipe.preconditioner.check(self.c2)
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
            raise misplaced("batch", chosen, called)
        if isinstance(chosen, Auto):
            options.pop("generator", None)
        its_own = {name: options.pop(name) for name in direct(chosen) if name in options}
        chosen = with_options(chosen, its_own, called)  # these decide which records are inside
        own, common = options_of(chosen), options_of(cls)
        for name in options:
            if name not in own and (name not in common or not _applies(common[name], chosen)):
                raise misplaced(name, chosen, called)
        chosen = with_options(chosen, {name: value for name, value in options.items() if name in own}, called)
        unset = {name for name in NAMED if options.get(name) is None}  # None stands for the default
        rest = {name: value for name, value in options.items() if name not in own and name not in unset}
        return with_options(start if start.recipe is chosen else replace(start, recipe=chosen), rest, called)

    def for_data(self, encoded: Encoded | Corpus) -> "Settings":
        """The same settings with everything decided that depends on the data: `features="auto"`, and the rate.

        The data alone decides. If this machine cannot hold the features that `auto` stands for, a MemoryLimitError says
        so: it takes no others, which would make another model.

        >>> from tagfield.data.encode import encode_sequences
        >>> decided = Settings().for_data(encode_sequences([[["a"]]], [["X"]]))
        >>> decided.features, decided.recipe.rate
        ('all', 0.4)
        """
        return self._with_rate(encoded)._with_features(encoded)

    def _with_rate(self, encoded: Encoded | Corpus) -> "Settings":
        recipe = self.recipe
        if not isinstance(recipe, Stochastic) or recipe.rate is not None or recipe.calibrates:
            return self
        return replace(self, recipe=replace(recipe, rate=default_rate(attributes_per_token(encoded))))

    def _with_features(self, encoded: Encoded | Corpus) -> "Settings":
        if self.features != "auto":
            return self
        sizes = len(encoded.attributes), len(encoded.labels)
        chosen = replace(self, features=default_features(*sizes))
        if chosen.features == "all":
            check_fits(
                weight_bytes(*sizes),
                f"training a weight for every pair of {sizes[0]:,} attributes and {sizes[1]:,} labels",
                "use only the pairs in the data (--features observed, features='observed')",
            )
        if self.transitions is None and encoded.edges and chosen.features == "all":
            linked = default_features(*sizes, len(encoded.edges))  # edge attributes may have too many pairs of labels
            chosen = chosen if linked == "all" else replace(chosen, transitions="observed")
        return chosen

    @property
    def max_epochs(self) -> int:
        return self.recipe.epochs if self.epochs is None else self.epochs

    @property
    def thread_count(self) -> int:
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
        if isinstance(self.recipe, Stochastic) and rate is None and not self.recipe.calibrates:
            words.append(f"rate by {self.recipe.rate_by}")
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


def read_threshold(value: Any) -> float | str:
    """The option `prune`: "auto", or a number ≥ 0.

    >>> read_threshold("0.1"), read_threshold("auto")
    (0.1, 'auto')
    """
    if isinstance(value, str):
        try:
            value = value if value == AUTO else float(value)
        except ValueError:
            raise InputError(f"prune must be auto or a number, got {value!r}") from None
    if value != AUTO and not 0 <= number("prune", value) < math.inf:
        raise InputError(f"prune must be ≥ 0 and finite, got {value:g}")
    return value if value == AUTO else float(value)


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


@cache
def _default_recipe() -> Recipe:
    """The recipe of the default, with its options."""
    found = find_recipe(DEFAULT["recipe"])
    return with_options(found, {name: value for name, value in DEFAULT.items() if name in options_of(found)})


def _applies(found: Found, recipe: Recipe) -> bool:
    return not found.option.applies or recipe.family in found.option.applies


def _read(values: dict[str, Any]) -> Settings:
    return Settings.of(**values)


def shown_default(found: Found) -> str:
    """The default of an option where no recipe is named, and that of named recipes if it is another one.

    >>> from tagfield.train.recipes.catalogue import all_options
    >>> shown_default(all_options()["cost"]), shown_default(all_options()["seed"])
    ('2; 0 for a named recipe', '0')
    """
    named = default_text(found)
    if found.name not in {*DEFAULT, "metric"} - {*NAMED, "recipe"}:
        return named
    value = Settings().to_dict()[found.name]
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return named if text == named else f"{text}; {named} for a named recipe"
