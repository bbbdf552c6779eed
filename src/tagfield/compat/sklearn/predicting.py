"""Predictor: what a fitted CRF predicts with, until an argument or the model changes.

    FittedModel, constraints, n_jobs ─▶ Predictor ─▶ labels · probabilities · decoder (the rest) · explain · compare
                                            └─▶ TaggedSequence ─▶ crf.tagger_, python-crfsuite's Tagger

The model computes label ids; this file translates them to the user's labels. Results have one list per sequence and one
entry per token; an empty sequence gives an empty list.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tagfield.compat.sklearn.fitted_model import FittedModel
from tagfield.compat.sklearn.labels import LabelNames
from tagfield.compat.sklearn.parameters import threads_of
from tagfield.compat.sklearn.string_tokens import StringTokens, has_strings
from tagfield.data.dataset import Doubles, Ints
from tagfield.data.encode import Encoded, check_weights
from tagfield.data.text.records import WORD
from tagfield.data.text.templates.template import LABEL
from tagfield.errors import InputError
from tagfield.inference.constraints import Rules
from tagfield.inference.decoder import Decoder
from tagfield.model.direct import Direct
from tagfield.model.explain import explain
from tagfield.model.explanation import Explanation
from tagfield.model.info import rules_for
from tagfield.native._text import label_lists, probability_lists

Known: TypeAlias = Iterable[Any] | None  # labels that you already know; see `CRF.predict`


class Predictor:
    """A fitted model, and the arguments of CRF that predictions depend on.

    given: CRF(constraints=…); None means those of the model file
    """

    def __init__(self, fitted: FittedModel, given: Any, n_jobs: int | None) -> None:
        self.fitted, self.given, self.n_jobs = fitted, given, n_jobs
        self.model = fitted.made(given)
        self.constraints = fitted.chosen_constraints(given)

    def labels(self, X: Any, known: Known = None) -> list[list[Any]]:
        """The best labels of each sequence."""
        direct = self._direct(X, known)
        if direct is None:
            decoder = self.decoder(X, known)
            return label_lists(decoder.best(), self.fitted.classes, decoder.tokens)
        if self.model.template is not None:
            return direct.tag_words(X, self.fitted.classes)
        return direct.tag(self._split(X), self.fitted.classes)

    def probabilities(self, X: Any, known: Known = None) -> list[list[dict[Any, float]]]:
        """{label: probability} for each token of each sequence."""
        direct = self._direct(X, known)
        if direct is None or self.model.template is not None:
            decoder = self.decoder(X, known)
            return probability_lists(decoder.marginals(), self.fitted.classes, decoder.tokens)
        return direct.probabilities(self._split(X), self.fitted.classes)

    def log_probability(self, X: Any, y: Iterable[Any]) -> Doubles:
        """log p(y | x) of each sequence."""
        return self.decoder(self.encode(X, y)).log_probability()

    def decoder(self, X: Any, known: Known = None) -> Decoder:
        """A decoder for sequences, or for data that is encoded already."""
        rules = self.constraints if isinstance(self.constraints, str) else self.rules()
        return self.model.decoder(
            X if isinstance(X, Encoded) else self.encode(X),
            rules=False if rules is None else rules,
            known=known,
            called=self.fitted.classes,
            threads=threads_of(self.n_jobs),
        )

    def encode(self, X: Any, y: Iterable[Any] | None = None) -> Encoded:
        rows = None if y is None else self.fitted.names.copy().read(y)  # a copy: predictions must not add labels
        if self.model.template is not None:
            return self.model.read_words(X, rows)
        return self.model.read(self._split(X), rows)

    def rules(self) -> Rules | None:
        return rules_for(self.constraints, list(self.fitted.classes))

    def explain(self, xseq: Any, t: int, expected: Any, words: Sequence[str] | None) -> Explanation:
        """Why the token at position t gets its label."""
        model = self.model
        if model.template is None:
            encoded = model.encode(StringTokens(long=self.fitted.characters).split([xseq]))
        else:
            encoded = model.encode_words([xseq])
            if words is None and isinstance(xseq, list | tuple):
                columns = [role for role in model.template.columns if role != LABEL]
                at = columns.index(WORD) if WORD in columns else 0
                words = [token if isinstance(token, str) else str(token[at]) for token in xseq]
        return explain(model, encoded, t, list(self.fitted.classes), self.rules(), expected=expected, words=words)

    def compare(self, X: Any, y: Iterable[Any]) -> "Compared":
        """The best labels beside the gold labels."""
        encoded = self.encode(X, y)
        right, known = self.decoder(encoded).best() == encoded.gold, encoded.gold >= 0
        return Compared(right, known, np.diff(encoded.dataset.tokens))

    def _direct(self, X: Any, known: Known) -> Direct | None:
        """The short way from objects to labels, if a call needs no decoder."""
        if known is not None or X is None or self.constraints is not None:
            return None
        one = type(X) is list and len(X) == 1  # threads have nothing to share there
        return self.model.direct if one or threads_of(self.n_jobs) == 1 else None

    def _split(self, X: Any) -> Any:
        """X with strings as lists of characters, if the model was trained on characters or they are single ones."""
        if type(X) is list and not any(map(has_strings, X)):
            return X
        return StringTokens(long=self.fitted.characters).split(X)


class TaggedSequence:
    """A sequence under a CRF, as python-crfsuite's Tagger reads it; see pycrfsuite/chain.py."""

    def __init__(self, xseq: Iterable[Any], predictor: Predictor) -> None:
        self._x, self._predictor = list(xseq), predictor

    def __len__(self) -> int:
        return len(self._x)

    def best(self, names: tuple[Any, ...]) -> list[Any]:
        [labels] = self._predictor.labels([self._x])
        return labels

    def marginals(self) -> list[list[float]]:
        [rows] = self._predictor.probabilities([self._x])
        return [list(row.values()) for row in rows]

    def log_probability(self, labels: Ints) -> float:
        classes = self._predictor.fitted.classes
        return float(self._predictor.log_probability([self._x], [[classes[i] for i in labels]])[0])


