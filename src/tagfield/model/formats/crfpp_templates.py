"""A template of tagfield as lines of a CRF++ template, and the names that CRF++ then gives to the attributes.

    U00:%x[-1,0]       as it is              w[-1]=%x[-1,w]     Uw[-1]=%x[-1,0]     (every name gets a U)
    __BOS__, __EOS__   U__BOS__%x[-1,0] and U__EOS__%x[1,0], of which only those with _B-1 and _B+1 have weights
    any other model    U%x[0,0], U%x[0,1], …: one attribute in each column of the data

Functions (w.lower, …) have no counterpart; their models become models with an attribute in each column.
"""

import re
from typing import NamedTuple

from tagfield.data.text.templates.template import LABEL, Template
from tagfield.errors import InputError
from tagfield.model.file import Parts
from tagfield.model.formats.names import bytes_of
from tagfield.model.formats.observation_order import edge_names, token_names

MOST_COLUMNS = 1000
ENDS = {b"__BOS__": (b"U__BOS__%x[-1,0]", b"U__BOS___B-1"), b"__EOS__": (b"U__EOS__%x[1,0]", b"U__EOS___B+1")}

_NUMBER = re.compile(r"\d{1,4}")
_PADDING = re.compile(rb"_B[-+][1-8]")


class Lines(NamedTuple):
    """A CRF++ template and the names of the attributes in it."""

    templates: list[bytes]  # without that of the plain transitions
    columns: int
    tokens: list[bytes]  # [A]
    edges: list[bytes]  # [E]
    each_in_a_column: bool = False  # an attribute in each column of the data, and no words


def lines_of(parts: Parts) -> Lines:
    """The templates and names for a model; InputError if there are none."""
    tokens, edges = token_names(parts), edge_names(parts)
    found = None if parts.template is None else _expressed(parts.template, tokens, edges)
    return found or _one_column_each(parts, tokens, edges)


def _expressed(template: Template, tokens: list[bytes], edges: list[bytes]) -> Lines | None:
    """The same template in CRF++'s words; None if it has no counterpart."""
    if template.syntax or template.resources:
        return None
    if not template.padding and any(_PADDING.search(name) for name in tokens + edges):
        return None  # CRF++ would find such names beyond the ends of a sentence
    names = [role for role in template.columns if role != LABEL]
    lines, columns = [], 1
    for patterns, letter in ((template.patterns, "U"), (template.transitions, "B")):
        ready = all(pattern.text.startswith(letter) for pattern in patterns)
        for pattern in patterns:
            cells = [(row, _column(column, names, template)) for row, column in pattern.cells]
            if any(column is None for _, column in cells) or any("%" in piece for piece in pattern.pieces):
                return None
            text = pattern.pieces[0]
            for (row, column), piece in zip(cells, pattern.pieces[1:], strict=True):
                text += f"%x[{row},{column}]{piece}"
                columns = max(columns, (column or 0) + 1)
            lines.append(bytes_of(text if ready else letter + text))
        if not ready and letter == "U":
            tokens = [name if name in ENDS and template.boundaries else b"U" + name for name in tokens]
        elif not ready:
            edges = [b"B" + name for name in edges]
    ends = [ENDS[name] for name in tokens if name in ENDS] if template.boundaries else []
    tokens = [ENDS[name][1] if name in ENDS and template.boundaries else name for name in tokens]
    units = [line for line in lines if line[:1] == b"U"] + [line for line, _ in ends]
    pairs = [line for line in lines if line[:1] == b"B"]
    return Lines(units + pairs, columns, tokens, edges)


def _column(column: str, names: list[str], template: Template) -> int | None:
    """The number of a column among those before the label."""
    if _NUMBER.fullmatch(column):
        before = template.columns[: int(column)]
        return int(column) - (LABEL in before)
    return names.index(column) if column in names else None


def _one_column_each(parts: Parts, tokens: list[bytes], edges: list[bytes]) -> Lines:
    """U%x[0,k] for as many columns as an item may have attributes."""
    if edges:
        raise InputError(
            "the model has transitions that look at the input, and no template that CRF++ understands; save it in "
            "tagfield's format"
        )
    kinds = {re.split(rb"[=:]", name, maxsplit=1)[0] for name in tokens}
    columns = (
        max(1, len(kinds)) if parts.template is None else len(parts.template.patterns) + 2 * parts.template.boundaries
    )
    if columns > MOST_COLUMNS:
        raise InputError(
            f"a file for CRF++ needs a column for each attribute of an item, and the model's attributes are of "
            f"{columns:,} kinds, but {MOST_COLUMNS:,} columns is the most; save it in tagfield's format"
        )
    templates = [b"U%%x[0,%d]" % k for k in range(columns)]
    return Lines(templates, columns, [b"U" + name for name in tokens], [], True)
