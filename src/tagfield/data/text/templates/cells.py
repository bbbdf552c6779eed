r"""Templates as Python objects: columns, their functions, and the cells around a token.

    from tagfield.templates import column, template

    w, pos = column("w"), column("pos")
    template(
        w[-2:2],                              five patterns; both ends of a range are included
        w[-1] & w[0],                         one pattern of two cells
        (w & w[1])[-1:0],                     the same at several rows: w[-1] & w[0], w[0] & w[1]
        w.lower.suffix(1, 4),                 four patterns
        w.in_list("cities", ["New York"]),    resources are given where they are used
        pos,                                  the token itself: pos[0]
        transitions=[pos[-1] & pos],          weights for pairs of labels that look at the input
    )

A template of cells is the same value as its text, so it can be printed, stored in a model file and compared.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tagfield.data.text.sources import PathLike
from tagfield.data.text.templates.functions import FUNCTIONS
from tagfield.data.text.templates.resources import Resource, cluster, gazetteer, regex
from tagfield.data.text.templates.template import IGNORED, LABEL, Pattern, Template
from tagfield.data.text.templates.windows import Cell, pattern_text
from tagfield.errors import InputError, did_you_mean

_PLAIN = {name for name, function in FUNCTIONS.items() if not function.takes}


@dataclass(frozen=True)
class Cells:
    """Some patterns, each a tuple of cells (row, column), and the resources that they use.

    >>> w = column("w")
    >>> (w.lower[-1:0] & w.shape).patterns
    (((-1, 'w.lower'), (0, 'w.shape')), ((0, 'w.lower'), (0, 'w.shape')))
    """

    patterns: tuple[tuple[Cell, ...], ...]
    resources: tuple[Resource, ...] = ()

    def __getitem__(self, rows: int | slice) -> "Cells":
        """The same cells some rows further on; `w[-2:2]` includes both ends."""
        if isinstance(rows, slice):
            if not isinstance(rows.start, int) or not isinstance(rows.stop, int) or rows.step is not None:
                raise InputError("a range of rows needs both ends, such as w[-2:2], which includes row 2")
            if rows.start > rows.stop:
                raise InputError(f"the range {rows.start}:{rows.stop} is empty; write the smaller row first")
            shifts = range(rows.start, rows.stop + 1)
        else:
            shifts = range(rows, rows + 1)
        moved = [tuple((row + n, name) for row, name in cells) for n in shifts for cells in self.patterns]
        return Cells(tuple(moved), self.resources)

    def __and__(self, other: "Cells") -> "Cells":
        """Patterns of several cells: every pattern on the left with every pattern on the right."""
        pairs = [left + right for left in self.patterns for right in other.patterns]
        return Cells(tuple(pairs), self.resources + other.resources)

    def __getattr__(self, name: str) -> "Cells":
        """A function without arguments, such as `w.lower`; docs/templates.md lists them."""
        if name in _PLAIN:
            return self._apply(name)
        if name.startswith("__"):
            raise AttributeError(name)
        advice = did_you_mean(name, [*_PLAIN, *vars(Cells)], otherwise=f"use one of {', '.join(sorted(_PLAIN))}")
        raise AttributeError(f"a column has no function {name!r}; {advice}")

    def prefix(self, first: int, last: int | None = None) -> "Cells":
        """The first characters: `prefix(3)`, or `prefix(1, 4)` for four patterns."""
        return self._apply(*(f"prefix{n}" for n in _range(first, last)))

    def suffix(self, first: int, last: int | None = None) -> "Cells":
        """The last characters: `suffix(3)`, or `suffix(1, 4)` for four patterns."""
        return self._apply(*(f"suffix{n}" for n in _range(first, last)))

    def ngrams(self, shortest: int, longest: int | None = None) -> "Cells":
        """Character n-grams, all of them values of one pattern."""
        return self._apply(f"ngrams{shortest}" if longest is None else f"ngrams{shortest}-{longest}")

    def same(self, row: int) -> "Cells":
        """Whether the cell equals the one `row` tokens further on."""
        return self._apply(f"same({row})")

    def in_list(self, name: str, phrases: PathLike | Iterable[str], *, ignore_case: bool = False) -> "Cells":
        """B-name and I-name where the words form one of the phrases, which may also be the path of a file."""
        return self._apply(f"in({name})", resource=gazetteer(name, phrases, ignore_case))

    def cluster(self, name: str, paths: PathLike | Mapping[str, str], *lengths: int) -> "Cells":
        """The word's path in clusters (a dict or the path of a file), whole or cut to each of the lengths."""
        calls = [f"cluster({name},{n})" for n in lengths] or [f"cluster({name})"]
        return self._apply(*calls, resource=cluster(name, paths))

    def match(self, name: str, expression: str) -> "Cells":
        """The name, where the regular expression matches."""
        return self._apply(f"match({name})", resource=regex(name, expression))

    def _apply(self, *calls: str, resource: Resource | None = None) -> "Cells":
        if any(len(cells) != 1 for cells in self.patterns):
            raise InputError(f"apply {calls[0]} to each column before you combine them with &")
        made = [((row, f"{name}.{call}"),) for call in calls for ((row, name),) in self.patterns]
        return Cells(tuple(made), self.resources if resource is None else (*self.resources, resource))


