"""Constraints: which labels may start, follow each other, and end.

    'BIO' · 'IOBES' · 'BILOU' · matrix [L, L] · function(before, after) ─▶ Rules(start [L], follow [L, L], end [L])

A CRF never forbids anything by itself: a transition that training has not seen has weight 0, not −∞. With rules, paths
that break them are left out of the maximum and of every sum.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagfield.dataset import UNKNOWN, Dataset, Longs
from tagfield.errors import InputError
from tagfield.evaluate import split_label

Flags = NDArray[np.bool_]
FORBIDDEN = np.float32(-1e30)  # the weight of a forbidden transition, as in native/kernel/unknown.hpp
IMPOSSIBLE = -1e29  # a score below this has something forbidden in it


@dataclass(frozen=True)
class Rules:
    """What is allowed."""

    start: Flags  # [L]
    follow: Flags  # [L, L]  from, to
    end: Flags  # [L]

    def allowed(self, tokens: Longs) -> NDArray[np.uint8]:
        """Which labels each token may have, by whether it is the first or the last of its sequence [T, L].

        >>> rules_of("BIO", ["O", "B-X", "I-X"]).allowed(np.array([0, 2])).tolist()
        [[1, 1, 0], [1, 1, 1]]
        """
        filled = np.diff(tokens) > 0
        mask = np.ones((int(tokens[-1]), len(self.start)), np.uint8)
        mask[tokens[:-1][filled]] &= self.start.astype(np.uint8)
        mask[tokens[1:][filled] - 1] &= self.end.astype(np.uint8)
        return mask

    def broken(self, dataset: Dataset) -> Flags:
        """Whether the known labels of each sequence break the rules [S].

        >>> from tagfield.encode import encode_sequences
        >>> encoded = encode_sequences([[["a"], ["b"]]] * 2, [["O", "B-X"], ["O", "I-X"]])
        >>> rules_of("BIO", encoded.labels.strings()).broken(encoded.dataset).tolist()
        [False, True]
        """
        bad = np.flatnonzero(self._breaks(dataset)[0])
        sequence = np.searchsorted(dataset.tokens, bad, side="right") - 1
        return np.asarray(np.bincount(sequence, minlength=len(dataset)) > 0)

    def _breaks(self, dataset: Dataset) -> tuple[Flags, Flags]:
        """Which tokens break the rules with their label [T], and which are the first of a sequence."""
        y, tokens = dataset.labels, dataset.tokens
        first = np.zeros(len(y), bool)
        first[tokens[:-1][np.diff(tokens) > 0]] = True
        last = np.zeros(len(y), bool)
        last[tokens[1:][np.diff(tokens) > 0] - 1] = True
        known = y != UNKNOWN
        safe = np.where(known, y, 0)
        bad = known & ((first & ~self.start[safe]) | (last & ~self.end[safe]))
        inner = known[1:] & known[:-1] & ~first[1:] & ~self.follow[safe[:-1], safe[1:]]
        bad[1:] |= inner
        return bad, first

    def check_gold(self, dataset: Dataset, labels: Sequence[Hashable]) -> None:
        """Raises an InputError where known labels break the rules."""
        y, tokens = dataset.labels, dataset.tokens
        bad, first = self._breaks(dataset)
        if bad.any():
            t = int(np.flatnonzero(bad)[0])
            sequence = int(np.searchsorted(tokens, t, side="right")) - 1
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
