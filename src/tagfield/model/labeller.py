"""Labeller: labels, attributes and weights, and what they say about sequences, words, text and tables.

    attributes, words, text, files ─▶ reader ─▶ Encoded ─▶ decoder (rules, known) ─▶ labels · probabilities · spans
    attributes, words ─▶ direct ─▶ labels, where a call needs no decoder
    tables ─▶ arrow/ ─▶ tables with labels

A labeller has a Reader, a Direct and, for each call, a Decoder; its methods say what users can ask of them. Model is a
labeller that is trained, saved and looked into.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias, overload

from tagfield.data.dataset import Doubles, Floats, Ints, Longs
from tagfield.data.encode import Encoded, WordEncoder
from tagfield.data.labels.rules import check_model
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.sources import PathLike, Source
from tagfield.data.text.tokenizer.tokenizer import Tokenizer
from tagfield.errors import InputError
from tagfield.inference.constraints import Rules, limits_for
from tagfield.inference.decoder import Decoder
from tagfield.inference.spans import Span
from tagfield.model.arrow import Options, tag_arrow
from tagfield.model.direct import Direct
from tagfield.model.file import Parts
from tagfield.model.info import rules_from_json
from tagfield.model.reader import Reader
from tagfield.model.sentences import Sentences
from tagfield.model.tagged import TaggedText
from tagfield.native import kernels
from tagfield.native._text import ArrowWords, label_lists

Data: TypeAlias = Iterable[object] | Encoded
Edges: TypeAlias = Iterable[object] | None  # attributes of transitions; see `encode_sequences`
Known: TypeAlias = Iterable[Any] | None  # labels that you already know; see `Model.decoder`


@dataclass(frozen=True, eq=False)
class Labeller(Parts):
    """The parts of a model, and its answers."""

    def __post_init__(self) -> None:
        for what, names, size in (
            ("labels", self.labels, self.features.labels),
            ("attributes", self.attributes, self.features.attributes),
            ("edge attributes", self.edges or (), self.features.edge_attributes),
        ):
            if len(names) != size:
                raise InputError(f"the model has {len(names)} {what}, but its features are those of {size}")
        self.field  # noqa: B018  refuses weights that do not fit, here rather than at the first call

    @cached_property
    def reader(self) -> Reader:
        """What reads attributes, words and files for this model."""
        return Reader(self.labels, self.attributes, self.template, self.edges)

    @cached_property
    def field(self) -> kernels.Field:
        """The weights in the form that the kernels read."""
        return self.features.field(self.weights)

    @cached_property
    def direct(self) -> Direct | None:
        """From Python objects to labels in one native call; None if transitions look at the input."""
        return None if self.edges is not None else Direct(self.reader, self.field)

    @cached_property
    def label_names(self) -> tuple[str, ...]:
        """The labels, in the order of their ids."""
        return tuple(self.labels.strings())

    @cached_property
    def constraints(self) -> str | Rules | None:
        """The constraints that a CRF saved with the model; the methods below follow them unless you give `rules`."""
        return rules_from_json(self.info.get("constraints"), self.label_names)

    def encode(
        self,
        X: Iterable[object],
        y: Iterable[Iterable[str]] | None = None,
        *,
        edges: Iterable[object] | None = None,
        gather: bool = True,
    ) -> Encoded:
        """Encode sequences of attribute lists or dicts with this model's vocabularies.

        edges: attributes of the transition into each token, for a model that was trained with them; see
            `encode_sequences`
        gather: as in `encode_sequences`
        """
        return self.reader.encode(X, y, edges=edges, gather=gather)

    def encode_words(self, X: Iterable[object], y: Iterable[Iterable[str | None]] | None = None) -> Encoded:
        """Encode sentences of words with this model's template; `marginals`, `spans` and all other methods take it.

        >>> from tagfield import Model
        >>> model = Model.train_words([["to", "be"]], [["TO", "VB"]])
        >>> model.marginals(model.encode_words([["to", "be"]]))[0].shape
        (2, 2)
        """
        return self.reader.word_encoder.encode(X, y)

    def encode_files(
        self,
        paths: PathLike | Source | Iterable[PathLike | Source],
        *,
        columns: str | None = None,
        format: str | None = None,
        reading: ReadOptions | None = None,
    ) -> Encoded:
        """Read and encode files with this model's template and vocabularies."""
        return self.reader.encode_files(paths, columns=columns, format=format, reading=reading)

    @property
    def word_encoder(self) -> WordEncoder:
        """The model's template and vocabularies; it remembers words from call to call."""
        return self.reader.word_encoder

    @property
    def default_tokenizer(self) -> str:
        """How text is split: into characters if the labels mark words, as for segmentation, and else into words."""
        return self.reader.default_tokenizer

    def read(self, X: Data, y: Iterable[Iterable[str]] | None = None, edges: Edges = None) -> Encoded:
        """Attributes, or data that is encoded already, in the form that decoding needs."""
        return self.reader.read(X, y, edges)

    def read_words(self, X: Iterable[object], y: Iterable[Iterable[str | None]] | None = None) -> Encoded:
        """Words in the form that decoding needs."""
        return self.reader.read_words(X, y)

    def read_text(self, sentences: list[list[str]]) -> Encoded:
        """The words of running text; InputError if the template reads another column."""
        return self.reader.read_text(sentences)

    def decoder(
        self,
        X: Data,
        *,
        edges: Edges = None,
        rules: Any = None,
        known: Known = None,
        called: Sequence[Hashable] | None = None,
        threads: int = 1,
    ) -> Decoder:
        """A decoder for some sequences; `tag` and the methods below use it.

        edges: Attributes of the transition into each token, for a model that was trained with them; see
            `encode_sequences`.
        rules: Constraints on the labels: 'BIO', 'IOBES', 'BILOU', a matrix, a function, or Rules. Default: those that
            the model was saved with, if any; False for none.
        known: Labels that you already know, one entry per sequence: None, a dict of position to label, or a list with
            one entry per token: None, a label, or a set of labels.
        called: The labels as `rules` and `known` write them, if they are not the model's strings.

        >>> from tagfield import Model, Settings, encode_sequences
        >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("lbfgs"))
        >>> model.decoder([[["b"], ["a"]]]).best().tolist()
        [1, 0]
        """
        encoded = self.reader.read(X, edges=edges)
        rules = None if rules is False else self.constraints if rules is None else rules
        limits = None
        if rules is not None or known is not None:
            check_model(rules, self.info.get("scheme"))
            limits = limits_for(rules, known, encoded.dataset.tokens, self.label_names if called is None else called)
        return Decoder(self.field, encoded, limits, threads=threads)

    def _direct(self, X: object, rules: Any, known: Known, threads: int) -> Direct | None:
        """The short way, if a call needs no decoder."""
        if known is not None or X is None or isinstance(X, Encoded) or threads != 1 or type(threads) is not int:
            return None
        if rules is not False and (rules is not None or self.constraints is not None):
            return None
        return self.direct

    def tag(
        self, X: Data, *, edges: Edges = None, rules: Any = None, known: Known = None, threads: int = 1
    ) -> list[list[str]]:
        """The best labels of each sequence; a token is a list of attributes, or a dict as in python-crfsuite.

        >>> from tagfield import Model, Settings, encode_sequences
        >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("lbfgs"))
        >>> model.tag([[["a"], ["b"]]]), model.tag([[["a"], ["b"]]], known=[{0: "Y"}])
        ([['X', 'Y']], [['Y', 'Y']])
        """
        direct = None if edges is not None else self._direct(X, rules, known, threads)
        if direct is not None:
            return direct.tag(X, self.label_names)
        decoder = self.decoder(X, edges=edges, rules=rules, known=known, threads=threads)
        return label_lists(decoder.best(), self.label_names, decoder.tokens)

    def marginals(
        self, X: Data, *, edges: Edges = None, rules: Any = None, known: Known = None, threads: int = 1
    ) -> list[Floats]:
        """P(y_t = y | x) as one array [positions, labels] for each sequence."""
        decoder = self.decoder(X, edges=edges, rules=rules, known=known, threads=threads)
        node = decoder.marginals()
        return [node[start:end] for start, end in pairwise(decoder.tokens.tolist())]

    def n_best(
        self, X: Data, count: int, *, edges: Edges = None, rules: Any = None, known: Known = None, threads: int = 1
    ) -> list[list[tuple[list[str], float]]]:
        """The `count` most probable label sequences of each sequence, best first, with their probabilities.

        >>> from tagfield import Model, Settings, encode_sequences
        >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("lbfgs"))
        >>> [paths] = model.n_best([[["a"], ["b"]]], 9)
        >>> paths[0][0], len(paths), round(sum(p for _, p in paths), 4)
        (['X', 'Y'], 4, 1.0)
        """
        found = self.decoder(X, edges=edges, rules=rules, known=known, threads=threads).n_best(count)
        names = self.label_names
        return [[([names[i] for i in path], p) for path, p in paths] for paths in found]

    def spans(
        self, X: Data, *, edges: Edges = None, rules: Any = None, known: Known = None, threads: int = 1
    ) -> list[list[Span]]:
        """The chunks in the best labels of each sequence; a chunk's probability covers its type and both ends."""
        return self.decoder(X, edges=edges, rules=rules, known=known, threads=threads).spans(self.label_names)

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
        direct = self._direct(X, rules, known, threads)
        if direct is not None:
            return direct.tag_words(X, self.label_names)
        decoder = self.decoder(self.reader.read_words(X), rules=rules, known=known, threads=threads)
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
        sentences = Sentences.of(text, tokenizer or self.reader.default_tokenizer)
        decoder = self.decoder(self.reader.read_text(sentences.words()), rules=rules, threads=threads)
        tagged = sentences.tagged(decoder, self.label_names, n_best=n_best, probabilities=probabilities)
        return tagged[0] if isinstance(text, str) else tagged

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

    def label_ids(self, words: ArrowWords, rules: Any = None) -> tuple[Ints, Longs] | None:
        """The ids of the best labels of words in Arrow's buffers, and the first token of each row; see `Direct`.

        None if the call needs a decoder. Threads may call it at the same time.
        """
        direct = self._direct(words, rules, None, 1)
        return None if direct is None else direct.label_ids(words)

    def log_probability(
        self, X: Data, y: Iterable[Iterable[str]], *, edges: Edges = None, rules: Any = None, threads: int = 1
    ) -> Doubles:
        """log p(y | x) of each sequence; −inf if y breaks the rules or contains a label unknown to the model.

        >>> from tagfield import Model, Settings, encode_sequences
        >>> model = Model.train(encode_sequences([[["a"]]], [["X"]]), Settings("lbfgs"))
        >>> model.log_probability([[["a"]]], [["X"]]).tolist()
        [0.0]
        """
        encoded = self.reader.relabelled(X, y) if isinstance(X, Encoded) else self.reader.read(X, y, edges)
        return self.decoder(encoded, rules=rules, threads=threads).log_probability()
