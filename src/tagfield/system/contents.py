"""Equality and hashes by content, for records that hold arrays.

    ==     the same type and the same parts: arrays bit by bit, vocabularies string by string, the rest by its own ==
    hash   of the same parts, equal in every process: records may be keys of dicts, members of sets, and cached calls

A dataclass with arrays that compares its fields itself raises ValueError, because == of arrays is an array.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any

import numpy as np


def same(one: Any, other: Any) -> bool:
    """Whether two values have the same content.

    >>> same({"a": np.array([0.0])}, {"a": np.array([0.0])}), same(np.array([0.0]), np.array([-0.0]))
    (True, False)
    """
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        alike = one.dtype == other.dtype and one.shape == other.shape
        return alike and bool(np.array_equal(_bytes(one), _bytes(other)))
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


class ByContent:
    """For a dataclass with eq=False: equal if the contents are, with a hash that is computed once.

    >>> from tagfield.data.encode import encode_sequences
    >>> one, other = (encode_sequences([[["a"]]], [["X"]]).dataset for _ in range(2))
    >>> one == other, len({one, other})
    (True, 1)
    """

    def contents(self) -> tuple[Any, ...]:
        """What is compared: every field."""
        return tuple(getattr(self, each.name) for each in fields(self))  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or same(self.contents(), other.contents())

    def __hash__(self) -> int:
        found = self.__dict__.get("_hash")
        if found is None:
            digest = blake2b(type(self).__qualname__.encode(), digest_size=8)
            for part in _pieces(self.contents()):
                digest.update(part)
            found = int.from_bytes(digest.digest(), "little", signed=True) >> 1
            object.__setattr__(self, "_hash", found)
        return int(found)


def _bytes(array: Any) -> Any:
    """The bytes of an array, in the order of its elements."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def _pieces(value: Any) -> Iterator[Any]:
    """The content as bytes, piece by piece; what cannot be the same in every process is left out."""
    if isinstance(value, np.ndarray):
        yield f"{value.dtype.str}{value.shape}".encode()
        yield _bytes(value)
    elif isinstance(value, ByContent):
        yield hash(value).to_bytes(8, "little", signed=True)
    elif isinstance(value, str | int | float | bytes | None):
        yield repr(value).encode()
    elif isinstance(value, list | tuple):
        yield str(len(value)).encode()
        for each in value:
            yield from _pieces(each)
    elif isinstance(value, Mapping):  # equal ones may have another order, and 1 == 1.0
        yield str(len(value)).encode()
    elif hasattr(value, "to_arrays") and not is_dataclass(value):  # a vocabulary
        yield from _pieces(value.to_arrays())
