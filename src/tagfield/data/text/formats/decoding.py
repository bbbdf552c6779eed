"""Bytes ─▶ text and lines."""

from dataclasses import replace

from tagfield.data.text.sources import Source
from tagfield.errors import InputError


def decode(source: Source) -> str:
    """The text of a file, which must be UTF-8.

    >>> decode(Source("a.csv", b"Caf\\xe9"))
    Traceback (most recent call last):
    tagfield.errors.InputError: a.csv, line 1: the bytes are not valid UTF-8; name the encoding, such as --encoding \
latin-1, or convert the file to UTF-8
    """
    try:
        return source.text.decode()
    except UnicodeDecodeError as error:
        line = source.text.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{source.name}, line {line}: the bytes are not valid UTF-8; "
            "name the encoding, such as --encoding latin-1, or convert the file to UTF-8"
        ) from None


def recode(source: Source, encoding: str | None) -> Source:
    """The same text as UTF-8.

    >>> recode(Source("a.csv", b"Caf\\xe9"), "latin-1").text.decode()
    'Café'
    """
    if encoding is None:
        return source
    try:
        text = source.text.decode(encoding).encode()
    except LookupError:
        raise InputError(
            f"no encoding named {encoding!r}; use a name such as utf-8, utf-16, latin-1 or cp1252"
        ) from None
    except (
        UnicodeError,
        ValueError,
        TypeError,
        AttributeError,
    ) as error:  # codecs that give no text raise errors of other types
        raise InputError(f"{source.name}: the bytes are not valid {encoding} ({error})") from None
    return replace(source, text=text.removeprefix(b"\xef\xbb\xbf"))


def split_lines(text: str) -> list[str]:
    """Lines without LF or CRLF; unlike str.splitlines, other separators are text.

    >>> split_lines("a\\u2028b\\r\\nc\\n")
    ['a\\u2028b', 'c']
    """
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def full_lines(text: str) -> list[str]:
    """The lines that are not blank.

    >>> full_lines("a\\r\\n\\n b\\n")
    ['a', ' b']
    """
    return [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]
