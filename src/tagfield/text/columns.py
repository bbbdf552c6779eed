"""CoNLL columns: files + Template → packed arrays, labels, and where each sentence came from.

sources ─▶ roles of the columns ─▶ ColumnTable (cells as ids) ─▶ derived columns ─▶ expand ─▶ arrays
"""

import re
from dataclasses import dataclass
from typing import TypeAlias

from tagfield._text import ColumnTable, Vocabulary, first_row
from tagfield.dataset import Floats, Ints, Longs
from tagfield.errors import InputError
from tagfield.text.sources import Source
from tagfield.text.templates import IGNORED, LABEL, Template

Packed: TypeAlias = tuple[Longs, Longs, Longs, Ints, Ints, Ints, Floats | None]


@dataclass(frozen=True)
class Origins:
    """Where the sentences of a dataset stand in their files."""

    sources: list[Source]
    file: Ints  # [S]  index into sources
    line: Longs  # [S]  first line, counted from 1
    begin: Longs | None = None  # [S]  first byte of the sentence; None for items
    end: Longs | None = None  # [S]  end of its last line

    def where(self, sentence: int) -> str:
        return f"{self.sources[self.file[sentence]].name}, line {self.line[sentence]}"

    def lines(self, sentence: int) -> list[str]:
        if self.begin is None or self.end is None:
            raise InputError("the lines of a sentence are kept for column files only")
        raw = self.sources[self.file[sentence]].text[self.begin[sentence] : self.end[sentence]]
        return [line.removesuffix("\r") for line in raw.decode().removesuffix("\n").split("\n")]


@dataclass(frozen=True)
class ColumnData:
    """What a column file holds, encoded."""

    packed: Packed
    gold: Ints | None  # [T]  ids in `names`; None where the files have no label column
    names: Vocabulary
    template: Template  # with the roles of its columns settled
    origins: Origins


def read_columns(
    sources: list[Source], template: Template, attributes: Vocabulary, frozen: bool, names: Vocabulary
) -> ColumnData:
    """Encodes column files. New attributes join the vocabulary unless it is frozen; new labels join `names`.

    >>> from tagfield.text.presets import preset
    >>> source = Source("tiny.txt", b"The DT B-NP\\ndog NN I-NP\\n")
    >>> data = read_columns([source], preset("chunking"), Vocabulary(), False, Vocabulary())
    >>> data.names.strings(), data.origins.lines(0)
    (['B-NP', 'I-NP'], ['The DT B-NP', 'dog NN I-NP'])
    """
    count, first = _width(sources)
    template, present = _settle(template, count, first)
    bases, derived = _used(template, present, first)
    label = present.index(template.columns.index(LABEL)) if LABEL in _roles(template, present) else None
    table = ColumnTable([k in bases or k == label for k in range(count)], first)
    for index, source in enumerate(sources):
        table.read(source.text, source.name, index)
    made = {
        name: base if not how else table.derive(base, derive(table.cells(base), how))
        for name, (base, how) in derived.items()
    }
    patterns = [
        (pattern.pieces, [(row, made[column]) for row, column in pattern.cells])
        for pattern in template.patterns
    ]
    gold = None if label is None else table.labels(label, names)
    packed = table.expand(patterns, template.padding, template.edges, attributes, frozen)
    file, line, begin, end = table.sources()
    return ColumnData(packed, gold, names, template, Origins(sources, file, line, begin, end))


def derive(cells: list[str], how: str) -> list[str]:
    """Cells seen another way: lower, shape, prefixN or suffixN.

    >>> derive(["McDonald's", "1.5"], "shape"), derive(["walked"], "suffix2")
    (["XxXx'x", 'd.d'], ['ed'])
    """
    if how == "lower":
        return [cell.lower() for cell in cells]
    if how == "shape":
        return [_shape(cell) for cell in cells]
    n = int(how[-1])
    return [cell[:n] for cell in cells] if how.startswith("prefix") else [cell[-n:] for cell in cells]


def _shape(cell: str) -> str:
    kinds = "".join("X" if c.isupper() else "d" if c.isdigit() else "x" if c.isalpha() else c for c in cell)
    return re.sub(r"([Xxd])\1+", r"\1", kinds)


def _width(sources: list[Source]) -> tuple[int, str]:
    for source in sources:
        line, count = first_row(source.text)
        if count:
            return count, f"{source.name}, line {line},"
    raise InputError(f"{sources[0].name}: the file holds only blank lines, no sentence")


def _settle(template: Template, count: int, first: str) -> tuple[Template, list[int]]:
    """The template with its columns named, and which of those names the file has, in the file's order."""
    if not template.columns:
        template = template.with_columns(
            (*(f"x{k}" for k in range(count - 1)), LABEL) if count > 1 else ("x0",)
        )
    roles = template.columns
    everything = list(range(len(roles)))
    if count == len(roles):
        return template, everything
    without = [k for k in everything if roles[k] != LABEL]
    if count == len(without):
        return template, without
    raise InputError(
        f"{first} has {count} columns, but template {template.name} takes {len(roles)} ({' '.join(roles)}); "
        f"name the roles of the columns, with {IGNORED} for one to ignore and {LABEL} for the label"
    )


def _roles(template: Template, present: list[int]) -> list[str]:
    return [template.columns[k] for k in present]


def _used(template: Template, present: list[int], first: str) -> tuple[set[int], dict[str, tuple[int, str]]]:
    """The file's columns that patterns use, and for each column in a pattern (file column, how derived)."""
    found: dict[str, tuple[int, str]] = {}
    for pattern in template.patterns:
        for _, column in pattern.cells:
            if column in found:
                continue
            base, _, how = column.partition(".")
            if base.isascii() and base.isdigit():
                index = int(base)
            else:
                index = template.columns.index(base) if base in template.columns else -1
            if index not in present or template.columns[index] == LABEL:
                beside = sum(role != LABEL for role in _roles(template, present))
                raise InputError(
                    f"{template.where(pattern)}: {pattern.text!r} names column {base}, which is not there: "
                    f"{first} has {beside} columns beside the label ({' '.join(template.columns)})"
                )
            found[column] = (present.index(index), how)
    return {base for base, _ in found.values()}, found
