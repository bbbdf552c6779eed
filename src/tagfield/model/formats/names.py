"""Names as bytes, as other programs store them, and as strings, as tagfield stores them: whole vocabularies at once.

data/text/stray_bytes.py has the rule for bytes that are not UTF-8.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from tagfield.data.dataset import Longs
from tagfield.data.text.stray_bytes import NONCHARACTER
from tagfield.data.text.stray_bytes import bytes_of_text as bytes_of
from tagfield.data.text.stray_bytes import text_of_bytes as name_of
from tagfield.errors import InputError
from tagfield.model.formats.packed import Bytes
from tagfield.native._text import Vocabulary

__all__ = ["arrays_of", "bytes_of", "first_repeated", "name_of", "vocabulary_of"]


def vocabulary_of(text: Bytes, offsets: Longs) -> Vocabulary:
    """The vocabulary of some strings of bytes; a string that occurs twice raises InputError.

    >>> vocabulary_of(np.frombuffer(b"ab", np.uint8), np.array([0, 1, 2])).strings()
    ['a', 'b']
    """
    raw = text.tobytes()
    if NONCHARACTER.search(raw) is None:
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
    if NONCHARACTER.search(raw) is None:
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
