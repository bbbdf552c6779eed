"""Columns of Arrow: lists of a fixed size, null rows, and damaged buffers."""

import pyarrow as pa
import pytest

from tagfield.errors import InputError
from tests.support.arrow_tables import forged, names


def test_lists_of_a_fixed_size_are_read_from_their_slice() -> None:
    array = pa.array([["a", "b"], ["Anna", "is"], None, ["in", "Paris"]], pa.list_(pa.string(), 2)).slice(1)
    assert names.tag_arrow(array).to_pylist() == [["B-PER", "O"], None, ["O", "B-LOC"]]


@pytest.mark.parametrize(
    ("rows", "words", "text"),
    [([0, 2, 1], [0, 1, 2], b"ab"), ([0, 2], [0, 9, 2], b"ab"), ([0, 2], [0, 1, 2], b"a\xff")],
)
def test_damaged_buffers_are_refused(rows: list[int], words: list[int], text: bytes) -> None:
    for nulls in (None, b"\xfe"):
        with pytest.raises(InputError, match="column 'tokens': the Arrow data is damaged"):
            names.tag_arrow(pa.table({"tokens": forged(rows, words, text, nulls)}))


def test_words_below_a_null_row_are_no_words() -> None:
    array = forged([0, 1, 3], [0, 4, 5, 9], b"Anna!Anna", nulls=b"\x01")
    assert array.null_count == 1
    assert names.tag_arrow(pa.table({"tokens": array}))["labels"].to_pylist() == [["B-PER"], None]
