"""Templates: how the cells of a column file become attribute strings.

A pattern is text in which `%x[row,column]` stands for a cell. The row counts from the token; the column is a number
or a role.

    U05:%x[-1,0]/%x[0,0]            as in CRF++, columns by number
    w[-1]|w[0]=%x[-1,w]|%x[0,w]     as in the presets, columns by role
    suffix=%x[0,w.suffix3]          a derived column: lower, shape, prefixN or suffixN of another column

Beyond the ends of a sentence a template with padding reads `_B-1`, `_B-2`, … and `_B+1`, … as CRF++ does; a template
without padding leaves the pattern out. Every model has label bigrams, so a lone `B` line changes nothing.
"""

import json
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from tagfield.errors import InputError
from tagfield.text.sources import PathLike, open_source

LABEL = "y"
IGNORED = "_"
REACH = 8  # CRF++ has padding for eight rows

Cell: TypeAlias = tuple[int, str]  # (row, column)
_CELL = re.compile(r"%x\[\s*([+-]?\d{1,4})\s*,\s*([\w.]+)\s*\]")
_DERIVED = re.compile(r"lower|shape|(?:prefix|suffix)[1-9]")


@dataclass(frozen=True)
class Pattern:
    """One line of a template: pieces of text with cells between them.

    >>> Pattern("U05:%x[-1,0]/%x[0,0]").cells
    ((-1, '0'), (0, '0'))
    """

    text: str
    line: int = 0

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        return tuple(_CELL.split(self.text)[::3])

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        return tuple((int(row), column) for row, column in _CELL.findall(self.text))


@dataclass(frozen=True)
class Template:
    """Patterns, the roles of the columns, and what to do at the ends of a sentence.

    >>> Template("mine", (Pattern("w=%x[0,w]"),), ("w", "y"))
    Template 'mine': 1 patterns, columns w y
    """

    name: str  # of the preset or the file
    patterns: tuple[Pattern, ...]
    columns: tuple[str, ...] = ()  # roles; empty: all columns of the file, the last one is the label
    padding: bool = False
    edges: bool = False  # __BOS__ on the first token, __EOS__ on the last

    def __repr__(self) -> str:
        roles = " ".join(self.columns) or "as in the file"
        ends = [word for word, on in (("padding", self.padding), ("__BOS__/__EOS__", self.edges)) if on]
        return f"Template {self.name!r}: {len(self.patterns)} patterns, columns {roles}" + "".join(
            f", {end}" for end in ends
        )

    def with_columns(self, columns: str | tuple[str, ...]) -> "Template":
        """The same patterns over other columns, given as roles: `y` is the label, `_` skips a column.

        >>> parse_template("U00:%x[0,1]").with_columns("_ w _ y").columns
        ('_', 'w', '_', 'y')
        """
        roles = tuple(columns.split()) if isinstance(columns, str) else tuple(columns)
        named = [role for role in roles if role != IGNORED]
        if len(set(named)) != len(named):
            raise InputError(f"columns {' '.join(roles)!r}: a role occurs twice; name each role once")
        if not set(named) - {LABEL}:
            raise InputError(f"columns {' '.join(roles)!r}: name at least one column besides the label")
        return replace(self, columns=roles)

    def where(self, pattern: Pattern) -> str:
        """Template and line of a pattern, for messages."""
        return f"template {self.name}, line {pattern.line}" if pattern.line else f"template {self.name}"

    def to_json(self) -> str:
        """The whole template as JSON text, for model files; `from_json` reads it.

        >>> template = parse_template("U00:%x[0,0]")
        >>> Template.from_json(template.to_json()) == template
        True
        """
        patterns = [[pattern.text, pattern.line] for pattern in self.patterns]
        return json.dumps({**self.__dict__, "patterns": patterns, "columns": list(self.columns)})

    @classmethod
    def from_json(cls, text: str) -> "Template":
        """Read the text of `to_json`, checking every field.

        >>> Template.from_json('{"name": 3}')
        Traceback (most recent call last):
        tagfield.errors.InputError: this is not a template: 'patterns' is missing
        """
        try:
            record: dict[str, Any] = json.loads(text)
            patterns = tuple(Pattern(line, number) for line, number in record["patterns"])
            made = cls(record["name"], patterns, tuple(record["columns"]), record["padding"], record["edges"])
        except KeyError as error:
            raise InputError(f"this is not a template: {error} is missing") from None
        except (ValueError, TypeError, RecursionError) as error:
            raise InputError(f"this is not a template: {error}") from None
        strings = [made.name, *made.columns, *(pattern.text for pattern in patterns)]
        numbers = [pattern.line for pattern in patterns]
        flags = [made.padding, made.edges]
        if not all(
            isinstance(value, kind)
            for values, kind in ((strings, str), (numbers, int), (flags, bool))
            for value in values
        ):
            raise InputError("this is not a template: a field has the wrong type")
        for pattern in patterns:
            _check(made, pattern)
        return made.with_columns(made.columns) if made.columns else made


def read_template(path: PathLike) -> Template:
    """Read a CRF++ template file.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "template")
    >>> _ = path.write_text("# words\\nU00:%x[-1,0]\\nU01:%x[0,0]\\n\\nB\\n")
    >>> [pattern.line for pattern in read_template(path).patterns]
    [2, 3]
    """
    source = open_source(path)
    try:
        text = source.text.decode()
    except UnicodeDecodeError as error:
        line = source.text.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{source.name}, line {line}: the bytes are not valid UTF-8; convert the file to UTF-8 first"
        ) from None
    return parse_template(text, source.name)


def parse_template(text: str, name: str = "template") -> Template:
    """Read the text of a CRF++ template.

    >>> parse_template("U00:%x[0,0]").padding
    True
    """
    patterns: list[Pattern] = []
    template = Template(name, (), padding=True)
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.removesuffix("\r")
        if not line.strip() or line.startswith("#"):
            continue
        pattern = Pattern(line, number)
        if line[0] not in "UB":
            raise InputError(
                f"{template.where(pattern)}: {line!r} starts with neither U nor B; begin each pattern with U"
            )
        _check(template, pattern)
        if line[0] == "U":
            patterns.append(pattern)
        elif pattern.cells:
            raise InputError(
                f"{template.where(pattern)}: {line!r} is a label bigram with input cells, which is not supported; "
                "use a lone B"
            )
    if not patterns:
        raise InputError(f"template {name}: found no U line; add at least one, such as U00:%x[0,0]")
    return replace(template, patterns=tuple(patterns))


def _check(template: Template, pattern: Pattern) -> None:
    if any("%" in piece for piece in pattern.pieces):
        raise InputError(f"{template.where(pattern)}: {pattern.text!r} has a % that does not begin %x[row,column]")
    for row, column in pattern.cells:
        if abs(row) > REACH:
            raise InputError(
                f"{template.where(pattern)}: {pattern.text!r} reads {row} rows away; the limit is {REACH} rows"
            )
        _, dot, derived = column.partition(".")
        if dot and not _DERIVED.fullmatch(derived):
            raise InputError(
                f"{template.where(pattern)}: {column!r} is not a column; after the dot use lower, shape, prefixN or "
                "suffixN with N from 1 to 9"
            )
