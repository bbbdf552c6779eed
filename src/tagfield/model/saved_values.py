"""What a model file keeps for CRF: labels that are not strings, and the constraints on predictions.

    labels  [3, ("B", "X")]  ↔  [3, {"tuple": ["B", "X"]}]
    Rules                    ↔  "BIO", or {"start": bits, "follow": bits, "end": bits} in hexadecimal

Both stand in the file's info, as JSON. A model's own labels are strings; these are the labels as you wrote them.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from tagfield.errors import InputError
from tagfield.inference.constraints import Flags, Rules, rules_of

DEPTH = 16  # of tuples in tuples
WRONG_LABELS = "info: labels is not a list of different labels, one for each label of the model"
PARTS = ("start", "follow", "end")


def labels_to_json(labels: Iterable[Any]) -> list[Any]:
    """Labels in a form that JSON can hold; InputError if one of them is of a type that a file cannot store.

    >>> labels_to_json(["NP", 3, ("B", None)])
    ['NP', 3, {'tuple': ['B', None]}]
    """
    return [_to_json(label, label, DEPTH) for label in labels]


def _to_json(value: Any, label: Any, depth: int) -> Any:
    if isinstance(value, str):
        return str.__str__(value)  # of a member of an Enum of strings, str() would give its name
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    if value is None and depth < DEPTH:
        return None
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if type(value) is tuple and depth:
        return {"tuple": [_to_json(each, label, depth - 1) for each in value]}
    raise InputError(
        f"a file cannot store the label {label!r}, of type {type(label).__name__}; use strings, numbers or tuples of "
        "them as labels, or pickle the CRF"
    )


def labels_from_json(saved: Any, count: int) -> list[Any]:
    """The inverse of `labels_to_json`; ValueError unless it gives `count` different labels.

    >>> labels_from_json([3, {"tuple": ["B", None]}], 2)
    [3, ('B', None)]
    """
    labels = [_from_json(each, DEPTH) for each in saved] if isinstance(saved, list) else []
    if len(labels) != count or len(set(labels)) != count or any(y is None or y != y for y in labels):
        raise ValueError(WRONG_LABELS)
    return labels


def _from_json(saved: Any, depth: int) -> Any:
    if saved is None or isinstance(saved, str | int | float):
        return saved
    if isinstance(saved, dict) and len(saved) == 1:
        [(kind, value)] = saved.items()
        if kind == "bytes" and isinstance(value, str):
            return bytes.fromhex(value)
        if kind == "tuple" and isinstance(value, list) and depth:
            return tuple(_from_json(each, depth - 1) for each in value)
    raise ValueError(WRONG_LABELS)


def rules_to_json(constraints: Any, labels: Sequence[Hashable]) -> Any:
    """Constraints in a form that JSON can hold: the name of a scheme, or what they allow for these labels.

    >>> rules_to_json("BIO", ["O", "B-X"]), rules_to_json([[1, 1], [1, 0]], ["O", "B-X"])
    ('BIO', {'start': 'c0', 'follow': 'e0', 'end': 'c0'})
    """
    rules = rules_for(constraints, labels)
    if rules is None or isinstance(constraints, str):
        return constraints if rules is not None else None
    return {part: np.packbits(getattr(rules, part)).tobytes().hex() for part in PARTS}


def rules_from_json(saved: Any, labels: Sequence[Hashable]) -> str | Rules | None:
    """The inverse of `rules_to_json`; ValueError or InputError if it does not fit the labels.

    >>> rules_from_json({"start": "c0", "follow": "e0", "end": "c0"}, ["O", "B-X"]).follow.tolist()
    [[True, True], [True, False]]
    """
    if saved is None or isinstance(saved, str):
        rules_of(saved, labels)
        return saved
    if not isinstance(saved, dict) or set(saved) != set(PARTS) or not all(isinstance(saved[p], str) for p in PARTS):
        raise ValueError("info: constraints is neither a scheme nor what may start, follow and end")
    size = len(labels)
    start, follow, end = (_bits(saved[part], size**2 if part == "follow" else size) for part in PARTS)
    return Rules(start, follow.reshape(size, size), end)


def _bits(text: str, count: int) -> Flags:
    packed = np.frombuffer(bytes.fromhex(text), np.uint8)
    if len(packed) != -(-count // 8):
        raise ValueError(f"info: constraints has {8 * len(packed)} bits for {count} pairs or labels")
    return np.unpackbits(packed, count=count).astype(bool)


def rules_for(constraints: Any, labels: Sequence[Hashable]) -> Rules | None:
    """`rules_of`, which also checks that a Rules record has the size of the label set; False means no rules.

    >>> rules_for(False, ["X"]) is None
    True
    """
    if constraints is False:
        return None
    rules = rules_of(constraints, labels)
    if rules is not None and len(rules.start) != len(labels):
        raise InputError(
            f"the constraints are for {len(rules.start)} labels, but there are {len(labels)}; set constraints= anew"
        )
    return rules
