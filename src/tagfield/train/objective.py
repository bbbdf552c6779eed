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
    """Σ NLL + c2·‖x‖² and its gradient, as functions of the K weights that exist: states first, then transitions.

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
        self.threads = problem.settings.threads
        self._limits = limits
        self._partial = limits is not None or not problem.corpus.complete
        at = features.coordinates()
        self._states, self._edges = at.state, at.trans
        self._trans = np.zeros(features.zero.trans.shape)
        first = np.searchsorted(at.attribute, np.arange(features.attributes + 1)).astype(np.int64)
        self._packed = kernels.Packed(problem.corpus, features.labels, first, at.label.astype(np.int32))

    @property
    def size(self) -> int:
        return len(self._states) + len(self._edges)

    def __call__(self, x: Doubles) -> tuple[float, Doubles]:
        n = len(self._states)
        gradient = (2 * self.c2) * x  # the penalty's; the corpus adds to it
        grad_trans = np.zeros(self._trans.shape)
        self._trans.reshape(-1)[self._edges] = x[n:]
        nll = self._nll(x[:n], gradient[:n], grad_trans)
        gradient[n:] += grad_trans.reshape(-1)[self._edges]
        return nll + self.c2 * dot(x, x), gradient

    def _nll(self, x: Doubles, gradient: Doubles, grad_trans: Doubles) -> float:
        if not self._partial:
            return self._packed.nll_gradient(x, self._trans, gradient, grad_trans, self.threads)
        return self._packed.partial_gradient(x, self._trans, self._limits, gradient, grad_trans, self.threads)

    def pack(self, weights: Weights) -> Doubles:
        """The weights that exist, as x."""
        parts = (weights.state.reshape(-1)[self._states], weights.trans.reshape(-1)[self._edges])
        return np.concatenate(parts).astype(np.float64)

    def weights(self, x: Doubles) -> Weights:
        """x in its blocks, as float32; a pair without a feature stays marked as such."""
        found = self.features.zeros()
        n = len(self._states)
        found.state.reshape(-1)[self._states] = x[:n] + 0.0
        found.trans.reshape(-1)[self._edges] = x[n:] + 0.0
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
