"""What a model answers for words, running text and tables.

    words ─▶ template ─▶ decoder ─▶ tag_words
    text ─▶ tokenizer ─▶ words ─▶ template ─▶ decoder ─▶ tag_text: TaggedText
    Arrow tables of texts or words ─▶ arrow/ ─▶ tag_arrow: the table with labels

model_decoding.py has the rest.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, overload

from tagfield.data.dataset import Ints, Longs
from tagfield.data.text.encoders.words import IDLE
from tagfield.data.text.tokenizer.tokenizer import Tokenizer
from tagfield.model.arrow import Options, tag_arrow
from tagfield.model.decoding import Decoding, Known
from tagfield.model.tagged import TaggedText
from tagfield.model.text_tagging import Sentences
from tagfield.native import kernels
from tagfield.native._text import ArrowWords, label_lists


class Tagging(Decoding):
    """The methods of Model that label words, text and tables."""

    def tag_words(
        self, X: Iterable[object], *, rules: Any = None, known: Known = None, threads: int = 1
    ) -> list[list[str]]:
        """The best labels of sentences of words; a token is a word, or a tuple if the template reads several columns.

        For probabilities, spans and the rest, encode the words: `model.marginals(model.encode_words(X))`.

        >>> from tagfield import Model
        >>> model = Model.train_words([["to", "be"]], [["TO", "VB"]])
        >>> model.tag_words([["to", "be"]])
        [['TO', 'VB']]
        """
        straight = self._straight(X, rules, known, threads)
        if straight is not None:
            return self.word_encoder.tag(X, straight.door, self.label_names)
        decoder = self.decoder(self.read_words(X), rules=rules, known=known, threads=threads)
        return label_lists(decoder.best(), self.label_names, decoder.tokens)

    @overload
    def tag_text(
        self,
        text: str,
        tokenizer: Tokenizer | None = None,
        *,
        n_best: int = 0,
        probabilities: bool = True,
        rules: Any = None,
        threads: int = 1,
    ) -> TaggedText: ...

    @overload
    def tag_text(
        self,
        text: list[str] | tuple[str, ...],
        tokenizer: Tokenizer | None = None,
        *,
        n_best: int = 0,
        probabilities: bool = True,
        rules: Any = None,
        threads: int = 1,
    ) -> list[TaggedText]: ...

    def tag_text(
        self,
        text: str | list[str] | tuple[str, ...],
        tokenizer: Tokenizer | None = None,
        *,
        n_best: int = 0,
        probabilities: bool = True,
        rules: Any = None,
        threads: int = 1,
    ) -> TaggedText | list[TaggedText]:
        """Split text into sentences and words, and label them; a list of texts gives a list of results.

        tokenizer: 'words', 'lines', 'whitespace', 'characters', or a function; see `tagfield.tokenize`. Default:
            'characters' if the labels mark words, as for segmentation, and else 'words'.
        n_best: Also give the n most probable label sequences of each sentence. Default: 0.
        probabilities: Compute the probability of each label, span and sentence; False is faster. Default: True.

        >>> from tagfield import Model
        >>> model = Model.train_words([["Anna", "left"], ["It", "left"]], [["B-PER", "O"], ["O", "O"]])
        >>> [(span.label, span.text, span.start, span.end) for span in model.tag_text("It left. Anna left").spans]
        [('PER', 'Anna', 9, 13)]
        """
        sentences = Sentences.of(text, tokenizer or self.default_tokenizer)
        decoder = self.decoder(self.read_text(sentences.words()), rules=rules, threads=threads)
        tagged = sentences.tagged(decoder, self.label_names, n_best=n_best, probabilities=probabilities)
        return tagged[0] if isinstance(text, str) else tagged

    @cached_property
    def _doors(self) -> list[object]:
        """Doors to the kernels that no call is using; pop and append are atomic, so threads never share one."""
        return []

    def label_ids(self, words: ArrowWords, rules: Any = None) -> tuple[Ints, Longs] | None:
        """The ids of the best labels of words in Arrow's buffers, and the first token of each row, without a Dataset.

        None if the call needs a decoder. Threads may call it at the same time.
        """
        if self._straight(words, rules, None, 1) is None:
            return None
        try:
            door = self._doors.pop()
        except IndexError:
            door = kernels.sequence_door(self.field)
        try:
            return self.word_encoder.tag_arrow(words, door)
        finally:
            if len(self._doors) < IDLE:
                self._doors.append(door)

    def tag_arrow(
        self,
        data: Any,
        column: str | Sequence[str] | None = None,
        *,
        output: str | None = None,
        name: str | None = None,
        tokenizer: Tokenizer | None = None,
        probabilities: bool | None = None,
        rules: Any = None,
        threads: int = 1,
    ) -> Any:
        """Label a column of an Arrow table, and return the table with the labels as a new column; see docs/arrow.md.

        data: A Table, RecordBatch, RecordBatchReader, ChunkedArray or Array of pyarrow, or an object with
            `__arrow_c_stream__`, such as a DataFrame of Polars.
        column: A column of strings (text), or of lists of strings (tokens). A template that reads several columns, such
            as words and parts of speech, takes a list of their names. Default: 'text' or 'tokens'.
        output: For text 'spans' or 'tokens', both as structs of start, end, label, text and probability; for tokens
            'labels'. Default: 'spans' if the labels form spans.
        name: The name of the new column. Default: as `output`.
        probabilities: Compute probabilities; for tokens they are a second column. Default: for text only.
        tokenizer, rules, threads: As in `tag_text`.

        >>> import pyarrow as pa
        >>> from tagfield import Model
        >>> model = Model.train_words([["Anna", "left"], ["It", "left"]], [["B-PER", "O"], ["O", "O"]])
        >>> table = pa.table({"id": [1, 2], "text": ["Anna left", None]})
        >>> model.tag_arrow(table, probabilities=False)["spans"].to_pylist()
        [[{'start': 0, 'end': 4, 'label': 'PER', 'text': 'Anna', 'probability': None}], None]
        >>> model.tag_arrow(pa.array([["It", "left"]])).to_pylist()
        [['O', 'O']]
        """
        options = Options(column, output, name, tokenizer, probabilities, rules, threads)
        return tag_arrow(self, data, options)
