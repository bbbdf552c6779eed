"""Natural gradient descent on the whole corpus: E and Ẽ of all sentences, on any number of threads.

    E, Ẽ (means over the sentences) ─▶ natural gradient (*) of the loss ─▶ θ ← (1 − Cλ) θ − λ · (*)

Here every loss and generator runs exactly, in float64, also those that need positive expectations: an observed
feature has Ẽ > 0. The rate grows by a tenth while the likelihood (for plain gradients, the objective) improves;
a step that makes it worse is taken back and tried again with half the rate.
"""

import math

import numpy as np

from tagfield.dataset import Dataset, Doubles, Longs
from tagfield.errors import TrainingError
from tagfield.layout import FeatureSet, Weights
from tagfield.train.objective import Objective, dot, norm
from tagfield.train.options import WholeCorpus
from tagfield.train.problem import Problem
from tagfield.train.trainer import Finished, State, Trainer

SMALLEST_RATE = 1e-12


class WholeCorpusTrainer(Trainer):
    """Natural gradient descent on the expectations of all sentences: one accepted step a pass."""

    def __init__(self, recipe: WholeCorpus, problem: Problem) -> None:
        self.recipe: WholeCorpus = recipe
        self.problem = problem
        self._count = max(1, len(problem.dataset))
        self._objective = Objective(problem)
        self._target = self._objective.pack(empirical(problem.dataset, problem.features)) / self._count
        self._x = self._objective.pack(problem.start)
        self._rate = 1.0 if recipe.rate is None else recipe.rate
        self._nll, self._u = self._expectations(self._x)
        # Plain gradients minimise the objective. A transformed one has another regulariser: it goes by the likelihood.
        self._merit = self._objective.c2 if recipe.f.generator.linear else 0.0
        self._iterations = 0

    def run(self, order: Longs) -> float:
        """One step on the whole corpus, in whatever order; returns the objective."""
        c2, f = self._objective.c2, self.recipe.f
        decay = 2 * c2 / self._count
        expected = self._u + self._target
        if f.generator.domain[0] == 0:  # a positive E may come out of the difference as a rounded 0
            expected = np.maximum(expected, 1e-9 * self._target)
        direction = f.direction(expected, self._target)
        if not np.isfinite(direction).all():
            raise TrainingError(
                f"iteration {self._iterations + 1}: {f} is not finite where the model's expectation has become 0; give "
                "a larger c2, fewer iterations, or another generator"
            )
        before = self._nll + self._merit * dot(self._x, self._x)
        while True:
            tried = (1 - decay * self._rate) * self._x - self._rate * direction
            nll, u = self._expectations(tried)
            if nll + self._merit * dot(tried, tried) < before:
                break
            self._rate /= 2
            if self._rate < SMALLEST_RATE:
                raise Finished(f"no step improves the {'objective' if self._merit else 'likelihood'}")
        self._x, self._nll, self._u = tried, nll, u
        self._rate *= 1.1
        self._iterations += 1
        self.monitor = nll + self._merit * dot(tried, tried)
        return nll + c2 * dot(tried, tried)

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
        numbers = {"rate": self._rate, "nll": self._nll, "iterations": self._iterations}
        return State({"x": self._x, "u": self._u}, numbers)

    def resume(self, state: State) -> None:
        self._x, self._u = state.arrays["x"], state.arrays["u"]
        self._rate, self._nll = state.numbers["rate"], state.numbers["nll"]
        self._iterations = int(state.numbers["iterations"])


def empirical(dataset: Dataset, features: FeatureSet) -> Weights:
    """Ẽ: how often each pair, transition and edge feature occurs, weighted, in the layout of the weights; float64.

    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.features import feature_set
    >>> from tagfield.lattice import open_corpus
    >>> data = encode_sequences([[["a"], ["a", "b"]]], [["X", "X"]]).dataset
    >>> counts = empirical(data, feature_set(open_corpus(data), 2, 1, "all"))
    >>> counts.state[:, 0].tolist(), counts.trans[0, 0].item()
    ([2.0, 1.0], 1.0)
    """
    sentence = np.repeat(np.arange(len(dataset)), np.diff(dataset.occurrences))
    attribute = np.repeat(dataset.attribute, dataset.slot_sizes()).astype(np.int64)
    label = dataset.labels[dataset.tokens[sentence] + dataset.position].astype(np.int64)
    worth = dataset.weight[sentence] * (1.0 if dataset.value is None else dataset.value.astype(np.float64))
    place = features.find(attribute, label)
    known = place >= 0
    shape = features.zero.state.shape
    state = np.bincount(place[known], worth[known], features.zero.state.size).reshape(shape)
    inside = np.ones(len(dataset.labels), bool)
    inside[dataset.tokens[:-1][np.diff(dataset.tokens) > 0]] = False
    at = np.flatnonzero(inside)
    token_worth = np.repeat(dataset.weight, np.diff(dataset.tokens))
    width = features.zero.trans.shape[1]
    edge = dataset.labels[at - 1].astype(np.int64) * width + dataset.labels[at]
    trans = np.bincount(edge, token_worth[at], features.zero.trans.size).reshape(features.zero.trans.shape)
    return Weights(state, trans, _empirical_edges(dataset, features))  # type: ignore[arg-type]


def _empirical_edges(dataset: Dataset, features: FeatureSet) -> Doubles | None:
    zero, edges = features.zero.edge, dataset.edges
    if zero is None or edges is None:
        return None if zero is None else np.zeros(zero.shape)
    sentence = edges.sentences()
    after = dataset.tokens[sentence] + edges.position
    attribute = np.repeat(edges.attribute, edges.sizes()).astype(np.int64)
    labels = dataset.labels.astype(np.int64)
    place = features.find_edges(attribute, labels[after - 1], labels[after])
    worth = dataset.weight[sentence] * (1.0 if edges.value is None else edges.value.astype(np.float64))
    counts: Doubles = np.bincount(place[place >= 0], worth[place >= 0], zero.size).astype(np.float64)
    return counts.reshape(zero.shape)
