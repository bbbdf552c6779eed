"""Binary models of CRF++: the strings of a double array, and files whose parts do not fit."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.errors import InputError, ModelFileError
from tagfield.model.formats import format_of, write
from tagfield.model.formats.crfpp_binary import HEADER, features_of, read_parts
from tagfield.model.formats.packed import Packed
from tests.support.crfpp_files import CrfppModel, double_array
from tests.support.model_files import tiny

RAW = CrfppModel(["X", "Y"], ["U%x[0,0]", "B"], {"Ua": 0, "Ub": 2, "B": 4}, [0.5, -1.0, 2.0, 0.0, 1, 2, 3, 4]).binary()


def listed(cells: bytes) -> dict[bytes, int]:
    found = np.frombuffer(cells, "<i4").reshape(-1, 2).astype(np.int64)
    file = Packed("m", np.frombuffer(cells, np.uint8))
    ids, names = features_of(found[:, 0].copy(), found[:, 1].copy(), file)
    return dict(zip(names, ids.tolist(), strict=True))


@given(st.dictionaries(st.binary(min_size=1, max_size=4), st.integers(0, 1000), min_size=1, max_size=8))
def test_every_string_of_a_double_array_is_listed_with_its_number(numbers: dict[bytes, int]) -> None:
    assert listed(double_array(numbers)) == numbers


def test_strings_and_weights_are_those_of_the_file() -> None:
    parts = read_parts(memoryview(RAW), "m")
    assert parts.labels.strings() == ["X", "Y"]
    assert parts.attributes.strings() == ["Ua", "Ub"]
    assert [parts.features.row(parts.weights, k).tolist() for k in range(2)] == [[0.5, -1.0], [2.0, 0.0]]
    assert parts.weights.transitions().tolist() == [[1.0, 2.0], [3.0, 4.0]]


def overwritten(at: int, value: int) -> bytes:
    return RAW[:at] + struct.pack("<I", value) + RAW[at + 4 :]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (RAW[: HEADER.size], f"it has only {HEADER.size} bytes"),
        (overwritten(0, 200), "version 200 of CRF"),
        (overwritten(16, 9), "do not add up to its size"),
        (overwritten(24, 12), "do not add up to its size"),
        (overwritten(28, 3), "its labels do not end"),
        (overwritten(28, 2**31), "its labels lies beyond the end"),
        (RAW + b"\0", "do not add up to its size"),
    ],
)
def test_a_file_whose_sizes_do_not_fit_says_so(raw: bytes, said: str) -> None:
    with pytest.raises(ModelFileError, match=said):
        read_parts(memoryview(raw), "m")


def cells_of(base: dict[int, int], check: dict[int, int], size: int) -> bytes:
    return b"".join(struct.pack("<iI", base.get(q, 0), check.get(q, 0)) for q in range(size))


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (b"", "has no beginning"),
        (cells_of({0: -1}, {}, 4), "has no beginning"),
        (cells_of({0: 9}, {}, 4), "leads beyond its end"),
        (cells_of({0: 1, 3: 1}, {3: 1}, 9), "leads in circles"),  # byte 1 leads back to the root's state
        (cells_of({0: 1, 3: 700}, {3: 1}, 9), "leads beyond its end"),
    ],
)
def test_a_damaged_double_array_says_what_is_wrong(cells: bytes, said: str) -> None:
    with pytest.raises(ModelFileError, match=said):
        listed(cells)


def test_the_format_is_known_and_writing_it_names_the_command(tmp_path) -> None:
    assert format_of(RAW).name == "crfpp-binary"
    with pytest.raises(InputError, match="crf_learn -C TEXT BINARY"):
        write(tiny(["a"], ["X"]), tmp_path / "m", "crfpp-binary")
