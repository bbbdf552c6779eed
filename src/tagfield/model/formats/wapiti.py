"""Reads Wapiti's model files.

    #mdl#TYPE#N ─▶ #rdr#P/C/U, P patterns ─▶ #qrk#L, L labels ─▶ #qrk#O, O observations ─▶ N lines INDEX=WEIGHT

A string is written as `3:dog,`, with its length in bytes before it. The first letter of an observation says what it has
weights for: u tokens, b transitions, * both. A `b` pattern without a macro is the plain transitions; several such
patterns add up.

Without patterns (raw mode), the tokens of the data are the observations themselves. Then no item needs to have a `b`,
so every b is an edge attribute here, and the model takes attributes and edges, no words.
"""

import re
from collections import Counter
from typing import Any

import numpy as np

from tagfield.data.dataset import Doubles, Longs
from tagfield.data.text.templates.template import LABEL, WAPITI, Pattern, Template
from tagfield.data.text.templates.wapiti.macros import Part
from tagfield.errors import InputError, ModelFileError
from tagfield.model.file import Parts
from tagfield.model.formats.names import bytes_of, name_of
from tagfield.model.formats.observations import EDGE, TOKEN, Observations, starts_of, to_parts

FORMAT = "wapiti"
STARTS = re.compile(b"#mdl#")
KINDS = {b"u": TOKEN, b"b": EDGE, b"*": TOKEN | EDGE}
MAXENT, MEMM, CRF = 0, 1, 2
MOST_COLUMNS = 1 << 10

_MODEL = re.compile(rb"#mdl#(?:(\d{1,9})#)?(\d{1,12})\n")
_READER = re.compile(rb"#rdr#(\d{1,9})/(\d{1,9})(?:/([01]))?\n")
_NAMES = re.compile(rb"#qrk#(\d{1,9})\n")
_LENGTH = re.compile(rb"(\d{1,9}):")
_WEIGHT = re.compile(rb"(\d{1,12})=([-+.0-9a-fA-FpPxX]{1,60})")


class _Reader:
    """A place in the bytes of a file."""

    def __init__(self, text: bytes, name: str) -> None:
        self.text, self.name, self.at = text, name, 0

    def damaged(self, what: str) -> ModelFileError:
        line = self.text.count(b"\n", 0, self.at) + 1
        return ModelFileError(
            f"{self.name!r} is damaged in line {line}: {what}; copy the file again, or train the model again"
        )

    def take(self, expression: re.Pattern[bytes], what: str) -> re.Match[bytes]:
        found = expression.match(self.text, self.at)
        if found is None:
            raise self.damaged(f"{what} is missing")
        self.at = found.end()
        return found

    def strings(self, count: int, what: str) -> list[bytes]:
        """Strings with their lengths."""
        text, at = self.text, self.at
        found: list[bytes] = []
        for _ in range(count):
            length = _LENGTH.match(text, at)
            if length is None:
                raise self.damaged(f"it lists {len(found):,} {what} of {count:,}")
            start = length.end()
            at = start + int(length[1])
            if text[at : at + 2] != b",\n":
                raise self.damaged(f"one of its {what} is longer or shorter than it says")
            if at == start or b"\0" in text[start:at]:
                raise self.damaged(f"one of its {what} is empty, or holds a NUL")
            found.append(text[start:at])
            at += 2
            self.at = at
        return found