class Compared(NamedTuple):
    """Predictions beside gold labels."""

    right: NDArray[Any]  # [T] whether the label of each token is right
    known: NDArray[Any]  # [T] whether the token has a gold label
    lengths: NDArray[Any]  # [S] tokens of each sequence

    @classmethod
    def of(cls, predicted: Iterable[Iterable[Any]], y: Iterable[Any], names: LabelNames) -> "Compared":
        """The same from labels, such as an overridden predict returns."""
        names = names.copy()
        gold: list[list[str | None]] = list(map(list, names.read(y)))
        found = [[names.find(label) for label in labels] for labels in predicted]
        if len(gold) != len(found):
            raise InputError(f"X and y must have the same length, but predict returned {len(found)} sequences")
        for index, (one, other) in enumerate(zip(gold, found, strict=True)):
            if len(one) != len(other):
                raise InputError(f"y[{index}] has {len(one)} labels, but predict returned {len(other)}")
        pairs = list(zip(chain.from_iterable(gold), chain.from_iterable(found), strict=True))
        right = np.array([name == other for name, other in pairs], bool)
        known = np.array([name is not None for name, _ in pairs], bool)
        return cls(right, known, np.array(list(map(len, gold)), np.int64))

    def accuracy(self, sample_weight: ArrayLike | None) -> float:
        """The fraction of tokens with the right label, among those with a gold label."""
        given = np.ones(len(self.lengths)) if sample_weight is None else sample_weight
        weight = np.repeat(check_weights(given, len(self.lengths), "sample_weight"), self.lengths)
        weight[~self.known] = 0
        if not weight.any():
            raise InputError("nothing to score: no token of X has both a gold label and a weight above 0")
        return float(np.average(self.right, weights=weight))
