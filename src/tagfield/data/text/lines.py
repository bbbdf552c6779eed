r"""Lines, spaces and byte order marks: one rule for every file that is read line by line.

    line break         LF or CRLF. A CR alone is an error that names the line, except in JSON, within quotes of CSV, and
                       in plain text. U+0085, U+2028, form feeds and the like are characters of the text
    blank, separator   spaces and tabs. A no-break space, an ideographic space and the like are characters of the text
    byte order mark    dropped at the start of a file; an error at the start of a later line, where files were joined

Python's str.split, str.strip and str.splitlines follow other rules, so readers use what is here.
"""

import re

from tagfield.data.text.sources import BOM, Source
from tagfield.errors import InputError

BLANKS = " \t"
_RUN = re.compile(r"[^ \t]+")
_LONE = re.compile(rb"\r(?!\n)")
_JOINED = re.compile(rb"(?:\A|\n)" + BOM)


def split_lines(text: str) -> list[str]:
    """Lines without LF or CRLF.

    >>> split_lines("a\\u2028b\\r\\nc\\n")
    ['a\\u2028b', 'c']
    """
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def is_blank(line: str) -> bool:
    """Whether a line holds only spaces and tabs.

    >>> is_blank(" \\t\\r"), is_blank("\\u00a0")
    (True, False)
    """
    return not line.removesuffix("\r").strip(BLANKS)


def full_lines(text: str) -> list[str]:
    """The lines that are not blank.

    >>> full_lines("a\\r\\n\\n b\\n")
    ['a', ' b']
    """
    return [line for line in split_lines(text) if not is_blank(line)]


def cells_in(line: str) -> list[str]:
    """What stands between runs of spaces and tabs.

    >>> cells_in(" 10\\u00a0000  NUM\\tB")
    ['10\\xa0000', 'NUM', 'B']
    """
    return _RUN.findall(line)


def check_lines(source: Source, *, returns: bool = False) -> None:
    """Raise InputError for a CR that ends no line, and for a byte order mark behind the start of the file.

    returns: whether a CR may stand alone

    >>> check_lines(Source("a.txt", b"Rome\\rParis\\r"))
    Traceback (most recent call last):
    tagfield.errors.InputError: a.txt, line 1: a carriage return (CR) stands without a line feed (LF); end lines with \
LF or CRLF
    """
    text = source.text
    if BOM in text and (found := _JOINED.search(text)):
        raise InputError(
            f"{_place(source, found.end())}: the line begins with a byte order mark (U+FEFF), as where files are "
            "joined; remove it"
        )
    if returns or text.count(b"\r") == text.count(b"\r\n"):
        return
    found = _LONE.search(text)
    if found is not None and found.end() < len(text):  # behind the last line, an LF may be missing
        raise InputError(
            f"{_place(source, found.start())}: a carriage return (CR) stands without a line feed (LF); end lines with "
            "LF or CRLF"
        )


def _place(source: Source, at: int) -> str:
    line = source.text.count(b"\n", 0, at) + 1
    return f"{source.name}, line {line}"
