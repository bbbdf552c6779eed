"""What a model answers: labels, probabilities, spans, for attributes, words and running text.

attributes, Encoded ─▶ decoder ─▶ tag · marginals · n_best · spans · log_probability · evaluate
words ─▶ template ─▶ decoder ─▶ tag_words
text ─▶ tokenizer ─▶ words ─▶ template ─▶ decoder ─▶ tag_text: TaggedText
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias, overload

import numpy as np

from tagfield._text import SequenceTagger, label_lists
from tagfield.constraints import Rules, limits_for
from tagfield.dataset import Doubles, Floats
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

        It gives what a decoder without limits gives on one thread, in half the time, and in a fifth of it for one short
        sequence.
        """
        return None if self.edges is not None else SequenceTagger(self.attributes, kernels.sequence_door(self.field))

    def _straight(self, X: object, rules: Any, known: Known, threads: int) -> SequenceTagger | None:
        """The short way, if a call has no need of a decoder."""
        if known is not None or X is None or isinstance(X, Encoded) or threads != 1 or type(threads) is not int:
            return None
        if rules is not False and (rules is not None or self.constraints is not None):
            return None
        return self.straight

    def tag_straight(self, straight: SequenceTagger, X: object, names: tuple[Any, ...]) -> list[list[Any]]:
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
            return self.tag_straight(straight, X, self.label_names)
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

        tokenizer: 'words', 'whitespace', 'characters', or a function; see `tagfield.tokenize`. Default: 'characters' if
            the labels mark words, as for segmentation, and else 'words'.
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
        data: Encoded | PathLike | Sequence[PathLike],
        *,
        scheme: str | None = None,
        rules: Any = None,
        threads: int = 1,
    ) -> Scores:
        """Score the model on files with labels, or on encoded data; a label unknown to the model counts as an error.

        scheme: What to count, as in `tagfield.evaluate.evaluate`; by default what the labels mark.
        rules: Constraints on the predicted labels, as in `decoder`.

        >>> from tagfield import Model
        >>> X, y = [["Anna", "left"], ["It", "left"]], [["B-PER", "O"], ["O", "O"]]
        >>> model = Model.train_words(X, y)
        >>> model.evaluate(model.encode_words(X, y)).f1
        1.0
        """
        encoded = data if isinstance(data, Encoded) else self.encode_files(paths_of(data))
        bare = encoded.dataset.first_unlabelled(encoded.gold)
        if bare is not None:
            raise InputError(f"{encoded.where(bare)}: the sequence has no labels to score against")
        if not same_vocabulary(encoded.labels, self.labels):
            raise InputError("the data is not encoded with this model's labels; use model.encode or model.encode_files")
        decoder = self.decoder(encoded, rules=rules, threads=threads)
        return ChunkScorer(encoded.names.strings(), scheme).score(encoded.gold, decoder.best(), decoder.tokens)
