"""Packed little-endian numbers of a file, read with every bound checked.

    Packed(name, bytes) ─▶ word(at) · words(start, count) · gather(offsets): unsigned 32-bit numbers, as int64
                        └▶ damaged(what): the ModelFileError to raise

Offsets, counts and ids come from the file itself, so each is compared with the length of the file before it is used.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import Longs
from tagfield.errors import ModelFileError

Bytes: TypeAlias = NDArray[np.uint8]
WORD = 4  # bytes of an unsigned 32-bit number


class Packed:
    """The bytes of a model file.

    >>> data = Packed("model", np.array([7, 0, 0, 0, 9, 0, 0, 0], np.uint8))
    >>> data.word(4, "the count"), data.words(0, 2, "the table").tolist()
    (9, [7, 9])
    >>> try:
    ...     data.word(6, "the count")
    ... except ModelFileError as error:
    ...     print(error)
    'model' is damaged: the count lies beyond the end of the file; copy the file again, or train the model again
    """

    def __init__(self, name: str, data: Bytes) -> None:
        self.name = name
        self.data = data

    def __len__(self) -> int:
        return len(self.data)

    def damaged(self, what: str) -> ModelFileError:
        return ModelFileError(f"{self.name!r} is damaged: {what}; copy the file again, or train the model again")

    def check(self, start: int, size: int, what: str) -> None:
        """Raise ModelFileError unless `size` bytes follow `start` in the file."""
        if start < 0 or size < 0 or start + size > len(self.data):
            raise self.damaged(f"{what} lies beyond the end of the file")

    def bytes(self, start: int, size: int, what: str) -> Bytes:
        self.check(start, size, what)
        return self.data[start : start + size]

    def word(self, at: int, what: str) -> int:
        return int.from_bytes(self.bytes(at, WORD, what).tobytes(), "little")

    def words(self, start: int, count: int, what: str) -> Longs:
        """`count` numbers that follow each other [count]."""
        part = self.bytes(start, WORD * count, what)
        return np.frombuffer(part.tobytes(), "<u4").astype(np.int64)

    def gather(self, offsets: Longs, what: str) -> Longs:
        """The numbers at some offsets [n]."""
        if not len(offsets):
            return np.empty(0, np.int64)
        self.check(int(offsets.min()), 0, what)
        self.check(int(offsets.max()), WORD, what)
        if not (offsets % WORD).any():
            whole = self.data[: len(self.data) // WORD * WORD].view("<u4")
            return whole[offsets // WORD].astype(np.int64)
        found = self.data[offsets].astype(np.int64)
        for i in range(1, WORD):
            found |= self.data[offsets + i].astype(np.int64) << (8 * i)
        return found
