"""Direct: from Python objects to labels in one native call, without a Dataset and a Decoder.

    lists, dicts, words, Arrow's buffers ─▶ ids ─▶ SequenceDecoder (one lattice, reused) ─▶ lists of labels

It gives what a decoder without limits gives on one thread, in 3/4 of the time, and in 1/4 of it for one sequence.
`Model.tag` and the others take it where they can.
"""

from collections.abc import Iterable
from typing import Any

from tagfield.data.dataset import Ints, Longs
from tagfield.data.text.encoders.words import IDLE
from tagfield.model.reader import Reader
from tagfield.native import kernels
from tagfield.native._text import ArrowWords, SequenceTagger


class Direct:
    """The labels of sequences under one field whose transitions do not look at the input.

    >>> from tagfield import Model, Settings, encode_sequences
    >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("lbfgs"))
    >>> model.direct.tag([[["b"], ["a", "c"]]], model.label_names)
    [['Y', 'X']]
    """

    __slots__ = ("_decoders", "_field", "_reader", "sequences")

    def __init__(self, reader: Reader, field: kernels.Field) -> None:
        self.sequences = SequenceTagger(reader.attributes, kernels.sequence_decoder(field))
        self._reader, self._field = reader, field
        self._decoders: list[object] = []  # in no use; pop and append are atomic, so threads never share one

    def tag(self, X: object, names: tuple[Any, ...]) -> list[list[Any]]:
        """The best labels of sequences of attributes, as `names` writes them."""
        found, known, unknown, some = self.sequences.tag(X, names)
        if unknown:
            self._reader.check_known(known, unknown, some)
        return found

    def probabilities(self, X: object, names: tuple[Any, ...]) -> list[list[dict[Any, float]]]:
        """{name: probability} for each token of sequences of attributes."""
        found, known, unknown, some = self.sequences.probabilities(X, names)
        if unknown:
            self._reader.check_known(known, unknown, some)
        return found

    def tag_words(self, X: Iterable[object], names: tuple[Any, ...]) -> list[list[Any]]:
        """The best labels of sentences of words."""
        return self._reader.word_encoder.tag(X, self.sequences.decoder, names)

    def label_ids(self, words: ArrowWords) -> tuple[Ints, Longs]:
        """The ids of the best labels of words in Arrow's buffers, and the first token of each row."""
        try:
            decoder = self._decoders.pop()
        except IndexError:
            decoder = kernels.sequence_decoder(self._field)
        try:
            return self._reader.word_encoder.tag_arrow(words, decoder)
        finally:
            if len(self._decoders) < IDLE:
                self._decoders.append(decoder)
