"""Plan: the runs of a comparison and the settings of each.

    Plan(recipes, features, seeds, …) ─▶ runs(): PlannedRun("u2.g1", "all", 0), … ─▶ settings(run): train.Settings

Stochastic recipes train for a fixed number of epochs, without early stopping, so their curves have the same length.
L-BFGS uses no random numbers: it runs once per feature set, by iteration, until it converges. The longest runs start
first, so that no core waits for them at the end.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from tagfield.errors import InputError
from tagfield.train import RECIPES, Settings
from tagfield.train.options import Stochastic

PAPER = ("sgd", "pa", "lbfgs", "u1.g1", "u2.g1", "u2.g1p", "u2.g2", "u2.g3")
FEATURES = ("observed", "all")


@dataclass(frozen=True)
class PlannedRun:
    """One training run of a comparison: a recipe on a feature set with a seed.

    >>> PlannedRun("u2.g1", "all", 3).key
    'u2.g1/all/3'
    """

    recipe: str
    features: str
    seed: int

    @property
    def key(self) -> str:
        """The name of the run in the results."""
        return f"{self.recipe}/{self.features}/{self.seed}"


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

    def runs(self) -> list[PlannedRun]:
        """Every run, in starting order."""
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
        if isinstance(recipe, Stochastic):
            recipe = replace(recipe, block=1)  # the paper's order; a run has one thread
        return Settings(
            recipe=recipe,
            features=run.features,
            c2=self.c2,
            epochs=self.length(run),
            seed=run.seed,
            threads=1,
            period=10 if runs_by_iteration(run.recipe) else 0,  # 0 turns early stopping off
        )

    def shared_settings(self) -> dict[str, Any]:
        """The settings that all results in one folder must agree on."""
        return {name: asdict(self)[name] for name in ("epochs", "iterations", "c2")}

    def to_dict(self) -> dict[str, Any]:
        """The plan as a JSON record."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Plan":
        """Reads what `to_dict` wrote.

        >>> Plan.from_dict(Plan(seeds=2).to_dict()) == Plan(seeds=2)
        True
        """
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in record.items()
        }
        return cls(**fields)


def runs_by_iteration(recipe: str) -> bool:
    """Whether a recipe takes iterations over the whole corpus, without random numbers, instead of epochs.

    >>> runs_by_iteration("lbfgs"), runs_by_iteration("sgd")
    (True, False)
    """
    return recipe in RECIPES and RECIPES[recipe].unit == "iteration"
