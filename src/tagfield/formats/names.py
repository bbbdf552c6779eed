"""Names as bytes, as other programs store them, and as strings, as tagfield stores them.

    bytes ─▶ name_of: UTF-8, and U+10FF80 .. U+10FFFF for bytes 0x80 .. 0xFF that are not UTF-8 ─▶ str ─▶ bytes_of

CRFsuite's attributes are bytes without an encoding, and a vocabulary holds Unicode. Python's own answer,
surrogateescape, makes strings that cannot be written as UTF-8, so no vocabulary, JSON or model file holds them. The
last 128 code points are for private use, and stand for single bytes here. In a name that really contains one of them,
each of its four bytes gets a stand-in of its own, so the two functions are inverse to each other for all bytes.
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

FIRST = 0x10FF00  # + byte: the character that stands for it
_STAND_INS = re.compile("[\U0010ff80-\U0010ffff]")
_RESERVED = (b"\xf4\x8f\xbe", b"\xf4\x8f\xbf")  # how the stand-ins begin in UTF-8


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(chr(FIRST + byte) for byte in error.object[error.start : error.end]), error.end


codecs.register_error("tagfield.bytes", _stand_in)


def name_of(raw: bytes) -> str:
    """The string for some bytes.

    >>> name_of("é".encode()), name_of(b"a\\xe9") == "a" + chr(0x10FFE9)
    ('é', True)
    """
    name = raw.decode("utf-8", "tagfield.bytes")
    if any(start in raw for start in _RESERVED):
        parts = re.split(rb"(\xf4\x8f[\xbe\xbf][\x80-\xbf])", raw)
        escaped = ["".join(chr(FIRST + byte) for byte in part) for part in parts[1::2]]
        plain = [part.decode("utf-8", "tagfield.bytes") for part in parts[::2]]
        name = "".join(one + other for one, other in zip(plain, [*escaped, ""], strict=True))
    return name


def bytes_of(name: str) -> bytes:
    """The bytes for a string; the inverse of `name_of`.

    >>> bytes_of(name_of(b"a\\xe9\\xff")), bytes_of("é") == "é".encode()
    (b'a\\xe9\\xff', True)
    """
    parts = _STAND_INS.split(name)
    if len(parts) == 1:
        return name.encode()
    stand_ins = [bytes([ord(found) - FIRST]) for found in _STAND_INS.findall(name)]
    return b"".join(part.encode() + byte for part, byte in zip(parts, [*stand_ins, b""], strict=True))


def vocabulary_of(text: Bytes, offsets: Longs) -> Vocabulary:
    """The vocabulary of some strings of bytes; a string that occurs twice raises InputError.

    >>> vocabulary_of(np.frombuffer(b"ab", np.uint8), np.array([0, 1, 2])).strings()
    ['a', 'b']
    """
    raw = text.tobytes()
    if not any(start in raw for start in _RESERVED):
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
    if not any(start in raw for start in _RESERVED):
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
