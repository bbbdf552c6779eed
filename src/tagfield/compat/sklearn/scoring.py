"""score: token accuracy, of the predictions that the CRF, or a subclass of it, makes."""

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tagfield.compat.sklearn.decoding import Decoding
from tagfield.data.encode import check_weights
from tagfield.errors import InputError


class Scoring(Decoding):
    """The method of CRF that scores it."""

    def score(self, X: Iterable[Any], y: Iterable[Any], sample_weight: ArrayLike | None = None) -> float:
        """Token accuracy: the fraction of correct labels. sample_weight has one weight per sequence.

        Tokens with the label None do not count.

        >>> from tagfield import CRF
        >>> X, y = [[["a"], ["b"]]], [["X", "Y"]]
        >>> CRF().fit(X, y).score(X, y)
        1.0
        """
        self._check_fitted()
        if y is None:
            raise InputError("y is None; score needs the gold labels")
        if self._overrides("predict", "predict_single"):
            right, known, lengths = self._compare(X, y)
        else:
            encoded = self._encode(X, y)
            right, known = self._decoder(encoded).best() == encoded.gold, encoded.gold >= 0
            lengths = np.diff(encoded.dataset.tokens)
        given = np.ones(len(lengths)) if sample_weight is None else sample_weight
        weight = np.repeat(check_weights(given, len(lengths), "sample_weight"), lengths)
        weight[~known] = 0  # a token without a gold label does not count
        if not weight.any():
            raise InputError("nothing to score: no token of X has both a gold label and a weight above 0")
        return float(np.average(right, weights=weight))

    def _compare(self, X: Iterable[Any], y: Iterable[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """By what predict returns: whether each token is right, whether it has a gold label; lengths of sequences."""
        names = self._names.copy()
        gold: list[list[str | None]] = list(map(list, names.read(y)))
        found = [[names.find(label) for label in labels] for labels in self.predict(X)]
        if len(gold) != len(found):
            raise InputError(f"X and y must have the same length, but predict returned {len(found)} sequences")
        for index, (one, other) in enumerate(zip(gold, found, strict=True)):
            if len(one) != len(other):
                raise InputError(f"y[{index}] has {len(one)} labels, but predict returned {len(other)}")
        pairs = list(zip(chain.from_iterable(gold), chain.from_iterable(found), strict=True))
        right = np.array([name == other for name, other in pairs], bool)
        known = np.array([name is not None for name, _ in pairs], bool)
        return right, known, np.array(list(map(len, gold)), np.int64)
