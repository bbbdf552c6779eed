"""Constraints: which labels may start, follow each other, and end; and what is known of the labels of some tokens.

    'BIO' · 'IOBES' · 'BILOU' · matrix [L, L] · function(before, after) ─▶ Rules(start [L], follow [L, L], end [L]) ─┐
    known labels, by sequence and position ─▶ mask [T, L] ─▶ limits_for ─▶ Limits of the kernels ◀───────────────────┘

A CRF never forbids anything by itself: a transition that training has not seen has weight 0, not −∞. With rules, paths
that break them are left out of the maximum and of every sum.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagfield.dataset import UNKNOWN, Dataset, Longs
from tagfield.errors import InputError
from tagfield.evaluate import split_label
from tagfield.native import kernels

Flags = NDArray[np.bool_]
Mask = NDArray[np.uint8]


@dataclass(frozen=True)
class Rules:
    """What is allowed."""

    start: Flags  # [L]
    follow: Flags  # [L, L]  from, to
    end: Flags  # [L]

    def allowed(self, tokens: Longs) -> Mask:
        """Which labels each token may have, by whether it is the first or the last of its sequence [T, L].

        >>> rules_of("BIO", ["O", "B-X", "I-X"]).allowed(np.array([0, 2])).tolist()
        [[1, 1, 0], [1, 1, 1]]
        """
        filled = np.diff(tokens) > 0
        mask = np.ones((int(tokens[-1]), len(self.start)), np.uint8)
        mask[tokens[:-1][filled]] &= self.start.astype(np.uint8)
        mask[tokens[1:][filled] - 1] &= self.end.astype(np.uint8)
        return mask

    def limits(self, tokens: Longs, known: Mask | None = None) -> kernels.Limits:
        """The rules for the sequences that `tokens` divides, and what is known of their labels [T, L], for the kernels.

        >>> rules_of("BIO", ["O", "B-X", "I-X"]).limits(np.array([0, 2])).labels.tolist()
        [[1, 1, 0], [1, 1, 1]]
        """
        allowed = self.allowed(tokens)
        return kernels.Limits(allowed if known is None else allowed & known, self.follow.astype(np.uint8))

    def check_gold(self, dataset: Dataset, labels: Sequence[Hashable]) -> None:
        """Raises an InputError where known labels break the rules."""
        y, tokens = dataset.labels, dataset.tokens
        first = np.zeros(len(y), bool)
        first[tokens[:-1][np.diff(tokens) > 0]] = True
        last = np.zeros(len(y), bool)
        last[tokens[1:][np.diff(tokens) > 0] - 1] = True
        known = y != UNKNOWN
        safe = np.where(known, y, 0)
        bad = known & ((first & ~self.start[safe]) | (last & ~self.end[safe]))
        bad[1:] |= known[1:] & known[:-1] & ~first[1:] & ~self.follow[safe[:-1], safe[1:]]
        if bad.any():
            t = int(np.flatnonzero(bad)[0])
            sequence = dataset.sentence_of(t)
            position = t - int(tokens[sequence])
            before = "the start" if first[t] else repr(labels[y[t - 1]])
            raise InputError(
                f"y[{sequence}][{position}] is {labels[y[t]]!r} after {before}, which the constraints forbid; correct "
                "the labels, or train without constraints"
            )


# prefix → what it may come after, and may it start and end a sequence; types must agree where a chunk goes on
_INSIDE = {"BIO": {"I": "BI"}, "IOBES": {"I": "BI", "E": "BI"}, "BILOU": {"I": "BI", "L": "BI"}}
_OPEN = {"BIO": "", "IOBES": "BI", "BILOU": "BI"}  # after these the chunk must go on


def rules_of(constraints: Any, labels: Sequence[Hashable]) -> Rules | None:
    """The rules for a label set, from a scheme's name, a matrix [L, L], or a function.

    A matrix says True where the column's label may follow the row's. A function gets two labels, None standing for the
    start and for the end of the sequence, and returns whether the second may follow the first.

    >>> rules = rules_of("BIO", ["O", "B-X", "I-X", "I-Y"])
    >>> rules.follow[1].tolist(), rules.start.tolist()
    ([True, True, True, False], [True, True, False, False])
    """
    if constraints is None or isinstance(constraints, Rules):
        return constraints
    if isinstance(constraints, str):
        return _scheme(constraints, labels)
    size = len(labels)
    if callable(constraints):
        return _asked(constraints, labels)
    matrix = np.asarray(constraints)
    if matrix.shape != (size, size) or matrix.dtype.kind not in "biuf":
        raise InputError(
            f"constraints must be 'BIO', 'IOBES', 'BILOU', a function, or a matrix of {size} rows and columns, one for "
            f"each label, not {type(constraints).__name__} of shape {matrix.shape}"
        )
    if np.isnan(matrix).any():
        raise InputError("the constraints hold NaN; say 1 where a label may follow and 0 where it may not")
    everything = np.ones(size, bool)
    return Rules(everything, matrix != 0, everything)


def _asked(allows: Callable[[Any, Any], Any], labels: Sequence[Hashable]) -> Rules:
    return Rules(
        np.array([bool(allows(None, label)) for label in labels]),
        np.array([[bool(allows(before, after)) for after in labels] for before in labels]),
        np.array([bool(allows(label, None)) for label in labels]),
    )


def _scheme(name: str, labels: Sequence[Hashable]) -> Rules:
    key = {"IOB2": "BIO", "IOB": "BIO", "BIOES": "IOBES"}.get(name.upper(), name.upper())
    if key not in _INSIDE:
        raise InputError(
            f"there is no scheme {name!r}; choose BIO, IOBES or BILOU, or give a matrix or a function"
        )
    inside, opening = _INSIDE[key], _OPEN[key]
    prefixes = {split_label(str(label))[0] for label in labels}
    if opening and prefixes & set("BI") and not prefixes & {"IOBES": set("ES"), "BILOU": set("LU")}[key]:
        raise InputError(
            f"constraints={name!r}, but no label ends a chunk by {'E- or S-' if key == 'IOBES' else 'L- or U-'}, so no "
            "chunk could ever be found; are the labels BIO?"
        )

    def allows(before: Any, after: Any) -> bool:
        p, kind = ("", "") if before is None else split_label(str(before))
        q, next_kind = ("", "") if after is None else split_label(str(after))
        goes_on = q in inside and p in tuple(inside[q]) and kind == next_kind
        return goes_on or not (q in inside or (p and p in opening))

    return _asked(allows, labels)


def limits_for(
    constraints: Any, known: Iterable[Any] | None, tokens: Longs, labels: Sequence[Hashable]
) -> kernels.Limits | None:
    """Constraints and known labels as the kernels take them; None where every path is allowed.

    >>> limits_for(None, [{1: "Y"}], np.array([0, 2]), ["X", "Y"]).labels.tolist()
    [[1, 1], [0, 1]]
    """
    rules = rules_of(constraints, labels)
    mask = None if known is None else read_known(known, tokens, labels)
    if rules is not None:
        return rules.limits(tokens, mask)
    return None if mask is None else kernels.Limits(mask)


def read_known(known: Iterable[Any], tokens: Longs, labels: Sequence[Hashable]) -> Mask:
    """Which labels each token may have, from what the user knows of them, as [T, L].

    known: for each sequence None, a dict of position to label, or an entry for each token: None for any label, a
    label, or a set or list of labels.

    >>> read_known([[None, "Y"]], np.array([0, 2]), ["X", "Y"]).tolist()
    [[1, 1], [0, 1]]
    """
    if isinstance(known, str) or not hasattr(known, "__iter__"):
        raise InputError(f"known is of type {type(known).__name__}; give an entry for each sequence")
    ids = {label: i for i, label in enumerate(labels)}
    allowed = np.ones((int(tokens[-1]), len(ids)), np.uint8)
    rows = list(known)
    if len(rows) != len(tokens) - 1:
        raise InputError(f"known has {len(rows)} sequences, but X has {len(tokens) - 1}")
    for s, row in enumerate(rows):
        start, length = int(tokens[s]), int(tokens[s + 1] - tokens[s])
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
