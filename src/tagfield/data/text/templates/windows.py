"""Windows: the short form of patterns, as cells around the token.

    w[0]                     w[0]=%x[0,w]
    w[-1]|w[0]               w[-1]|w[0]=%x[-1,w]|%x[0,w]
    w[-2:2]                  five patterns, both ends included
    w.lower.suffix1:4        four patterns, at the token itself

Several ranges in a line give every combination.
"""

import re
from collections.abc import Sequence
from itertools import product
from math import prod
from typing import TypeAlias

from tagfield.errors import InputError

Cell: TypeAlias = tuple[int, str]  # (row, column)
MOST = 10_000  # patterns of a line, so that a typo does not fill the memory

_CELL = re.compile(r"\s*([^\s\[\]|]+)\s*(?:\[\s*([+-]?\d{1,4})\s*(?::\s*([+-]?\d{1,4})\s*)?\])?\s*")
_RANGE = re.compile(r"(?<=[a-z])(\d{1,2}):(\d{1,2})")


def pattern_text(cells: Sequence[Cell]) -> str:
    """The pattern of some cells.

    >>> pattern_text([(-1, "w"), (0, "pos")])
    'w[-1]|pos[0]=%x[-1,w]|%x[0,pos]'
    """
    names = "|".join(f"{column}[{row}]" for row, column in cells)
    return f"{names}=" + "|".join(f"%x[{row},{column}]" for row, column in cells)


def expand_window(line: str) -> list[tuple[Cell, ...]]:
    """The cells of each pattern of a line.

    >>> expand_window("w[-1:0]|pos")
    [((-1, 'w'), (0, 'pos')), ((0, 'w'), (0, 'pos'))]
    >>> [column for ((_, column),) in expand_window("w.suffix2:3")]
    ['w.suffix2', 'w.suffix3']
    """
    cells = [_alternatives(cell, line) for cell in line.split("|")]
    _check_count(prod(map(len, cells)), line)
    return list(product(*cells))


def _alternatives(text: str, line: str) -> list[Cell]:
    match = _CELL.fullmatch(text)
    if not match:
        raise InputError(f"{line!r} is not a pattern; write cells such as w[-1]|w[0], or begin with U as in CRF++")
    column, first, last = match[1], int(match[2] or 0), int(match[3] or match[2] or 0)
    if first > last:
        raise InputError(f"{line!r}: the range {first}:{last} is empty; write the smaller row first")
    return [(row, name) for name in _columns(column, line) for row in range(first, last + 1)]


def _columns(column: str, line: str) -> list[str]:
    match = _RANGE.search(column)
    if not match:
        return [column]
    first, last = int(match[1]), int(match[2])
    if first > last:
        raise InputError(f"{line!r}: the range {match[0]} is empty; write the smaller number first")
    before, after = column[: match.start()], column[match.end() :]
    rests = _columns(after, line)
    _check_count((last + 1 - first) * len(rests), line)
    return [f"{before}{n}{rest}" for n in range(first, last + 1) for rest in rests]


def _check_count(count: int, line: str) -> None:
    if count > MOST:
        raise InputError(f"{line!r:.60} makes {count:,} patterns; the limit is {MOST:,} for a line")
