"""A Template and the columns that are there → the native encoder that expands it.

Template, columns of the input ─▶ derived columns, each made once ─▶ patterns ─▶ TemplateEncoder

%x[0,w.lower.suffix3]     w ─▶ w.lower ─▶ w.lower.suffix3
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

from tagfield.data.text.templates.functions import FUNCTIONS, Call, OneCell
from tagfield.data.text.templates.template import LABEL, WAPITI, Pattern, Template
from tagfield.data.text.templates.wapiti.macros import AFTER, BEFORE, AtRow
from tagfield.data.text.templates.wapiti.patterns import Step
from tagfield.errors import InputError
from tagfield.native._text import TemplateEncoder


def open_encoder(
    template: Template, present: Sequence[int], where: str, capacity: int = sys.maxsize
) -> TemplateEncoder:
    """A native encoder for a template.

    present: for each column of the input, its index in `template.columns`
    where: names the input in messages
    capacity: how many cells and ids it remembers from earlier sentences

    >>> from tagfield.native._text import Vocabulary
    >>> encoder = open_encoder(Template("mine", (Pattern("U0:%x[0,w.lower]"),), ("w", "y")), [0], "X")
    >>> attributes = Vocabulary()
    >>> _ = encoder.encode_words([["The"]], None, attributes, False, Vocabulary(), True)
    >>> attributes.strings()
    ['U0:the']
    """
    plan = _Plan(template, present, where, capacity)
    patterns, transitions = (
        [(pattern.pieces, plan.cells(pattern)) for pattern in listed]
        for listed in (template.patterns, template.transitions)
    )
    padding, until_nul = plan.padding if template.padding else [], template.syntax == WAPITI
    plan.encoder.set_patterns(patterns, padding, template.boundaries, transitions, until_nul)
    return plan.encoder


class _Plan:
    def __init__(self, template: Template, present: Sequence[int], where: str, capacity: int) -> None:
        self.template, self.present, self.where = template, present, where
        self.inputs = {
            base: self._input(pattern, base) for pattern in template.all_patterns for base, _ in pattern.chains
        }
        labels = {k for k, role in enumerate(present) if template.columns[role] == LABEL}
        used = {*self.inputs.values(), *labels}
        count = f"{len(present)} column{'s' if len(present) > 1 else ''}"
        expected = f"template {template.name} reads {count} ({', '.join(template.columns[k] for k in present)})"
        self.encoder = TemplateEncoder([k in used for k in range(len(present))], capacity, expected)
        self.made: dict[tuple[int, tuple[Call | Step, ...]], int] = {}
        self.many: set[int] = set()  # columns whose cells may have several values
        self.padding = [_padding(template)] * len(present)  # of each column: the cells before a sentence, and behind it

    def cells(self, pattern: Pattern) -> list[tuple[int, int]]:
        """(row, native column) of each cell of a pattern."""
        found = []
        for (row, column), (base, calls) in zip(pattern.cells, pattern.chains, strict=True):
            try:
                found.append((row, self._column(self.inputs[base], calls)))
            except InputError as error:
                raise InputError(f"{self.template.where(pattern)}: {column}: {error}") from None
        return found

    def _column(self, base: int, calls: tuple[Call | Step, ...]) -> int:
        """The native column of a chain of functions."""
        if not calls:
            return base
        if (base, calls) not in self.made:
            self.made[base, calls] = made = self._derive(base, calls[:-1], calls[-1])
            self.padding += [self.padding[base]] * (made + 1 - len(self.padding))
        return self.made[base, calls]

    def _derive(self, base: int, before: tuple[Call | Step, ...], call: Call | Step) -> int:
        if isinstance(call, Call):
            return self._derive_call(base, before, call)
        source = self._column(base, before)
        if isinstance(call, AtRow):
            return self.encoder.at_row(source, call.row, self.padding[source])
        function = call.over({})
        made = self.encoder.derive(source, _over_cells(function, False), False)
        first, last = self.padding[source]  # a macro applies to the cells beyond the ends too
        self.padding.append(([function(cell) for cell in first], [function(cell) for cell in last]))
        return made

    def _derive_call(self, base: int, before: tuple[Call | Step, ...], call: Call) -> int:
        resources, name = self.template.named, call.function.name
        call.check(resources)
        if name == "in" and resources[call.resource].ignore_case:
            before = (*before, Call(FUNCTIONS["lower"]))
        source = self._column(base, before)
        if name in ("in", "same"):
            if source in self.many:
                raise InputError(f"{call.function.usage} needs a column with one value for each token")
            if name == "same":
                return self.encoder.compare(source, call.numbers[0])
            return self.encoder.find_phrases(source, resources[call.resource].phrases, call.resource)
        several = call.many or source in self.many
        made = self.encoder.derive(source, _over_cells(call.over(resources), source in self.many), several)
        if several:
            self.many.add(made)
        return made

    def _input(self, pattern: Pattern, base: str) -> int:
        """The column of the input that a pattern reads."""
        roles = self.template.columns
        numbered = base.isascii() and base.isdigit() and len(base) <= 4
        index = int(base) if numbered else roles.index(base) if base in roles else -1
        if index not in self.present or roles[index] == LABEL:
            there = ", ".join(role for role in roles if role != LABEL)
            raise InputError(
                f"{self.template.where(pattern)}: {pattern.text!r} names column {base}, but {self.where} has only "
                f"{there} besides the label"
            )
        return self.present.index(index)


def _padding(template: Template) -> tuple[list[str], list[str]]:
    """The cells before a sentence and behind it, nearest first; the last one stands for all that are farther away."""
    if template.syntax == WAPITI:
        return list(BEFORE), list(AFTER)
    reach = range(1, 1 + max((abs(row) for pattern in template.all_patterns for row, _ in pattern.cells), default=0))
    return [f"_B-{k}" for k in reach] or ["_B-1"], [f"_B+{k}" for k in reach] or ["_B+1"]


def _over_cells(function: OneCell, many: bool) -> Callable[[list[Any]], list[Any]]:
    """The function for a list of cells; a cell with many values is a list of them, each taken by itself."""
    if not many:
        return lambda cells: [function(cell) for cell in cells]

    def each(values: list[str]) -> list[str]:
        results = [function(value) for value in values]
        flat = [[] if found is None else [found] if isinstance(found, str) else found for found in results]
        return list(dict.fromkeys(value for found in flat for value in found))

    return lambda cells: [each(values) for values in cells]
