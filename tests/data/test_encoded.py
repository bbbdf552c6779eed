"""Encoded: sentences with their names, lines and words."""

import numpy as np

from tagfield.data.encode import encode_files
from tagfield.data.text.sources import Source


def test_sentences_taken_remember_their_lines() -> None:
    whole = encode_files([Source("f", b"a A X\n\nb B Y\nc C X\n")])
    assert whole.take(np.array([1])).where(0) == whole.where(1) == "f, line 3"
    assert whole.take(np.array([1])).lines(0) == ["b B Y", "c C X"]
