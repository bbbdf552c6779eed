"""Names as bytes, as other programs store them, and as strings, as tagfield stores them.

    bytes ─▶ name_of: UTF-8, and two noncharacters for a byte 0x80 .. 0xFF that is not UTF-8 ─▶ str ─▶ bytes_of

CRFsuite's attributes are bytes without an encoding, and a vocabulary holds Unicode. Python's own answer,
surrogateescape, makes strings that cannot be written as UTF-8, so no vocabulary, JSON or model file holds them. Unicode
keeps 32 noncharacters, U+FDD0 .. U+FDEF, for internal use; no text has them. Byte 0x80 + 16·i + j is U+FDD0 + i, then
U+FDE0 + j. In bytes that do contain a noncharacter, each of its three bytes becomes such a pair, so the two functions
are inverse to each other for all bytes.
"""

import codecs
import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from tagfield._text import Vocabulary
from tagfield.dataset import Longs
from tagfield.errors import InputError
from tagfield.formats.packed import Bytes

HIGH, LOW = 0xFDD0, 0xFDE0
_PAIR = re.compile("([\ufdd0-\ufdd7])([\ufde0-\ufdef])")
_NONCHARACTER = re.compile(rb"(\xef\xb7[\x90-\xaf])")  # U+FDD0 .. U+FDEF in UTF-8


def _pairs(raw: bytes) -> str:
    return "".join(chr(HIGH + (byte - 0x80) // 16) + chr(LOW + byte % 16) for byte in raw)


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return _pairs(error.object[error.start : error.end]), error.end


codecs.register_error("tagfield.bytes", _stand_in)


def name_of(raw: bytes) -> str:
    """The string for some bytes.

    >>> name_of("é".encode()), name_of(b"a\\xe9") == "a\\ufdd6\\ufde9"
    ('é', True)
    """
    parts = _NONCHARACTER.split(raw)
    return "".join(_pairs(part) if i % 2 else part.decode("utf-8", "tagfield.bytes") for i, part in enumerate(parts))


def bytes_of(name: str) -> bytes:
    """The bytes for a string; the inverse of `name_of`.

    >>> bytes_of(name_of(b"a\\xe9\\xff")), bytes_of("é") == "é".encode()
    (b'a\\xe9\\xff', True)
    """
    made, end = b"", 0
    for found in _PAIR.finditer(name):
        byte = 0x80 + 16 * (ord(found[1]) - HIGH) + ord(found[2]) - LOW
        made, end = made + name[end : found.start()].encode() + bytes([byte]), found.end()
    return made + name[end:].encode()


def vocabulary_of(text: Bytes, offsets: Longs) -> Vocabulary:
    """The vocabulary of some strings of bytes; a string that occurs twice raises InputError.

    >>> vocabulary_of(np.frombuffer(b"ab", np.uint8), np.array([0, 1, 2])).strings()
    ['a', 'b']
    """
    raw = text.tobytes()
    if _NONCHARACTER.search(raw) is None:
        try:
            return Vocabulary.from_arrays(text, offsets)
        except InputError as error:
            if "UTF-8" not in str(error):
                raise
    ends = offsets.tolist()
    names = [name_of(raw[start:end]) for start, end in pairwise(ends)]
    found = Vocabulary(names)
    if len(found) != len(names):
        raise InputError(f"vocabulary string {first_repeated(names)} occurs twice")
    return found


def arrays_of(names: Vocabulary) -> tuple[Bytes, Longs]:
    """The bytes of every string, and where each starts [n+1]; the inverse of `vocabulary_of`."""
    text, offsets = names.to_arrays()
    raw = text.tobytes()
    if _NONCHARACTER.search(raw) is None:
        return text, offsets
    pieces = [bytes_of(name) for name in names]
    sizes = np.array([len(piece) for piece in pieces], np.int64)
    return np.frombuffer(b"".join(pieces), np.uint8), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def first_repeated(names: Sequence[str]) -> int:
    """The index of the first string that occurred before; −1 if there is none.

    >>> first_repeated(["a", "b", "a"]), first_repeated([])
    (2, -1)
    """
    seen: set[str] = set()
    for i, name in enumerate(names):
        if name in seen:
            return i
        seen.add(name)
    return -1
