"""The passive–aggressive algorithm and the averaged perceptron: only what was mislabelled changes the weights.

    ŷ = best path ─▶ loss ℓ = θ·Φ(ŷ) − θ·Φ(y) + cost ─▶ θ += τ (Φ(y) − Φ(ŷ)),  τ by type 0, 1 or 2

Type 3 is the averaged perceptron: τ = 1, and the loss is the share of wrong labels. As in CRFsuite the cost is
√(wrong labels) (or 1), and the model is the average over all steps (native/kernel/pass/mistake_passes.hpp). The last
weights are kept: the loss is measured before each step, so its lowest value says little about the averaged weights.

A pass in which every label is right does not end training, as in CRFsuite: the average still moves towards θ. θ itself
never changes again, so a later pass only counts the sentences.
"""

import math

import numpy as np

from tagfield.data.dataset import Longs
from tagfield.errors import TrainingError
from tagfield.native import kernels
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.crfsuite_recipes import Margin, Perceptron
from tagfield.train.trainers.trainer import State, Trainer, arrays_of, norm_of, weights_of
from tagfield.weights.layout import ABSENT, Weights, absent

PERCEPTRON = 3  # the type of a pass whose step is 1
PART = 8192  # rows of weights that stay in the cache


class MarginTrainer(Trainer):
    """Weights that one pass after another corrects.

    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    >>> trainer = MarginTrainer(Margin(), Problem.of(encoded, Settings("pa", features="all")))
    >>> [trainer.run(np.arange(2)) for _ in range(3)][-1]  # everything is right in the end
    0.0
    """

    def __init__(self, recipe: Margin | Perceptron, problem: Problem) -> None:
        self.recipe: Margin | Perceptron = recipe
        self.problem = problem
        self._options = recipe if isinstance(recipe, Margin) else Margin()
        self._type = self._options.pa_type if isinstance(recipe, Margin) else PERCEPTRON
        self._theta = problem.start.copy()
        self._rest = self._theta.copy()
        for array in self._rest.arrays():
            array *= 0
        self._seen = 1.0
        self._epoch = 0

    def run(self, order: Longs) -> float:
        """One pass over the sentences in `order`; returns the summed loss."""
        self._epoch += 1
        if self.settled:
            self._seen += self.problem.data.nonempty(order)
            return 0.0
        field = self.problem.features.field
        options, weights, loss, failed = self._options, (field(self._theta), field(self._rest)), 0.0, -1
        for part in self.problem.data.parts(order):
            added, self._seen, failed = kernels.margin_pass(
                part.corpus, *weights, part.order, self._type, options.c, options.error_sensitive, self._seen
            )
            loss += added
            if failed >= 0:
                failed = int(part.sentences[np.flatnonzero(part.order == failed)[0]])
                break
        if failed >= 0 or not math.isfinite(loss):
            remedy = "Scale" if self._type == PERCEPTRON else "Give a smaller pa_c, or scale"
            raise TrainingError(
                f"epoch {self._epoch}: the weights left the range of numbers at sequence {failed} "
                f"({self.recipe.family}); nothing was saved. {remedy} large values down"
            )
        self.monitor = loss
        self.settled = loss == 0 and len(np.unique(order)) == self.problem.count
        return loss

    def finished(self) -> str:
        few = self.monitor < self.recipe.epsilon * max(1, self.problem.count)
        return below(self.recipe.epsilon) if few else ""

    def norm(self) -> float:
        """‖θ‖; of the perceptron ‖θ − R/n‖, as in CRFsuite, a part at a time, so that no copy is made."""
        if self._type != PERCEPTRON:
            return norm_of(self._theta)
        squares = 0.0
        for theta, rest in zip(self._theta.arrays(), self._rest.arrays(), strict=True):
            for first in range(0, len(theta), PART):
                part = slice(first, first + PART)
                squares += kernels.squared_norm(theta[part] - rest[part] / np.float32(self._seen))
        return math.sqrt(squares)

    def weights(self, out: Weights | None = None) -> Weights:
        """The averaged weights θ − R/n, or θ itself, as a copy."""
        if not self._options.averaging:
            return self._theta.copy()
        out = out or self._theta.copy()
        for average, theta, rest in zip(out.arrays(), self._theta.arrays(), self._rest.arrays(), strict=True):
            np.divide(rest, np.float32(-self._seen), out=average)
            np.add(average, theta, out=average)
            average[absent(theta)] = ABSENT
        return out

    def state(self) -> State:
        numbers = {"seen": self._seen, "epoch": self._epoch, "loss": self.monitor}
        return State(arrays_of(theta=self._theta, rest=self._rest), numbers)

    def resume(self, state: State) -> None:
        self._theta, self._rest = weights_of(state, "theta"), weights_of(state, "rest")
        self._seen, self._epoch = state.numbers["seen"], int(state.numbers["epoch"])
        self.monitor, self.settled = state.numbers["loss"], False


def below(epsilon: float) -> str:
    """Why training is done: little enough is mislabelled.

    >>> below(0.1)
    'the mean loss per sequence is below 0.1'
    """
    return f"the mean loss per sequence is below {epsilon:g}"