def read_parts(data: memoryview, name: str) -> Parts:
    """The model in the bytes of a file; a damaged file raises ModelFileError."""
    file = _Reader(bytes(data), name)
    head = file.take(_MODEL, "the first line")
    kind = MAXENT if head[1] is None else int(head[1])
    if kind == MEMM:
        raise ModelFileError(
            f"{name!r} is a maximum entropy Markov model, which normalises each token by itself; tagfield has no such "
            "models: train a CRF instead (wapiti train -T crf)"
        )
    if kind not in (MAXENT, CRF):
        raise file.damaged(f"its type is {kind}")
    reader = file.take(_READER, "the line #rdr#")
    patterns = file.strings(int(reader[1]), "patterns")
    labels = file.strings(int(file.take(_NAMES, "the list of labels")[1]), "labels")
    names = file.strings(int(file.take(_NAMES, "the list of observations")[1]), "observations")
    if not labels:
        raise file.damaged("it has no labels")
    odd = next((each for each in names if each[:1] not in KINDS), None)
    if odd is not None:
        raise file.damaged(f"the observation {name_of(odd)[:60]!r} begins with none of u, b and *")
    kinds = np.array([KINDS[each[:1]] for each in names], np.uint8)
    index, weight = _weights(file, int(head[2]), int(starts_of(kinds, len(labels))[-1]))
    template, always, also = _template(file, patterns)
    spare = next((each for each in names if each[:1] != b"u" and each not in always), None)
    if template is not None and spare is not None and not also:
        raise file.damaged(f"no pattern makes the observation {name_of(spare)[:60]!r}")
    place = {each: k for k, each in enumerate(names) if each in always}
    found = Observations(
        labels,
        names,
        kinds,
        index,
        weight,
        {k: always[each] for each, k in place.items()},
        frozenset(k for each, k in place.items() if any(expression.fullmatch(each) for expression in also)),
    )
    about: dict[str, Any] = {
        "type": None if head[1] is None else kind,
        "reader": [int(number) for number in reader.groups()[1:] if number is not None],
        "patterns": [name_of(pattern) for pattern in patterns],
    }
    info = {"format": FORMAT, "trained_by": "Wapiti", FORMAT: about}
    return to_parts(found, name, len(data), template, info)


def _weights(file: _Reader, count: int, size: int) -> tuple[Longs, Doubles]:
    """Index and value of each weight; of two for one index the last."""
    lines = file.text[file.at :].split(b"\n")
    if lines.pop() != b"" or len(lines) != count:
        raise file.damaged(f"it has {len(lines):,} whole lines of weights, but its first line says {count:,}")
    found: dict[int, float] = {}
    for line in lines:
        parts = _WEIGHT.fullmatch(line)
        try:
            if parts is None:
                raise ValueError
            text = parts[2].decode()
            number = float.fromhex(text) if "x" in text.lower() else float(text)
        except (ValueError, OverflowError):
            raise file.damaged(f"{line[:60].decode('utf-8', 'replace')!r} is no weight") from None
        at = int(parts[1])
        if at >= size:
            raise file.damaged(f"it has weight {at:,}, but its observations have {size:,}")
        found[at] = number
    index, weight = np.array(list(found), np.int64), np.array(list(found.values()), np.float64)
    if not np.isfinite(weight).all():
        raise file.damaged("a weight is not a finite number")
    return index, weight


def _template(file: _Reader, lines: list[bytes]) -> tuple[Template | None, Counter[bytes], list[re.Pattern[bytes]]]:
    """The template, None in raw mode; how often each b without a macro occurs; what the other b and * may make."""
    always: Counter[bytes] = Counter()
    made: list[re.Pattern[bytes]] = []
    if not lines:
        return None, always, made
    tokens: list[Pattern] = []
    edges: list[Pattern] = []
    try:
        for line in lines:
            pattern = Pattern(name_of(line), 0, WAPITI)
            first = pattern.text[:1]
            if first != "b":
                tokens.append(pattern)
            if first != "u" and pattern.cells:
                edges.append(pattern)
                made.append(_made_by(pattern))
            elif first != "u":
                always[line] += 1
        columns = [int(column) for pattern in (*tokens, *edges) for _, column in pattern.cells]
        if max(columns, default=0) >= MOST_COLUMNS:
            raise InputError(f"a pattern reads column {max(columns):,}")
        roles = ("w", *(f"x{k}" for k in range(1, max(columns, default=0) + 1)), LABEL)
        template = Template(FORMAT, tuple(tokens), roles, padding=True, transitions=tuple(edges), syntax=WAPITI)
        template.check()
    except InputError as error:
        raise ModelFileError(f"{file.name!r}: {error}") from None
    return template, always, made


def _made_by(pattern: Pattern) -> re.Pattern[bytes]:
    """What a pattern may make: only %m may be empty."""
    first, *rest = (re.escape(bytes_of(piece)) for piece in pattern.pieces)
    cells = (b".*" if any(isinstance(step, Part) for step in steps) else b".+" for _, steps in pattern.chains)
    return re.compile(first + b"".join(cell + piece for cell, piece in zip(cells, rest, strict=True)), re.DOTALL)
