"""The functions of the template language, and chains of them: `w.lower.suffix3`.

    w.lower.suffix3 ─▶ parse_column ─▶ column w, calls lower and suffix3 ─▶ plan.py: a derived column for each call

`FUNCTIONS` is the one table of functions. A function of a cell sees each distinct cell of its column once; functions of
the sentence (`in`, `same`) are native. A function that gives nothing leaves the pattern out at that token.
"""

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

from tagfield.data.text.templates import cell_functions as cells
from tagfield.data.text.templates.resources import Resource
from tagfield.errors import InputError

Values: TypeAlias = str | list[str] | None
OneCell: TypeAlias = Callable[[str], Values]
Takes: TypeAlias = Literal["", "N", "N-M", "(ROW)", "(GAZETTEER)", "(CLUSTER,N)", "(REGEX)"]


@dataclass(frozen=True)
class Function:
    """One function: what it takes, what it gives, and an example that a test runs."""

    name: str
    takes: Takes
    about: str
    compute: Callable[..., Values] | None  # None: native, over the whole sentence
    example: tuple[str, str, str]  # call, cell, values separated by blanks ("" for nothing)
    many: bool = False

    @property
    def usage(self) -> str:
        return self.name + self.takes


def _test(name: str, about: str, holds: Callable[[str], bool], cell: str) -> Function:
    return Function(name, "", about, lambda c: cells.YES if holds(c) else None, (name, cell, cells.YES))


