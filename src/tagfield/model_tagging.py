"""What a model answers: labels, probabilities, spans, for attributes, words and running text.

attributes, Encoded ─▶ decoder ─▶ tag · marginals · n_best · spans · log_probability · evaluate
words ─▶ template ─▶ decoder ─▶ tag_words
text ─▶ tokenizer ─▶ words ─▶ template ─▶ decoder ─▶ tag_text: TaggedText
Arrow tables of texts or words ─▶ arrow/ ─▶ tag_arrow: the table with labels
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from itertools import pairwise
from operator import add
from typing import Any, TypeAlias, overload

import numpy as np

from tagfield._text import ArrowWords, SequenceTagger, label_lists
from tagfield.arrow import Options, tag_arrow
from tagfield.constraints import Rules, limits_for
from tagfield.corpus import Corpus, is_corpus, recoded
from tagfield.dataset import Doubles, Floats, Ints, Longs
from tagfield.decoder import Decoder
from tagfield.encode import Encoded, same_vocabulary
from tagfield.errors import InputError
from tagfield.evaluate import ChunkScorer, Scores
from tagfield.layout import FeatureSet, Weights
from tagfield.model_reading import Reading, paths_of
from tagfield.native import kernels
from tagfield.saved import rules_from_json
from tagfield.scheme_rules import check_model
from tagfield.spans import Span
from tagfield.tagged import TaggedText
from tagfield.tagging import Sentences
from tagfield.text.sources import PathLike
from tagfield.text.tokenizer import Tokenizer
from tagfield.text.words import IDLE

Data: TypeAlias = Iterable[object] | Encoded
Edges: TypeAlias = Iterable[object] | None  # attributes of transitions; see `encode_sequences`
Known: TypeAlias = Iterable[Any] | None  # labels that you already know; see `Model.decoder`


class Tagging(Reading):
    """The methods of Model that label sequences."""

    features: FeatureSet
    weights: Weights
    info: dict[str, Any]

    @cached_property
    def constraints(self) -> str | Rules | None:
        """The constraints that a CRF saved with the model; the methods below follow them unless you give `rules`."""
        return rules_from_json(self.info.get("constraints"), self.label_names)

    @cached_property
    def field(self) -> kernels.Field:
        """The weights in the form that the kernels read."""
        return self.features.field(self.weights)

    @cached_property
    def label_names(self) -> tuple[str, ...]:
        """The labels, in the order of their ids."""
        return tuple(self.labels.strings())

    @cached_property
    def straight(self) -> SequenceTagger | None:
        """From Python objects to labels without a Dataset; None if transitions look at the input.

        It gives what a decoder without limits gives on one thread, in 3/4 of the time, and in 1/4 of it
        for one sequence. `tag` and the others take it where they can.

        >>> from tagfield import Model, Settings, encode_sequences
        >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("lbfgs"))
        >>> labels, known, unknown, names = model.straight.tag([[["b"], ["a", "c"]]], model.label_names)
        >>> labels, known, unknown, names
        ([['Y', 'X']], 2, 1, ['c'])
        """
        return None if self.edges is not None else SequenceTagger(self.attributes, kernels.sequence_door(self.field))

    def _straight(self, X: object, rules: Any, known: Known, threads: int) -> SequenceTagger | None:
        """The short way, if a call has no need of a decoder."""
        if known is not None or X is None or isinstance(X, Encoded) or threads != 1 or type(threads) is not int:
            return None
        if rules is not False and (rules is not None or self.constraints is not None):
            return None
        return self.straight

    def _tag_straight(self, straight: SequenceTagger, X: object, names: tuple[Any, ...]) -> list[list[Any]]:
        """The best labels of each sequence, as `names` writes them."""
        found, known, unknown, some = straight.tag(X, names)
        if unknown:
            self._check_known(known, unknown, some)
        return found

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
        encoded = self.read(X, edges=edges)
        rules = None if rules is False else self.constraints if rules is None else rules
        limits = None
        if rules is not None or known is not None:
            check_model(rules, self.info.get("scheme"))
            limits = limits_for(rules, known, encoded.dataset.tokens, self.label_names if called is None else called)
        return Decoder(self.field, encoded, limits, threads=threads)

    def tag(
        self, X: Data, *, edges: Edges = None, rules: Any = None, known: Known = None, threads: int = 1
    ) -> list[list[str]]:
        """The best labels of each sequence; a token is a list of attributes, or a dict as in python-crfsuite.

        >>> from tagfield import Model, Settings, encode_sequences
        >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("lbfgs"))
        >>> model.tag([[["a"], ["b"]]]), model.tag([[["a"], ["b"]]], known=[{0: "Y"}])
        ([['X', 'Y']], [['Y', 'Y']])
        """
        straight = None if edges is not None else self._straight(X, rules, known, threads)
        if straight is not None:
            return self._tag_straight(straight, X, self.label_names)
        decoder = self.decoder(X, edges=edges, rules=rules, known=known, threads=threads)
        return label_lists(decoder.best(), self.label_names, decoder.tokens)

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

    def log_probability(
        self, X: Data, y: Iterable[Iterable[str]], *, edges: Edges = None, rules: Any = None, threads: int = 1
    ) -> Doubles:
        """log p(y | x) of each sequence; −inf if y breaks the rules or contains a label unknown to the model.

        >>> from tagfield import Model, Settings, encode_sequences
        >>> model = Model.train(encode_sequences([[["a"]]], [["X"]]), Settings("lbfgs"))
        >>> model.log_probability([[["a"]]], [["X"]]).tolist()
        [0.0]
        """
        if isinstance(X, Encoded):
            ids = np.array([self.labels.find(label) for labels in y for label in labels], np.int32)
            if len(ids) != len(X.gold):
                raise InputError(f"X has {len(X.gold)} tokens, but y has {len(ids)} labels")
            encoded = replace(X, dataset=replace(X.dataset, labels=ids))
        else:
            encoded = self.read(X, y, edges)
        return self.decoder(encoded, rules=rules, threads=threads).log_probability()

    def evaluate(
        self,
        data: Encoded | Corpus | PathLike | Sequence[PathLike],
        *,
        scheme: str | None = None,
        rules: Any = None,
        threads: int = 1,
    ) -> Scores:
        """Score the model on files with labels, on encoded data, or on a packed corpus, which is read by windows.

        A label unknown to the model counts as an error. A corpus must have been packed with the model's template.

        scheme: What to count, as in `tagfield.evaluate.evaluate`; by default what the labels mark.
        rules: Constraints on the predicted labels, as in `decoder`.

        >>> from tagfield import Model
        >>> X, y = [["Anna", "left"], ["It", "left"]], [["B-PER", "O"], ["O", "O"]]
        >>> model = Model.train_words(X, y)
        >>> model.evaluate(model.encode_words(X, y)).f1
        1.0
        """
        if is_corpus(data):
            data = Corpus.open(data)  # type: ignore[arg-type]
        if isinstance(data, Corpus):
            parts = recoded(data, self.attributes, self.labels, self.template, self.edges)
            return reduce(add, (self.evaluate(part, scheme=scheme, rules=rules, threads=threads) for part in parts))
        encoded = data if isinstance(data, Encoded) else self.encode_files(paths_of(data))
        bare = encoded.dataset.first_unlabelled(encoded.gold)
        if bare is not None:
            raise InputError(f"{encoded.where(bare)}: the sequence has no labels to score against")
        if not same_vocabulary(encoded.labels, self.labels):
            raise InputError("the data is not encoded with this model's labels; use model.encode or model.encode_files")
        decoder = self.decoder(encoded, rules=rules, threads=threads)
        return ChunkScorer(encoded.names.strings(), scheme).score(encoded.gold, decoder.best(), decoder.tokens)
