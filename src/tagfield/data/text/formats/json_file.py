"""JSON lines, and JSON files with one list of records: text ─▶ values with their line ─▶ records.

    {"tokens": ["The", "dog"], "labels": ["B-NP", "I-NP"]}                       one value a line
    [{"text": "Anna sings.", "spans": [{"start": 0, "end": 4, "label": "PER"}]}]   a list of them, over any lines

`json_values.py` reads a value. NaN, Infinity, lone surrogates, numbers of thousands of digits and deep nesting are
errors, because they cannot be written back as JSON.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from tagfield.data.text.formats.decoding import decode_lines
from tagfield.data.text.formats.json_values import records_of
from tagfield.data.text.lines import is_blank
from tagfield.data.text.records import Record
from tagfield.data.text.sources import Source
from tagfield.errors import InputError

LISTS = ("annotations", "data", "examples", "documents", "sentences")  # keys of a file that is one object with a list

_S = r"[ \t\r\n]*"  # JSON's white space
_BEGINS = re.compile(rf'{_S}(?:\{{{_S}["}}]|\[{_S}(?:\{{|\[{_S}"|\]|"(?:[^"\\]|\\.)*"{_S},{_S}\{{))')
_SPACE = re.compile(_S)
_SURROGATE = re.compile(r"\\ud[89a-f]", re.IGNORECASE)


def is_json(head: str) -> bool:
    """Whether the text begins like a JSON record or a list of them."""
    return _BEGINS.match(head) is not None


def is_jsonl(head: str) -> bool:
    """Whether it begins like JSON and its first line is a whole record.

    >>> is_jsonl('{"text": "a"}\\n'), is_jsonl('[{"text": "a"}]')
    (True, False)
    """
    try:
        value = json.loads(head.lstrip().split("\n", 1)[0]) if is_json(head) else None
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) or (isinstance(value, list) and len(value) == 2 and isinstance(value[0], str))


def read_jsonl(source: Source, _: object = None, names: Sequence[str] | None = None) -> Iterator[Record]:
    """The records of a JSON-lines file; `names` are those of labels that are numbers.

    >>> [r.labels for r in read_jsonl(Source("a.jsonl", b'{"tokens": ["a"], "tags": ["X"]}\\n'))]
    [('X',)]
    >>> list(read_jsonl(Source("a.jsonl", b'{"tokens": ["a"]\\n')))
    Traceback (most recent call last):
    tagfield.errors.InputError: a.jsonl, line 1: this is not JSON (Expecting ',' delimiter at column 17)
    """
    for number, line in enumerate(decode_lines(source, returns=True).split("\n"), start=1):
        if not is_blank(line):
            where = f"{source.name}, line {number}"
            value, end = parse_value(line, _SPACE.match(line).end(), where)  # type: ignore[union-attr]
            if _SPACE.fullmatch(line, end) is None:
                raise InputError(f"{where}: there is more than one JSON value on the line; write one a line")
            yield from records_of(value, where, names)


def read_json(source: Source, _: object = None, names: Sequence[str] | None = None) -> Iterator[Record]:
    """The records of a JSON file: a list of them, or an object that holds the list, or one after the other.

    >>> text = b'[{"text": "Anna",\\n "entities": [[0, 4, "PER"]]},\\n {"text": "Bo"}]'
    >>> [(r.text, r.where) for r in read_json(Source("a.json", text))]
    [('Anna', 'a.json, line 1'), ('Bo', 'a.json, line 3')]
    """
    text = decode_lines(source, returns=True)
    at = _skip(text, 0)
    if text[at : at + 1] != "[":
        yield from _objects(source, text, at, names)
        return
    at = _skip(text, at + 1)
    number, counted = 1, 0
    while text[at : at + 1] != "]":
        number, counted = number + text.count("\n", counted, at), at
        value, end = parse_value(text, at, f"{source.name}, line {number}", source.name)
        yield from records_of(value, f"{source.name}, line {number}", names)
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != "]":
            line = number + text.count("\n", counted, at)
            raise InputError(f"{source.name}, line {line}: this is not JSON (expecting a comma or ] after a record)")
    if _SPACE.fullmatch(text, at + 1) is None:
        line = text.count("\n", 0, _skip(text, at + 1)) + 1
        raise InputError(f"{source.name}, line {line}: there is text after the end of the list; remove it")


def _objects(source: Source, text: str, at: int, names: Sequence[str] | None) -> Iterator[Record]:
    """Values one after the other; one alone may hold the list of records."""
    alone = True
    number, counted = 1, 0
    while at < len(text):
        number, counted = number + text.count("\n", counted, at), at
        where = f"{source.name}, line {number}"
        value, end = parse_value(text, at, where, source.name)
        at = _skip(text, end)
        inner = [value[key] for key in LISTS if isinstance(value, dict) and isinstance(value.get(key), list)]
        if alone and at >= len(text) and inner and not {"text", "tokens", "words"} & value.keys():
            for index, item in enumerate(inner[0]):
                yield from records_of(item, f"{where}, record {index + 1}", names)
            return
        yield from records_of(value, where, names)
        alone = False


def parse_value(text: str, at: int, where: str, name: str | None = None) -> tuple[Any, int]:
    """The JSON value that begins at `at`, and where it ends; `name` of a file whose values span lines.

    >>> parse_value('{"a": NaN}', 0, "a.jsonl, line 3")
    Traceback (most recent call last):
    tagfield.errors.InputError: a.jsonl, line 3: NaN is not a JSON number; write null or a number
    """
    try:
        value, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        place = where if name is None else f"{name}, line {error.lineno}"
        raise InputError(f"{place}: this is not JSON ({error.msg} at column {error.colno})") from None
    except _Constant as error:
        raise InputError(f"{where}: {error} is not a JSON number; write null or a number") from None
    except RecursionError:
        raise InputError(f"{where}: the JSON is nested too deeply; a record has at most a few levels") from None
    except ValueError as error:  # a number of more digits than Python reads
        raise InputError(f"{where}: this is not JSON ({error})") from None
    if _SURROGATE.search(text, at, end):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            found = error.object[error.start]
            raise InputError(f"{where}: \\u{ord(found):04x} is half of a character; correct the escape") from None
    return value, end


class _Constant(Exception):
    """NaN or Infinity, which are not JSON."""


def _refuse(name: str) -> NoReturn:
    raise _Constant(name)


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
