"""A model as text, in the form of CRFsuite's `dump`, and back.

Parts ─▶ dump_lines ─▶ text ─▶ CRFsuiteDumpParser ─▶ ParsedDump: header, labels, attributes, transitions, state features

`Tagger.info()` makes the same record from the model itself, with weights in full precision; the text has six decimals.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tagfield.model.file import Parts
from tagfield.model.formats.crfsuite_writer import to_bytes
from tagfield.model.formats.packed import WORD

FIELDS = ("size", "type", "version", "num_features", "num_labels", "num_attrs")
OFFSETS = ("off_features", "off_labels", "off_attrs", "off_labelrefs", "off_attrrefs")
SECTIONS = {
    "LABELS": re.compile(r" *(?P<id>\d+): (?P<name>.*)"),
    "ATTRIBUTES": re.compile(r" *(?P<id>\d+): (?P<name>.*)"),
    "TRANSITIONS": re.compile(r"  \(\d+\) (?P<one>.*?) --> (?P<other>.*): (?P<weight>[^:]+)"),
    "STATE_FEATURES": re.compile(r"  \(\d+\) (?P<one>.*) --> (?P<other>.*): (?P<weight>[^:]+)"),
}


@dataclass
class ParsedDump:
    """What a model holds, by name.

    labels, attributes: name ─▶ id, as a string
    transitions, state_features: (from, to) and (attribute, label) ─▶ weight
    header: the fields of a CRFsuite file, as strings
    """

    header: dict[str, str] = field(default_factory=dict)
    labels: dict[Any, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    transitions: dict[tuple[Any, Any], float] = field(default_factory=dict)
    state_features: dict[tuple[str, Any], float] = field(default_factory=dict)


class CRFsuiteDumpParser:
    """Reads the text of a dump line by line.

    >>> parser = CRFsuiteDumpParser()
    >>> for line in ("LABELS = {", "      0: X", "}", "TRANSITIONS = {", "  (1) X --> X: -0.500000", "}"):
    ...     parser.feed(line)
    >>> parser.result.labels, parser.result.transitions
    ({'X': '0'}, {('X', 'X'): -0.5})
    """

    def __init__(self) -> None:
        self.state: str | None = None
        self.result = ParsedDump()

    def feed(self, line: str) -> None:
        """Take one line."""
        line = line.rstrip("\n")
        if self.state is None:
            opens = re.fullmatch(r"(FILEHEADER|LABELS|ATTRIBUTES|TRANSITIONS|STATE_FEATURES) = \{", line)
            self.state = None if opens is None else opens[1]
        elif line == "}":
            self.state = None
        elif self.state == "FILEHEADER":
            name, _, value = line.strip().partition(": ")
            self.result.header[name] = value
        else:
            found = SECTIONS[self.state].fullmatch(line)
            if found is None:
                raise ValueError(f"not a line of {self.state} in a dump of CRFsuite: {line!r}")
            table: dict[Any, Any] = getattr(self.result, self.state.lower())
            if "id" in found.groupdict():
                table[found["name"]] = found["id"]
            else:
                table[found["one"], found["other"]] = float(found["weight"])


def header_of(parts: Parts, file: bytes | None = None) -> dict[str, str]:
    """The fields of the file's header, or of the file that CRFsuite would write for this model."""
    start = to_bytes(parts)[:48] if file is None else file
    words = [int.from_bytes(start[at : at + WORD], "little") for at in range(4, 48, WORD)]
    found = {"magic": start[:4].decode(), **{name: str(word) for name, word in zip(FIELDS, words, strict=False)}}
    found["type"] = start[8:12].decode()
    return found | {name: f"0x{word:X}" for name, word in zip(OFFSETS, words[len(FIELDS) :], strict=True)}


def info_of(parts: Parts, header: dict[str, str]) -> ParsedDump:
    """The same record as from the text, with weights in full precision."""
    labels, attributes = parts.labels.strings(), parts.attributes.strings()
    at = parts.features.coordinates()
    state, trans = at.values(parts.weights)[:2]
    moves = zip(at.before.tolist(), at.after.tolist(), trans.tolist(), strict=True)
    return ParsedDump(
        header,
        {name: str(i) for i, name in enumerate(labels)},
        {name: str(i) for i, name in enumerate(attributes)},
        {(labels[i], labels[j]): w for i, j, w in moves},
        {
            (attributes[a], labels[y]): w
            for a, y, w in zip(at.attribute.tolist(), at.label.tolist(), state.tolist(), strict=True)
        },
    )


def dump_lines(found: ParsedDump) -> Iterator[str]:
    """The text of a dump, line by line.

    >>> print("\\n".join(list(dump_lines(ParsedDump()))[:4]))
    FILEHEADER = {
    }
    <BLANKLINE>
    LABELS = {
    """
    yield from ("FILEHEADER = {", *(f"  {name}: {value}" for name, value in found.header.items()), "}", "")
    for title, table in (("LABELS", found.labels), ("ATTRIBUTES", found.attributes)):
        yield from (f"{title} = {{", *(f"{i:>7}: {name}" for name, i in table.items()), "}", "")
    weights = (("TRANSITIONS", 1, found.transitions), ("STATE_FEATURES", 0, found.state_features))
    for title, kind, pairs in weights:
        lines = (f"  ({kind}) {one} --> {other}: {w:f}" for (one, other), w in pairs.items())
        yield from (f"{title} = {{", *lines, "}", "")
