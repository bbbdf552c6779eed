"""The objective of the whole corpus and its gradient, in float64, on any number of threads.

    x [K] ─▶ Σ NLL and E − Ẽ (native/kernel/gradient.hpp) ─▶ + c2·‖x‖² ─▶ quasi_newton.py, whole_corpus.py

Where labels are unknown or rules forbid some paths, the loss is −log p(known labels) (limits.py). One thread gives the
same bits every time; several may differ in the last digits, since their sums are added in another order.
"""

import math

import numpy as np

from tagfield.dataset import Doubles
from tagfield.layout import Weights
from tagfield.native import kernels
from tagfield.train.problem import Problem


class Objective:
    """Σ NLL + c2·‖x‖² and its gradient, as functions of the weights that exist: states, then transitions, then edges.

    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> encoded = encode_sequences([[["a"], ["b"]]], [["X", "Y"]])
    >>> value, _ = Objective(Problem.of(encoded, Settings(features="all")))(np.zeros(8))
    >>> round(value, 6)  # 2·log 2
    1.386294
    """

    def __init__(self, problem: Problem) -> None:
        features, limits = problem.features, problem.limits
        self.features = features
        self.c2 = problem.settings.c2
        self.threads = problem.settings.team
        self._limits = limits
        self._partial = limits is not None or not problem.corpus.complete
        at = features.coordinates()
        self._places = [at.state, at.trans, at.edge]  # of the features, in the arrays of the weights
        ends = np.cumsum([len(places) for places in self._places]).tolist()
        self._parts = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]  # of x
        self._trans = np.zeros(features.zero.trans.shape)
        first = np.searchsorted(at.attribute, np.arange(features.attributes + 1)).astype(np.int64)
        edge_first = np.searchsorted(at.edge_attribute, np.arange(features.edges + 1)).astype(np.int64)
        cell = at.edge_before * features.zero.trans.shape[1] + at.edge_after
        label = at.label.astype(np.int32)
        self._packed = kernels.Packed(problem.corpus, features.labels, first, label, edge_first, cell)

    @property
    def size(self) -> int:
        return sum(len(places) for places in self._places)

    def __call__(self, x: Doubles) -> tuple[float, Doubles]:
        states, trans, edges = self._parts
        gradient = (2 * self.c2) * x  # the penalty's; the corpus adds to it
        grad_trans = np.zeros(self._trans.shape)
        self._trans.reshape(-1)[self._places[1]] = x[trans]
        point, into = (x[states], self._trans, x[edges]), (gradient[states], grad_trans, gradient[edges])
        if self._partial:
            nll = self._packed.partial_gradient(*point, self._limits, *into, self.threads)
        else:
            nll = self._packed.nll_gradient(*point, *into, self.threads)
        gradient[trans] += grad_trans.reshape(-1)[self._places[1]]
        return nll + self.c2 * dot(x, x), gradient

    def pack(self, weights: Weights) -> Doubles:
        """The weights that exist, as x."""
        parts = zip(weights.arrays(), self._places, strict=False)
        return np.concatenate([array.reshape(-1)[places] for array, places in parts]).astype(np.float64)

    def weights(self, x: Doubles) -> Weights:
        """x in its blocks, as float32; a pair without a feature stays marked as such."""
        found = self.features.zeros()
        for array, places, part in zip(found.arrays(), self._places, self._parts, strict=False):
            array.reshape(-1)[places] = x[part] + 0.0
        return found


def dot(a: Doubles, b: Doubles) -> float:
    """a·b without BLAS, which would wake its threads for each of these short sums.

    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float(np.einsum("i,i->", a, b))


def norm(a: Doubles) -> float:
    """‖a‖.

    >>> norm(np.array([3.0, 4.0]))
    5.0
    """
    return math.sqrt(dot(a, a))
