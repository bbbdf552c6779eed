"""Spans: the probability of a whole chunk.

    P(chunk of type X from s to e) = Σ p(y | x) over every path y in which the rules of chunks find exactly that chunk

    forward to s ─▶ start X at s ─▶ continue to e ─▶ end X at e ─▶ backward from e

The sums are in the log domain. The kernels compute the forward and backward messages; this file sums over the few
labels of one type. Transitions are one matrix tau [L, L], or [n, L, L] where they look at the input: tau[t] then leads
into position t.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import Doubles
from tagfield.data.labels.chunks import ChunkRules
from tagfield.data.labels.kinds import LabelKind
from tagfield.native import kernels


@dataclass(frozen=True)
class Span:
    """A chunk of a sequence, with its probability."""

    type: str
    start: int
    end: int  # first position after the chunk
    probability: float


@dataclass(frozen=True, eq=False)
class ChunkTables:
    """Where chunks start, go on and end between two labels; index L is the boundary of a sequence.

    >>> ChunkTables.of(("O", "B-X", "I-X"), None).starts[0].tolist()
    [False, True, True, False]
    """

    types: tuple[str, ...]
    kind: NDArray[Any]  # [L+1]  the type of each label
    size: int  # L
    starts: NDArray[np.bool_]  # [L+1, L+1]
    ends: NDArray[np.bool_]  # [L+1, L+1]
    goes_on: NDArray[np.bool_]  # [L+1, L+1]
    start_table: list[list[bool]]  # for single look-ups, faster than arrays
    end_table: list[list[bool]]

    @classmethod
    @lru_cache(maxsize=64)  # a service asks for the same ones with every batch
    def of(cls, labels: tuple[str, ...], kind: LabelKind | None) -> "ChunkTables":
        rules = ChunkRules.of(labels, kind)
        bit, typed = rules.bit, rules.typed
        change = rules.kind[:, None] != rules.kind[None, :]
        starts = (rules.starts[:, None] & bit[None, :] != 0) | (change & typed[None, :])
        ends = (rules.ends[:, None] & bit[None, :] != 0) | (change & typed[:, None])
        tables = (starts, ends, ~starts & ~ends & ~change, starts.tolist(), ends.tolist())
        return cls(rules.types, rules.kind, len(labels), *tables)


class SpanFinder:
    """Finds chunks in label paths and computes their probabilities.

    >>> finder = SpanFinder(["O", "B-X", "I-X"])
    >>> finder.chunks([0, 1, 2, 0])
    [('X', 1, 3)]
    >>> scores, tau = np.zeros((2, 3)), np.zeros((3, 3))  # 9 equal paths; 2 have X at 0..2: B-X I-X, I-X I-X
    >>> round(finder.probabilities(scores, tau, [("X", 0, 2)])[0], 6)
    0.222222
    """

    def __init__(self, labels: Sequence[str], kind: LabelKind | None = None) -> None:
        self.tables = tables = ChunkTables.of(tuple(labels), kind)
        self._starts, self._ends, self._goes_on = tables.starts, tables.ends, tables.goes_on
        self._types, self._kind, self._size = tables.types, tables.kind, tables.size
        self._tau: Any = None  # the transitions of `_paths`
        self._paths: dict[str, _Paths] = {}

    def chunks(self, path: Any) -> list[tuple[str, int, int]]:
        """(type, start, end) of the chunks in a path of label ids."""
        found: list[tuple[str, int, int]] = []
        starts, ends, boundary = self.tables.start_table, self.tables.end_table, self._size
        open_at, before = -1, boundary
        for t, here in enumerate([*path, boundary]):
            if open_at >= 0 and ends[before][here]:
                found.append((self._types[self._kind[before]], open_at, t))
                open_at = -1
            if here != boundary and starts[before][here]:
                open_at = t
            before = here
        return found

    def spans(self, path: list[int], scores: Doubles, tau: Doubles) -> list[Span]:
        """The chunks in a path, with their probabilities; scores are [n, L], tau [L, L] or [n, L, L]."""
        chunks = self.chunks(path)
        sure = self.probabilities(scores, tau, chunks)
        return [Span(*chunk, p) for chunk, p in zip(chunks, sure, strict=True)]

    def probabilities(self, scores: Doubles, tau: Doubles, chunks: list[tuple[str, int, int]]) -> list[float]:
        """The probability of each chunk (type, start, end); scores are [n, L], tau [L, L] or [n, L, L]."""
        if not chunks:
            return []
        alpha, beta, log_z = kernels.log_messages(
            np.ascontiguousarray(scores, np.float64), np.ascontiguousarray(tau, np.float64)
        )
        if tau is not self._tau:
            self._tau, self._paths = tau, {}
        return [min(1.0, float(np.exp(self._log_sum(scores, alpha, beta, c) - log_z))) for c in chunks]

    def _log_sum(self, s: Doubles, alpha: Doubles, beta: Doubles, chunk: tuple[str, int, int]) -> float:
        kind, start, end = chunk
        paths = self._paths.get(kind)
        if paths is None:
            paths = self._paths[kind] = self._paths_of(kind)
        own = s[start:end, paths.labels]  # [end − start, K]
        ways: Any = own[0] + (_log_sum_exp(alpha[start - 1][:, None] + paths.into[start], 0) if start else paths.first)
        for t, scores in enumerate(own[1:], start + 1):
            ways = scores + _log_sum_exp(ways[:, None] + paths.within[t], 0)
        out = paths.last if end == len(s) else _log_sum_exp(paths.out_of[end] + (s[end] + beta[end]), 1)
        return float(_log_sum_exp(ways + out, 0))

    def _paths_of(self, kind: str) -> "_Paths":
        L, tau = self._size, self._tau
        of_type = np.flatnonzero(self._kind[:L] == self._types.index(kind))
        within = np.ix_(of_type, of_type)
        steps = _Same if tau.ndim == 2 else np.asarray
        return _Paths(
            of_type,
            np.where(self._starts[L, of_type], 0.0, -np.inf),
            steps(np.where(self._starts[:L, of_type], tau[..., of_type], -np.inf)),
            steps(np.where(self._goes_on[within], tau[..., of_type[:, None], of_type], -np.inf)),
            steps(np.where(self._ends[of_type, :L], tau[..., of_type, :], -np.inf)),
            np.where(self._ends[of_type, L], 0.0, -np.inf),
        )


class _Same:
    """One matrix for every position."""

    def __init__(self, matrix: Doubles) -> None:
        self._matrix = matrix

    def __getitem__(self, position: int) -> Doubles:
        return self._matrix


class _Paths(NamedTuple):
    """The K labels of one type, and the transitions by which its chunks start, continue and end; −inf: they do not.

    The transitions are indexed by the position that they lead to.
    """

    labels: NDArray[np.int64]  # [K]
    first: Doubles  # [K]     at the beginning of the sequence
    into: Any  # [n][L, K]
    within: Any  # [n][K, K]
    out_of: Any  # [n][K, L]
    last: Doubles  # [K]     at the end of the sequence


# For a few labels, a reduction takes 3 µs, and SciPy's logsumexp a hundred times as long.
def _log_sum_exp(terms: Any, axis: int) -> Any:
    return np.logaddexp.reduce(terms, axis=axis)
