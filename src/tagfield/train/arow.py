"""AROW: adaptive regularisation of weights; a weight that was corrected often moves less.

    ŷ = best path ─▶ loss ℓ = μ·Φ(ŷ) − μ·Φ(y) + wrong labels ─▶ μ += α·Σ·(Φ(y) − Φ(ŷ)),  Σ shrinks where it moved

The pass is native (native/kernel/arow.hpp). As in CRFsuite the last weights are kept, without averaging.
"""

import math

import numpy as np

from tagfield.dataset import Longs
from tagfield.errors import InputError, TrainingError
from tagfield.features import FeatureSet, Weights
from tagfield.native import kernels


class ArowTrainer:
    """Weights, and how unsure each of them still is.

    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.features import feature_set
    >>> from tagfield.lattice import open_corpus
    >>> encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    >>> corpus = open_corpus(encoded.dataset)
    >>> trainer = ArowTrainer(corpus, feature_set(corpus, 2, 2, "all"))
    >>> [trainer.run(np.arange(2)) for _ in range(3)][-1]  # everything is right in the end
    0.0
    """

    def __init__(
        self,
        corpus: kernels.Corpus,
        features: FeatureSet,
        *,
        variance: float = 1.0,
        gamma: float = 1.0,
        start: Weights | None = None,
    ) -> None:
        for name, value in (("variance", variance), ("gamma", gamma)):
            if not (value > 0 and math.isfinite(value)):
                raise InputError(f"arow: {name} must be a number above 0, not {value}")
        self.corpus = corpus
        self.features = features
        self.gamma = gamma
        self._mean = features.zeros() if start is None else start.copy()
        self._spread = Weights(
            np.full(self._mean.state.shape, variance, np.float32),
            np.full(self._mean.trans.shape, variance, np.float32),
        )
        self._epoch = 0

    def run(self, order: Longs) -> float:
        """One pass over the sentences in `order`; returns the summed loss."""
        self._epoch += 1
        loss, failed = kernels.arow_pass(
            self.corpus, self.features.field(self._mean), self.features.field(self._spread), order, self.gamma
        )
        if failed >= 0 or not math.isfinite(loss):
            raise TrainingError(
                f"epoch {self._epoch}: the weights left the range of numbers at sequence {failed} (arow); nothing was "
                "saved. Give a larger gamma, or scale large values down"
            )
        return loss

    def norm(self) -> float:
        """‖μ‖."""
        return math.sqrt(kernels.squared_norm(self._mean.state) + kernels.squared_norm(self._mean.trans))

    def directions(self) -> Weights:
        """The weights that would be kept now, without a copy."""
        return self._mean

    def weights(self, out: Weights | None = None) -> Weights:
        """μ, as a copy."""
        return self._mean.copy()