def column(name: str) -> Cells:
    """A column by its role.

    >>> column("w").lower.suffix(1, 3)[-1].patterns
    (((-1, 'w.lower.suffix1'),), ((-1, 'w.lower.suffix2'),), ((-1, 'w.lower.suffix3'),))
    """
    if not name.isidentifier() or name in (LABEL, IGNORED):
        raise InputError(f"a column must have a name such as w or pos, got {name!r}")
    return Cells((((0, name),),))


def template(
    *cells: Cells | str,
    transitions: Iterable[Cells | str] = (),
    columns: str | None = None,
    padding: bool = False,
    edges: bool = True,
    name: str = "template",
) -> Template:
    """A Template of cells, or of patterns as text with `%x[row,column]`.

    transitions: cells whose attributes have a weight for each pair of labels, of the token before and this one
    columns: roles in the order of the input, such as "w pos y"; by default in the order of their first use
    padding: beyond the ends of a sentence, read `_B-1`, `_B+1`, … instead of leaving the pattern out
    edges: __BOS__ on the first token, __EOS__ on the last

    >>> w = column("w")
    >>> template(w[-1:1], w.suffix(1, 3), w[-1] & w[0])
    Template 'template': 7 patterns, columns w y, __BOS__/__EOS__
    >>> template(w[-1:1], transitions=[w.shape])
    Template 'template': 3 patterns, columns w y, 1 patterns of transitions, __BOS__/__EOS__
    """
    if isinstance(transitions, str | Cells):
        raise InputError("transitions must be a list of cells and strings; write transitions=[…]")
    made = _Collected()
    patterns, pairs = made.patterns(cells), made.patterns(transitions)
    if not patterns and not pairs:
        raise InputError("a template needs at least one pattern, such as column('w')[-2:2]")
    found = Template(name, patterns, (), padding, edges, tuple(made.resources.values()), pairs)
    found.check()
    chosen: Any = columns if columns is not None else (*made.roles, LABEL) if made.roles else ()
    return found.with_columns(chosen) if chosen else found


@dataclass
class _Collected:
    """The columns and resources that the cells of a template name so far."""

    resources: dict[str, Resource] = field(default_factory=dict)
    roles: dict[str, None] = field(default_factory=dict)

    def patterns(self, cells: Iterable[Cells | str]) -> tuple[Pattern, ...]:
        texts: list[str] = []
        for entry in cells:
            if isinstance(entry, str):
                texts.append(entry)
                continue
            if not isinstance(entry, Cells):
                raise InputError(
                    f"a template consists of cells and strings, but this is of type {type(entry).__name__}"
                )
            texts += [pattern_text(found) for found in entry.patterns]
            self.roles |= {column.partition(".")[0]: None for found in entry.patterns for _, column in found}
            for resource in entry.resources:
                if self.resources.setdefault(resource.name, resource) != resource:
                    raise InputError(f"{resource.kind} {resource.name}: the name is taken; choose another one")
        return tuple(Pattern(text) for text in dict.fromkeys(texts))


def _range(first: int, last: int | None) -> range:
    if last is not None and last < first:
        raise InputError(f"the range {first}, {last} is empty; write the smaller number first")
    return range(first, (first if last is None else last) + 1)
