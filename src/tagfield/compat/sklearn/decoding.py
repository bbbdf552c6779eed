"""Predictions of a fitted CRF: labels, probabilities, n best, spans, tagged text.

Results are lists with one list per sequence and one entry per token; an empty sequence gives an empty list.
inference/decoder.py computes them, and this file translates label ids to the user's labels. A subclass that overrides
predict_single or predict_marginals_single changes predict and predict_marginals too, as in sklearn-crfsuite.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, overload

from tagfield.compat.sklearn.fitted import Fitted
from tagfield.compat.sklearn.parameters import threads_of
from tagfield.compat.sklearn.sequences import SequenceList
from tagfield.compat.sklearn.spelling import Spelling, has_strings
from tagfield.data.dataset import Doubles
from tagfield.data.encode import Encoded
from tagfield.data.text.tokenizer.tokenizer import Tokenizer
from tagfield.errors import InputError
from tagfield.inference.decoder import Decoder
from tagfield.inference.spans import Span
from tagfield.model.model import Model
from tagfield.model.tagged import TaggedText
from tagfield.model.text_tagging import Sentences
from tagfield.native._text import SequenceTagger, label_lists, probability_lists
from tagfield.system.checks import whole


class Decoding(Fitted):
    """The methods of CRF that predict."""

    n_jobs: int | None

    def predict(self, X: Iterable[Any], known: Iterable[Any] | None = None) -> list[list[Any]]:
        """The best labels of each sequence.

        known: Labels that you already know, one entry per sequence: None, a dict of position to label, or a list with
            one entry per token: None, a label, or a set of labels. `constraints` apply as well.

        >>> from tagfield import CRF
        >>> crf = CRF().fit([[["a"], ["b"]]], [["X", "Y"]])
        >>> crf.predict([[["a"], ["b"]]]), crf.predict([[["a"], ["b"]]], known=[{0: "Y"}])
        ([['X', 'Y']], [['Y', 'Y']])
        """
        rows = self._one_by_one("predict_single", X, known)
        return SequenceList(self._labels(X, known) if rows is None else rows)

    def predict_single(self, xseq: Iterable[Any], known: Any = None) -> list[Any]:
        """The best labels of one sequence."""
        [labels] = self._labels([xseq], None if known is None else [known])
        return labels

    def predict_marginals(self, X: Iterable[Any], known: Iterable[Any] | None = None) -> list[list[dict[Any, float]]]:
        """{label: probability} for each token of each sequence.

        `predict_marginals_arrays` returns the same numbers in arrays, three times as fast.

        >>> from tagfield import CRF
        >>> crf = CRF(c2=0.01).fit([[["a"], ["b"]]], [["X", "Y"]])
        >>> [[first, second]] = crf.predict_marginals([[["a"], ["b"]]])
        >>> max(first, key=first.get), round(second["Y"], 1)
        ('X', 1.0)
        """
        rows = self._one_by_one("predict_marginals_single", X, known)
        return SequenceList(self._probabilities(X, known) if rows is None else rows)

    def predict_marginals_single(self, xseq: Iterable[Any], known: Any = None) -> list[dict[Any, float]]:
        """{label: probability} for each token of one sequence."""
        [rows] = self._probabilities([xseq], None if known is None else [known])
        return rows

    def predict_marginals_arrays(self, X: Iterable[Any]) -> list[Any]:
        """The same probabilities as one float32 array [tokens, labels] per sequence; columns follow classes_."""
        decoder = self._decoder(X)
        node = decoder.marginals()
        return [node[start:end] for start, end in pairwise(decoder.tokens.tolist())]

    def predict_nbest(
        self, X: Iterable[Any], n: int, known: Iterable[Any] | None = None
    ) -> list[list[tuple[list[Any], float]]]:
        """The n most probable label sequences of each sequence, best first, with their probabilities.

        With constraints or known labels, the probabilities of all allowed label sequences add up to 1.

        >>> from tagfield import CRF
        >>> crf = CRF().fit([[["a"], ["b"]]], [["X", "Y"]])
        >>> [labels for labels, _ in crf.predict_nbest([[["a"], ["b"]]], 2)[0]]
        [['X', 'Y'], ['Y', 'Y']]
        """
        self._check_fitted()
        n = whole("n", n)
        if not 0 < n < 2**31:
            raise InputError(f"n must be at least 1 and below 2**31, got {n}")
        found = self._decoder(X, known).n_best(n)
        classes = self._classes
        return [[([classes[i] for i in path], p) for path, p in paths] for paths in found]

    def predict_log_probability(self, X: Iterable[Any], y: Iterable[Any]) -> Doubles:
        """log p(y | x) of each sequence; −inf if y breaks the constraints or contains a label unknown to the model.

        With constraints, the probabilities of all allowed label sequences add up to 1, as in predict_nbest.
        """
        self._check_fitted()
        if y is None:
            raise InputError("y is None; pass the label sequences whose probability you want")
        return self._decoder(self._encode(X, y)).log_probability()

    def predict_spans(self, X: Iterable[Any], known: Iterable[Any] | None = None) -> list[list[Span]]:
        """The chunks in the best labels of each sequence, with their probabilities.

        conlleval's rules find the chunks (B-NP, I-NP, …). The probability of a chunk is that of all label sequences
        with exactly this chunk.

        >>> from tagfield import CRF
        >>> crf = CRF(c2=0.01).fit([[["a"], ["b"], ["c"]]], [["B-X", "I-X", "O"]])
        >>> [(span.type, span.start, span.end) for span in crf.predict_spans([[["a"], ["b"], ["c"]]])[0]]
        [('X', 0, 2)]
        """
        decoder = self._decoder(X, known)
        return decoder.spans(self.model_.label_names)

    @overload
    def tag_text(
        self, text: str, tokenizer: Tokenizer | None = None, *, n_best: int = 0, probabilities: bool = True
    ) -> TaggedText: ...

    @overload
    def tag_text(
        self,
        text: list[str] | tuple[str, ...],
        tokenizer: Tokenizer | None = None,
        *,
        n_best: int = 0,
        probabilities: bool = True,
    ) -> list[TaggedText]: ...

    def tag_text(
        self,
        text: str | list[str] | tuple[str, ...],
        tokenizer: Tokenizer | None = None,
        *,
        n_best: int = 0,
        probabilities: bool = True,
    ) -> TaggedText | list[TaggedText]:
        """Split text into sentences and words, and label them; for a CRF with a template. See `Model.tag_text`.

        >>> from tagfield import CRF
        >>> crf = CRF(template="ner").fit([["Anna", "left"], ["It", "left"]], [["B-PER", "O"], ["O", "O"]])
        >>> print(crf.tag_text("It left. Anna left."))
        It left. [Anna PER] left.
        """
        self._check_fitted()
        model = self.model_
        sentences = Sentences.of(text, tokenizer or model.default_tokenizer)
        decoder = self._decoder(model.read_text(sentences.words()))
        tagged = sentences.tagged(decoder, model.label_names, self._classes, n_best=n_best, probabilities=probabilities)
        return tagged[0] if isinstance(text, str) else tagged

    # Inside

    def _labels(self, X: Iterable[Any], known: Iterable[Any] | None) -> list[list[Any]]:
        straight = self._straight(X, known)
        if straight is not None:
            model, classes = self.model_, tuple(self._classes)
            if model.template is not None:
                return model.word_encoder.tag(X, straight.door, classes)
            return model._tag_straight(straight, self._spelled(X, model), classes)
        decoder = self._decoder(X, known)
        return label_lists(decoder.best(), tuple(self._classes), decoder.tokens)

    def _probabilities(self, X: Iterable[Any], known: Iterable[Any] | None) -> list[list[dict[Any, float]]]:
        straight, model = self._straight(X, known), self.model_
        if straight is not None and model.template is None:
            found, seen, unknown, some = straight.probabilities(self._spelled(X, model), tuple(self._classes))
            if unknown:
                model._check_known(seen, unknown, some)
            return found
        decoder = self._decoder(X, known)
        return probability_lists(decoder.marginals(), tuple(self._classes), decoder.tokens)

    def _straight(self, X: Any, known: Iterable[Any] | None) -> SequenceTagger | None:
        """The short way from objects to labels, if a call has no need of a decoder; see `Model.straight`."""
        if self._model is None:
            self._check_fitted()
        if known is not None or X is None or self._constraints() is not None:
            return None
        one = type(X) is list and len(X) == 1  # threads have nothing to share there
        return self.model_.straight if one or threads_of(self.n_jobs) == 1 else None

    def _overrides(self, *methods: str) -> bool:
        """Whether a subclass or this object has a method of its own instead of one of these."""
        return any(getattr(getattr(self, name), "__func__", None) is not getattr(Decoding, name) for name in methods)

    def _one_by_one(self, method: str, X: Iterable[Any], known: Iterable[Any] | None) -> list[Any] | None:
        """What the method returns for each sequence, if it is overridden; otherwise None."""
        if not self._overrides(method):
            return None
        if X is None:
            raise InputError("X is None; pass a list of sequences")
        single = getattr(self, method)
        return [single(x) for x in X] if known is None else [single(x, k) for x, k in zip(X, known, strict=True)]

    def _encode(self, X: Iterable[Any], y: Iterable[Any] | None = None) -> Encoded:
        if X is None:
            raise InputError("X is None; pass a list of sequences")
        model = self.model_
        rows = None if y is None else self._names.copy().read(y)  # a copy: predictions must not add labels
        if model.template is not None:
            return model.read_words(X, rows)
        return model.read(self._spelled(X, model), rows)

    @staticmethod
    def _spelled(X: Iterable[Any], model: Model) -> Any:
        if type(X) is list and not any(map(has_strings, X)):
            return X
        return Spelling(long=bool(model.info.get("characters"))).read(X)

    def _decoder(self, X: Iterable[Any] | Encoded, known: Iterable[Any] | None = None) -> Decoder:
        self._check_fitted()
        encoded = X if isinstance(X, Encoded) else self._encode(X)
        constraints = self._constraints()
        rules = constraints if isinstance(constraints, str) else self._rules(self._classes)
        return self.model_.decoder(
            encoded,
            rules=False if rules is None else rules,
            known=known,
            called=self._classes,
            threads=threads_of(self.n_jobs),
        )
