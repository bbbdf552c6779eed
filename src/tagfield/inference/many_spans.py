"""The probabilities of the chunks of many sequences at once.

    E = exp(scores), M = exp(τ), both without their largest;  c_t: the sums that keep α and β in range

    α_t = (α_{t−1} M) ∘ E_t / c_t            β_t = M (E_{t+1} ∘ β_{t+1}) / c_{t+1}

    P(X from s to e) = (α_{s−1} M↑) ∘ E_s / c_s  ·  Π_t (M→ ∘ E_t) / c_t  ·  M↓ (E_e ∘ β_e) / c_e

M↑, M→ and M↓ are the entries of M by which a chunk of type X starts, goes on and ends. `SpanFinder` computes the same
in the log domain, a sequence at a time. Here a step is one matrix product for all sequences, and one for all chunks: a
quarter of the time for 16 sequences. The last bits depend on what is decided together, so a service uses it, which
gives six digits, and the library does not. Products need scores that are not too far apart, so `fits` asks.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import Doubles
from tagfield.inference.spans import ChunkTables

RANGE = 300.0  # of the scores of a token, and of the transitions: then α ≥ exp(−600) and E ∘ β / c ≤ exp(300)

Chunks = list[tuple[str, int, int]]


def worth(sequences: int, labels: int) -> bool:
    """Whether so many sequences are faster together than one by one; found by trying 4, 13 and 27 labels.

    >>> worth(3, 9), worth(8, 9), worth(3, 27)
    (False, True, True)
    """
    return sequences >= (6 if labels <= 20 else 2)


def fits(scores: Doubles, tau: Doubles) -> bool:
    """Whether the scores [T, L] and transitions [L, L] are finite and close enough for products.

    >>> fits(np.zeros((3, 2)), np.zeros((2, 2))), fits(np.array([[0.0, 400.0]]), np.zeros((2, 2)))
    (True, False)
    """
    return bool(np.ptp(scores, axis=1).max(initial=0) <= RANGE and np.ptp(tau) <= RANGE)  # False for NaN and −inf


def probabilities(
    tables: ChunkTables, scores: Doubles, tau: Doubles, starts: Sequence[int], chunks: Sequence[Chunks]
) -> list[list[float]]:
    """The probability of each chunk (type, start, end) of each sequence.

    scores: [T, L] of all sequences
    tau: [L, L]
    starts: the first token of each sequence, and T  [S+1]

    >>> tables = ChunkTables.of(("O", "B-X", "I-X"), None)
    >>> scores, tau = np.zeros((4, 3)), np.zeros((3, 3))  # 9 equal paths each; 2 have X at 0..2: B-X I-X, I-X I-X
    >>> [[round(p, 4) for p in found] for found in probabilities(tables, scores, tau, [0, 2, 4], [[("X", 0, 2)], []])]
    [[0.2222], []]
    """
    rows = [s for s, found in enumerate(chunks) if found]
    if not rows:
        return [[] for _ in chunks]
    first = np.array([starts[s] for s in rows])
    length = np.array([starts[s + 1] for s in rows]) - first
    E: Doubles = np.exp(scores - scores.max(axis=1, keepdims=True))
    M: Doubles = np.exp(tau - tau.max())
    alpha, beta, c = _messages(E, M, first, length)
    by_type, place = _by_type(tables), {name: k for k, name in enumerate(tables.types)}
    each = [
        (place[of], first[r] + a, first[r] + b, first[r] + length[r])
        for r, s in enumerate(rows)
        for of, a, b in chunks[s]
    ]
    begin = [starts[s] for s in rows for _ in chunks[s]]
    found = iter(_chunks(by_type, E, M, alpha, beta, c, np.array(each), np.array(begin)).tolist())
    return [[min(1.0, next(found)) for _ in mine] for mine in chunks]


def _messages(E: Doubles, M: Doubles, first: Any, length: Any) -> tuple[Doubles, Doubles, Doubles]:
    """α and β [T, L] and their sums c [T], for the sequences that begin at `first` and have these lengths."""
    order = np.argsort(-length, kind="stable")
    first, length = first[order], length[order]
    # how many sequences are longer than t: the longest come first
    active = np.searchsorted(-length, -np.arange(length[0]), side="left").tolist()
    alpha, beta, c = np.empty_like(E), np.ones_like(E), np.ones(len(E))
    a: Any = E[first]
    for t, n in enumerate(active):
        at = first[:n] + t
        if t:
            a = (a[:n] @ M) * E[at]
        c[at] = total = a.sum(axis=1)
        a /= total[:, None]
        alpha[at] = a
    scaled: Doubles = E / c[:, None]
    for t in range(len(active) - 2, -1, -1):
        after = first[: active[t + 1]] + (t + 1)
        beta[after - 1] = (scaled[after] * beta[after]) @ M.T
    return alpha, beta, c


def _chunks(
    by_type: "_ByType", E: Doubles, M: Doubles, alpha: Doubles, beta: Doubles, c: Doubles, each: Any, begin: Any
) -> Doubles:
    """The probabilities of chunks: type, first token, token after the last, and end of the sequence [C, 4].

    begin: the first token of their sequences [C]
    """
    order = np.argsort(each[:, 1] - each[:, 2], kind="stable")  # the longest come first
    kind, s, e, end = each[order].T
    inner = np.flatnonzero(s > begin[order])
    labels = by_type.labels[kind]  # [C, K]
    scaled: Doubles = E / c[:, None]
    ways = by_type.first[kind] * scaled[s[:, None], labels]  # [C, K]
    k = kind[inner]
    into = by_type.starts[k] * M.T[by_type.labels[k]]  # [C, K, L]
    ways[inner] = (into @ alpha[s[inner] - 1][:, :, None])[:, :, 0]
    ways[inner] *= scaled[s[inner][:, None], labels[inner]] * by_type.real[k]
    steps = by_type.goes_on * M[by_type.labels[:, :, None], by_type.labels[:, None, :]]  # [types, K, K]
    length = e - s
    for t in range(1, int(length[0])):
        n = int(np.searchsorted(-length, -t, side="left"))
        ways[:n] = (ways[:n, None, :] @ steps[kind[:n]])[:, 0, :] * scaled[s[:n, None] + t, labels[:n]]
    out: Doubles = by_type.last[kind]  # [C, K]
    inner = np.flatnonzero(e < end)
    k, after = kind[inner], e[inner]
    leave = by_type.ends[k] * M[by_type.labels[k]]  # [C, K, L]
    out[inner] = (leave @ (scaled[after] * beta[after])[:, :, None])[:, :, 0]
    found: Doubles = np.empty(len(order))
    found[order] = (ways * out * by_type.real[kind]).sum(axis=1)
    return found


class _ByType(NamedTuple):
    """The labels of each type, filled up to K, and where its chunks start, go on and end, as 0 and 1."""

    labels: NDArray[np.int64]  # [types, K]
    real: Doubles  # [types, K]  0 where a row is filled up
    first: Doubles  # [types, K]  at the beginning of the sequence
    last: Doubles  # [types, K]
    starts: Doubles  # [types, K, L]  from any label
    goes_on: Doubles  # [types, K, K]
    ends: Doubles  # [types, K, L]  to any label


@lru_cache(maxsize=64)
def _by_type(tables: ChunkTables) -> _ByType:
    L = tables.size
    of = [np.flatnonzero(tables.kind[:L] == k) for k in range(len(tables.types))]
    labels = np.zeros((len(of), max(map(len, of))), np.int64)
    real = np.zeros(labels.shape)
    for k, mine in enumerate(of):
        labels[k, : len(mine)], real[k, : len(mine)] = mine, 1.0
    pairs = real[:, :, None] * real[:, None, :]
    return _ByType(
        labels,
        real,
        real * tables.starts[L, labels],
        real * tables.ends[labels, L],
        real[:, :, None] * tables.starts[:L, labels].transpose(1, 2, 0),
        pairs * tables.goes_on[labels[:, :, None], labels[:, None, :]],
        real[:, :, None] * tables.ends[labels, :L],
    )
