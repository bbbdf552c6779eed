"""Bytes that are not UTF-8, as text: two noncharacters for each byte 0x80 .. 0xFF that belongs to no character.

    bytes ─▶ text_of_bytes ─▶ str ─▶ bytes_of_text ─▶ the same bytes

CRFsuite's attributes are bytes without an encoding, and Wapiti's macro `%m` may cut a character in two; a vocabulary
holds Unicode. Python's own answer, surrogateescape, makes strings that cannot be written as UTF-8, so no vocabulary,
JSON or model file holds them. Unicode reserves 32 noncharacters, U+FDD0 .. U+FDEF, for internal use.
Byte 0x80 + 16·i + j is U+FDD0 + i, then U+FDE0 + j. In bytes that do contain a noncharacter, each of its three bytes
becomes such a pair, so the two functions are inverse to each other for all bytes.
"""

import codecs
import re

HIGH, LOW = 0xFDD0, 0xFDE0
_PAIR = re.compile("([\ufdd0-\ufdd7])([\ufde0-\ufdef])")
NONCHARACTER = re.compile(rb"(\xef\xb7[\x90-\xaf])")  # U+FDD0 .. U+FDEF in UTF-8


def _pairs(raw: bytes) -> str:
    return "".join(chr(HIGH + (byte - 0x80) // 16) + chr(LOW + byte % 16) for byte in raw)


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return _pairs(error.object[error.start : error.end]), error.end


codecs.register_error("tagfield.stray", _stand_in)


def text_of_bytes(raw: bytes) -> str:
    """The string for some bytes.

    >>> text_of_bytes("é".encode()), text_of_bytes(b"a\\xe9") == "a\\ufdd6\\ufde9"
    ('é', True)
    """
    parts = NONCHARACTER.split(raw)
    return "".join(_pairs(part) if i % 2 else part.decode("utf-8", "tagfield.stray") for i, part in enumerate(parts))


def bytes_of_text(text: str) -> bytes:
    """The bytes for a string; the inverse of `text_of_bytes`.

    >>> bytes_of_text(text_of_bytes(b"a\\xe9\\xff")), bytes_of_text("é") == "é".encode()
    (b'a\\xe9\\xff', True)
    """
    if not has_stray(text):
        return text.encode()
    made, end = b"", 0
    for found in _PAIR.finditer(text):
        byte = 0x80 + 16 * (ord(found[1]) - HIGH) + ord(found[2]) - LOW
        made, end = made + text[end : found.start()].encode() + bytes([byte]), found.end()
    return made + text[end:].encode()


def has_stray(text: str) -> bool:
    """Whether a text holds a stray byte.

    >>> has_stray("é"), has_stray(text_of_bytes(b"\\xc3"))
    (False, True)
    """
    return not text.isascii() and _PAIR.search(text) is not None
