"""AROW: adaptive regularisation of weights; a weight that was corrected often moves less.

    ŷ = best path ─▶ loss ℓ = μ·Φ(ŷ) − μ·Φ(y) + wrong labels ─▶ μ += α·Σ·(Φ(y) − Φ(ŷ)),  Σ shrinks where it moved

The pass is native (native/kernel/pass/mistake_passes.hpp). As in CRFsuite the last weights are kept, without averaging.
"""

import math

import numpy as np

from tagfield.data.dataset import Longs
from tagfield.errors import TrainingError
from tagfield.native import kernels
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.crfsuite_recipes import Arow
from tagfield.train.trainers.margin import below
from tagfield.train.trainers.trainer import State, Trainer, arrays_of, norm_of, weights_of
from tagfield.weights.layout import Weights


class ArowTrainer(Trainer):
    """Weights, and how unsure each of them still is.

    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    >>> trainer = ArowTrainer(Arow(), Problem.of(encoded, Settings("arow", features="all")))
    >>> [trainer.run(np.arange(2)) for _ in range(3)][-1]  # everything is right in the end
    0.0
    """

    def __init__(self, recipe: Arow, problem: Problem) -> None:
        self.recipe: Arow = recipe
        self.problem = problem
        self._mean = problem.start.copy()
        self._spread = self._mean.zeros()
        for array in self._spread.arrays():
            array.fill(recipe.variance)
        self._epoch = 0

    def run(self, order: Longs) -> float:
        """One pass over the sentences in `order`; returns the summed loss."""
        self._epoch += 1
        field = self.problem.features.field
        mean, spread, loss, failed = field(self._mean), field(self._spread), 0.0, -1
        for part in self.problem.data.parts(order):
            added, failed = kernels.arow_pass(part.corpus, mean, spread, part.order, self.recipe.gamma)
            loss += added
            if failed >= 0:
                failed = int(part.sentences[np.flatnonzero(part.order == failed)[0]])
                break
        if failed >= 0 or not math.isfinite(loss):
            raise TrainingError(
                f"epoch {self._epoch}: the weights left the range of numbers at sequence {failed} (arow); nothing was "
                "saved. Give a larger gamma, or scale large values down"
            )
        self.monitor = loss
        return loss

    def finished(self) -> str:
        """Unlike pa and ap, arow stops where every label is right: without averaging nothing would change."""
        if self.monitor > self.recipe.epsilon * max(1, self.problem.count):
            return ""
        return below(self.recipe.epsilon) if self.monitor else "every sequence is labelled right"

    def norm(self) -> float:
        """‖μ‖."""
        return norm_of(self._mean)

    def directions(self) -> Weights:
        return self._mean

    def weights(self, out: Weights | None = None) -> Weights:
        """μ, as a copy."""
        return self._mean.copy()

    def state(self) -> State:
        numbers = {"epoch": self._epoch, "loss": self.monitor}
        return State(arrays_of(mean=self._mean, spread=self._spread), numbers)

    def resume(self, state: State) -> None:
        self._mean, self._spread = weights_of(state, "mean"), weights_of(state, "spread")
        self._epoch, self.monitor = int(state.numbers["epoch"]), state.numbers["loss"]
