"""Plan: the runs of a comparison and the settings of each.

    Plan(recipes, features, seeds, …) ─▶ runs(): PlannedRun("u2.g1", "all", 0), … ─▶ settings(run): train.Settings

Stochastic recipes train for a fixed number of epochs, without early stopping, so their curves have the same length.
L-BFGS uses no random numbers: it runs once per feature set, by iteration, until it converges. The longest runs start
first, so that all cores finish at about the same time.

Equal c2 is not equal regularisation. A transformed recipe ends where Cθ + f(u) = 0, so for small u its strength is that
of plain gradients with c2/f′(0). `strength` is what all recipes have in common: "c2", as in the paper, or "effective",
that is c2/f′(0). `chosen` holds the c2 and rate that tune_recipes.py chose for a recipe and feature set.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tagfield.errors import InputError
from tagfield.train import RECIPES, Settings
from tagfield.train.recipes.recipe import Descent
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.recipes.updates import Divergence

PAPER = ("sgd", "pa", "lbfgs", "u1.g1", "u2.g1", "u2.g1p", "u2.g2", "u2.g3")
FEATURES = ("observed", "all")
STRENGTHS = ("c2", "effective")


@dataclass(frozen=True)
class PlannedRun:
    """One training run of a comparison: a recipe on a feature set with a seed.

    >>> PlannedRun("u2.g1", "all", 3).key
    'u2.g1/all/3'
    """

    recipe: str
    features: str
    seed: int
    c2: float | None = None  # of a grid; else the plan's
    rate: float | None = None
    generator: str | None = None  # of ngd; or, of any stochastic recipe, KIND=GENERATOR,… for kinds of features

    @property
    def key(self) -> str:
        """The name of the run in the results."""
        given = [f"{name} {getattr(self, name):.6g}" for name in ("c2", "rate") if getattr(self, name) is not None]
        return "/".join(
            [self.recipe, self.features, str(self.seed), *given, *([self.generator] if self.generator else [])]
        )


@dataclass(frozen=True)
class Plan:
    """Recipes × feature sets × seeds, and the settings they share.

    >>> [run.key for run in Plan(("sgd", "lbfgs"), ("all",), seeds=2).runs()]
    ['lbfgs/all/0', 'sgd/all/0', 'sgd/all/1']
    """

    recipes: tuple[str, ...] = PAPER
    features: tuple[str, ...] = FEATURES
    seeds: int = 5
    epochs: int = 50
    iterations: int = 1000  # the maximum for L-BFGS
    c2: float = 1.0
    strength: str = "c2"  # what is equal: c2, or the effective strength c2/f′(0)
    chosen: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # recipe/features → c2, rate
    only: tuple[PlannedRun, ...] = ()  # these runs instead of recipes × feature sets × seeds
    scored: tuple[str, ...] = ("train", "test")  # the parts that are scored after every epoch

    def __post_init__(self) -> None:
        for recipe in self.recipes:
            if recipe not in RECIPES:
                raise InputError(f"no recipe named {recipe!r}; choose from {', '.join(RECIPES)}")
        for kind in self.features:
            if kind not in FEATURES:
                raise InputError(f"no feature set named {kind!r}; choose from {', '.join(FEATURES)}")
        if not self.recipes or not self.features:
            raise InputError("a comparison needs at least one recipe and one feature set")
        for name in ("seeds", "epochs", "iterations"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, got {getattr(self, name)}")
        if not 0 <= self.c2 < float("inf"):
            raise InputError(f"c2 must be ≥ 0 and finite, got {self.c2}")
        if self.strength not in STRENGTHS:
            raise InputError(f"strength must be one of {', '.join(STRENGTHS)}, got {self.strength!r}")

    def runs(self) -> list[PlannedRun]:
        """Every run, in starting order."""
        if self.only:
            return list(self.only)
        kinds = [kind for kind in reversed(FEATURES) if kind in self.features]  # `all` takes longest
        recipes = list(dict.fromkeys(self.recipes))
        by_iteration = [PlannedRun(name, kind, 0) for kind in kinds for name in recipes if runs_by_iteration(name)]
        return by_iteration + [
            PlannedRun(name, kind, seed)
            for seed in range(self.seeds)
            for kind in kinds
            for name in recipes
            if not runs_by_iteration(name)
        ]

    def length(self, run: PlannedRun) -> int:
        """The maximum number of epochs or iterations of a run."""
        return self.iterations if runs_by_iteration(run.recipe) else self.epochs

    def settings(self, run: PlannedRun) -> Settings:
        """The training settings of a run.

        >>> Plan(epochs=7).settings(PlannedRun("sgd", "all", 2)).epochs
        7
        """
        recipe = RECIPES.get(run.recipe, run.recipe)
        chosen = self.chosen.get(f"{run.recipe}/{run.features}", {})
        c2 = run.c2 if run.c2 is not None else chosen.get("c2", self.c2 * self._slope(run.recipe))
        if run.generator is not None and "=" in run.generator:
            recipe = replace(RECIPES[run.recipe], generators=run.generator)  # type: ignore[call-arg]
        elif run.generator is not None:
            recipe = Stochastic(Divergence("U2", generator=run.generator), name=run.recipe)
        if isinstance(recipe, Stochastic):
            rate = run.rate if run.rate is not None else chosen.get("rate", recipe.rate)
            recipe = replace(recipe, block=1, rate=rate)  # the paper's order; a run has one thread
        return Settings(
            recipe=recipe,
            features=run.features,
            c2=c2,
            epochs=self.length(run),
            seed=run.seed,
            threads=1,
            period=10 if runs_by_iteration(run.recipe) else 0,  # 0 turns early stopping off
        )

    def _slope(self, recipe: str) -> float:
        """The factor on c2: f′(0) if effective strengths are equal, otherwise 1."""
        found = RECIPES[recipe]
        if self.strength != "effective" or not isinstance(found, Descent):
            return 1.0
        return float(f"{found.f.slope:.6g}")  # drop the noise of a difference quotient

    def shared_settings(self) -> dict[str, Any]:
        """The settings that all results in one folder must agree on."""
        return {name: asdict(self)[name] for name in ("epochs", "iterations", "c2", "strength", "chosen", "scored")}

    def to_dict(self) -> dict[str, Any]:
        """The plan as a JSON record."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Plan":
        """Read what `to_dict` wrote.

        >>> Plan.from_dict(Plan(seeds=2).to_dict()) == Plan(seeds=2)
        True
        """
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in record.items()
        }
        fields["only"] = tuple(PlannedRun(**run) for run in fields.get("only", ()))
        return cls(**fields)


def strength_words(plan: Plan) -> str:
    """The c2 of a plan's recipes, as text.

    >>> strength_words(Plan()), strength_words(Plan(strength="effective"))
    ('1', "1·f′(0): the same strength as plain gradients' for small differences")
    """
    if plan.chosen:
        given = (f"{name} {each['c2']:g}" for name, each in plan.chosen.items())
        return f"chosen for each recipe on a tenth of the training data: {', '.join(given)}; else {plan.c2:g}"
    if plan.strength == "effective":
        return f"{plan.c2:g}·f′(0): the same strength as plain gradients' for small differences"
    return f"{plan.c2:g}"


def runs_by_iteration(recipe: str) -> bool:
    """Whether a recipe counts iterations over the whole corpus, without random numbers, instead of epochs.

    >>> runs_by_iteration("lbfgs"), runs_by_iteration("sgd")
    (True, False)
    """
    return recipe in RECIPES and RECIPES[recipe].unit == "iteration"
