r"""Resources of a template: gazetteers, word clusters and regular expressions.

    gazetteer cities = cities.txt              one phrase a line, its words separated by blanks
    gazetteer cities ignorecase = cities.txt   the same, ignoring case
    cluster brown = paths.txt                  word<TAB>path on each line, or Brown's path<TAB>word<TAB>count
    regex year = ^(19|20)\d\d$                 found anywhere in the cell, if it has no anchors

A resource holds its whole text, and model files store it, so that a model tags on a machine without these files.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from functools import cached_property
from typing import Any

from tagfield.data.text.sources import PathLike, open_source
from tagfield.errors import InputError
from tagfield.native._text import Gazetteer

KINDS = ("gazetteer", "cluster", "regex")
NAME = re.compile(r"[\w-]+")


@dataclass(frozen=True)
class Resource:
    r"""A gazetteer (a phrase on each line), clusters (word<TAB>path on each line) or a regular expression.

    >>> Resource("gazetteer", "cities", "New York\nRome")
    Resource gazetteer cities: 2 lines
    """

    kind: str
    name: str
    text: str
    ignore_case: bool = False  # for gazetteers

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"no resource of the kind {self.kind!r}; choose {', '.join(KINDS)}")
        check_name(self.kind, self.name)
        if not self.text:
            raise InputError(f"{self.kind} {self.name}: the text is empty")
        try:
            self.text.encode()
        except UnicodeEncodeError:
            raise InputError(f"{self.kind} {self.name}: the text holds a lone surrogate") from None
        if self.ignore_case and self.kind != "gazetteer":
            raise InputError(f"{self.kind} {self.name}: only a gazetteer can ignore case")

    def __repr__(self) -> str:
        lines = self.text.count("\n") + 1
        ends = ", ignoring case" if self.ignore_case else ""
        return f"Resource {self.kind} {self.name}: " + (
            self.text if self.kind == "regex" else f"{lines} line{'s' if lines > 1 else ''}{ends}"
        )

    def __reduce__(self) -> Any:  # a pickle holds the text, not what was made from it
        return Resource, astuple(self)

    @cached_property
    def phrases(self) -> Gazetteer:
        """The phrases of a gazetteer, ready to be found."""
        text = self.text.lower() if self.ignore_case else self.text
        return Gazetteer([line.split() for line in text.split("\n")])

    @cached_property
    def paths(self) -> dict[str, str]:
        """The path of each word."""
        return dict(line.split("\t") for line in self.text.split("\n") if line)

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """The compiled regular expression."""
        try:
            return re.compile(self.text)
        except (re.error, RecursionError, OverflowError) as error:
            raise InputError(f"regex {self.name}: {self.text!r} is not a regular expression: {error}") from None

    def check(self) -> None:
        """Raises InputError if the text is not what its kind says."""
        if self.kind == "regex":
            _ = self.expression
        if self.kind == "cluster":
            for number, line in enumerate(self.text.split("\n"), start=1):
                if line and line.count("\t") != 1:
                    raise InputError(f"cluster {self.name}, line {number}: expected word<TAB>path, found {line[:60]!r}")


def check_name(kind: str, name: str) -> None:
    """Raises InputError if a resource cannot have this name."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise InputError(f"{kind} {name!r}: a name must consist of letters, digits, _ and -")


def gazetteer(name: str, phrases: PathLike | Iterable[str], ignore_case: bool = False) -> Resource:
    """A gazetteer from a file of phrases, or from the phrases themselves.

    >>> gazetteer("cities", ["New York", "Rome"], ignore_case=True)
    Resource gazetteer cities: 2 lines, ignoring case
    """
    found = _lines(phrases) if isinstance(phrases, str | os.PathLike) else _strings(name, phrases)
    text = "\n".join(dict.fromkeys(joined for phrase in found if (joined := " ".join(phrase.split()))))
    if not text:
        raise InputError(f"gazetteer {name}: found no phrase; give one phrase a line")
    return Resource("gazetteer", name, text, ignore_case)


def cluster(name: str, paths: PathLike | Mapping[str, str]) -> Resource:
    """Word clusters from a file, or from a dict of each word's path.

    >>> cluster("brown", {"Rome": "0010", "Paris": "0011"}).paths["Paris"]
    '0011'
    """
    if not isinstance(paths, Mapping | str | os.PathLike):
        raise InputError(f"cluster {name}: give a file or a dict of each word's path, not {type(paths).__name__}")
    pairs = dict(paths) if isinstance(paths, Mapping) else _read_paths(name, paths)
    for word, path in pairs.items():
        if not isinstance(word, str) or not isinstance(path, str):
            raise InputError(f"cluster {name}: {word!r:.60} has the path {path!r:.60}; words and paths must be strings")
        if not word or not path or re.search(r"[\t\n]", word + path):
            raise InputError(
                f"cluster {name}: {word!r} with the path {path!r} has an empty string, a tab or a line break"
            )
    if not pairs:
        raise InputError(f"cluster {name}: found no word; give word<TAB>path on each line")
    return Resource("cluster", name, "\n".join(f"{word}\t{path}" for word, path in pairs.items()))


def regex(name: str, expression: str) -> Resource:
    r"""A regular expression, as Python's `re` reads it.

    >>> regex("year", r"^(19|20)\d\d$")
    Resource regex year: ^(19|20)\d\d$
    """
    made = Resource("regex", name, expression)
    made.check()
    return made


def _strings(name: str, phrases: Iterable[str]) -> Iterator[str]:
    if not isinstance(phrases, Iterable):
        raise InputError(f"gazetteer {name}: give a file or a list of phrases, not {type(phrases).__name__}")
    for phrase in phrases:
        if not isinstance(phrase, str):
            raise InputError(f"gazetteer {name}: {phrase!r:.60} is no phrase; write it as a string of its words")
        yield phrase


def _lines(path: PathLike) -> list[str]:
    source = open_source(path)
    try:
        text = source.text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = source.text.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{source.name}, line {line}: the bytes are not valid UTF-8; convert the file to UTF-8 first"
        ) from None
    return [line.removesuffix("\r") for line in text.split("\n")]


def _read_paths(name: str, path: PathLike) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for number, line in enumerate(_lines(path), start=1):
        if not line:
            continue
        match line.split("\t"):
            case [word, branch] if word and branch:
                pairs.setdefault(word, branch)
            case [branch, word, count] if word and branch and count.strip().isdecimal():
                pairs.setdefault(word, branch)
            case _:
                raise InputError(
                    f"cluster {name}: {path}, line {number}: found {line[:60]!r}; write word<TAB>path, or "
                    "path<TAB>word<TAB>count"
                )
    return pairs
