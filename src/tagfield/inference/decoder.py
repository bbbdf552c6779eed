"""Decoder: labels and probabilities of a corpus under a field, optionally restricted by limits.

    Field + Encoded + Limits ─▶ kernels (decode.hpp, n_best.hpp) ─▶ best · marginals · n_best · spans · log_probability

Results are label ids; Model and CRF translate them to labels. If no path is allowed, the error names the sequence.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tagfield.data.dataset import Doubles, Floats, Ints, Longs
from tagfield.data.encode import Encoded
from tagfield.data.labels.kinds import LabelKind
from tagfield.errors import InputError
from tagfield.inference.lattice import open_corpus
from tagfield.inference.spans import Span, SpanFinder
from tagfield.native import kernels
from tagfield.system.checks import whole

TOKENS_PER_THREAD = 5000  # fewer take less time than a thread needs to start


def check_threads(threads: int) -> int:
    """A number of threads; InputError if there cannot be so many.

    >>> check_threads(2)
    2
    """
    found = whole("threads", threads)
    if not 0 < found <= 4096:
        raise InputError(f"threads must be between 1 and 4096, got {threads}")
    return found


class Best(NamedTuple):
    """The best paths of a corpus, with their probabilities."""

    labels: Ints  # [T]  label ids
    token: Floats  # [T]  P(y_t = label | x)
    path: Doubles  # [S]  p(all labels of the sequence | x)


class Decoder:
    """One corpus under one field.

    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.weights.layout import FeatureSet
    >>> encoded = encode_sequences([[["a"], ["b"]]], [["X", "Y"]])
    >>> features, weights = FeatureSet.from_triples(2, 2, ([0, 1], [0, 1], [1.0, 1.0]), ([], [], []))
    >>> decoder = Decoder(features.field(weights), encoded)
    >>> decoder.best().tolist(), decoder.marginals().argmax(axis=1).tolist()
    ([0, 1], [0, 1])
    """

    def __init__(
        self, field: kernels.Field, encoded: Encoded, limits: kernels.Limits | None = None, *, threads: int = 1
    ) -> None:
        self._field = field
        self._encoded = encoded
        self._limits = limits
        asked = check_threads(threads)
        self._corpus = open_corpus(encoded.dataset)
        self._threads = min(asked, 1 + len(encoded.dataset.labels) // TOKENS_PER_THREAD)

    @property
    def tokens(self) -> Longs:
        """The first token of each sequence [S+1]; use it to split per-token results by sequence."""
        return self._encoded.dataset.tokens

    def best(self) -> Ints:
        """The label ids of the best paths [T]."""
        with self._refusing():
            ids, score = kernels.tag(self._corpus, self._field, self._limits, self._threads)
        self._check_possible(score)
        return ids

    def marginals(self) -> Floats:
        """P(y_t = y | x) [T, L]."""
        node, log_z, _ = self._sums(nodes=True)
        self._check_possible(log_z)
        return node

    def best_with_probabilities(self) -> Best:
        """The best paths, the probability of each of their labels, and of each whole path."""
        with self._refusing():
            ids, score = kernels.tag(self._corpus, self._field, self._limits, self._threads)
        self._check_possible(score)
        node, log_z, score = self._sums(nodes=True, labels=ids)
        return Best(ids, node[np.arange(len(ids)), ids], np.exp(np.minimum(score - log_z, 0.0)))

    def log_probability(self) -> Doubles:
        """log p(y | x) of the labels of each sequence [S]; −inf if a label is unknown or not allowed."""
        _, log_z, score = self._sums()
        possible = score > -np.inf  # an unknown label makes it NaN
        return np.where(possible, score - np.where(possible, log_z, 0.0), -np.inf)

    def n_best(self, count: int) -> list[list[tuple[list[int], float]]]:
        """The `count` best paths of each sequence as label ids, best first, with their probabilities."""
        count = whole("the number of paths", count)
        if not 0 < count < 2**31:
            raise InputError(f"the number of paths must be at least 1 and below 2**31, got {count}")
        _, log_z, _ = self._sums()
        self._check_possible(log_z)
        labels, scores, counts = kernels.nbest(self._corpus, self._field, count, self._limits, self._threads)
        found: list[list[tuple[list[int], float]]] = []
        ids, values = labels.tolist(), scores.tolist()
        at = rank = 0
        for s, (start, end) in enumerate(pairwise(self.tokens.tolist())):
            length, paths = end - start, []
            for _ in range(int(counts[s])):
                paths.append((ids[at : at + length], min(1.0, float(np.exp(values[rank] - log_z[s])))))
                at, rank = at + length, rank + 1
            found.append(paths if length else [([], 1.0)])
        return found

    def spans(self, names: Sequence[str]) -> list[list[Span]]:
        """The chunks in the best path of each sequence, with their probabilities; `names` are the labels [L]."""
        return [
            [Span(kind, start, end, p) for kind, start, end, p in chunks if p is not None]
            for chunks in self.chunks(names, self.best())
        ]

    def chunks(
        self,
        names: Sequence[str],
        ids: Ints,
        kind: LabelKind | None = None,
        *,
        probabilities: bool = True,
        together: bool = False,
    ) -> list[list[tuple[str, int, int, float | None]]]:
        """(type, start, end, probability) of the chunks in a path of each sequence, such as the best one.

        names: the labels [L]
        ids: the paths as label ids [T]
        kind: what the labels mark, if it is not to be seen from their names
        probabilities: without them, which take longer than finding the chunks, they are None
        together: faster for many sequences; then the last bits of a probability depend on the other sequences
        """
        finder, every, starts = SpanFinder(names, kind), ids.tolist(), self.tokens.tolist()
        chunks = [finder.chunks(every[start:end]) for start, end in pairwise(starts)]
        if not probabilities:
            return [[(*chunk, None) for chunk in found] for found in chunks]
        scores = kernels.scores(self._corpus, self._field, self._threads)
        tau = self._field.transitions[:, : len(names)].astype(np.float64)
        edge_slots, limits = self._encoded.dataset.edge_slots, self._limits
        if edge_slots is not None or max(np.abs(scores).max(initial=0), np.abs(tau).max(initial=0)) > kernels.LARGEST:
            self._sums()  # names the sequence whose scores are too large
        if limits is not None and limits.labels is not None:
            scores[limits.labels == 0] = -np.inf
        follow = np.ones((1, 1), bool) if limits is None or limits.follow is None else limits.follow != 0
        looking = set() if edge_slots is None else set(np.flatnonzero(np.diff(edge_slots.slots)).tolist())
        plain = [[] if s in looking else found for s, found in enumerate(chunks)]
        tau = np.where(follow, tau, -np.inf)
        sure = finder.probabilities(scores, tau, starts, plain, together=together and limits is None)
        for s in looking:
            steps = np.where(follow, kernels.transitions(self._corpus, self._field, s), -np.inf)
            [sure[s]] = finder.probabilities(scores[starts[s] : starts[s + 1]], steps, [0, len(steps)], [chunks[s]])
        return [[(*c, p) for c, p in zip(*each, strict=True)] for each in zip(chunks, sure, strict=True)]

    def _sums(self, *, nodes: bool = False, labels: Ints | None = None) -> tuple[Floats, Doubles, Doubles]:
        """The marginals if they are wanted, log Z, and the score of the labels [T], by default the dataset's."""
        with self._refusing():
            return kernels.marginals(self._corpus, self._field, self._limits, nodes, self._threads, labels)

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        try:
            yield
        except OverflowError as error:
            raise InputError(
                f"{self._encoded.where(int(str(error)))}: a score is beyond ±1e9, where probabilities and constraints "
                "are no longer exact; scale down the values of the attributes"
            ) from None
        except ValueError as error:
            raise InputError(f"the data does not fit the model: {error}; encode it with model.encode") from None

    def _check_possible(self, score: Doubles) -> None:
        if self._limits is None:
            return
        bad = np.flatnonzero(np.isneginf(score))
        if len(bad):
            where = self._encoded.where(int(bad[0]))
            raise InputError(f"{where}: the constraints and the known labels together allow no path; relax one of them")
