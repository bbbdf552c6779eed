"""What a model answers for attributes and for encoded data: labels, probabilities, chunks, scores.

    attributes, Encoded ─▶ decoder ─▶ tag · marginals · n_best · spans · log_probability · evaluate

`straight` is the short way of calls that need no decoder; model_tagging.py has words, text and tables.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from itertools import pairwise
from operator import add
from typing import Any, TypeAlias

import numpy as np

from tagfield.data.corpus import Corpus, is_corpus, recoded
from tagfield.data.dataset import Doubles, Floats
from tagfield.data.encode import Encoded, same_vocabulary
from tagfield.data.labels.rules import check_model
from tagfield.data.text.sources import PathLike
from tagfield.errors import InputError
from tagfield.evaluate import ChunkScorer, Scores
from tagfield.inference.constraints import Rules, limits_for
from tagfield.inference.decoder import Decoder
from tagfield.inference.spans import Span
from tagfield.model.reading import Reading, paths_of
from tagfield.model.saved_values import rules_from_json
from tagfield.native import kernels
from tagfield.native._text import SequenceTagger, label_lists
from tagfield.weights.layout import FeatureSet, Weights

Data: TypeAlias = Iterable[object] | Encoded
Edges: TypeAlias = Iterable[object] | None  # attributes of transitions; see `encode_sequences`
Known: TypeAlias = Iterable[Any] | None  # labels that you already know; see `Model.decoder`


class Decoding(Reading):
    """The methods of Model that answer for sequences of attributes, and for data that is encoded."""

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
