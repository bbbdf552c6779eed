"""The passive–aggressive algorithm: only what was mislabelled changes the weights.

    ŷ = best path ─▶ loss ℓ = θ·Φ(ŷ) − θ·Φ(y) + cost ─▶ θ += τ (Φ(y) − Φ(ŷ)),  τ by type 0, 1 or 2

Type 3 is the averaged perceptron: τ = 1, and the loss is the share of wrong labels.

As in CRFsuite the cost is √(wrong labels) (or 1), and the model is the average over all steps
(native/kernel/margin.hpp).
"""

import math

import numpy as np

from tagfield.dataset import Longs
from tagfield.errors import InputError, TrainingError
from tagfield.features import ABSENT, FeatureSet, Weights, absent
from tagfield.native import kernels


class MarginTrainer:
    """Weights that one pass after another corrects.

    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.features import feature_set
    >>> from tagfield.lattice import open_corpus
    >>> encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    >>> corpus = open_corpus(encoded.dataset)
    >>> trainer = MarginTrainer(corpus, feature_set(corpus, 2, 2, "all"))
    >>> [trainer.run(np.arange(2)) for _ in range(3)][-1]  # everything is right in the end
    0.0
    """

    def __init__(
        self,
        corpus: kernels.Corpus,
        features: FeatureSet,
        *,
        type: int = 1,
        aggressiveness: float = 1.0,
        cost_sensitive: bool = True,
        average: bool = True,
        start: Weights | None = None,
    ) -> None:
        if type not in (0, 1, 2, 3):
            raise InputError(f"there is no passive–aggressive algorithm of type {type}; choose 0, 1 or 2")
        if not aggressiveness > 0:
            raise InputError(f"the aggressiveness must be above 0, not {aggressiveness:g}")
        self.corpus = corpus
        self.features = features
        self.average = average
        self._type = type
        self._aggressiveness = aggressiveness
        self._cost_sensitive = cost_sensitive
        self._theta = features.zeros() if start is None else start.copy()
        self._rest = Weights(0 * self._theta.state, 0 * self._theta.trans)
        self._seen = 1.0
        self._epoch = 0

    def run(self, order: Longs) -> float:
        """One pass over the sentences in `order`; returns the summed loss."""
        self._epoch += 1
        loss, self._seen, failed = kernels.margin_pass(
            self.corpus,
            self.features.field(self._theta),
            self.features.field(self._rest),
            order,
            self._type,
            self._aggressiveness,
            self._cost_sensitive,
            self._seen,
        )
        if failed >= 0 or not math.isfinite(loss):
            name = "ap" if self._type == 3 else "pa"
            raise TrainingError(
                f"epoch {self._epoch}: the weights left the range of numbers at sequence {failed} ({name}); nothing "
                f"was saved. {'S' if name == 'ap' else 'Give a smaller aggressiveness, or s'}cale large values down"
            )
        return loss

    def norm(self) -> float:
        """‖θ‖ before averaging."""
        return math.sqrt(kernels.squared_norm(self._theta.state) + kernels.squared_norm(self._theta.trans))

    def directions(self) -> Weights:
        """The weights that would be kept now."""
        return self.weights()

    def weights(self, out: Weights | None = None) -> Weights:
        """The averaged weights θ − R/n, or θ itself, as a copy."""
        if not self.average:
            return self._theta.copy()
        out = out or self._theta.copy()
        for average, theta, rest in (
            (out.state, self._theta.state, self._rest.state),
            (out.trans, self._theta.trans, self._rest.trans),
        ):
            np.divide(rest, np.float32(-self._seen), out=average)
            np.add(average, theta, out=average)
            average[absent(theta)] = ABSENT
        return out
