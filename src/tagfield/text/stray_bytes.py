r"""Bytes that are not UTF-8, as text: each stray byte is a character of the private use area, U+EF80 to U+EFFF.

Wapiti works on bytes. Its macro `%m` may cut a character in two, and its models then hold strings that no `str` can be.
The strings of tagfield are text, so a stray byte b stands there as U+EF00 + b, and goes back to b when it is written.
Text that itself holds a character from U+EF80 to U+EFFF would be read as stray bytes; no other text is touched.
"""

import codecs

_FIRST = 0xEF00


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    stray = error.object[error.start : error.end]
    return "".join(chr(_FIRST + byte) for byte in stray), error.end


codecs.register_error("tagfield.stray", _replace)


def text_of_bytes(data: bytes) -> str:
    r"""UTF-8 bytes as text, with a private character for each byte that belongs to no character.

    >>> text_of_bytes("é".encode()), ascii(text_of_bytes(b"caf\xc3"))
    ('é', "'caf\\uefc3'")
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

    >>> has_stray("é"), has_stray("\\uefc3")
    (False, True)
    """
    return not text.isascii() and any("\uef80" <= c <= "\uefff" for c in text)
