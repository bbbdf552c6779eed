"""Constraints: which labels may start a sequence, follow each other, and end it; and labels that are already known.

    'BIO', … (scheme_rules.py) · matrix [L, L] · function(before, after) ─▶ Rules(start [L], follow [L, L], end [L]) ─┐
    known labels, by sequence and position ─▶ mask [T, L] ─▶ limits_for ─▶ Limits of the kernels ◀────────────────────┘

A CRF does not forbid transitions: one that never occurs in training has weight 0, not −∞. With rules, the best path and
all probabilities are computed over allowed paths only.
"""

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import UNKNOWN, Dataset, Longs
from tagfield.data.labels.rules import scheme_rule
from tagfield.errors import InputError, did_you_mean
from tagfield.native import kernels
from tagfield.system.contents import ByContent

Flags = NDArray[np.bool_]
Mask = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Rules(ByContent):
    """The labels that may start and end a sequence, and the pairs that may follow each other."""

    start: Flags  # [L]
    follow: Flags  # [L, L]  from, to
    end: Flags  # [L]

    def allowed(self, tokens: Longs) -> Mask:
        """The labels that each token may have [T, L]; only first and last tokens are restricted.

        >>> rules_of("BIO", ["O", "B-X", "I-X"]).allowed(np.array([0, 2])).tolist()
        [[1, 1, 0], [1, 1, 1]]
        """
        filled = np.diff(tokens) > 0
        mask = np.ones((int(tokens[-1]), len(self.start)), np.uint8)
        mask[tokens[:-1][filled]] &= self.start.astype(np.uint8)
        mask[tokens[1:][filled] - 1] &= self.end.astype(np.uint8)
        return mask

    def limits(self, tokens: Longs, known: Mask | None = None) -> kernels.Limits:
        """The rules and the known labels [T, L] as a record for the kernels; `tokens` [S+1] are the sequences' starts.

        >>> rules_of("BIO", ["O", "B-X", "I-X"]).limits(np.array([0, 2])).labels.tolist()
        [[1, 1, 0], [1, 1, 1]]
        """
        allowed = self.allowed(tokens)
        return kernels.Limits(allowed if known is None else allowed & known, self.follow.astype(np.uint8))

    def check_gold(self, dataset: Dataset, labels: Sequence[Hashable]) -> None:
        """Raise InputError if known labels break the rules."""
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
                f"y[{sequence}][{position}] is {labels[y[t]]!r} after {before}, which the constraints forbid; fix the "
                "label, or train without constraints"
            )


def rules_of(constraints: Any, labels: Sequence[Hashable]) -> Rules | None:
    """The rules for a label set, from a scheme's name, a matrix [L, L], or a function.

    matrix[i, j] is True if label j may follow label i. A function (before, after) takes two labels and returns whether
    the second may follow the first; `before` is None at the start of a sequence, and `after` is None at its end.

    >>> rules = rules_of("BIO", ["O", "B-X", "I-X", "I-Y"])
    >>> rules.follow[1].tolist(), rules.start.tolist()
    ([True, True, True, False], [True, True, False, False])
    >>> rules_of(lambda before, after: (before, after) != (None, "Y"), ["X", "Y"]).start.tolist()
    [True, False]
    """
    if constraints is None or isinstance(constraints, Rules):
        return constraints
    if isinstance(constraints, str):
        return _asked(scheme_rule(constraints, labels), labels)
    size = len(labels)
    if callable(constraints):
        return _asked(constraints, labels)
    matrix = np.asarray(constraints)
    if matrix.shape != (size, size) or matrix.dtype.kind not in "biuf":
        raise InputError(
            f"constraints must be 'BIO', 'IOB1', 'IOBES', 'BILOU', a function, or a matrix of shape ({size}, {size}), "
            f"got {type(constraints).__name__} of shape {matrix.shape}"
        )
    if np.isnan(matrix).any():
        raise InputError("constraints contain NaN; use 1 for an allowed transition and 0 for a forbidden one")
    everything = np.ones(size, bool)
    return Rules(everything, matrix != 0, everything)


def _asked(allows: Callable[[Any, Any], Any], labels: Sequence[Hashable]) -> Rules:
    """The rules that a function of two labels gives; InputError if it is not such a function."""
    try:
        inspect.signature(allows).bind("", "")
    except TypeError:
        raise InputError(
            f"constraints: {_name(allows)} must take two labels, (before, after), and return whether the second may "
            "follow the first"
        ) from None
    except ValueError:  # a built-in function without a signature
        pass

    def ask(before: Any, after: Any) -> bool:
        place = f"constraints: {_name(allows)}({before!r}, {after!r})"
        ends = "before is None at the start of a sequence, and after is None at its end"
        try:
            answer = allows(before, after)
        except Exception as error:
            raise InputError(f"{place} raised {type(error).__name__}: {error}; {ends}") from error
        if not isinstance(answer, bool | np.bool_ | int):
            raise InputError(f"{place} returned {answer!r}; return True or False ({ends})")
        return bool(answer)

    return Rules(
        np.array([ask(None, label) for label in labels], bool),
        np.array([[ask(before, after) for after in labels] for before in labels], bool).reshape(len(labels), -1),
        np.array([ask(label, None) for label in labels], bool),
    )


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", None) or type(function).__name__)


def limits_for(
    constraints: Any, known: Iterable[Any] | None, tokens: Longs, labels: Sequence[Hashable]
) -> kernels.Limits | None:
    """Constraints and known labels as a record for the kernels; None if every path is allowed.

    >>> limits_for(None, [{1: "Y"}], np.array([0, 2]), ["X", "Y"]).labels.tolist()
    [[1, 1], [0, 1]]
    """
    rules = rules_of(constraints, labels)
    mask = None if known is None else read_known(known, tokens, labels)
    if rules is not None:
        return rules.limits(tokens, mask)
    return None if mask is None else kernels.Limits(mask)


def read_known(known: Iterable[Any], tokens: Longs, labels: Sequence[Hashable]) -> Mask:
    """The labels that each token may have [T, L], from labels that are already known.

    known: One entry per sequence: None, a dict of position to label, or a list with one entry per token: None for any
        label, a label, or a set or list of labels.

    >>> read_known([[None, "Y"]], np.array([0, 2]), ["X", "Y"]).tolist()
    [[1, 1], [0, 1]]
    """
    if isinstance(known, str) or not hasattr(known, "__iter__"):
        raise InputError(f"known must be a list with one entry per sequence, got {type(known).__name__}")
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
                f"known[{s}] must be None, a dict, or a list with one entry per token, got {type(row).__name__}"
            )
        else:
            entries = list(enumerate(row))
            if len(entries) != length:
                raise InputError(f"X[{s}] has {length} tokens, but known[{s}] has {len(entries)} entries")
        for t, entry in entries:
            if entry is None:
                continue
            if not isinstance(t, int | np.integer) or not 0 <= t < length:
                raise InputError(f"known[{s}] has position {t!r}, but X[{s}] has positions 0 to {length - 1}")
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
            hint = did_you_mean(label, map(str, ids), 8)
            raise InputError(f"known[{s}][{t}]: the model has no label {label!r}; {hint}")
    if not chosen:
        raise InputError(f"known[{s}][{t}] is empty and allows no label; use None to allow every label")
    return [ids[label] for label in chosen]
