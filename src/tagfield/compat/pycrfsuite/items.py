"""ItemSequence: the attributes of a sequence in the form that python-crfsuite shows them.

    item: a dict {key: value} or an iterable of keys ─▶ pairs (attribute, value)

    {key: number}       attribute `key` with that value; True is 1, False is 0
    {key: text}         attribute `key:text` with value 1
    {key: dict, list, set}    attributes `key:…`, as deep as it goes
    text                one attribute for each character, as any iterable of strings

Keys and texts may be bytes in UTF-8; other bytes get stand-ins (model/formats/names.py), as in a model that CRFsuite
trained. A text ends at its first NUL, as it does in CRFsuite.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from tagfield.errors import InputError
from tagfield.model.formats.names import name_of

Pairs: TypeAlias = list[tuple[str, float]]
SURROGATE = re.compile("[\udc80-\udcff]")  # bytes that Python decoded with surrogateescape
NUMBERS = (bool, int, float, np.integer, np.floating, np.bool_)


class ItemError(InputError, TypeError):
    """An item is of the wrong type; python-crfsuite raises TypeError there."""


class ItemSequence:
    """Items that are prepared once, to append or tag them several times.

    >>> ItemSequence([["foo"], {"bar": {"baz": 1}, "word": "cat"}]).items()
    [{'foo': 1.0}, {'bar:baz': 1.0, 'word:cat': 1.0}]
    """

    def __init__(self, pyseq: Iterable[Any]) -> None:
        if isinstance(pyseq, ItemSequence):
            self._pairs: list[Pairs] = pyseq._pairs
        else:
            self._pairs = [list(_pairs(item, place)) for place, item in enumerate(_iterable(pyseq))]

    def items(self) -> list[dict[str, float]]:
        """The items as dicts {attribute: value}."""
        return [dict(pairs) for pairs in self._pairs]

    def for_encoding(self) -> list[Any]:
        """The items as `encode_sequences` takes them; an attribute that occurs twice in an item counts twice."""
        return [
            _summed(pairs) if any(value != 1 for _, value in pairs) else [n for n, _ in pairs] for pairs in self._pairs
        ]

    def __len__(self) -> int:
        return len(self._pairs)

    def __repr__(self) -> str:
        return f"<ItemSequence ({len(self)})>"


def text_of(given: Any) -> str:
    """A str as it is, and bytes as the string that stands for them.

    >>> text_of(b"word"), text_of("word")
    ('word', 'word')
    """
    if isinstance(given, str):
        text = (
            given if given.isascii() or not SURROGATE.search(given) else name_of(given.encode(errors="surrogateescape"))
        )
    elif isinstance(given, bytes):
        text = name_of(given)
    else:
        raise ItemError(f"expected bytes or str, {type(given).__name__} found")
    return text.partition("\0")[0]


def _summed(pairs: Pairs) -> dict[str, float]:
    sums: dict[str, float] = {}
    for name, value in pairs:
        sums[name] = sums.get(name, 0.0) + value
    return sums


def _iterable(pyseq: Any) -> Iterable[Any]:
    if not isinstance(pyseq, Iterable):
        raise ItemError(f"expected a sequence of items, {type(pyseq).__name__} found")
    return pyseq


def _pairs(item: Any, place: int) -> Iterator[tuple[str, float]]:
    if isinstance(item, Mapping):
        for key, value in item.items():
            yield from _nested(text_of(key), value, place)
    elif isinstance(item, Iterable):
        for key in item:
            yield text_of(key), 1.0
    else:
        raise ItemError(f"item {place} is of type {type(item).__name__}; an item is a dict or a list of strings")


def _nested(key: str, value: Any, place: int) -> Iterator[tuple[str, float]]:
    if isinstance(value, NUMBERS):
        number = float(value)
        if not np.isfinite(np.float32(number)):
            raise InputError(f"item {place}: the value of {key!r} must be a finite 32-bit number, got {number}")
        yield key, number
    elif isinstance(value, str | bytes):
        yield f"{key}:{text_of(value)}", 1.0
    elif isinstance(value, Mapping):
        for inner, deeper in value.items():
            yield from _nested(f"{key}:{text_of(inner)}", deeper, place)
    elif isinstance(value, Iterable):
        for inner in value:
            yield f"{key}:{text_of(inner)}", 1.0
    else:
        raise ItemError(
            f"item {place}: the value of {key!r} is of type {type(value).__name__}; use a number or a string"
        )