def _any(holds: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda cell: any(map(holds, cell))


FUNCTIONS = {
    function.name: function
    for function in (
        Function("lower", "", "lower case", str.lower, ("lower", "McDonald", "mcdonald")),
        Function("prefix", "N", "first N characters", lambda c, n: c[:n], ("prefix3", "walked", "wal")),
        Function("suffix", "N", "last N characters", lambda c, n: c[-n:], ("suffix2", "walked", "ed")),
        Function("shape", "", "runs of X, x and d", cells.shape, ("shape", "McDonald's", "XxXx'x")),
        Function("longshape", "", "X, x and d for each character", cells.longshape, ("longshape", "IL-12b", "XX-ddx")),
        Function("kind", "", "coarse class of the cell", cells.kind, ("kind", "IL-2", "dX-")),
        Function("length", "", "class of the length", cells.length, ("length", "dachshund", "9-12")),
        Function("zeros", "", "every digit as 0", cells.zeros, ("zeros", "Boeing747", "Boeing000")),
        Function("digits", "", "the same, only if it has a digit", cells.digits, ("digits", "1,234.5", "0,000.0")),
        Function("parts", "", "parts between - and /", cells.parts, ("parts", "post-war", "post war"), many=True),
        Function("firstpart", "", "first part", cells.first_part, ("firstpart", "post-war", "post")),
        Function("lastpart", "", "last part", cells.last_part, ("lastpart", "post-war", "war")),
        Function("ngrams", "N-M", "n-grams of ^cell$", cells.ngrams, ("ngrams3", "dog", "^do dog og$"), many=True),
        Function("script", "", "script of its characters", cells.script, ("script", "3月", "digit+han")),
        Function("category", "", "Unicode categories", cells.category, ("category", "Ab1", "Lu+Ll+Nd")),
        _test("istitle", "words begin upper case", str.istitle, "Rome"),
        _test("isupper", "all letters upper case", str.isupper, "IBM"),
        _test("islower", "all letters lower case", str.islower, "dog"),
        _test("isdigit", "only digits", str.isdigit, "1990"),
        _test("isalpha", "only letters", str.isalpha, "dog"),
        _test("isalnum", "only letters and digits", str.isalnum, "p53"),
        _test("ispunct", "no letter and no digit", lambda c: not _any(str.isalnum)(c), "..."),
        _test("hasdigit", "a digit", _any(str.isdigit), "p53"),
        _test("hasupper", "an upper-case letter", _any(str.isupper), "iPhone"),
        _test("hashyphen", "a hyphen", lambda c: "-" in c, "post-war"),
        Function("same", "(ROW)", "equals the cell ROW tokens away", None, ("same(1)", "no no", "yes")),
        Function(
            "in", "(GAZETTEER)", "longest phrase of a gazetteer", None, ("in(cities)", "New York", "B-cities I-cities")
        ),
        Function("cluster", "(CLUSTER,N)", "path in word clusters", None, ("cluster(brown,2)", "Rome", "00")),
        Function("match", "(REGEX)", "regular expression matches", None, ("match(year)", "1990", "year")),
    )
}

_CALL = re.compile(r"([a-z]+)(\d{1,4}(?:-\d{1,4})?)?(?:\(([^()]*)\))?")
_SPLIT = re.compile(r"\.(?![^()]*\))")  # dots outside parentheses
_DECLARED = {"in": "gazetteer", "cluster": "cluster", "match": "regex"}


@dataclass(frozen=True)
class Call:
    """A function with its arguments."""

    function: Function
    numbers: tuple[int, ...] = ()
    resource: str = ""

    @property
    def many(self) -> bool:
        """Whether it may give several values."""
        return self.function.many

    def check(self, resources: Mapping[str, Resource]) -> None:
        """Raises InputError if the resource that it names is not declared."""
        if not self.resource:
            return
        kind = _DECLARED[self.function.name]
        known = [name for name, resource in resources.items() if resource.kind == kind]
        if self.resource not in known:
            advice = _did_you_mean(self.resource, known) or f"declare it with a line {kind} {self.resource} = …"
            raise InputError(f"{self.function.name}({self.resource}): no {kind} has this name; {advice}")

    def over(self, resources: Mapping[str, Resource]) -> OneCell:
        """The function of one cell; for functions of the sentence see plan.py."""
        if self.function.compute is not None:
            compute: Any = self.function.compute
            return (lambda cell: compute(cell, *self.numbers)) if self.numbers else compute
        if self.function.name == "cluster":
            return partial(_path, resources[self.resource].paths, self.numbers[0] if self.numbers else None)
        expression = resources[self.resource].expression
        return lambda cell: self.resource if expression.search(cell) else None


def parse_column(text: str) -> tuple[str, list[Call]]:
    """A column and the functions after its dots.

    >>> base, [lower, suffix] = parse_column("w.lower.suffix3")
    >>> base, suffix.function.name, suffix.numbers
    ('w', 'suffix', (3,))
    >>> parse_column("w.sufix3")
    Traceback (most recent call last):
    tagfield.errors.InputError: no function named 'sufix3'; did you mean suffixN?
    """
    base, *calls = _SPLIT.split(text)
    return base, [_parse_call(call) for call in calls]


def _parse_call(text: str) -> Call:
    match = _CALL.fullmatch(text)
    function = FUNCTIONS.get(match[1]) if match else None
    if match is None or function is None:
        bare = re.match(r"[a-zA-Z]*", text)
        close = difflib.get_close_matches(bare[0].lower() if bare else "", FUNCTIONS, n=1)
        advice = f"did you mean {FUNCTIONS[close[0]].usage}?" if close else f"use {', '.join(FUNCTIONS)}"
        raise InputError(f"no function named {text!r}; {advice}")
    numbers = tuple(int(number) for number in match[2].split("-")) if match[2] else ()
    arguments = [argument.strip() for argument in match[3].split(",")] if match[3] is not None else []
    made = _with_arguments(function, numbers, arguments)
    if made is None:
        raise InputError(f"{text!r} has the wrong arguments; write {_usage(function)}")
    return made


def _with_arguments(function: Function, numbers: tuple[int, ...], arguments: list[str]) -> Call | None:
    small = all(1 <= number <= 9 for number in numbers)
    match function.takes, numbers, arguments:
        case "", (), []:
            return Call(function)
        case "N", (_,), [] if small:
            return Call(function, numbers)
        case "N-M", (first,), [] if small:
            return Call(function, (first, first))
        case "N-M", (first, last), [] if small and first <= last:
            return Call(function, numbers)
        case "(ROW)", (), [row] if re.fullmatch(r"[+-]?[1-8]", row):
            return Call(function, (int(row),))
        case "(GAZETTEER)" | "(REGEX)" | "(CLUSTER,N)", (), [name] if name:
            return Call(function, (), name)
        case "(CLUSTER,N)", (), [name, count] if name and re.fullmatch(r"[1-9]\d?", count):
            return Call(function, (int(count),), name)
    return None


def _usage(function: Function) -> str:
    ranges = {"N": " with N from 1 to 9", "N-M": " or ngramsN, with numbers from 1 to 9"}
    ranges |= {
        "(ROW)": " with a row from -8 to 8, but not 0",
        "(CLUSTER,N)": " or cluster(CLUSTER), with N from 1 to 99",
    }
    return function.usage + ranges.get(function.takes, "")


def _did_you_mean(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {close[0]}?" if close else ""


def _path(paths: dict[str, str], count: int | None, cell: str) -> str | None:
    path = paths.get(cell)
    return path if path is None else path[:count]
