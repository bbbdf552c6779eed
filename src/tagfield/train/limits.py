"""Limits: the paths that training may sum over, where label sets have rules (tagfield/constraints.py).

    −log p(known | x) = log Z − log Z_known        Z_known sums the paths that agree with the known labels

With rules, both sums run over allowed paths only. With every label known and no rules this is the usual likelihood.
With unknown labels it is not convex: the start matters.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagfield._text import Vocabulary
from tagfield.constraints import FORBIDDEN, IMPOSSIBLE, Rules
from tagfield.dataset import UNKNOWN, Dataset
from tagfield.errors import InputError
from tagfield.features import FeatureSet
from tagfield.native import kernels


@dataclass(frozen=True)
class Limits:
    """Which labels each token may have, and which label may follow which."""

    labels: NDArray[np.uint8]  # [T, L]
    follow: NDArray[np.uint8]  # [L, L]: from, to

    @staticmethod
    def of(
        rules: Rules, dataset: Dataset, corpus: kernels.Corpus, features: FeatureSet, labels: Vocabulary
    ) -> "Limits":
        """The limits of rules for a dataset whose known labels keep to them; an InputError where they do not."""
        rules.check_gold(dataset, labels.strings())
        limits = Limits(rules.allowed(dataset.tokens), rules.follow.astype(np.uint8))
        limits._check(dataset, corpus, features)
        return limits

    def _check(self, dataset: Dataset, corpus: kernels.Corpus, features: FeatureSet) -> None:
        """An InputError where no allowed path agrees with the known labels of a sequence."""
        unknown = dataset.labels == UNKNOWN
        if not unknown.any():
            return
        agrees = np.arange(features.labels) == dataset.labels[:, None]
        allowed = self.labels & (agrees | unknown[:, None])
        zero = features.zeros()
        trans = np.where(self.forbidden(features), FORBIDDEN, zero.trans)
        _, score = kernels.decode(corpus, features.layout, zero.state, trans, allowed, 1)
        if (score < IMPOSSIBLE).any():
            sequence = int(np.flatnonzero(score < IMPOSSIBLE)[0])
            raise InputError(
                f"y[{sequence}]: the constraints allow no path through its known labels; correct them, or train "
                "without constraints"
            )

    def forbidden(self, features: FeatureSet) -> NDArray[np.bool_]:
        """Which transitions are forbidden, in the layout of their weights."""
        out = np.zeros(features.zero.trans.shape, bool)
        out[:, : features.labels] = self.follow == 0
        return out
