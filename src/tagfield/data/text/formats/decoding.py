"""Bytes ─▶ text, and text ─▶ bytes."""

from dataclasses import replace

from tagfield.data.text.lines import check_lines
from tagfield.data.text.sources import BOM, Source
from tagfield.errors import InputError, shown


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


def decode_lines(source: Source, *, returns: bool = False) -> str:
    """The text of a file that is read line by line; see `lines.check_lines`.

    >>> decode_lines(Source("a.txt", b"Bo\\r\\n"))
    'Bo\\r\\n'
    """
    check_lines(source, returns=returns)
    return decode(source)


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
    return replace(source, text=text.removeprefix(BOM))


def encode_text(text: str) -> bytes:
    """The bytes of a file with this text, as `open_source` and `decode` read it.

    A text that begins with U+FEFF gets another one, since the first one in a file is a byte order mark.

    >>> encode_text("a"), encode_text("\\ufeffa")
    (b'a', b'\\xef\\xbb\\xbf\\xef\\xbb\\xbfa')
    >>> encode_text("Anna \\ud83d")
    Traceback (most recent call last):
    tagfield.errors.InputError: '\\ud83d' in 'Anna \\ud83d' is half of a character, which no file holds; remove it
    """
    try:
        raw = text.encode()
    except UnicodeEncodeError as error:
        half, near = text[error.start], text[max(0, error.start - 20) : error.start + 10]
        raise InputError(f"{half!a} in {shown(near)} is half of a character, which no file holds; remove it") from None
    return BOM + raw if raw.startswith(BOM) else raw
