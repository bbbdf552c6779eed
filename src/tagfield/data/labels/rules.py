"""Label schemes as rules: which label may follow which, and whether data is written in the scheme it is said to be.

    'BIO' · 'IOB1' · 'IOBES' · 'BILOU' ─▶ scheme_named ─▶ allows(before, after)
    labels of the training data ─▶ find_scheme ─▶ 'IOB1', 'BIO' or None ─▶ check_data: InputError on a mix-up

IOB1 and BIO have the same labels. In IOB1 a chunk begins with I-, and with B- only after a chunk of the same type.
Under the rules of BIO none of these chunks could begin, and most of them would be lost without a word.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tagfield.data.dataset import UNKNOWN, Dataset
from tagfield.data.labels.kinds import split_label
from tagfield.errors import InputError

# prefix → the prefixes that it continues, if the types agree
_CONTINUES = {"BIO": {"I": "BI"}, "IOB1": {"B": "BI"}, "IOBES": {"I": "BI", "E": "BI"}, "BILOU": {"I": "BI", "L": "BI"}}
_OPEN = {"IOBES": "BI", "BILOU": "BI"}  # after these prefixes the chunk must continue
_ALSO = {"IOB2": "BIO", "IOB": "BIO", "BIOES": "IOBES"}
NAMES = tuple(_CONTINUES)
MIXED_UP = {"BIO": "IOB1", "IOB1": "BIO"}  # the same labels


class Starts(NamedTuple):
    """How chunks begin: with I-, or with B- where no chunk of the same type ends."""

    inside: int
    begin: int
    first: int  # the first token that begins a chunk with I-, or −1
    first_begin: int  # the same with such a B-


def scheme_named(name: str) -> str:
    """The scheme's own name; InputError if there is none of this name.

    >>> scheme_named("iob2"), scheme_named("IOB1")
    ('BIO', 'IOB1')
    """
    key = _ALSO.get(name.upper(), name.upper())
    if key not in _CONTINUES:
        raise InputError(f"no scheme named {name!r}; choose BIO, IOB1, IOBES or BILOU, or pass a matrix or a function")
    return key


def scheme_rule(name: str, labels: Sequence[Hashable]) -> Callable[[Any, Any], bool]:
    """Whether the second label may follow the first, by a scheme; None stands for the start and the end.

    >>> allows = scheme_rule("IOB1", ["O", "B-X", "I-X"])
    >>> allows("O", "I-X"), allows("O", "B-X"), allows("I-X", "B-X"), allows(None, "I-X")
    (True, False, True, True)
    """
    key = scheme_named(name)
    continues, opening = _CONTINUES[key], _OPEN.get(key, "")
    parts = {label: split_label(str(label)) for label in labels}
    prefixes = {prefix for prefix, _ in parts.values()}
    if opening and prefixes & set("BI") and not prefixes & {"IOBES": set("ES"), "BILOU": set("LU")}[key]:
        raise InputError(
            f"constraints={name!r}, but no label starts with {'E- or S-' if key == 'IOBES' else 'L- or U-'}, so no "
            "chunk could ever end; did you mean 'BIO'?"
        )
    if key == "BIO":
        begun = {kind for prefix, kind in parts.values() if prefix == "B"}
        never = [label for label, (prefix, kind) in parts.items() if prefix == "I" and kind not in begun]
        if never and not begun:
            raise InputError(
                f"constraints={name!r}, but no label starts with B-, so {never[0]!r} could never begin; the labels are "
                "IOB1: give constraints='IOB1'"
            )

    def allows(before: Any, after: Any) -> bool:
        p, kind = ("", "") if before is None else split_label(str(before))
        q, next_kind = ("", "") if after is None else split_label(str(after))
        goes_on = q in continues and p in tuple(continues[q]) and kind == next_kind
        return goes_on or not (q in continues or (p and p in opening))

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
    before[dataset.tokens[:-1][np.diff(dataset.tokens) > 0]] = len(labels)
    known = np.ones(len(y), bool)
    known[1:] = (dataset.labels[:-1] != UNKNOWN) | (before[1:] == len(labels))
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
    key = scheme_named(constraints) if isinstance(constraints, str) else ""
    if key not in MIXED_UP:
        return
    starts = chunk_starts(dataset, labels)
    found = find_scheme(starts)
    if found != MIXED_UP[key]:
        return
    count, t = (starts.inside, starts.first) if found == "IOB1" else (starts.begin, starts.first_begin)
    sequence = dataset.sentence_of(t)
    where = f"y[{sequence}][{t - int(dataset.tokens[sequence])}]"
    letter = "I-" if found == "IOB1" else "B- without a chunk of their type before them"
    raise InputError(
        f"constraints={constraints!r}, but the labels are {found}: {count:,} of {starts.inside + starts.begin:,} "
        f"chunks begin with {letter}, such as {where}; give constraints={found!r}, or convert the labels to {key}"
    )


def check_model(constraints: Any, scheme: Any) -> None:
    """Raise InputError if constraints name BIO for a model that was trained on IOB1 (`scheme`), or the other way.

    >>> check_model("BIO", "IOB1")
    Traceback (most recent call last):
    tagfield.errors.InputError: constraints='BIO', but the model was trained on labels in IOB1; give constraints='IOB1'
    """
    if isinstance(constraints, str) and scheme in NAMES and MIXED_UP.get(scheme_named(constraints)) == scheme:
        raise InputError(
            f"constraints={constraints!r}, but the model was trained on labels in {scheme}; give constraints={scheme!r}"
        )
