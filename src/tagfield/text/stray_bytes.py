r"""Bytes that are not UTF-8, as text: each stray byte is a character of the private use area, U+10FF80 to U+10FFFF.

Wapiti works on bytes. Its macro `%m` may cut a character in two, and its models then hold strings that no `str` can be.
The strings of tagfield are text, so a stray byte b stands there as U+10FF00 + b, and goes back to b when it is written.
Text that itself holds a character from U+10FF80 to U+10FFFF would be read as stray bytes; no other text is touched.
"""

import codecs

_FIRST = 0x10FF00  # as in formats/names.py


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    stray = error.object[error.start : error.end]
    return "".join(chr(_FIRST + byte) for byte in stray), error.end


codecs.register_error("tagfield.stray", _replace)


def text_of_bytes(data: bytes) -> str:
    r"""UTF-8 bytes as text, with a private character for each byte that belongs to no character.

    >>> text_of_bytes("é".encode()), ascii(text_of_bytes(b"caf\xc3"))
    ('é', "'caf\\U0010ffc3'")
    """
    return data.decode("utf-8", "tagfield.stray")


def bytes_of_text(text: str) -> bytes:
    r"""The inverse of `text_of_bytes`.

    >>> bytes_of_text(text_of_bytes(b"caf\xc3"))
    b'caf\xc3'
    """
    if not has_stray(text):
        return text.encode()
    return b"".join(bytes([ord(c) - _FIRST]) if has_stray(c) else c.encode() for c in text)


def has_stray(text: str) -> bool:
    """Whether a text holds a stray byte.

    >>> has_stray("é"), has_stray("\\U0010ffc3")
    (False, True)
    """
    return not text.isascii() and any(c >= "\U0010ff80" for c in text)
