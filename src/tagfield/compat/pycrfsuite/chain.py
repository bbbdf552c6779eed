"""One sequence under one model: what Tagger asks of it.

    xseq ─▶ native: attribute ids ─▶ best · marginals          and through a Corpus of one sequence ─▶ log_probability

`encode_sequences` and Decoder do the same for many sequences at once. A call of theirs costs 25 µs, more than the work
for a short sequence, so this takes the short way (`Model.direct`).
"""

from typing import Any

import numpy as np

from tagfield.compat.pycrfsuite.items import ItemSequence
from tagfield.data.dataset import Ints
from tagfield.errors import InputError
from tagfield.native import kernels
from tagfield.native._text import SequenceTagger

ONE = np.frombuffer(np.ones(1).tobytes())  # the weight of the sequence
LARGE = "a score is beyond ±1e9, where probabilities are no longer exact; scale down the values of the attributes"


class Chain:
    """A sequence, ready for the kernels.

    >>> from tagfield.native._text import Vocabulary
    >>> from tagfield.weights.layout import FeatureSet
    >>> features, weights = FeatureSet.from_triples(1, 2, ([0], [1], [2.0]), ([], [], []))
    >>> field = features.field(weights)
    >>> chain = Chain(SequenceTagger(Vocabulary(["a"]), kernels.sequence_decoder(field)), field, [{"a": 1.0}, ["b"]])
    >>> chain.best(("X", "Y")), chain.marginals()[1]
    (['Y', 'X'], [0.5, 0.5])
    """

    __slots__ = ("_field", "_read")

    def __init__(self, tagger: SequenceTagger, field: kernels.Field, xseq: Any) -> None:
        if type(xseq) is not list:
            xseq = xseq.for_encoding() if isinstance(xseq, ItemSequence) else list(xseq)
        try:
            self._read = tagger.read(xseq)
        except (InputError, TypeError):  # bytes, numbers of NumPy, text as an item; or it says what is wrong
            self._read = tagger.read(ItemSequence(xseq).for_encoding())
        self._field = field

    def __len__(self) -> int:
        return len(self._read)

    def best(self, names: tuple[str, ...]) -> list[str]:
        """The labels of the best path."""
        return self._read.best(names)

    def marginals(self) -> list[list[float]]:
        """P(y_t = y | x) [T, L]."""
        return self._read.rows()

    def log_probability(self, labels: Ints) -> float:
        """log p(y | x) of label ids [T]."""
        labelled = kernels.Corpus(*self._read.arrays(), np.frombuffer(labels.tobytes(), np.int32), ONE)
        try:
            _, log_z, score = kernels.marginals(labelled, self._field, None, False)
        except OverflowError:
            raise InputError(LARGE) from None
        return float(score[0] - log_z[0])
