r"""Wapiti's regular expressions → Python's, over bytes.

    .  any byte                    \d digit   \a letter      \w letter or digit   \s white space
    x  the byte itself             \l lower   \u upper case  \p punctuation       in upper case: all other bytes
    \x an escaped byte             ^ at the start and $ at the end are anchors
    *  any number of the byte before, as few as possible          ?  the byte before or nothing, rather the byte

The leftmost match counts. There is no +, no [ ] and no ( | ): these are bytes like any other. A character beyond ASCII
is several bytes, and belongs to no class.

Source: the manual page of Wapiti 1.5, section PATTERNS. That * takes as few as it can, that \s exists, and what happens
beyond ASCII is not written there; it was found by running the program: tests/text/test_wapiti.py has a table.
"""

import re
import string
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


@cache
def compile_wapiti(expression: str) -> re.Pattern[bytes]:
    r"""One of Wapiti's expressions, ready for `search` in the bytes of a cell.

    >>> compile_wapiti(r"^\u\l*").search(b"Rome")[0]
    b'R'
    >>> compile_wapiti(r"^\u\l*$").search(b"Rome")[0]
    b'Rome'
    """
    try:
        source = expression.encode()
    except UnicodeEncodeError:
        raise InputError(f"the expression {expression!a} holds a lone surrogate; correct it") from None
    at, end = 0, len(source)
    made = [b"(?s)"]
    if source[:1] == b"^":
        made, at = [b"(?s)\\A"], 1
    while at < end:
        if source[at:] == b"$":
            made.append(rb"\Z")
            break
        atom, at = _atom(source, at, expression)
        suffix = source[at : at + 1]
        at += suffix in (b"*", b"?")
        made.append(atom + {b"*": b"*?", b"?": b"?"}.get(suffix, b""))
    return re.compile(b"".join(made))


def _atom(source: bytes, at: int, expression: str) -> tuple[bytes, int]:
    """What matches one byte, and where it ends."""
    byte = source[at : at + 1]
    if byte in (b"*", b"?"):
        raise InputError(
            f"the expression {expression!r} has a {byte.decode()} with nothing before it; write \\{byte.decode()}"
        )
    if byte == b".":
        return b".", at + 1
    if byte != b"\\":
        return re.escape(byte), at + 1
    escaped = source[at + 1 : at + 2]
    if not escaped:
        raise InputError(f"the expression {expression!r} ends with a backslash; write \\\\ for the backslash itself")
    name = escaped.decode("latin-1")
    if name.lower() not in _CLASSES or not name.isascii():
        return re.escape(escaped), at + 2
    members = re.escape(_CLASSES[name.lower()]).encode()
    return (b"[^" if name.isupper() else b"[") + members + b"]", at + 2
