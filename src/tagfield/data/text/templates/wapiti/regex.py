r"""Wapiti's regular expressions, over the bytes of a cell.

    .  any byte                    \d digit   \a letter      \w letter or digit   \s white space
    x  the byte itself             \l lower   \u upper case  \p punctuation       in upper case: all other bytes
    \x an escaped byte             ^ at the start and $ at the end are anchors
    *  any number of the byte before, as few as possible          ?  the byte before or nothing, rather the byte

The leftmost match counts. There is no +, no [ ] and no ( | ): these are bytes like any other. A character beyond ASCII
is several bytes, and belongs to no class.

Source: the manual page of Wapiti 1.5, section PATTERNS. What is not written there was found by running the program:
that \s exists, that * takes as few bytes as it can, and how long a part is. **The length of a part is the number of
bytes that the search took on its way, also of those that ? gave back**: `a.?b` finds `abc` in `abcd`, for `.?` takes
the b first, in vain. A part that would end behind the cell takes the NUL there, which ends the whole attribute. Models
were trained with these parts, so they are made here too. Python's `re` cannot say them.
"""

import string
from dataclasses import dataclass
from functools import cache

from tagfield.errors import InputError

_CLASSES = {
    "d": string.digits,
    "a": string.ascii_letters,
    "w": string.ascii_letters + string.digits,
    "s": string.whitespace,
    "l": string.ascii_lowercase,
    "u": string.ascii_uppercase,
    "p": string.punctuation,
}
_ALL = frozenset(range(1, 256))


@dataclass(frozen=True)
class Expression:
    """One of Wapiti's regular expressions: for each place the bytes that fit, and how often."""

    places: tuple[tuple[frozenset[int], str], ...]  # (bytes, "", "*" or "?")
    from_start: bool = False
    to_end: bool = False

    def part(self, cell: bytes) -> bytes | None:
        r"""What `%m` takes of a cell; None if nothing matches.

        >>> compile_wapiti(r"\u\l*$").part(b"McDonald"), compile_wapiti(r"\d").part(b"McDonald")
        (b'Donald', None)
        """
        found = self._search(cell)
        if found is None:
            return None
        start, taken = found
        return cell[start : start + taken] + (b"\0" if start + taken > len(cell) else b"")

    def matches(self, cell: bytes) -> bool:
        r"""What `%t` says.

        >>> compile_wapiti(r"^\u").matches(b"Rome")
        True
        """
        return self._search(cell) is not None

    def _search(self, cell: bytes) -> tuple[int, int] | None:
        """Where the leftmost match starts, and how many bytes the search took from there.

        found[t] says of the places from k on, if they begin at t: whether they match, and how many bytes they take, in
        vain or not. It is made for k from the last place to the first, so that no state is visited twice.
        """
        T = len(cell)
        found = [(not self.to_end or t == T, 0) for t in range(T + 1)]
        for fits, often in reversed(self.places):
            after, found = found, [(False, 0)] * (T + 1)
            for t in range(T, -1, -1):
                here = t < T and cell[t] in fits
                if often == "*":
                    found[t] = after[t]
                    if not after[t][0]:  # what the rest took in vain is forgotten, and one byte more is tried
                        ends, taken = found[t + 1] if here else (False, -1)
                        found[t] = ends, taken + 1
                    continue
                ends, taken = after[t + 1] if here else (False, -1)
                taken += 1
                if often == "?" and not ends:
                    ends, more = after[t]
                    taken += more
                found[t] = ends, taken
        starts = range(1 if self.from_start else T + 1)
        return next(((t, found[t][1]) for t in starts if found[t][0]), None)


@cache
def compile_wapiti(expression: str) -> Expression:
    r"""Read one of Wapiti's expressions.

    >>> compile_wapiti("^a*$").from_start, compile_wapiti(r"\^").from_start
    (True, False)
    >>> compile_wapiti("*")
    Traceback (most recent call last):
    tagfield.errors.InputError: the expression '*' has a * with nothing before it; write \*
    """
    try:
        source = expression.encode()
    except UnicodeEncodeError:
        raise InputError(f"the expression {expression!a} holds a lone surrogate; correct it") from None
    places: list[tuple[frozenset[int], str]] = []
    at, end = int(source[:1] == b"^"), len(source)
    while at < end and source[at:] != b"$":
        fits, at = _place(source, at, expression)
        often = source[at : at + 1] if source[at : at + 1] in (b"*", b"?") else b""
        places.append((fits, often.decode()))
        at += len(often)
    return Expression(tuple(places), source[:1] == b"^", at < end)


def _place(source: bytes, at: int, expression: str) -> tuple[frozenset[int], int]:
    """The bytes that fit a place, and where it ends in the source."""
    byte = source[at : at + 1]
    if byte in (b"*", b"?"):
        sign = byte.decode()
        raise InputError(f"the expression {expression!r} has a {sign} with nothing before it; write \\{sign}")
    if byte != b"\\":
        return (_ALL if byte == b"." else frozenset(byte)), at + 1
    escaped = source[at + 1 : at + 2]
    if not escaped:
        raise InputError(f"the expression {expression!r} ends with a backslash; write \\\\ for the backslash itself")
    name = escaped.decode("latin-1")
    if name.lower() not in _CLASSES:
        return frozenset(escaped), at + 2
    members = frozenset(_CLASSES[name.lower()].encode())
    return _ALL - members if name.isupper() else members, at + 2
