r"""Templates: how the cells of the columns become attribute strings.

A pattern is text in which `%x[row,column]` stands for a cell. The row counts from the token; the column is a number
or a role, with functions after dots.

    U05:%x[-1,0]/%x[0,0]            as in CRF++, columns by number
    w[-1]|w[0]                      a window, short for w[-1]|w[0]=%x[-1,w]|%x[0,w]
    w.lower.suffix1:4               functions: the last 1, 2, 3, 4 characters of the lower-cased word
    columns w pos y                 the roles of the columns; y is the label
    transition w.lower              weights for pairs of labels that look at the input; B01:%x[0,0] as in CRF++
    padding off                     leave out patterns beyond the ends; edges on: __BOS__ and __EOS__
    gazetteer cities = cities.txt   a resource for w.in(cities); see resources.py
    include ner                     the lines of a preset or another file, which the others extend

Beyond the ends of a sentence a template with padding reads `_B-1`, `_B-2`, … and `_B+1`, … as CRF++ does; a template
without padding leaves the pattern out. Every model has label bigrams, so a lone `B` line changes nothing. The same
templates as Python objects are in cells.py, and docs/templates.md describes the language. A template whose syntax is
`wapiti` has the patterns of Wapiti; see wapiti_patterns.py.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tagfield.data.text.sources import PathLike
from tagfield.data.text.templates.functions import Call, parse_column
from tagfield.data.text.templates.resources import Resource, cluster, gazetteer, regex
from tagfield.data.text.templates.wapiti.patterns import Step, check_wapiti, split_wapiti
from tagfield.data.text.templates.windows import Cell
from tagfield.errors import InputError

LABEL = "y"
IGNORED = "_"
REACH = 8  # CRF++ has padding for eight rows
WAPITI = "wapiti"  # the syntax of Wapiti's patterns; "" is that of CRF++ and of windows

_SURROGATE = re.compile("[\ud800-\udfff]")
_CELL = re.compile(r"%x\[\s*([+-]?\d{1,4})\s*,\s*([^\[\]%]+?)\s*\]")


@dataclass(frozen=True)
class Pattern:
    """One line of a template: pieces of text with cells between them.

    >>> Pattern("U05:%x[-1,0]/%x[0,0]").cells
    ((-1, '0'), (0, '0'))
    """

    text: str
    line: int = 0
    syntax: str = ""  # or WAPITI

    def __reduce__(self) -> Any:  # a pickle holds the text, not what was made from it
        return Pattern, (self.text, self.line, self.syntax)

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        return split_wapiti(self.text)[0] if self.syntax else tuple(_CELL.split(self.text)[::3])

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        if self.syntax:
            return split_wapiti(self.text)[1]
        return tuple((int(row), column) for row, column in _CELL.findall(self.text))

    @cached_property
    def chains(self) -> tuple[tuple[str, tuple[Call | Step, ...]], ...]:
        """For each cell its column, and the functions or macros that apply to it.

        >>> [(base, len(calls)) for base, calls in Pattern("U:%x[0,w.lower.suffix3]%x[0,1]").chains]
        [('w', 2), ('1', 0)]
        """
        if self.syntax:
            return split_wapiti(self.text)[2]
        return tuple((base, tuple(calls)) for base, calls in (parse_column(column) for _, column in self.cells))


@dataclass(frozen=True)
class Template:
    """Patterns, the roles of the columns, what to do at the ends of a sentence, and resources.

    >>> Template("mine", (Pattern("w=%x[0,w]"),), ("w", "y"))
    Template 'mine': 1 patterns, columns w y
    """

    name: str  # of the preset or the file
    patterns: tuple[Pattern, ...]
    columns: tuple[str, ...] = ()  # roles; empty: all columns of the file, the last one is the label
    padding: bool = False
    boundaries: bool = False  # __BOS__ on the first token, __EOS__ on the last
    resources: tuple[Resource, ...] = ()
    transitions: tuple[Pattern, ...] = ()  # patterns of weights for (label before, label), from the second token on
    syntax: str = ""  # of the patterns; WAPITI: those of Wapiti, and its padding

    def __post_init__(self) -> None:
        if self.syntax not in ("", WAPITI) or any(pattern.syntax != self.syntax for pattern in self.all_patterns):
            raise InputError(f"template {self.name!a}: every pattern must have the syntax of the template")
        for text in (self.name, *self.columns, *(pattern.text for pattern in self.all_patterns)):
            if isinstance(text, str) and _SURROGATE.search(text):
                raise InputError(f"template {self.name!a}: {text!a:.60} holds a lone surrogate; correct it")

    def __repr__(self) -> str:
        roles = " ".join(self.columns) or "as in the file"
        ends = [f"{len(self.transitions)} patterns of transitions"] if self.transitions else []
        ends += [word for word, on in (("padding", self.padding), ("__BOS__/__EOS__", self.boundaries)) if on]
        ends += [f"{resource.kind} {resource.name}" for resource in self.resources]
        return f"Template {self.name!r}: {len(self.patterns)} patterns, columns {roles}" + "".join(
            f", {end}" for end in ends
        )

    @property
    def all_patterns(self) -> tuple[Pattern, ...]:
        """The patterns of tokens, then those of transitions."""
        return self.patterns + self.transitions

    @property
    def reads(self) -> set[str]:
        """The columns that some pattern reads, by name or number as the pattern has them.

        >>> sorted(Template("mine", (Pattern("U:%x[0,w.lower]/%x[0,1]"),)).reads)
        ['1', 'w']
        """
        return {base for pattern in self.all_patterns for base, _ in pattern.chains}

    def with_columns(self, columns: str | tuple[str, ...]) -> "Template":
        """The same patterns over other columns, given as roles: `y` is the label, `_` skips a column.

        >>> Template("mine", (Pattern("w=%x[0,w]"),), ("w", "y")).with_columns("_ w y").columns
        ('_', 'w', 'y')
        """
        roles = tuple(columns.split()) if isinstance(columns, str) else tuple(columns)
        named = [role for role in roles if role != IGNORED]
        if len(set(named)) != len(named):
            raise InputError(f"columns {' '.join(roles)!r}: a role occurs twice; name each role once")
        if not set(named) - {LABEL}:
            raise InputError(f"columns {' '.join(roles)!r}: name at least one column besides the label")
        return replace(self, columns=roles)

    @classmethod
    def preset(cls, name: str) -> "Template":
        """The preset of that name: ner, pos, phrases, chunking, words, segmentation or crfpp.

        >>> Template.preset("ner").columns
        ('w', 'y')
        """
        from tagfield.data.text.templates.presets import find_preset  # presets are made of templates

        return find_preset(name)

    def extended(self, lines: str | Iterable[str], *, folder: PathLike = "") -> "Template":
        r"""This template with more lines; `tagfield train --add LINE` does the same.

        lines: as in a template file; relative paths in them begin at `folder`. A resource that no pattern reads is
            read at the word and its neighbours.

        >>> Template.preset("ner").extended(r"regex year = ^(19|20)\d\d$")
        Template 'ner, extended': 33 patterns, columns w y, __BOS__/__EOS__, regex year
        """
        from tagfield.data.text.templates.parsing import extended_template

        return extended_template(self, lines, folder=folder)

    def with_gazetteer(self, name: str, phrases: PathLike | Iterable[str], ignore_case: bool = False) -> "Template":
        """This template with a list of phrases: a file with one on each line, or the phrases themselves.

        >>> Template.preset("ner").with_gazetteer("brand", ["De Longhi", "Braun"]).patterns[-1].text
        'w.in(brand)[1]=%x[1,w.in(brand)]'
        """
        return self._with(gazetteer(name, phrases, ignore_case))

    def with_clusters(self, name: str, paths: PathLike | Mapping[str, str]) -> "Template":
        """This template with word clusters: a file of word<TAB>path, or a dict of each word's path.

        >>> len(Template.preset("ner").with_clusters("brown", {"Rome": "0010"}).patterns)
        51
        """
        return self._with(cluster(name, paths))

    def with_regex(self, name: str, expression: str) -> "Template":
        r"""This template with a regular expression.

        >>> Template.preset("ner").with_regex("year", r"^(19|20)\d\d$").resources
        (Resource regex year: ^(19|20)\d\d$,)
        """
        return self._with(regex(name, expression))

    def _with(self, resource: Resource) -> "Template":
        from tagfield.data.text.templates.parsing import extended_template

        return extended_template(self, resources=[resource])

    def where(self, pattern: Pattern) -> str:
        """Template and line of a pattern, for messages."""
        return f"template {self.name}, line {pattern.line}" if pattern.line else f"template {self.name}"

    @property
    def named(self) -> dict[str, Resource]:
        """The resources by name."""
        return {resource.name: resource for resource in self.resources}

    def check(self) -> None:
        """Raises InputError if a pattern or a resource is wrong."""
        for pattern in self.all_patterns:
            check_pattern(self, pattern)
        if len(self.named) < len(self.resources):
            raise InputError(f"template {self.name}: two resources have the same name; rename one")
        for resource in self.resources:
            resource.check()

    def to_json(self, texts: bool = True) -> str:
        """The whole template as JSON text, for model files; `from_json` reads it.

        texts: whether to include the texts of the resources, which may be long

        >>> template = Template("mine", (Pattern("w=%x[0,w]"),), ("w", "y"))
        >>> Template.from_json(template.to_json()) == template
        True
        """
        record: dict[str, Any] = {
            "name": self.name,
            "patterns": [[pattern.text, pattern.line] for pattern in self.patterns],
            "columns": list(self.columns),
            "padding": self.padding,
            "edges": self.boundaries,
        }
        if self.transitions:
            record["transitions"] = [[pattern.text, pattern.line] for pattern in self.transitions]
        if self.syntax:
            record["syntax"] = self.syntax
        if self.resources:
            record["resources"] = [
                {"kind": found.kind, "name": found.name, "ignore_case": found.ignore_case}
                | ({"text": found.text} if texts else {})
                for found in self.resources
            ]
        return json.dumps(record)

    @classmethod
    def from_json(cls, text: str, texts: Sequence[str] | None = None) -> "Template":
        """Read the text of `to_json`, checking every field.

        texts: the texts of the resources, if they are not in the JSON text

        >>> Template.from_json('{"name": 3}')
        Traceback (most recent call last):
        tagfield.errors.InputError: this is not a template: 'patterns' is missing
        """
        try:
            record: dict[str, Any] = json.loads(text)
            syntax = record.get("syntax", "")
            patterns, transitions = (
                tuple(Pattern(line, number, syntax) for line, number in listed)
                for listed in (record["patterns"], record.get("transitions", []))
            )
            found: list[dict[str, Any]] = list(record.get("resources", []))
            contents = [entry["text"] for entry in found] if texts is None else list(texts)
            entries = [
                (entry["kind"], entry["name"], content, entry["ignore_case"])
                for entry, content in zip(found, contents, strict=True)
            ]
            roles, padding, boundaries = tuple(record["columns"]), record["padding"], record["edges"]
            made = cls(record["name"], patterns, roles, padding, boundaries, (), transitions, syntax)
        except KeyError as error:
            raise InputError(f"this is not a template: {error} is missing") from None
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(f"this is not a template: {error}") from None
        strings = [made.name, *made.columns, *(pattern.text for pattern in made.all_patterns)]
        strings += [field for kind, name, content, _ in entries for field in (kind, name, content)]
        numbers = [pattern.line for pattern in made.all_patterns]
        flags = [made.padding, made.boundaries, *(ignore_case for *_, ignore_case in entries)]
        if not all(
            isinstance(value, kind)
            for values, kind in ((strings, str), (numbers, int), (flags, bool))
            for value in values
        ):
            raise InputError("this is not a template: a field has the wrong type")
        made = replace(made, resources=tuple(Resource(*entry) for entry in entries))
        made.check()
        return made.with_columns(made.columns) if made.columns else made


def check_pattern(template: Template, pattern: Pattern) -> None:
    """Raises InputError if a pattern is wrong."""
    where = f"{template.where(pattern)}: {pattern.text!r}"
    if pattern.syntax == WAPITI:
        try:
            check_wapiti(pattern.text)
        except InputError as error:
            raise InputError(f"{template.where(pattern)}: {error}") from None
        return
    if any("%" in piece for piece in pattern.pieces):
        raise InputError(f"{where} has a % that does not begin %x[row,column]")
    for row, column in pattern.cells:
        if abs(row) > REACH:
            raise InputError(f"{where} reads {row} rows away; the limit is {REACH} rows")
        try:
            for call in parse_column(column)[1]:
                call.check(template.named)
        except InputError as error:
            raise InputError(f"{template.where(pattern)}: {error}") from None
