"""CoNLL columns: files + Template → Dataset, and where each sentence stands in its file.

sources ─▶ match columns to roles ─▶ ColumnTable (cells as ids) ─▶ derived columns ─▶ expand ─▶ Dataset
"""

import re

import numpy as np

from tagfield._text import ColumnTable, Vocabulary, first_line
from tagfield.dataset import UNKNOWN, Dataset
from tagfield.errors import InputError
from tagfield.text.presets import PRESETS
from tagfield.text.sources import Locations, Source
from tagfield.text.templates import IGNORED, LABEL, Template

_SPOKEN = {"w": "word", LABEL: "label"}  # roles in full, for messages


def read_columns(
    sources: list[Source],
    template: Template,
    attributes: Vocabulary,
    labels: Vocabulary,
    *,
    frozen: bool = False,
    needs_labels: bool = True,
) -> tuple[Dataset, Template, Locations]:
    """Encode column files; also returns the template with the roles that it found.

    New attributes join `attributes` unless it is frozen, and new labels join `labels`. A file without the label
    column is an error if `needs_labels`; otherwise its labels are UNKNOWN.

    >>> source, labels = Source("tiny.txt", b"The DT B-NP\\ndog NN I-NP\\n"), Vocabulary()
    >>> data, _, locations = read_columns([source], PRESETS["chunking"], Vocabulary(), labels)
    >>> labels.strings(), data.labels.tolist(), locations.lines(0)
    (['B-NP', 'I-NP'], [0, 1], ['The DT B-NP', 'dog NN I-NP'])
    """
    count, first = _first_line(sources)
    template, present = _match_roles(template, count, first, needs_labels)
    inputs = _pattern_columns(template, present, first)
    roles = [template.columns[k] for k in present]
    label = roles.index(LABEL) if LABEL in roles else None
    used = {base for base, _ in inputs.values()} | {label}
    table = ColumnTable([k in used for k in range(count)], first)
    for index, source in enumerate(sources):
        table.read(source.text, source.name, index)
    column = {
        name: table.derive(base, derive(table.cells(base), how)) if how else base
        for name, (base, how) in inputs.items()
    }
    patterns = [(pattern.pieces, [(row, column[name]) for row, name in pattern.cells]) for pattern in template.patterns]
    gold = None if label is None else table.labels(label, labels)
    arrays = table.expand(patterns, template.padding, template.edges, attributes, frozen)
    if gold is None:
        gold = np.full(int(arrays[0][-1]), UNKNOWN, np.int32)
    dataset = Dataset(*arrays, gold, np.ones(len(arrays[0]) - 1))
    return dataset, template, Locations(sources, *table.locations())


def derive(cells: list[str], how: str) -> list[str]:
    """The cells of a derived column: lower, shape, prefixN or suffixN.

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


def _first_line(sources: list[Source]) -> tuple[int, str]:
    """How many columns the first line with text has, and where it stands."""
    for source in sources:
        line, count = first_line(source.text)
        if count:
            return count, f"{source.name}, line {line}"
    raise InputError(f"{sources[0].name}: the file holds only blank lines; give a file with a sentence")


def _match_roles(template: Template, count: int, first: str, needs_labels: bool) -> tuple[Template, list[int]]:
    """The template with its columns named, and for each column of the file its index in template.columns."""
    if not template.columns:
        numbered = tuple(f"x{k}" for k in range(max(1, count - 1)))
        template = template.with_columns((*numbered, LABEL) if count > 1 else numbered)
    roles = template.columns
    present = [k for k in range(len(roles)) if count == len(roles) or roles[k] != LABEL]
    labelled = LABEL in roles and count == len(roles)
    if count == len(present) and (labelled or not needs_labels):
        return template, present
    found = f"{first}: found {count} column{'s' if count > 1 else ''}"
    if LABEL not in roles and count == len(roles):
        raise InputError(f"{found}, but no label; put the label in the last column, or name it {LABEL} in --columns")
    spoken = ", ".join(_SPOKEN.get(role, role) for role in roles)
    advice = f"name the columns with --columns, where {LABEL} is the label and {IGNORED} skips a column"
    if needs_labels and template in PRESETS.values():
        for other in PRESETS.values():
            if len(other.columns) == count:
                *most, last = (_SPOKEN.get(role, role) for role in other.columns)
                advice = f"for {', '.join(most)} and {last} use --template {other.name}"
                break
    raise InputError(f"{found}, but template {template.name} reads {len(roles)} ({spoken}); {advice}")


def _pattern_columns(template: Template, present: list[int], first: str) -> dict[str, tuple[int, str]]:
    """For each column that a pattern names: the column of the file, and how it is derived from that."""
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
                there = ", ".join(role for role in template.columns if role != LABEL)
                raise InputError(
                    f"{template.where(pattern)}: {pattern.text!r} names column {base}, but {first} has only "
                    f"{there} besides the label"
                )
            found[column] = (present.index(index), how)
    return found
