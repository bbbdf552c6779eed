"""What a fitted CRF says about sequences: labels, probabilities, the n best, spans.

Lists in, lists out: one list for each sequence, one entry for each token. An empty sequence gives an empty list. The
answers are the model's (`tagfield.decoder`); here they get the user's own labels.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from tagfield._text import Probabilities, rows_of_labels, rows_of_probabilities
from tagfield.constraints import Rules, rules_of
from tagfield.dataset import Doubles, Ints
from tagfield.decoder import Decoder
from tagfield.encode import Encoded, encode_sequences
from tagfield.errors import InputError
from tagfield.estimator.fitted import Fitted
from tagfield.estimator.labels import LabelNames
from tagfield.estimator.parameters import threads_of, whole_of
from tagfield.estimator.reading import without_unknown_name
from tagfield.estimator.records import Rows
from tagfield.spans import Span


class Decoding(Fitted):
    """The methods of CRF that need a model and change nothing."""

    constraints: Any
    n_jobs: int | None

    def predict(self, X: Iterable[Any], known: Iterable[Any] | None = None) -> list[list[Any]]:
        """The best labels of each sequence.

        known: what is known of the labels: for each sequence None, a dict of position to label, or an entry for each
        token, which is None, a label, or a set of labels. `constraints` hold as well.

        >>> from tagfield import CRF
        >>> crf = CRF().fit([[["a"], ["b"]]], [["X", "Y"]])
        >>> crf.predict([[["a"], ["b"]]]), crf.predict([[["a"], ["b"]]], known=[{0: "Y"}])
        ([['X', 'Y']], [['Y', 'Y']])
        """
        decoder = self._decoder(X, known)
        return Rows(rows_of_labels(decoder.best(), tuple(self.classes_), decoder.tokens))

    def predict_single(self, xseq: Iterable[Any], known: Any = None) -> list[Any]:
        """The best labels of one sequence."""
        return self.predict([xseq], None if known is None else [known])[0]

    def predict_marginals(
        self, X: Iterable[Any], known: Iterable[Any] | None = None
    ) -> list[list[Probabilities]]:
        """{label: probability} for each token of each sequence.

        A token's answer is dict-like and can be changed like a dict. It is a view of one array for all tokens: to ask
        each for a label costs little, and to make a dict for each would cost more than all the rest. `answer.copy()`
        returns a dict, for json.dumps and others that take nothing else.

        >>> from tagfield import CRF
        >>> crf = CRF(c2=0.01).fit([[["a"], ["b"]]], [["X", "Y"]])
        >>> [[first, second]] = crf.predict_marginals([[["a"], ["b"]]])
        >>> max(first, key=first.get), round(second["Y"], 1), second.copy().keys() == first.keys()
        ('X', 1.0, True)
        """
        decoder = self._decoder(X, known)
        return Rows(rows_of_probabilities(decoder.marginals(), tuple(self.classes_), decoder.tokens))

    def predict_marginals_single(self, xseq: Iterable[Any], known: Any = None) -> list[Probabilities]:
        """{label: probability} for each token of one sequence."""
        return self.predict_marginals([xseq], None if known is None else [known])[0]

    def predict_marginals_arrays(self, X: Iterable[Any]) -> list[Any]:
        """The same figures as one float32 array [tokens, labels] for each sequence, columns as in classes_."""
        decoder = self._decoder(X)
        node = decoder.marginals()
        return [node[start:end] for start, end in pairwise(decoder.tokens.tolist())]

    def predict_nbest(
        self, X: Iterable[Any], n: int, known: Iterable[Any] | None = None
    ) -> list[list[tuple[list[Any], float]]]:
        """The n best label sequences of each sequence, best first, each with its probability.

        With constraints or known labels, probabilities are those among the allowed paths.

        >>> from tagfield import CRF
        >>> crf = CRF().fit([[["a"], ["b"]]], [["X", "Y"]])
        >>> [labels for labels, _ in crf.predict_nbest([[["a"], ["b"]]], 2)[0]]
        [['X', 'Y'], ['Y', 'Y']]
        """
        self._check_fitted()
        n = whole_of("n", n)
        if not 0 < n < 2**31:
            raise InputError(f"n must be at least 1 and below 2**31, got {n}")
        found = self._decoder(X, known).n_best(n)
        classes = self.classes_
        return [[([classes[i] for i in path], p) for path, p in paths] for paths in found]

    def predict_log_probability(self, X: Iterable[Any], y: Iterable[Any]) -> Doubles:
        """log p(y | x) of each sequence; −inf where y breaks the constraints or has a label that is not the model's.

        With constraints, probabilities are those among the allowed paths, as in predict_nbest.
        """
        self._check_fitted()
        if y is None:
            raise InputError("y is None; give the labels whose probability is asked for")
        return self._decoder(self._encode(X, y)).log_probability()

    def predict_spans(self, X: Iterable[Any], known: Iterable[Any] | None = None) -> list[list[Span]]:
        """The chunks in the best labels of each sequence, each with the probability that it is there exactly so.

        Labels are read as chunks (B-NP, I-NP, …) by conlleval's rules; the probability sums every path with the chunk.

        >>> from tagfield import CRF
        >>> crf = CRF(c2=0.01).fit([[["a"], ["b"], ["c"]]], [["B-X", "I-X", "O"]])
        >>> [(span.type, span.start, span.end) for span in crf.predict_spans([[["a"], ["b"], ["c"]]])[0]]
        [('X', 0, 2)]
        """
        decoder = self._decoder(X, known)
        return decoder.spans(self.model_.labels.strings())

    # Inside

    def _encode(self, X: Iterable[Any], y: Iterable[Any] | None = None) -> Encoded:
        if X is None:
            raise InputError("X is None; give an iterable of sequences")
        rows = None if y is None else self._names_of(y)
        model = self.model_
        encoded = encode_sequences(X, rows, attributes=model.attributes, labels=model.labels, gather=False)
        return without_unknown_name(encoded)

    def _names_of(self, y: Iterable[Any]) -> Any:
        """Names of labels, new ones in a copy: predicting changes nothing."""
        if isinstance(y, str | bytes | dict) or not hasattr(y, "__iter__"):
            return y
        return LabelNames(self.classes_).read(y)

    def _rules(self, labels: list[Any]) -> Rules | None:
        return rules_of(self.constraints, labels)

    def _decoder(self, X: Iterable[Any] | Encoded, known: Iterable[Any] | None = None) -> Decoder:
        self._check_fitted()
        encoded = X if isinstance(X, Encoded) else self._encode(X)
        return self.model_.decoder(
            encoded,
            rules=self.constraints,
            known=known,
            called=self.classes_,
            threads=threads_of(self.n_jobs),
        )

    def _decode(self, encoded: Encoded) -> Ints:
        return self._decoder(encoded).best()
