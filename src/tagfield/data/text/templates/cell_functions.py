"""What each function of a cell computes: a string, several strings, or nothing.

Characters are Unicode code points, and Python's str methods decide what a letter, a digit or an upper-case letter is.
functions.py names these functions and describes them.
"""

import re
import unicodedata
from collections.abc import Iterator

YES = "yes"  # the value of a test that holds; one that does not hold gives nothing

_JOINTS = re.compile("[-‐‑–—/]")
_FORMS = ("FULLWIDTH ", "HALFWIDTH ", "IDEOGRAPHIC ", "MODIFIER LETTER ")
_SCRIPTS = {
    "CJK": "han",
    "KATAKANA-HIRAGANA": "katakana",
}  # first words of Unicode names, where they are not the script


def shape(cell: str) -> str:
    """Runs of upper-case letters, other letters and digits as X, x and d.

    >>> shape("McDonald's"), shape("1.5")
    ("XxXx'x", 'd.d')
    """
    return re.sub(r"([Xxd])\1+", r"\1", longshape(cell))


def longshape(cell: str) -> str:
    """Each upper-case letter as X, each other letter as x, each digit as d.

    >>> longshape("IL-12b")
    'XX-ddx'
    """
    return "".join("X" if c.isupper() else "d" if c.isdigit() else "x" if c.isalpha() else c for c in cell)


def kind(cell: str) -> str:
    """One coarse class; for a mixture the sorts of characters in it: digit d, upper X, letter x, hyphen, other dot.

    >>> [kind(cell) for cell in ("1990", "...", "dog", "A", "EU", "Dog", "iPhone", "IL-2", "U.S.")]
    ['digit', 'punct', 'lower', 'upper1', 'upper', 'title', 'mixed', 'dX-', 'X.']
    """
    if cell.isdigit():
        return "digit"
    if not any(c.isalnum() for c in cell):
        return "punct"
    if cell.isalpha():
        if cell.islower():
            return "lower"
        if cell.isupper():
            return "upper1" if len(cell) == 1 else "upper"
        return "title" if cell[0].isupper() and cell[1:].islower() else "mixed"
    sorts = {
        "d": any(c.isdigit() for c in cell),
        "X": any(c.isupper() for c in cell),
        "x": any(c.isalpha() and not c.isupper() for c in cell),
        "-": "-" in cell,
        ".": any(not c.isalnum() and c != "-" for c in cell),
    }
    return "".join(sort for sort, found in sorts.items() if found) or "other"


def length(cell: str) -> str:
    """The number of characters: 1 to 5, 6-8, 9-12, 13+.

    >>> length("dog"), length("dachshund")
    ('3', '9-12')
    """
    n = len(cell)
    return str(n) if n <= 5 else "6-8" if n <= 8 else "9-12" if n <= 12 else "13+"


def zeros(cell: str) -> str:
    """Every digit as 0.

    >>> zeros("1,234.5"), zeros("dog")
    ('0,000.0', 'dog')
    """
    return "".join("0" if c.isdigit() else c for c in cell)


def digits(cell: str) -> str | None:
    """Every digit as 0; nothing if there is no digit.

    >>> digits("1,234.5"), digits("dog")
    ('0,000.0', None)
    """
    return zeros(cell) if any(c.isdigit() for c in cell) else None


def parts(cell: str) -> list[str]:
    """The parts between hyphens, dashes and slashes; nothing if there is only one.

    >>> parts("state-of-the-art"), parts("dog")
    (['state', 'of', 'the', 'art'], [])
    """
    found = _JOINTS.split(cell)
    return list(dict.fromkeys(part for part in found if part)) if len(found) > 1 else []


def first_part(cell: str) -> str | None:
    """The first of the parts.

    >>> first_part("post-war"), first_part("dog")
    ('post', None)
    """
    return next(iter(parts(cell)), None)


def last_part(cell: str) -> str | None:
    """The last part; nothing if the cell ends with a joint.

    >>> last_part("post-war"), last_part("post-")
    ('war', None)
    """
    found = _JOINTS.split(cell)
    return found[-1] or None if len(found) > 1 else None


def ngrams(cell: str, shortest: int, longest: int) -> list[str]:
    """Runs of characters of ^cell$, the shortest first.

    >>> ngrams("dog", 3, 4)
    ['^do', 'dog', 'og$', '^dog', 'dog$']
    """
    text = f"^{cell}$"
    sizes = range(shortest, longest + 1)
    return list(dict.fromkeys(text[i : i + n] for n in sizes for i in range(len(text) - n + 1)))


def script(cell: str) -> str:
    """The script of each character, runs as one: latin, han, hiragana, katakana, thai, digit, punctuation, symbol, …

    >>> script("東京タワー"), script("ไทย"), script("3月")
    ('han+katakana', 'thai', 'digit+han')
    """
    return "+".join(_runs(_script_of(c) for c in cell))


def category(cell: str) -> str:
    """The Unicode general category of each character, runs as one.

    >>> category("Ab1!"), category("นี่")
    ('Lu+Ll+Nd+Po', 'Lo+Mn')
    """
    return "+".join(_runs(unicodedata.category(c) for c in cell))


def _runs(classes: Iterator[str]) -> Iterator[str]:
    before = None
    for found in classes:
        if found != before:
            yield found
        before = found


def _script_of(character: str) -> str:
    if character.isdigit():
        return "digit"
    major = unicodedata.category(character)[0]
    name = unicodedata.name(character, "")
    if major in "PSZC" and not name.startswith("KATAKANA-HIRAGANA PROLONGED"):
        return {"P": "punctuation", "S": "symbol", "Z": "space", "C": "control"}[major]
    for form in _FORMS:
        name = name.removeprefix(form)
    first = name.partition(" ")[0]
    return _SCRIPTS.get(first, first.lower()) or "other"
