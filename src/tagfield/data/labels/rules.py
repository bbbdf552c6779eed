"""Label schemes as rules: which label may follow which, and whether data is written in the scheme it is said to be.

    'BIO' · 'IOB1' · 'IOBES' · 'BILOU' ─▶ scheme_rule ─▶ allows(before, after)
    labels of the training data ─▶ find_scheme ─▶ 'IOB1', 'BIO' or None ─▶ check_data: InputError on a mix-up

IOB1 and BIO have the same labels. In IOB1 a chunk begins with I-, and with B- only after a chunk of the same type.
Under the rules of BIO none of these chunks could begin, and most of them would silently be lost.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tagfield.data.dataset import UNKNOWN, Dataset
from tagfield.data.labels.schemes import SCHEMES, check_scheme, split_label
from tagfield.errors import InputError

MIXED_UP = {"bio": "IOB1", "iob1": "BIO"}  # the same labels, so only the data tells them apart
OTHERWISE = ", or pass a matrix or a function"


class Starts(NamedTuple):
    """How chunks begin: with I-, or with B- where no chunk of the same type ends."""

    inside: int
    begin: int
    first: int  # the first token that begins a chunk with I-, or −1
    first_begin: int  # the same with such a B-


def scheme_rule(name: str, labels: Sequence[Hashable]) -> Callable[[Any, Any], bool]:
    """Whether the second label may follow the first, by a scheme; None stands for the start and the end.

    >>> allows = scheme_rule("IOB1", ["O", "B-X", "I-X"])
    >>> allows("O", "I-X"), allows("O", "B-X"), allows("I-X", "B-X"), allows(None, "I-X")
    (True, False, True, True)
    """
    key = check_scheme(name, OTHERWISE)
    continues, opening, closing = SCHEMES[key].continues, set(SCHEMES[key].open), SCHEMES[key].letters[2:]
    same = {"M": "I"} if key == "iobes" else {}  # of BMES

    def parts_of(label: Any) -> tuple[str, str]:
        prefix, kind = ("", "") if label is None else split_label(str(label))
        return same.get(prefix, prefix), kind

    parts = {label: parts_of(label) for label in labels}
    prefixes = {prefix for prefix, _ in parts.values()}
    if prefixes & opening and not prefixes & set(closing):
        raise InputError(
            f"constraints={name!r}, but no label starts with {closing[0]}- or {closing[1]}-, so no chunk could ever "
            "end; did you mean 'BIO'?"
        )
    inside = next((label for label, (prefix, _) in parts.items() if prefix == "I"), None)
    if key == "bio" and inside is not None and "B" not in prefixes:
        raise InputError(
            f"constraints={name!r}, but no label starts with B-, so {inside!r} could never begin; the labels are "
            "IOB1: give constraints='IOB1'"
        )

    def allows(before: Any, after: Any) -> bool:
        (p, kind), (q, next_kind) = parts_of(before), parts_of(after)
        goes_on = q in continues and p in tuple(continues[q]) and kind == next_kind
        return goes_on or not (q in continues or p in opening)

    return allows


def chunk_starts(dataset: Dataset, labels: Sequence[Hashable]) -> Starts:
    """How the chunks of labelled data begin.

    >>> from tagfield.data.encode import encode_sequences
    >>> encoded = encode_sequences([[["a"]] * 4], [["I-X", "I-X", "O", "B-X"]])
    >>> chunk_starts(encoded.dataset, encoded.labels.strings())
    Starts(inside=1, begin=1, first=0, first_begin=3)
    """
    parts = [split_label(str(label)) for label in labels] + [("", "")]  # the last: no label
    kinds: dict[str, int] = {}
    kind = np.array([kinds.setdefault(name, len(kinds)) for _, name in parts])
    is_b, is_i = (np.array([prefix == letter for prefix, _ in parts]) for letter in "BI")
    y = np.where(dataset.labels == UNKNOWN, len(labels), dataset.labels)
    before = np.concatenate([[len(labels)], y[:-1]]) if len(y) else y
    first_tokens = dataset.tokens[:-1][np.diff(dataset.tokens) > 0]
    before[first_tokens] = len(labels)
    known = np.ones(len(y), bool)  # after an unknown label, no one can say whether a chunk begins
    known[1:] = dataset.labels[:-1] != UNKNOWN
    known[first_tokens] = True
    touching = (is_b | is_i)[before] & (kind[before] == kind[y])
    inside, begin = is_i[y] & ~touching & known, is_b[y] & ~touching & known
    first = [int(found.argmax()) if found.any() else -1 for found in (inside, begin)]
    return Starts(int(inside.sum()), int(begin.sum()), *first)


def find_scheme(starts: Starts) -> str | None:
    """IOB1 or BIO, by how most chunks begin; None if there are none.

    >>> find_scheme(Starts(9, 1, 0, 7)), find_scheme(Starts(0, 0, -1, -1))
    ('IOB1', None)
    """
    return None if starts.inside == starts.begin else "IOB1" if starts.inside > starts.begin else "BIO"


def check_data(constraints: Any, dataset: Dataset, labels: Sequence[Hashable]) -> None:
    """Raise InputError if constraints name BIO for data in IOB1, or IOB1 for data in BIO.

    >>> from tagfield.data.encode import encode_sequences
    >>> encoded = encode_sequences([[["a"], ["b"]]], [["O", "I-X"]])
    >>> check_data("BIO", encoded.dataset, encoded.labels.strings())  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tagfield.errors.InputError: constraints='BIO', but the labels are IOB1: 1 of 1 chunks begin with I-, ...
    """
    other = _mixed_up(constraints)
    starts = chunk_starts(dataset, labels) if other else None
    if other is None or starts is None or find_scheme(starts) != other:
        return
    count, t = (starts.inside, starts.first) if other == "IOB1" else (starts.begin, starts.first_begin)
    sequence = dataset.sentence_of(t)
    where = f"y[{sequence}][{t - int(dataset.tokens[sequence])}]"
    letter = "I-" if other == "IOB1" else "B- without a chunk of their type before them"
    raise InputError(
        f"constraints={constraints!r}, but the labels are {other}: {count:,} of {starts.inside + starts.begin:,} "
        f"chunks begin with {letter}, such as {where}; give constraints={other!r}, or convert the labels to "
        f"{MIXED_UP[other.lower()]}"
    )


def check_model(constraints: Any, scheme: Any) -> None:
    """Raise InputError if constraints name BIO for a model that was trained on IOB1 (`scheme`), or the other way.

    >>> check_model("BIO", "IOB1")
    Traceback (most recent call last):
    tagfield.errors.InputError: constraints='BIO', but the model was trained on labels in IOB1; give constraints='IOB1'
    """
    if scheme in MIXED_UP.values() and _mixed_up(constraints) == scheme:
        raise InputError(
            f"constraints={constraints!r}, but the model was trained on labels in {scheme}; give constraints={scheme!r}"
        )


def _mixed_up(constraints: Any) -> str | None:
    """The scheme that has the same labels as the one that constraints name."""
    return MIXED_UP.get(check_scheme(constraints, OTHERWISE)) if isinstance(constraints, str) else None
