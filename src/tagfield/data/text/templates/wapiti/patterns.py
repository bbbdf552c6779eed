r"""One of Wapiti's patterns → pieces of text, the cells between them, and what each macro does to its cell.

u05:%X[-1,0]/%m[0,0,"..$"] ─▶ pieces  u05: / ""    cells  (-1, 0) (0, 0)    chains  lower · part ..$

The first letter says what the pattern makes: u attributes of tokens, b of transitions, * of both. It is part of the
attribute's name, in lower case. Source: the manual page of Wapiti 1.5, section PATTERNS.
"""

import re
from typing import TypeAlias

from tagfield.data.text.templates.wapiti.macros import AsciiLower, AtRow, Part, Test
from tagfield.errors import InputError

Step: TypeAlias = AtRow | Test | Part | AsciiLower
Chain: TypeAlias = tuple[str, tuple[Step, ...]]  # the column, and the steps

KINDS = ("u", "b", "*")
FARTHEST = 4096  # rows

_MACRO = re.compile(
    r"""%(?P<kind>[xtmXTM]) \[ \s*(?P<absolute>@?) \s*(?P<row>[+-]?\d{1,9}) , \s*\+?(?P<column>\d{1,4})
        (?:,"(?P<expression>(?:\\.|[^"\\])*)")? \]""",
    re.VERBOSE,
)


def split_wapiti(text: str) -> tuple[tuple[str, ...], tuple[tuple[int, str], ...], tuple[Chain, ...]]:
    """Pieces, (row, column) of the cells, and for each cell its column with its steps.

    >>> pieces, cells, chains = split_wapiti('u5:%X[-1,0]/%x[@1,1]')
    >>> pieces, cells
    (('u5:', '/', ''), ((-1, '0'), (0, '1')))
    >>> chains
    (('0', (AsciiLower(),)), ('1', (AtRow(row=1),)))
    """
    pieces: list[str] = []
    cells: list[tuple[int, str]] = []
    chains: list[Chain] = []
    at, found = 0, list(_MACRO.finditer(text))
    side_by_side = _neighbours(found)
    for k, macro in enumerate(found):
        pieces.append(text[at : macro.start()])
        at = macro.end()
        kind, expression = macro["kind"].lower(), macro["expression"]
        if (expression is None) != (kind == "x"):
            wanted = f'write %{macro["kind"]}[row,column,"expression"]' if kind != "x" else "only %t and %m take one"
            raise InputError(f"{macro[0]} has {'no' if kind != 'x' else 'an'} expression; {wanted}")
        steps: list[Step] = [AtRow(int(macro["row"]))] if macro["absolute"] else []
        steps += [Test(expression)] if kind == "t" else []
        steps += [Part(expression, k in side_by_side)] if kind == "m" else []
        steps += [AsciiLower()] if macro["kind"].isupper() else []
        cells.append((0 if macro["absolute"] else int(macro["row"]), str(int(macro["column"]))))
        chains.append((cells[-1][1], tuple(steps)))
    return (*pieces, text[at:]), tuple(cells), tuple(chains)


def _neighbours(found: list[re.Match[str]]) -> set[int]:
    """The macros %m that stand directly beside another %m."""
    parts = [macro["kind"] in "mM" for macro in found]
    pairs = [k for k in range(len(found) - 1) if parts[k] and parts[k + 1] and found[k].end() == found[k + 1].start()]
    return {*pairs, *(k + 1 for k in pairs)}


def check_wapiti(text: str) -> None:
    """Raises InputError if a pattern is wrong; the message begins with the pattern.

    >>> check_wapiti("x:%x[0,0]")
    Traceback (most recent call last):
    tagfield.errors.InputError: 'x:%x[0,0]' starts with 'x'; begin each pattern with u, b or *
    """
    if text[:1] not in KINDS:
        raise InputError(f"{text!r} starts with {text[:1]!r}; begin each pattern with u, b or *")
    try:
        pieces, cells, chains = split_wapiti(text)
        for _, steps in chains:
            for step in steps:
                step.check({})
    except InputError as error:
        raise InputError(f"{text!r}: {error}") from None
    if any("%" in piece for piece in pieces):
        raise InputError(
            f'{text!r} has a % that begins no macro; write %x[row,column], %t[row,column,"expression"] or %m'
        )
    far = next((row for row, _ in cells if abs(row) > FARTHEST), None)
    if far is not None:
        raise InputError(f"{text!r} reads {far} rows away; the limit is {FARTHEST} rows")
