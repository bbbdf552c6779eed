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

from tagfield.data.text.lines import cells_in, check_lines, is_blank, split_lines
from tagfield.data.text.sources import PathLike, open_source
from tagfield.data.text.templates.expressions import Expression
from tagfield.errors import InputError
from tagfield.native._text import Gazetteer
from tagfield.system.memory import check_fits, spell

KINDS = ("gazetteer", "cluster", "regex")
NAME = re.compile(r"[\w-]+")
BYTE, WORD, LINE = 5.0, 150.0, 350.0  # bytes of memory for each of a gazetteer, at its peak; measured
SMALL = 1e7  # bytes of memory that are taken without a check


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
        _check_room(self.kind, self.name, self.text)
        text = self.text.lower() if self.ignore_case else self.text
        return Gazetteer([cells_in(line) for line in text.split("\n")])

    @cached_property
    def paths(self) -> dict[str, str]:
        """The path of each word."""
        _check_room(self.kind, self.name, self.text)
        return dict(line.split("\t") for line in self.text.split("\n") if line)

    @cached_property
    def expression(self) -> Expression:
        """The compiled regular expression."""
        try:
            return Expression(self.text)
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
    found = _lines(phrases, "gazetteer", name) if isinstance(phrases, str | os.PathLike) else _strings(name, phrases)
    text = "\n".join(dict.fromkeys(joined for phrase in found if (joined := " ".join(cells_in(phrase)))))
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
        yield phrase.replace("\r", " ").replace("\n", " ")


def _check_room(kind: str, name: str, text: str | bytes) -> None:
    """Raise MemoryLimitError if what is made of a text does not fit into memory."""
    words, lines = (
        (text.count(" "), text.count("\n")) if isinstance(text, str) else (text.count(b" "), text.count(b"\n"))
    )
    needed = BYTE * len(text) + WORD * words + LINE * lines
    if needed > SMALL:
        check_fits(needed, f"{kind} {name}: the {spell(len(text))} of text", "give fewer lines")


def _lines(path: PathLike, kind: str, name: str) -> list[str]:
    source = open_source(path)
    check_lines(source)
    _check_room(kind, name, source.text)
    try:
        text = source.text.decode()
    except UnicodeDecodeError as error:
        line = source.text.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{source.name}, line {line}: the bytes are not valid UTF-8; convert the file to UTF-8 first"
        ) from None
    return split_lines(text)


def _read_paths(name: str, path: PathLike) -> dict[str, str]:
    pairs: dict[str, str] = {}
    lines = _lines(path, "cluster", name)
    for number, line in enumerate(lines, start=1):
        if is_blank(line):
            continue
        match line.split("\t"):
            case [word, branch] if word and branch:
                pass
            case [branch, word, count] if word and branch and count.strip(" ").isdecimal():
                pass
            case _:
                raise InputError(
                    f"cluster {name}: {path}, line {number}: found {line[:60]!r}; write word<TAB>path, or "
                    "path<TAB>word<TAB>count"
                )
        if pairs.setdefault(word, branch) != branch:
            first = next(k for k, before in enumerate(lines, start=1) if word in before.split("\t"))
            raise InputError(
                f"cluster {name}: {path}, line {number}: {word[:60]!r} has the path {branch[:60]!r}, but "
                f"{pairs[word][:60]!r} in line {first}; give each word one path"
            )
    return pairs
