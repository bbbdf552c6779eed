"""Spans: the chunks of a path, and the probability of each of them.

    P(chunk of type X from s to e) = Σ p(y | x) over every path y in which the rules of chunks find exactly that chunk

    α_{s−1} ─▶ start X at s ─▶ go on to e − 1 ─▶ end X before e ─▶ β_e          the sum over the K labels of type X

All chunks of some sequences take each step of this recursion together, in one of two arithmetics:

    logs       ⊕ is log Σ exp, ⊗ is +                       for any scores, also −inf; the same bits in any company
    products   ⊕ is Σ, ⊗ is ·, with E = exp(scores), M = exp(τ), and sums c_t that keep α and β in range:
               α_t = (α_{t−1} M) ∘ E_t / c_t                β_t = M (E_{t+1} ∘ β_{t+1}) / c_{t+1}

In products, a step of α and β is one matrix product for all sequences: for 16 of them and 27 labels, a quarter of the
time. But the last bits depend on what is decided together, and the scores must not be too far apart. So a service,
which shows six digits, asks for products (`together`), and the library does not.

Transitions are one matrix tau [L, L], or [n, L, L] where they look at the input: tau[t] then leads into position t.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import Doubles
from tagfield.data.labels.chunks import ChunkRules
from tagfield.data.labels.kinds import LabelKind
from tagfield.native import kernels

RANGE = 300.0  # of the scores of a token, and of the transitions: then α ≥ exp(−600) and E ∘ β / c ≤ exp(300)
SLICE = 4096  # tokens whose messages are in memory at a time
CELLS = 1 << 20  # transitions of chunks that are in memory at a time

Chunk = tuple[str, int, int]  # type, start, end
Ends = list[tuple[int, int]]  # of each sequence: its first token, and the token after its last
Flags = NDArray[np.bool_]


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
    >>> scores, tau = np.zeros((4, 3)), np.zeros((3, 3))  # 9 equal paths each; 2 have X at 0..2: B-X I-X, I-X I-X
    >>> [[round(p, 6) for p in found] for found in finder.probabilities(scores, tau, [0, 2, 4], [[("X", 0, 2)], []])]
    [[0.222222], []]
    """

    def __init__(self, labels: Sequence[str], kind: LabelKind | None = None) -> None:
        self._tables = _tables_of(tuple(labels), kind)
        self.types = list(self._tables.number)

    def chunks(self, path: Any) -> list[Chunk]:
        """(type, start, end) of the chunks in a path of label ids."""
        found: list[Chunk] = []
        tables = self._tables
        starts, ends, boundary = tables.starts, tables.ends, len(tables.starts) - 1
        open_at, before = -1, boundary
        for t, here in enumerate([*path, boundary]):
            if open_at >= 0 and ends[before][here]:
                found.append((tables.type_of[before], open_at, t))
                open_at = -1
            if here != boundary and starts[before][here]:
                open_at = t
            before = here
        return found

    def probabilities(
        self,
        scores: Doubles,
        tau: Doubles,
        starts: Sequence[int],
        chunks: Sequence[Sequence[Chunk]],
        *,
        together: bool = False,
    ) -> list[list[float]]:
        """The probability of each chunk (type, start, end) of each sequence.

        scores: [T, L] of all sequences
        tau: [L, L], or [T, L, L] for one sequence
        starts: the first token of each sequence, and T  [S+1]
        together: whether the last bits may depend on the other sequences; faster for many
        """
        rows = [s for s, found in enumerate(chunks) if found]
        products = together and _worth(len(rows), scores.shape[1]) and fits(scores, tau)
        found: dict[int, list[float]] = {}
        for some in _slices(rows, starts):
            low, high = starts[some[0]], starts[some[-1] + 1]
            ends = [(starts[s] - low, starts[s + 1] - low) for s in some]
            work = (_products if products else _logs)(scores[low:high], tau, ends)
            sure = iter(self._probabilities(work, ends, [chunks[s] for s in some]))
            found |= {s: [next(sure) for _ in chunks[s]] for s in some}
        return [found.get(s, []) for s in range(len(chunks))]

    def _probabilities(self, work: "_Work", ends: Ends, chunks: Sequence[Sequence[Chunk]]) -> Iterator[float]:
        """The probabilities of the chunks of sequences that begin and end at `ends`, one after the other."""
        number, edge = self._tables.number, len(work.node)  # of `alpha` and `ahead`, the row beyond a sequence
        every = np.array(  # [C, 6]
            [
                (number[of], s, low + a, low + b, low + a - 1 if a else edge, low + b if low + b < high else edge)
                for s, ((low, high), mine) in enumerate(zip(ends, chunks, strict=True))
                for of, a, b in mine
            ]
        )
        step = max(1, CELLS // self._tables.into[0].size)
        for at in range(0, len(every), step):
            part = every[at : at + step]
            order = np.argsort(part[:, 2] - part[:, 3], kind="stable")  # the longest come first
            found = np.empty(len(part))
            found[order] = self._sums(work, *part[order].T)
            yield from found.tolist()

    def _sums(self, work: "_Work", kind: Any, s: Any, start: Any, end: Any, before: Any, after: Any) -> Doubles:
        """The probability of each chunk [C], the longest first.

        kind, s: its type and its sequence
        before, after: the row of α before the chunk, and the row of `ahead` after it
        """
        tables, (zero, one, times, along) = self._tables, work.arithmetic
        labels = tables.labels[kind]  # [C, K]
        one_of, any_label = labels[:, :, None], np.arange(len(tables.starts))
        into = np.where(tables.into[kind], work.moves(start, any_label, one_of), zero)  # [C, K, L+1]
        ways = times(along(work.alpha[before], into), work.node[start[:, None], labels])  # [C, K]
        lengths = start - end  # negative, in ascending order
        for t in range(1, -int(lengths[0])):
            n = int(np.searchsorted(lengths, -t))
            here, mine = start[:n] + t, labels[:n]
            within = work.moves(here, mine[:, None, :], one_of[:n])  # [C, K, K]
            within = np.where(tables.within[kind[:n]], within, zero)
            ways[:n] = times(along(ways[:n], within), work.node[here[:, None], mine])
        out_of = np.where(tables.out_of[kind], work.moves(end, one_of, any_label), zero)  # [C, K, L+1]
        ways = times(ways, along(work.ahead[after], out_of))
        sums = along(ways, np.full((1, 1, ways.shape[1]), one))[:, 0]
        return np.minimum(1.0, sums if work.log_z is None else np.exp(sums - work.log_z[s]))


class _Tables(NamedTuple):
    """Where chunks start, go on and end between two labels, and the K labels of each type, filled up with label 0.

    Label L is the boundary of a sequence. Where a row is filled up, the flags are False.
    """

    type_of: list[str]  # [L+1]
    starts: list[list[bool]]  # [L+1, L+1]  lists: faster than arrays for single look-ups
    ends: list[list[bool]]  # [L+1, L+1]
    number: dict[str, int]  # type → its row in the arrays below
    labels: NDArray[np.int64]  # [types, K]
    into: Flags  # [types, K, L+1]  whether a chunk starts here, after any label
    within: Flags  # [types, K, K]  whether it goes on here, after a label of its type
    out_of: Flags  # [types, K, L+1]  whether it ends here, before any label


@lru_cache(maxsize=64)  # a service asks for the same ones with every batch
def _tables_of(names: tuple[str, ...], of: LabelKind | None) -> _Tables:
    rules, L = ChunkRules.of(names, of), len(names)
    bit, typed, kind = rules.bit, rules.typed, rules.kind
    change = kind[:, None] != kind[None, :]
    starts = (rules.starts[:, None] & bit[None, :] != 0) | (change & typed[None, :])
    ends = (rules.ends[:, None] & bit[None, :] != 0) | (change & typed[:, None])
    goes_on = ~starts & ~ends & ~change
    members = [np.flatnonzero(kind[:L] == k) for k in range(len(rules.types))]
    labels = np.zeros((len(members), max(map(len, members))), np.int64)
    real = np.zeros(labels.shape, bool)
    for k, mine in enumerate(members):
        labels[k, : len(mine)], real[k, : len(mine)] = mine, True
    return _Tables(
        [rules.types[k] for k in kind.tolist()],
        starts.tolist(),
        ends.tolist(),
        {name: k for k, name in enumerate(rules.types)},
        labels,
        real[:, :, None] & starts.T[labels],
        real[:, :, None] & real[:, None, :] & goes_on.T[labels[:, :, None], labels[:, None, :]],
        real[:, :, None] & ends[labels],
    )


class _Arithmetic(NamedTuple):
    zero: float
    one: float
    times: Any  # ⊗, a ufunc
    along: Callable[[Doubles, Doubles], Doubles]  # [C, J], [C, K, J] → [C, K]: ⊕_j ways_j ⊗ steps_kj


# For a few labels, a reduction takes 3 µs, and SciPy's logsumexp a hundred times as long.
_LOGS = _Arithmetic(-np.inf, 0.0, np.add, lambda ways, steps: np.logaddexp.reduce(steps + ways[:, None, :], axis=2))
_PRODUCTS = _Arithmetic(0.0, 1.0, np.multiply, lambda ways, steps: (steps @ ways[:, :, None])[:, :, 0])


class _Work:
    """Scores and messages of some sequences in one arithmetic, with a row and a column more for the boundary."""

    def __init__(
        self,
        arithmetic: _Arithmetic,
        node: Doubles,  # [T, L]
        tau: Doubles,  # [L, L] or [T, L, L]
        alpha: Doubles,  # [T, L]  with the token's own score
        beta: Doubles,  # [T, L]  without it
        log_z: Doubles | None = None,  # [S]  None if the sums are probabilities
    ) -> None:
        zero, one, times, _ = self.arithmetic = arithmetic
        self.node, self.log_z = node, log_z
        T, L = node.shape
        self.alpha, self.ahead = np.full((T + 1, L + 1), zero), np.full((T + 1, L + 1), zero)
        self.alpha[:T, :L], self.ahead[:T, :L] = alpha, times(node, beta)
        self.alpha[T, L] = self.ahead[T, L] = one
        self._tau = np.full((L + 1, L + 1) if tau.ndim == 2 else (T + 1, L + 1, L + 1), one)
        self._tau[..., :L, :L][: len(tau)] = tau

    def moves(self, into: Any, before: Any, after: Any) -> Doubles:
        """The transitions between some labels, into the positions [C]."""
        found: Doubles = self._tau[(before, after) if self._tau.ndim == 2 else (into[:, None, None], before, after)]
        return found


def fits(scores: Doubles, tau: Doubles) -> bool:
    """Whether the scores [T, L] and transitions [L, L] are finite and close enough for products.

    >>> fits(np.zeros((3, 2)), np.zeros((2, 2))), fits(np.array([[0.0, 400.0]]), np.zeros((2, 2)))
    (True, False)
    """
    near = np.ptp(scores, axis=1).max(initial=0) <= RANGE and np.ptp(tau) <= RANGE  # False for NaN and −inf
    return bool(near and tau.ndim == 2)


def _worth(sequences: int, labels: int) -> bool:
    """Whether products are faster for so many sequences; found by trying 5, 9, 13 and 27 labels."""
    return sequences * labels**2 >= 1000


def _slices(rows: list[int], starts: Sequence[int]) -> Iterator[list[int]]:
    """The rows in groups that reach over at most SLICE tokens; a longer sequence is alone."""
    some: list[int] = []
    for s in rows:
        if some and starts[s + 1] - starts[some[0]] > SLICE:
            yield some
            some = []
        some.append(s)
    if some:
        yield some


def _logs(scores: Doubles, tau: Doubles, ends: Ends) -> _Work:
    """The messages of sequences that begin and end at `ends`, by the kernel, one by one."""
    scores, tau = np.ascontiguousarray(scores, np.float64), np.ascontiguousarray(tau, np.float64)
    alpha, beta, log_z = np.empty_like(scores), np.empty_like(scores), np.empty(len(ends))
    for s, (low, high) in enumerate(ends):
        alpha[low:high], beta[low:high], log_z[s] = kernels.log_messages(scores[low:high], tau)
    return _Work(_LOGS, scores, tau, alpha, beta, log_z)


def _products(scores: Doubles, tau: Doubles, ends: Ends) -> _Work:
    """The messages of sequences that begin and end at `ends`, all together."""
    E: Doubles = np.exp(scores - scores.max(axis=1, keepdims=True))
    M: Doubles = np.exp(tau - tau.max())
    first, length = np.array(sorted(((low, high - low) for low, high in ends), key=lambda each: -each[1])).T
    active = np.searchsorted(-length, -np.arange(length[0])).tolist()  # how many sequences are longer than t
    alpha, beta, c = np.empty_like(E), np.ones_like(E), np.ones(len(E))
    a: Any = E[first]
    for t, n in enumerate(active):
        at = first[:n] + t
        if t:
            a = (a[:n] @ M) * E[at]
        c[at] = total = a.sum(axis=1)
        a /= total[:, None]
        alpha[at] = a
    node: Doubles = E / c[:, None]
    for t in range(len(active) - 2, -1, -1):
        at = first[: active[t + 1]] + (t + 1)
        beta[at - 1] = (node[at] * beta[at]) @ M.T
    return _Work(_PRODUCTS, node, M, alpha, beta)
