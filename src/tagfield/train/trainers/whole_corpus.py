"""Natural gradient descent on the whole corpus: E and Ẽ of all sentences, on any number of threads.

    E, Ẽ (means over the sentences) ─▶ natural gradient (*) of the loss ─▶ θ ← (1 − Cλ) θ − λ · (*)

Here every loss and generator runs exactly, in float64, also those that need positive expectations: an observed
feature has Ẽ > 0. What must vanish is r = Cθ + (*), and nothing need fall on the way there: with a penalty the
likelihood does not, the objective does for plain gradients alone, and the length of r may rise for a while. So a step
is taken if it turns r by at most half of its length, which keeps steps short where the path bends; else it is tried
again with half the rate. The rate grows by a tenth after each step, and training ends where r is short.
"""

import math

import numpy as np

from tagfield.data.dataset import Dataset, Doubles, Floats, Longs
from tagfield.errors import TrainingError
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.variants import WholeCorpus
from tagfield.train.trainers.objective import Objective, dot, norm
from tagfield.train.trainers.trainer import Finished, State, Trainer
from tagfield.weights.layout import FeatureSet, Weights

SMALLEST_RATE = 1e-12
ROUNDED = 1e-13  # of Ẽ: a difference this small is what is left of rounded sums


class WholeCorpusTrainer(Trainer):
    """Natural gradient descent on the expectations of all sentences: one accepted step a pass."""

    shuffles = False

    def __init__(self, recipe: WholeCorpus, problem: Problem) -> None:
        self.recipe: WholeCorpus = recipe
        self.problem = problem
        self._count = max(1, len(problem.dataset))
        self._objective = Objective(problem)
        self._target = self._objective.pack(empirical(problem.dataset, problem.features)) / self._count
        self._x = self._objective.pack(problem.start)
        self._rate = 1.0 if recipe.rate is None else recipe.rate
        self._nll, self._u = self._expectations(self._x)
        self._rest = self._residual(self._x, self._u)
        self._first = self.monitor = norm(self._rest)
        self._iterations = 0

    def run(self, order: Longs) -> float:
        """One step on the whole corpus, in whatever order; returns the objective."""
        length = norm(self._rest)
        if not math.isfinite(length):
            raise TrainingError(
                f"iteration {self._iterations + 1}: {self.recipe.f} is not finite where the model's expectation has "
                "become 0; give a larger c2, fewer iterations, or another generator"
            )
        if length <= ROUNDED * norm(self._target):
            raise Finished("nothing is left to change")
        while True:
            tried = self._x - self._rate * self._rest
            nll, u = self._expectations(tried)
            rest = self._residual(tried, u)
            if norm(rest - self._rest) <= length / 2:  # not where one of them is infinite or no number
                break
            self._rate /= 2
            if self._rate < SMALLEST_RATE:
                raise Finished("no step is short enough")
        self._x, self._nll, self._u, self._rest = tried, nll, u, rest
        self._rate *= 1.1
        self._iterations += 1
        self.monitor = norm(rest)
        return nll + self._objective.c2 * dot(tried, tried)

    def finished(self) -> str:
        """Where Cθ + (*) is as short as asked, beside what it was at the start."""
        settings = self.problem.settings
        if not settings.period or self.monitor > settings.min_improvement * self._first:
            return ""
        return f"what is left to change is below {settings.min_improvement:g} of the first step"

    def _residual(self, x: Doubles, u: Doubles) -> Doubles:
        """Cθ + (*), which is 0 where training ends."""
        expected = u + self._target
        if self.recipe.f.generator.domain[0] == 0:  # a positive E may come out of the difference as a rounded 0
            expected = np.maximum(expected, 1e-9 * self._target)
        decay = 2 * self._objective.c2 / self._count
        found: Doubles = decay * x + self.recipe.f.direction(expected, self._target)
        return found

    def _expectations(self, x: Doubles) -> tuple[float, Doubles]:
        """NLL, and u = E − Ẽ as means over the sentences."""
        c2 = self._objective.c2
        with np.errstate(over="ignore", invalid="ignore"):
            value, gradient = self._objective(x)
            nll = value - c2 * dot(x, x)
        return nll if math.isfinite(nll) else math.inf, (gradient - 2 * c2 * x) / self._count

    def norm(self) -> float:
        return norm(self._x)

    def training_nll(self) -> float:
        return self._nll

    def weights(self, out: Weights | None = None) -> Weights:
        return self._objective.weights(self._x)

    def state(self) -> State:
        numbers = {"rate": self._rate, "nll": self._nll, "first": self._first, "iterations": self._iterations}
        return State({"x": self._x, "u": self._u}, numbers)

    def resume(self, state: State) -> None:
        self._x, self._u = state.arrays["x"], state.arrays["u"]
        self._rate, self._nll = state.numbers["rate"], state.numbers["nll"]
        self._first, self._iterations = state.numbers["first"], int(state.numbers["iterations"])
        self._rest = self._residual(self._x, self._u)
        self.monitor = norm(self._rest)


def empirical(dataset: Dataset, features: FeatureSet) -> Weights:
    """Ẽ: how often each pair, transition and edge feature occurs, weighted, in the layout of the weights; float64.

    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.weights.features import feature_set
    >>> from tagfield.inference.lattice import open_corpus
    >>> data = encode_sequences([[["a"], ["a", "b"]]], [["X", "X"]]).dataset
    >>> counts = empirical(data, feature_set(open_corpus(data), 2, 1, "all"))
    >>> counts.state[:, 0].tolist(), counts.trans[0, 0].item()
    ([2.0, 1.0], 1.0)
    """
    sentence = np.repeat(np.arange(len(dataset)), np.diff(dataset.occurrences))
    attribute = np.repeat(dataset.attribute, dataset.slot_sizes()).astype(np.int64)
    label = dataset.labels[dataset.tokens[sentence] + dataset.position].astype(np.int64)
    worth = dataset.weight[sentence] * (1.0 if dataset.value is None else dataset.value.astype(np.float64))
    state = _summed(features.find(attribute, label), worth, features.zero.state)
    inside = np.ones(len(dataset.labels), bool)
    inside[dataset.tokens[:-1][np.diff(dataset.tokens) > 0]] = False
    at = np.flatnonzero(inside)
    token_worth = np.repeat(dataset.weight, np.diff(dataset.tokens))
    width = features.zero.trans.shape[1]
    edge = dataset.labels[at - 1].astype(np.int64) * width + dataset.labels[at]
    trans = _summed(edge, token_worth[at], features.zero.trans)
    return Weights(state, trans, _empirical_edges(dataset, features))  # type: ignore[arg-type]


def _empirical_edges(dataset: Dataset, features: FeatureSet) -> Doubles | None:
    zero, edges = features.zero.edge, dataset.edge_slots
    if zero is None or edges is None:
        return None if zero is None else np.zeros(zero.shape)
    sentence = edges.sentences()
    after = dataset.tokens[sentence] + edges.position
    attribute = np.repeat(edges.attribute, edges.sizes()).astype(np.int64)
    labels = dataset.labels.astype(np.int64)
    place = features.find_edges(attribute, labels[after - 1], labels[after])
    worth = dataset.weight[sentence] * (1.0 if edges.value is None else edges.value.astype(np.float64))
    return _summed(place, worth, zero)


def _summed(place: Longs, worth: Doubles, like: Floats) -> Doubles:
    """What comes together at each place of an array; a place below 0 is no feature."""
    known = place >= 0
    counts: Doubles = np.bincount(place[known], worth[known], like.size).astype(np.float64)  # of nothing it is int64
    return counts.reshape(like.shape)
