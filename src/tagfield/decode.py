"""Decoding with conditions: the best path, the n best, marginals and spans, of allowed paths only.

    Rules + known labels ─▶ allowed [T, L], transitions with FORBIDDEN ─▶ kernels (constrained.hpp, nbest.hpp)

Every function takes a Model and data encoded by it. Where no path is allowed, the error names the sequence.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagfield.constraints import FORBIDDEN, IMPOSSIBLE, Rules
from tagfield.dataset import Doubles, Floats, Ints
from tagfield.encode import Encoded
from tagfield.errors import InputError
from tagfield.lattice import open_corpus
from tagfield.model import Model
from tagfield.native import kernels

Mask = NDArray[np.uint8]


@dataclass(frozen=True)
class Conditions:
    """What paths may be: a mask of labels for each token, and transitions with FORBIDDEN where they are forbidden."""

    allowed: Mask | None  # [T, L]
    trans: Floats  # [L, 8·NB]


def conditions(
    model: Model, encoded: Encoded, rules: Rules | None = None, known: Mask | None = None
) -> Conditions:
    """Rules and known labels [T, L] as the kernels take them."""
    if rules is None:
        return Conditions(known, model.weights.trans)
    trans = model.weights.trans.copy()
    trans[:, : len(model.labels)][~rules.follow] = FORBIDDEN
    allowed = rules.allowed(encoded.dataset.tokens)
    return Conditions(allowed if known is None else allowed & known, trans)


def read_known(known: Iterable[Any], encoded: Encoded, ids: Mapping[Any, int]) -> Mask:
    """Which labels each token may have, from what the user knows of them, as [T, L].

    known: for each sequence None, a dict of position to label, or an entry for each token: None for any label, a
    label, or a set or list of labels.

    >>> from tagfield.encode import encode_sequences
    >>> encoded = encode_sequences([[["a"], ["b"]]], [["X", "Y"]])
    >>> read_known([[None, "Y"]], encoded, {"X": 0, "Y": 1}).tolist()
    [[1, 1], [0, 1]]
    """
    tokens = encoded.dataset.tokens.tolist()
    allowed = np.ones((tokens[-1], len(ids)), np.uint8)
    rows = list(known)
    if len(rows) != len(tokens) - 1:
        raise InputError(f"known has {len(rows)} sequences, but X has {len(tokens) - 1}")
    for s, row in enumerate(rows):
        start, length = tokens[s], tokens[s + 1] - tokens[s]
        if row is None:
            continue
        if isinstance(row, Mapping):
            entries = list(row.items())
        elif isinstance(row, str) or not hasattr(row, "__iter__"):
            raise InputError(
                f"known[{s}] is of type {type(row).__name__}; give None, a dict, or an entry for each token"
            )
        else:
            entries = list(enumerate(row))
            if len(entries) != length:
                raise InputError(f"X[{s}] has {length} tokens, but known[{s}] has {len(entries)} entries")
        for t, entry in entries:
            if entry is None:
                continue
            if not isinstance(t, int | np.integer) or not 0 <= t < length:
                raise InputError(f"known[{s}] names position {t!r}; X[{s}] has positions 0 to {length - 1}")
            allowed[start + t] = 0
            allowed[start + t, _label_ids(entry, ids, s, int(t))] = 1
    return allowed


def _label_ids(entry: Any, ids: Mapping[Any, int], s: int, t: int) -> list[int]:
    try:
        if entry in ids:
            return [ids[entry]]
    except TypeError:  # a set or a list
        pass
    several = hasattr(entry, "__iter__") and not isinstance(entry, str | bytes | Mapping)
    chosen = list(entry) if several else [entry]
    for label in chosen:
        if not isinstance(label, Hashable) or label not in ids:
            raise InputError(f"known[{s}][{t}] names {label!r}, which is no label of the model")
    if not chosen:
        raise InputError(f"known[{s}][{t}] allows no label at all; use None where every label is allowed")
    return [ids[label] for label in chosen]


def best_paths(model: Model, encoded: Encoded, given: Conditions | None = None, *, threads: int = 1) -> Ints:
    """The label ids of the best allowed paths [T].

    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("lbfgs"))
    >>> best_paths(model, model.encode([[["b"], ["a"]]])).tolist()
    [1, 0]
    """
    corpus = open_corpus(encoded.dataset)
    layout, weights = model.features.layout, model.weights
    if given is None:
        return kernels.tag(corpus, layout, weights.state, weights.trans, threads)
    ids, score = kernels.decode(corpus, layout, weights.state, given.trans, given.allowed, threads)
    _possible(score, encoded)
    return ids


def marginals(
    model: Model, encoded: Encoded, given: Conditions | None = None, *, threads: int = 1
) -> tuple[Floats, Doubles]:
    """P(y_t = y | x) among allowed paths [T, L], and log Z of each sequence [S]."""
    given = given or Conditions(None, model.weights.trans)
    node, log_z = kernels.constrained_marginals(
        open_corpus(encoded.dataset),
        model.features.layout,
        model.weights.state,
        given.trans,
        given.allowed,
        True,
        threads,
    )
    _possible(log_z, encoded)
    return node, log_z


def log_probabilities(
    model: Model, encoded: Encoded, rules: Rules | None = None, *, threads: int = 1
) -> Doubles:
    """log p(gold | x) of each sequence, among the paths that rules allow; −inf for one that they forbid.

    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> model = Model.train(encode_sequences([[["a"]]], [["X"]]), Settings("lbfgs"))
    >>> log_probabilities(model, model.encode([[["a"]]], [["X"]])).tolist()
    [0.0]
    """
    corpus, layout, weights = open_corpus(encoded.dataset), model.features.layout, model.weights
    _, log_z, score = kernels.marginals(corpus, layout, weights.state, weights.trans, False, threads)
    if rules is not None:
        given = conditions(model, encoded, rules)
        _, log_z = kernels.constrained_marginals(
            corpus, layout, weights.state, given.trans, given.allowed, False, threads
        )
        score = np.where(rules.broken(encoded.dataset), np.nan, score)
    return np.where(np.isnan(score), -np.inf, score - log_z)


def n_best(
    model: Model, encoded: Encoded, count: int, given: Conditions | None = None, *, threads: int = 1
) -> list[list[tuple[list[int], float]]]:
    """The `count` best allowed paths of each sequence, best first, as label ids with their probability.

    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("lbfgs"))
    >>> paths = n_best(model, model.encode([[["a"], ["b"]]]), 9)[0]
    >>> [path for path, _ in paths][0], len(paths), round(sum(p for _, p in paths), 4)
    ([0, 1], 4, 1.0)
    """
    if count < 1:
        raise InputError(f"n must be at least 1, not {count}")
    given = given or Conditions(None, model.weights.trans)
    corpus, layout, state = open_corpus(encoded.dataset), model.features.layout, model.weights.state
    _, log_z = kernels.constrained_marginals(
        corpus, layout, state, given.trans, given.allowed, False, threads
    )
    _possible(log_z, encoded)
    labels, scores, counts = kernels.nbest(corpus, layout, state, given.trans, given.allowed, count, threads)
    found: list[list[tuple[list[int], float]]] = []
    ids, values = labels.tolist(), scores.tolist()
    at = rank = 0
    for s, (start, end) in enumerate(pairwise(encoded.dataset.tokens.tolist())):
        length, paths = end - start, []
        for _ in range(int(counts[s])):
            paths.append((ids[at : at + length], min(1.0, float(np.exp(values[rank] - log_z[s])))))
            at, rank = at + length, rank + 1
        found.append(paths if length else [([], 1.0)])
    return found


def scores(model: Model, encoded: Encoded, *, threads: int = 1) -> Floats:
    """s_t(y) of every token [T, L]: the summed weights of its attributes."""
    return kernels.scores(
        open_corpus(encoded.dataset), model.features.layout, model.weights.state, model.weights.trans, threads
    )


def transitions(model: Model) -> Doubles:
    """τ(from, to) [L, L]."""
    return np.ascontiguousarray(model.weights.trans[:, : len(model.labels)], dtype=np.float64) + 0.0


def _possible(score: Doubles, encoded: Encoded) -> None:
    bad = np.flatnonzero(score < IMPOSSIBLE)
    if len(bad):
        raise InputError(
            f"{encoded.where(int(bad[0]))} has no path that the constraints and the known labels both allow; relax one"
        )


def forced(model: Model, length: int, position: int, labels: Sequence[int]) -> Mask:
    """A mask [length, L] where one position may only have the given labels."""
    mask = np.ones((length, len(model.labels)), np.uint8)
    mask[position] = 0
    mask[position, list(labels)] = 1
    return mask
