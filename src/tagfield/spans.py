"""Spans: the probability of a whole chunk.

    P(chunk of type X from s to e) = Σ p(y | x) over every path y in which conlleval's rules find exactly that chunk

    forward to s ─▶ start X at s ─▶ continue to e ─▶ end X at e ─▶ backward from e

The sums are in the log domain. The kernels compute the forward and backward messages; this file sums over the few
labels of one type.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from tagfield.dataset import Doubles
from tagfield.evaluate.chunks import ChunkRules
from tagfield.native import kernels


@dataclass(frozen=True)
class Span:
    """A chunk of a sequence, with its probability."""

    type: str
    start: int
    end: int  # first position after the chunk
    probability: float


class SpanFinder:
    """Finds chunks in label paths and computes their probabilities.

    >>> finder = SpanFinder(["O", "B-X", "I-X"])
    >>> finder.chunks([0, 1, 2, 0])
    [('X', 1, 3)]
    >>> scores, tau = np.zeros((2, 3)), np.zeros((3, 3))  # 9 equal paths; 2 have X at 0..2: B-X I-X, I-X I-X
    >>> round(finder.probabilities(scores, tau, [("X", 0, 2)])[0], 6)
    0.222222
    """

    def __init__(self, labels: list[str]) -> None:
        rules = ChunkRules.of(labels)
        kind, bit, typed = rules.kind, rules.bit, rules.typed
        change = kind[:, None] != kind[None, :]
        # [L+1, L+1] between two labels; index L is the boundary of the sequence
        self._starts: NDArray[np.bool_] = (rules.starts[:, None] & bit[None, :] != 0) | (change & typed[None, :])
        self._ends: NDArray[np.bool_] = (rules.ends[:, None] & bit[None, :] != 0) | (change & typed[:, None])
        self._types, self._kind, self._size = rules.types, kind, len(labels)
        self._goes_on = ~self._starts & ~self._ends & ~change

    def chunks(self, path: Any) -> list[tuple[str, int, int]]:
        """(type, start, end) of the chunks in a path of label ids."""
        found, open_at = [], -1
        ids = [self._size, *path, self._size]
        for t in range(len(path) + 1):
            before, here = ids[t], ids[t + 1]
            if open_at >= 0 and self._ends[before, here]:
                found.append((self._types[self._kind[before]], open_at, t))
                open_at = -1
            if here < self._size and self._starts[before, here]:
                open_at = t
        return found

    def spans(self, path: list[int], scores: Doubles, tau: Doubles) -> list[Span]:
        """The chunks in a path, with their probabilities; scores are [n, L], tau [L, L]."""
        chunks = self.chunks(path)
        sure = self.probabilities(scores, tau, chunks)
        return [Span(*chunk, p) for chunk, p in zip(chunks, sure, strict=True)]

    def probabilities(self, scores: Doubles, tau: Doubles, chunks: list[tuple[str, int, int]]) -> list[float]:
        """The probability of each chunk (type, start, end); scores are [n, L], tau [L, L]."""
        if not chunks:
            return []
        alpha, beta, log_z = kernels.log_messages(
            np.ascontiguousarray(scores, np.float64), np.ascontiguousarray(tau, np.float64)
        )
        return [min(1.0, float(np.exp(self._log_sum(scores, tau, alpha, beta, c) - log_z))) for c in chunks]

    def _log_sum(self, s: Doubles, tau: Doubles, alpha: Doubles, beta: Doubles, chunk: tuple[str, int, int]) -> float:
        kind, start, end = chunk
        L = self._size
        of_type = np.flatnonzero(self._kind[:L] == self._types.index(kind))
        if start == 0:
            ways = np.where(self._starts[L, of_type], s[0, of_type], -np.inf)
        else:
            into = np.where(self._starts[:L][:, of_type], alpha[start - 1][:, None] + tau[:, of_type], -np.inf)
            ways = s[start, of_type] + _log_sum_exp(into, axis=0)
        within = np.where(self._goes_on[np.ix_(of_type, of_type)], tau[np.ix_(of_type, of_type)], -np.inf)
        for t in range(start + 1, end):
            ways = s[t, of_type] + _log_sum_exp(ways[:, None] + within, axis=0)
        if end == len(s):
            out = np.where(self._ends[of_type, L], 0.0, -np.inf)
        else:
            onward = tau[of_type] + s[end] + beta[end]
            out = _log_sum_exp(np.where(self._ends[of_type, :L], onward, -np.inf), axis=1)
        return float(_log_sum_exp(ways + out, axis=0))


def _log_sum_exp(terms: Any, axis: int) -> Any:
    with np.errstate(divide="ignore"):
        return logsumexp(terms, axis=axis)
