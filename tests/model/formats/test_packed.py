"""Packed numbers: those that struct reads, and nothing beyond the end of the file."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.errors import ModelFileError
from tagfield.model.formats.packed import Packed

numbers = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=6)


def packed(raw: bytes) -> Packed:
    return Packed("some.model", np.frombuffer(raw, np.uint8))


@given(numbers, st.binary(max_size=3))
def test_numbers_are_read_at_any_offset(values: list[int], before: bytes) -> None:
    file, first = packed(before + struct.pack(f"<{len(values)}I", *values)), len(before)
    assert file.words(first, len(values), "the table").tolist() == values
    assert [file.word(first + 4 * k, "a number") for k in range(len(values))] == values
    offsets = first + 4 * np.arange(len(values))[::-1]
    assert file.gather(offsets, "the table").tolist() == values[::-1]


@given(st.binary(min_size=4, max_size=12), st.data())
def test_gather_reads_offsets_that_overlap_and_repeat(raw: bytes, data: st.DataObject) -> None:
    offsets = data.draw(st.lists(st.integers(0, len(raw) - 4), max_size=8))
    expected = [int.from_bytes(raw[at : at + 4], "little") for at in offsets]
    assert packed(raw).gather(np.array(offsets, np.int64), "the table").tolist() == expected


@pytest.mark.parametrize(("start", "size"), [(-1, 4), (0, -1), (5, 4), (9, 0), (2**62, 4), (0, 2**62)])
def test_bytes_beyond_the_file_are_refused(start: int, size: int) -> None:
    with pytest.raises(ModelFileError, match=r"^'some\.model' is damaged: its list lies beyond the end of the file"):
        packed(bytes(8)).bytes(start, size, "its list")


@pytest.mark.parametrize("offsets", [[0, 5], [-1, 0], [4, 2**40]])
def test_gather_refuses_all_offsets_if_one_is_beyond_the_file(offsets: list[int]) -> None:
    with pytest.raises(ModelFileError, match="its table lies beyond the end"):
        packed(bytes(8)).gather(np.array(offsets), "its table")


def test_nothing_may_be_read_at_the_very_end() -> None:
    file = packed(bytes(8))
    assert len(file) == 8
    assert file.words(8, 0, "the table").tolist() == []
    with pytest.raises(ModelFileError, match="the table lies beyond"):
        file.words(8, 1, "the table")
