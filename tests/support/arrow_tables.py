"""A model of names for Arrow tables, and list arrays from forged buffers."""

import numpy as np
import pyarrow as pa

from tagfield import Model, Settings

X = [["Anna", "lives", "in", "New", "York", "."], ["Ben", "!"], ["Paris", "is", "large", "."], ["東京", "é"]]
Y = [["B-PER", "O", "O", "B-LOC", "I-LOC", "O"], ["B-PER", "O"], ["B-LOC", "O", "O", "O"], ["B-LOC", "O"]]
names = Model.train_words(X, Y, template="words", settings=Settings("lbfgs", c2=0.05))


def forged(rows: list[int], words: list[int], text: bytes, nulls: bytes | None = None) -> pa.Array:
    def buffer(values: list[int]) -> pa.Buffer:
        return pa.py_buffer(np.array(values, np.int32).tobytes())

    values = pa.Array.from_buffers(pa.string(), len(words) - 1, [None, buffer(words), pa.py_buffer(text)])
    given = [None if nulls is None else pa.py_buffer(nulls), buffer(rows)]
    return pa.Array.from_buffers(pa.list_(pa.string()), len(rows) - 1, given, children=[values])
