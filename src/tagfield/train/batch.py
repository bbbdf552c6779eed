"""The objective of the whole corpus and its gradient, in float64, on all cores.

    x [K] ─▶ Σ NLL and E − Ẽ (native/kernel/gradient.hpp) ─▶ + c2·‖x‖² ─▶ quasi_newton.py ─▶ x

One thread gives the same bits every time; several may differ in the last digits, since their sums are added in
another order.
"""

import numpy as np

from tagfield.dataset import Doubles
from tagfield.features import FeatureSet, Weights
from tagfield.native import kernels
from tagfield.train.quasi_newton import dot


class Objective:
    """Σ NLL + c2·‖x‖² and its gradient, as functions of the K weights that exist: states first, then transitions."""

    def __init__(self, corpus: kernels.Corpus, features: FeatureSet, *, c2: float, threads: int) -> None:
        self.corpus = corpus
        self.features = features
        self.c2 = c2
        self.threads = threads
        at = features.coordinates()
        self._states, self._edges = at.state, at.trans
        self._trans = np.zeros(features.zero.trans.shape)
        first = np.searchsorted(at.attribute, np.arange(features.attributes + 1)).astype(np.int64)
        self._packed = kernels.Packed(corpus, features.labels, first, at.label.astype(np.int32))

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
        return self._packed.nll_gradient(x, self._trans, gradient, grad_trans, self.threads)

    def pack(self, weights: Weights) -> Doubles:
        """The weights that exist, as x."""
        parts = (weights.state.reshape(-1)[self._states], weights.trans.reshape(-1)[self._edges])
        return np.concatenate(parts).astype(np.float64)

    def weights(self, x: Doubles) -> Weights:
        """x in its blocks, as float32; what is no feature stays marked."""
        found = self.features.zeros()
        n = len(self._states)
        found.state.reshape(-1)[self._states] = x[:n] + 0.0
        found.trans.reshape(-1)[self._edges] = x[n:] + 0.0
        return found
