"""Sentences out of files (native/text/gather.hpp): the rows of the twin; files that do not fit are refused."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.errors import InputError
from tagfield.native._text import gather
from tests.support.naive_slots import gathered, ragged

rows = st.lists(st.lists(st.integers(0, 60_000), max_size=4), max_size=30)


def written(folder: Path, number: int, content: list[list[int]]) -> tuple[Any, ...]:
    """A file with one family of two columns, and a weight for each row."""
    offsets, values = ragged(content, np.uint16)
    parts = [offsets, values, -values.astype(np.int32), np.arange(len(content), dtype=np.float64)]
    path = folder / f"{number}.bin"
    path.write_bytes(b"".join(part.tobytes() for part in parts))
    starts = np.cumsum([0, *(part.nbytes for part in parts)]).tolist()
    families = [(starts[0], len(values), [(starts[1], 2), (starts[2], 4)]), (-1, len(content), [(starts[3], 8)])]
    return str(path), os.open(path, os.O_RDONLY), len(content), families


def opened(folder: Path, files: list[list[list[int]]]) -> list[Any]:
    made, first = [], 0
    for number, content in enumerate(files):
        name, descriptor, count, families = written(folder, number, content)
        made.append((name, descriptor, first, count, families))
        first += count
    return made


@settings(deadline=None)  # it writes files
@given(files=st.lists(rows, min_size=1, max_size=3), data=st.data())
def test_rows_are_those_of_the_twin(tmp_path_factory, files: list[list[list[int]]], data: st.DataObject) -> None:  # type: ignore[no-untyped-def]
    total = sum(map(len, files))
    order = data.draw(st.lists(st.integers(0, total - 1), max_size=40)) if total else []
    ends = sorted({*data.draw(st.lists(st.integers(0, len(order)), max_size=3)), len(order)})
    made = opened(tmp_path_factory.mktemp("files"), files)
    try:
        (offsets, (small, large)), (singles, (weight,)) = gather(made, np.array(order, np.int64), ends)
    finally:
        for file in made:
            os.close(file[1])
    expected, flat = ragged(gathered(files, order), np.uint16)
    np.testing.assert_array_equal(offsets, expected)
    np.testing.assert_array_equal(small.view(np.uint16), flat)
    np.testing.assert_array_equal(large.view(np.int32), -flat.astype(np.int32))
    assert singles.tolist() == list(range(len(order) + 1))
    numbers = [float(k) for file in files for k in range(len(file))]
    assert weight.view(np.float64).tolist() == [numbers[s] for s in order]


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    (file,) = opened(tmp_path, [[[1, 2], [3], [4, 5, 6]]])
    name, descriptor, _, count, families = file
    order = np.arange(3)
    for wrong, told in (
        ((name, descriptor, 1, count, families), "must follow each other"),
        ((name, descriptor, 0, -1, families), "must follow each other"),
        ((name, -1, 0, count, families), "cannot be read"),
        ((name, descriptor, 0, count, [(families[0][0], 2, families[0][2])]), "offsets are not ascending"),
        ((name, descriptor, 0, count, [(8, 2, families[0][2])]), "offsets are not ascending"),
        ((name, descriptor, 0, count, [(-1, 3, [(10**6, 8)])]), "became shorter"),
    ):
        with pytest.raises(InputError, match=told):
            gather([wrong], order, [3])
    for ends in ([], [2], [4], [2, 1, 3]):
        with pytest.raises(InputError, match="the parts of an order"):
            gather([file], order, ends)
    with pytest.raises(InputError, match="the files of a corpus differ"):
        gather([file, (name, descriptor, 3, 3, families[:1])], order, [3])
    with pytest.raises(InputError, match="no sequence has the number 3"):
        gather([file], np.array([3]), [1])
    os.truncate(name, 40)
    with pytest.raises(InputError, match="became shorter while it was read"):
        gather([file], order, [3])
    os.close(descriptor)
