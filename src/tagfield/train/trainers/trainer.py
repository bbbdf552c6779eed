"""What every trainer can do: the protocol between a recipe and the loop over epochs (loop/epochs.py).

run(order)   one pass over the sentences, or one iteration ─▶ the objective; Finished where nothing is left to gain
monitor      what should fall from pass to pass: the best pass is the one where it is lowest
watches_loss whether the stopping rule watches the loss per token (loop/loss.py) instead of `monitor`
norm         ‖θ‖
figures      what else there is to tell of the last pass
weights      a copy of the weights that would be kept now
state        everything that the next pass depends on ─▶ resume: go on from there, bit by bit
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import Longs
from tagfield.native import kernels
from tagfield.system.contents import ByContent
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.recipe import Recipe
from tagfield.weights.layout import Weights


class Finished(Exception):
    """Raised by `run` where no step can improve the objective any more; the message says why."""


@dataclass(frozen=True)
class Figures:
    """What a trainer knows of its last pass beside the objective; None where there is no such thing.

    >>> Figures(linesearch_trials=1, linesearch_step=0.5).to_dict()
    {'linesearch_trials': 1, 'linesearch_step': 0.5}
    """

    error_norm: float | None = None  # lbfgs: ‖∇f‖, with c1 that of the pseudo-gradient
    active_features: int | None = None  # lbfgs: weights other than 0
    linesearch_trials: int | None = None  # lbfgs: points that the line search tried
    linesearch_step: float | None = None  # lbfgs: the step that it took along the direction
    learning_rate: float | None = None  # stochastic recipes: that of the last step
    updates: int | None = None  # stochastic recipes: steps since training started

    def to_dict(self) -> dict[str, float]:
        """The figures that there are."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True, eq=False)
class State(ByContent):
    """What a trainer has learnt beside the model: arrays and numbers by name. The arrays are the trainer's own."""

    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    numbers: dict[str, float] = field(default_factory=dict)

    def copy(self) -> "State":
        """A state that further training does not change."""
        return State({name: array.copy() for name, array in self.arrays.items()}, dict(self.numbers))


class Trainer(ABC):
    """Weights that one pass after another improves."""

    recipe: Recipe  # with the learning rate that was found
    problem: Problem
    monitor: float = math.inf
    watches_loss: bool = False
    shuffles: ClassVar[bool] = True  # a pass takes the sentences in the order that it is given
    settled: bool = False  # a pass would change nothing but an average: at the last epoch this is convergence

    @abstractmethod
    def run(self, order: Longs) -> float: ...

    @abstractmethod
    def norm(self) -> float: ...

    @abstractmethod
    def weights(self, out: Weights | None = None) -> Weights: ...

    @abstractmethod
    def state(self) -> State: ...

    @abstractmethod
    def resume(self, state: State) -> None: ...

    @classmethod
    def of(cls, recipe: Any, problem: Problem, rng: np.random.Generator) -> "Trainer":
        """The trainer of a recipe, as `Recipe.made_by` names it."""
        return cls(recipe, problem)  # type: ignore[call-arg]

    def directions(self) -> Weights:
        """The weights up to a positive factor, which is enough to find the best labels; a copy only if need be."""
        return self.weights()

    def training_nll(self) -> float | None:
        """−Σ log p(y | x) of the weights on all training data, where the trainer knows it from its last pass."""
        return None

    def figures(self) -> Figures:
        """What the last pass was like, beside its objective."""
        return Figures()

    def release(self) -> None:  # noqa: B027  # most hold nothing more
        """Lets go of what only a further pass would need, before the weights are copied for the last time."""

    def finished(self) -> str:
        """Why there is nothing left to learn after the last pass; empty where there is."""
        return ""

    def diverged(self) -> bool:
        """Whether the weights explain the data worse than no weights do."""
        return False


def norm_of(weights: Weights) -> float:
    """‖θ‖ of float32 weights, summed in float64.

    >>> import numpy as np
    >>> norm_of(Weights(np.full((1, 8), 2.0, np.float32), np.zeros((1, 8), np.float32))) == 32**0.5
    True
    """
    return math.sqrt(sum(kernels.squared_norm(array) for array in weights.arrays()))


def arrays_of(**weights: Weights) -> dict[str, NDArray[Any]]:
    """The arrays of several weights, by name: for a State."""
    return {
        f"{name}.{part}": array
        for name, each in weights.items()
        for part, array in zip(("state", "trans", "edge"), each.arrays(), strict=False)
    }


def weights_of(state: State, name: str) -> Weights:
    """The weights that `arrays_of` took apart."""
    return Weights(state.arrays[f"{name}.state"], state.arrays[f"{name}.trans"], state.arrays.get(f"{name}.edge"))
