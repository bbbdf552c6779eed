"""A Template and the columns that are there → the native encoder that expands it.

Template, columns of the input ─▶ derived columns in the order they are needed ─▶ patterns ─▶ TemplateEncoder
"""

from collections.abc import Sequence

from tagfield._text import TemplateEncoder
from tagfield.errors import InputError
from tagfield.text.functions import cell_function
from tagfield.text.templates import LABEL, Template


def open_encoder(template: Template, present: Sequence[int], where: str) -> TemplateEncoder:
    """A native encoder for a template.

    present: for each column of the input, its index in `template.columns`
    where: names the input in messages

    >>> from tagfield._text import Vocabulary
    >>> from tagfield.text.templates import parse_template
    >>> encoder = open_encoder(parse_template("U0:%x[0,w.lower]").with_columns("w y"), [0], "X")
    >>> attributes = Vocabulary()
    >>> _ = encoder.encode_words([["The"]], None, attributes, False, Vocabulary(), True)
    >>> attributes.strings()
    ['U0:the']
    """
    inputs = _input_columns(template, present, where)
    used = {*inputs.values(), *(k for k, role in enumerate(present) if template.columns[role] == LABEL)}
    encoder = TemplateEncoder([k in used for k in range(len(present))])
    made = dict(inputs)
    for name in dict.fromkeys(column for pattern in template.patterns for _, column in pattern.cells):
        base, _, how = name.partition(".")
        if how:
            made[name] = encoder.derive(inputs[base], cell_function(how), False)
    patterns = [(pattern.pieces, [(row, made[name]) for row, name in pattern.cells]) for pattern in template.patterns]
    encoder.set_patterns(patterns, template.padding, template.edges)
    return encoder


def _input_columns(template: Template, present: Sequence[int], where: str) -> dict[str, int]:
    """The column of the input for each column that a pattern reads."""
    found: dict[str, int] = {}
    for pattern in template.patterns:
        for _, column in pattern.cells:
            base = column.partition(".")[0]
            if base in found:
                continue
            if base.isascii() and base.isdigit():
                index = int(base)
            else:
                index = template.columns.index(base) if base in template.columns else -1
            if index not in present or template.columns[index] == LABEL:
                there = ", ".join(role for role in template.columns if role != LABEL)
                raise InputError(
                    f"{template.where(pattern)}: {pattern.text!r} names column {base}, but {where} has only "
                    f"{there} besides the label"
                )
            found[base] = present.index(index)
    return found
