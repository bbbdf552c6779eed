"""Plan: which runs make up a comparison, and what each of them is told.

    Plan(recipes, features, seeds, …) ─▶ runs(): Run("u2.g1", "all", 0), … ─▶ settings(run): train.Settings

Every curve has the same length, so the stochastic stopping rule is off. L-BFGS draws no chance: it runs once for each
feature set, by iteration, until it converges. The longest runs come first, so that no core waits for them at the end.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tagfield.errors import InputError
from tagfield.train import RECIPES, Settings

PAPER = ("sgd", "pa", "lbfgs", "u1.g1", "u2.g1", "u2.g1p", "u2.g2", "u2.g3")
FEATURES = ("observed", "all")


@dataclass(frozen=True)
class Run:
    """One training run of a comparison.

    >>> Run("u2.g1", "all", 3).key
    'u2.g1/all/3'
    """

    recipe: str
    features: str
    seed: int

    @property
    def key(self) -> str:
        return f"{self.recipe}/{self.features}/{self.seed}"


@dataclass(frozen=True)
class Plan:
    """Recipes × feature sets × seeds, with what they have in common.

    >>> [run.key for run in Plan(("sgd", "lbfgs"), ("all",), seeds=2).runs()]
    ['lbfgs/all/0', 'sgd/all/0', 'sgd/all/1']
    """

    recipes: tuple[str, ...] = PAPER
    features: tuple[str, ...] = FEATURES
    seeds: int = 5
    epochs: int = 50
    iterations: int = 1000  # of L-BFGS, where it has not converged before
    c2: float = 1.0

    def __post_init__(self) -> None:
        for recipe in self.recipes:
            if recipe not in RECIPES:
                raise InputError(f"there is no recipe {recipe!r}; choose from {', '.join(RECIPES)}")
        for kind in self.features:
            if kind not in FEATURES:
                raise InputError(f"there is no feature set {kind!r}; choose from {', '.join(FEATURES)}")
        if not self.recipes or not self.features:
            raise InputError("a comparison needs at least one recipe and one feature set")
        for name in ("seeds", "epochs", "iterations"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be a number from 1 on, not {getattr(self, name)}")
        if not 0 <= self.c2 < float("inf"):
            raise InputError(f"c2 must be a number from 0 on, not {self.c2}")

    def runs(self) -> list[Run]:
        """Every run, in the order in which they start."""
        kinds = [kind for kind in reversed(FEATURES) if kind in self.features]  # `all` takes longer
        recipes = list(dict.fromkeys(self.recipes))
        batch = [Run(name, kind, 0) for kind in kinds for name in recipes if is_batch(name)]
        return batch + [
            Run(name, kind, seed)
            for seed in range(self.seeds)
            for kind in kinds
            for name in recipes
            if not is_batch(name)
        ]

    def length(self, run: Run) -> int:
        """The most epochs or iterations that the run can take."""
        return self.iterations if is_batch(run.recipe) else self.epochs

    def settings(self, run: Run) -> Settings:
        """What the trainer is told.

        >>> Plan(epochs=7).settings(Run("sgd", "all", 2)).epochs
        7
        """
        return Settings(
            recipe=run.recipe,
            features=run.features,
            c2=self.c2,
            epochs=self.length(run),
            seed=run.seed,
            threads=1,
            period=10 if is_batch(run.recipe) else 0,
        )

    def common(self) -> dict[str, Any]:
        """What every run shares: with other values, results do not belong together."""
        return {name: asdict(self)[name] for name in ("epochs", "iterations", "c2")}

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Plan":
        """The plan that `to_dict` wrote.

        >>> Plan.from_dict(Plan(seeds=2).to_dict()) == Plan(seeds=2)
        True
        """
        told: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in record.items()
        }
        return cls(**told)


def is_batch(recipe: str) -> bool:
    """Whether a recipe goes by iterations over the whole corpus, without chance.

    >>> is_batch("lbfgs"), is_batch("sgd")
    (True, False)
    """
    return recipe in RECIPES and RECIPES[recipe].unit == "iteration"
