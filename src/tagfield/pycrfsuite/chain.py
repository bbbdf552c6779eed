"""One sequence under one model: what Tagger asks of it, without what is only needed for many sequences.

    xseq ─▶ native: attribute ids ─▶ Corpus of one sequence ─▶ best · log_probability · marginals

`encode_sequences` and Decoder do the same for many sequences at once. A call of theirs costs 25 µs, more than the work
for a short sequence, so this goes to the kernels directly.
"""

from typing import Any

import numpy as np

from tagfield._text import Vocabulary, encode_objects
from tagfield.dataset import Ints
from tagfield.errors import InputError
from tagfield.native import kernels
from tagfield.pycrfsuite.items import ItemSequence

NO_LABELS = Vocabulary()
ONE = np.frombuffer(np.ones(1).tobytes())  # the weight of the sequence
LARGE = "a score is beyond ±1e9, where probabilities are no longer exact; scale down the values of the attributes"


class Chain:
    """A sequence, ready for the kernels.

    >>> from tagfield.layout import FeatureSet
    >>> features, weights = FeatureSet.from_triples(1, 2, ([0], [1], [2.0]), ([], [], []))
    >>> chain = Chain([{"a": 1.0}, ["b"]], Vocabulary(["a"]), features.field(weights))
    >>> chain.best(), chain.marginals()[1]
    ([1, 0], [0.5, 0.5])
    """

    def __init__(self, xseq: Any, attributes: Vocabulary, field: kernels.Field) -> None:
        arrays = None
        if not isinstance(xseq, ItemSequence):
            try:
                arrays, self._labels, _, _ = encode_objects([xseq], None, attributes, True, NO_LABELS, False)
            except (InputError, TypeError):
                xseq = ItemSequence(xseq)  # bytes, numbers of NumPy, text as an item; or it says what is wrong
        if arrays is None:
            items = [xseq.for_encoding()]
            arrays, self._labels, _, _ = encode_objects(items, None, attributes, True, NO_LABELS, False)
        self._arrays = arrays
        self._field = field
        self._corpus = kernels.Corpus(*arrays, self._labels, ONE)
        self._node: list[list[float]] | None = None

    def __len__(self) -> int:
        return len(self._labels)

    def best(self) -> list[int]:
        """The label ids of the best path."""
        try:
            ids: list[int] = kernels.tag(self._corpus, self._field)[0].tolist()
        except OverflowError:
            raise InputError(LARGE) from None
        return ids

    def marginals(self) -> list[list[float]]:
        """P(y_t = y | x) [T, L], computed by the first call."""
        if self._node is None:
            try:
                self._node = kernels.marginals(self._corpus, self._field)[0].tolist()
            except OverflowError:
                raise InputError(LARGE) from None
        return self._node

    def log_probability(self, labels: Ints) -> float:
        """log p(y | x) of label ids [T]."""
        labelled = kernels.Corpus(*self._arrays, np.frombuffer(labels.tobytes(), np.int32), ONE)
        try:
            _, log_z, score = kernels.marginals(labelled, self._field, None, False)
        except OverflowError:
            raise InputError(LARGE) from None
        return float(score[0] - log_z[0])
