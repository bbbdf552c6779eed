"""Spans as the annotation tools write them ─▶ TextSpans, checked against their text.

    [0, 4, "PER"]      {"start": 0, "end": 4, "label": "PER"}      {"start_offset": 0, "end_offset": 4, "label": "PER"}
    {"start": 0, "end": 4, "labels": ["PER"], "text": "Anna"}      {"token_start": 0, "token_end": 0, "label": "PER"}

Offsets count characters (code points). Label Studio runs in a browser and counts UTF-16 units, so an emoji counts
twice. Where a span brings its own text, both ways are tried, and the one that gives that text is taken.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from tagfield.data.text.records import Offsets, TextSpan
from tagfield.data.text.utf16 import Units
from tagfield.errors import InputError

Spans: TypeAlias = tuple[TextSpan, ...] | None

STARTS, ENDS = ("start", "start_offset", "begin"), ("end", "end_offset")
LABELS = ("label", "labels", "type", "tag", "entity")


def read_spans(
    values: Sequence[Any], text: str, where: str, tokens: Sequence[Offsets] | None = None, *, utf16: bool = False
) -> tuple[TextSpan, ...]:
    """The spans of a text; `tokens` for spans that are counted in tokens, `utf16` to try UTF-16 units first.

    >>> read_spans([{"start": 3, "end": 7, "labels": ["PER"], "text": "Anna"}], "😀 Anna", "a.json, line 1")
    (TextSpan(start=2, end=6, label='PER'),)
    """
    found: list[TextSpan] = []
    units = Units(text)
    for index, value in enumerate(values):
        place = f"{where}, span {index + 1}"
        start, end, labels, quoted = _parts(value, place, tokens)
        start, end = _in_characters(start, end, text, units, quoted, place, utf16)
        for label in labels:
            if not isinstance(label, str) or not label:
                raise InputError(f"{place}: the label is {label!r}; a label is a string of at least one letter")
            found.append(TextSpan(start, end, label))
    return tuple(found)


def _parts(value: Any, place: str, tokens: Sequence[Offsets] | None) -> tuple[int, int, list[Any], Any]:
    if isinstance(value, list | tuple) and len(value) == 3:
        start, end, label = value
        quoted = None
    elif isinstance(value, Mapping):
        start, end = (next((value[key] for key in keys if key in value), None) for keys in (STARTS, ENDS))
        label = next((value[key] for key in LABELS if key in value), None)
        quoted = value.get("text")
        if start is None and tokens is not None:
            first, last = value.get("token_start"), value.get("token_end")
            if type(first) is int and type(last) is int and 0 <= first <= last < len(tokens):
                start, end = tokens[first][0], tokens[last][1]
    else:
        raise InputError(f'{place}: {value!r:.60} is not a span; write [start, end, "LABEL"]')
    if type(start) is not int or type(end) is not int:
        raise InputError(f"{place}: start is {start!r:.30} and end is {end!r:.30}; both must be whole numbers")
    return start, end, list(label) if isinstance(label, list | tuple) else [label], quoted


def _in_characters(
    start: int, end: int, text: str, units: Units, quoted: Any, place: str, utf16: bool
) -> tuple[int, int]:
    """The offsets in characters; a span that brings its own text must agree with it in one of the two countings."""
    given = (start, end) if 0 <= start <= end <= len(text) else None
    ways = [given, _from_utf16(start, end, units)]
    for way in reversed(ways) if utf16 else ways:
        if way is not None and isinstance(quoted, str) and text[way[0] : way[1]].split() == quoted.split():
            return way
    if given is None:
        raise InputError(f"{place}: {start} to {end} is outside the text, which has {len(text)} characters")
    if isinstance(quoted, str):
        raise InputError(f"{place}: {start} to {end} is {text[start:end]!r:.60} in the text, not {quoted!r:.60}")
    return given


def _from_utf16(start: int, end: int, units: Units) -> tuple[int, int] | None:
    first, last = units.characters(start), units.characters(end)
    return None if first is None or last is None or first > last else (first, last)
