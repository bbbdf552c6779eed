"""What a fitted CRF says about sequences: labels, probabilities, the n best, spans.

Lists in, lists out: one list for each sequence, one entry for each token. An empty sequence gives an empty list.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from tagfield import decode
from tagfield._text import Probabilities, label_lists, probability_lists
from tagfield.constraints import FORBIDDEN, Rules, rules_of
from tagfield.dataset import Doubles, Ints
from tagfield.encode import Encoded, encode_sequences
from tagfield.errors import InputError
from tagfield.estimator.fitted import Fitted
from tagfield.estimator.labels import LabelNames
from tagfield.estimator.parameters import threads_of, whole_of
from tagfield.estimator.records import SequenceList
from tagfield.spans import Span, SpanFinder


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
        self._check_fitted()
        encoded = self._encode(X)
        ids = self._decode(encoded, known)
        return SequenceList(label_lists(ids, tuple(self.classes_), encoded.dataset.tokens))

    def predict_single(self, xseq: Iterable[Any], known: Any = None) -> list[Any]:
        """The best labels of one sequence."""
        return self.predict([xseq], None if known is None else [known])[0]

    def predict_marginals(
        self, X: Iterable[Any], known: Iterable[Any] | None = None
    ) -> list[list[Probabilities]]:
        """{label: probability} for each token of each sequence.

        A token's answer reads like a dict and can be changed like one. It is a view of one array for all tokens: to ask
        each for a label costs little, and to make a dict for each would cost more than all the rest. Where only a dict
        will do, as for json.dumps, take answer.copy().

        >>> from tagfield import CRF
        >>> crf = CRF(c2=0.01).fit([[["a"], ["b"]]], [["X", "Y"]])
        >>> [[first, second]] = crf.predict_marginals([[["a"], ["b"]]])
        >>> max(first, key=first.get), round(second["Y"], 1), second.copy().keys() == first.keys()
        ('X', 1.0, True)
        """
        self._check_fitted()
        encoded = self._encode(X)
        node, _ = decode.marginals(
            self.model_, encoded, self._conditions(encoded, known), threads=threads_of(self.n_jobs)
        )
        return SequenceList(probability_lists(node, tuple(self.classes_), encoded.dataset.tokens))

    def predict_marginals_single(self, xseq: Iterable[Any], known: Any = None) -> list[Probabilities]:
        """{label: probability} for each token of one sequence."""
        return self.predict_marginals([xseq], None if known is None else [known])[0]

    def predict_marginals_arrays(self, X: Iterable[Any]) -> list[Any]:
        """The same figures as one float32 array [tokens, labels] for each sequence, columns as in classes_."""
        self._check_fitted()
        encoded = self._encode(X)
        given = self._conditions(encoded, None)
        node, _ = decode.marginals(self.model_, encoded, given, threads=threads_of(self.n_jobs))
        return [node[start:end] for start, end in pairwise(encoded.dataset.tokens.tolist())]

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
            raise InputError(f"n must be a number of paths from 1 on, not {n}")
        encoded = self._encode(X)
        given = self._conditions(encoded, known)
        found = decode.n_best(self.model_, encoded, n, given, threads=threads_of(self.n_jobs))
        classes = self.classes_
        return [[([classes[i] for i in path], p) for path, p in paths] for paths in found]

    def predict_log_probability(self, X: Iterable[Any], y: Iterable[Any]) -> Doubles:
        """log p(y | x) of each sequence; −inf where y breaks the constraints or has a label that is not the model's.

        With constraints, probabilities are those among the allowed paths, as in predict_nbest.
        """
        self._check_fitted()
        if y is None:
            raise InputError("y is None; give the labels whose probability is asked for")
        encoded = self._encode(X, y)
        return decode.log_probabilities(
            self.model_, encoded, self._rules(self.classes_), threads=threads_of(self.n_jobs)
        )

    def predict_spans(self, X: Iterable[Any], known: Iterable[Any] | None = None) -> list[list[Span]]:
        """The chunks in the best labels of each sequence, each with the probability that it is there exactly so.

        Labels are read as chunks (B-NP, I-NP, …) by conlleval's rules; the probability sums every path with the chunk.

        >>> from tagfield import CRF
        >>> crf = CRF(c2=0.01).fit([[["a"], ["b"], ["c"]]], [["B-X", "I-X", "O"]])
        >>> [(span.type, span.start, span.end) for span in crf.predict_spans([[["a"], ["b"], ["c"]]])[0]]
        [('X', 0, 2)]
        """
        self._check_fitted()
        encoded = self._encode(X)
        given = self._conditions(encoded, known)
        threads = threads_of(self.n_jobs)
        ids = decode.best_paths(self.model_, encoded, given, threads=threads)
        scores = decode.scores(self.model_, encoded, threads=threads).astype(np.float64)
        tau = decode.transitions(self.model_)
        if given is not None:
            tau = given.trans[:, : len(self.classes_)].astype(np.float64)
            if given.allowed is not None:
                scores[given.allowed == 0] = FORBIDDEN
        finder = SpanFinder(self.model_.labels.strings())
        rows = []
        for start, end in pairwise(encoded.dataset.tokens.tolist()):
            chunks = finder.chunks(ids[start:end].tolist())
            sure = finder.probabilities(scores[start:end], tau, chunks)
            rows.append([Span(*chunk, p) for chunk, p in zip(chunks, sure, strict=True)])
        return rows

    # Inside

    def _encode(self, X: Iterable[Any], y: Iterable[Any] | None = None) -> Encoded:
        if X is None:
            raise InputError("X is None; give an iterable of sequences")
        rows = None if y is None else self._names_of(y)
        model = self.model_
        return encode_sequences(X, rows, attributes=model.attributes, labels=model.labels, gather=False)

    def _names_of(self, y: Iterable[Any]) -> Any:
        """Names of labels, new ones in a copy: predicting changes nothing."""
        if isinstance(y, str | bytes | dict) or not hasattr(y, "__iter__"):
            return y
        return LabelNames(self.classes_).read(y)

    def _rules(self, labels: list[Any]) -> Rules | None:
        return rules_of(self.constraints, labels)

    def _conditions(self, encoded: Encoded, known: Iterable[Any] | None) -> decode.Conditions | None:
        rules = self._rules(self.classes_)
        if rules is None and known is None:
            return None
        mask = None
        if known is not None:
            if isinstance(known, str) or not hasattr(known, "__iter__"):
                raise InputError(f"known is of type {type(known).__name__}; give an entry for each sequence")
            mask = decode.read_known(known, encoded, {label: i for i, label in enumerate(self.classes_)})
        return decode.conditions(self.model_, encoded, rules, mask)

    def _decode(self, encoded: Encoded, known: Iterable[Any] | None = None) -> Ints:
        given = self._conditions(encoded, known)
        return decode.best_paths(self.model_, encoded, given, threads=threads_of(self.n_jobs))
