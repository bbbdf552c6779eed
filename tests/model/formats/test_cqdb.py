"""Lists of strings: written as the naive version writes them, read back, and no damaged one does harm."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.errors import ModelFileError
from tagfield.model.formats.cqdb import RECORDS, hash_strings, read_strings, write_strings
from tagfield.model.formats.packed import Packed
from tests.support.naive_cqdb import cqdb, lookup3

strings = st.lists(st.binary(max_size=40).map(lambda raw: raw.replace(b"\0", b"0")), max_size=60, unique=True)


def arrays(names: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.concatenate([[0], np.cumsum([len(name) for name in names])]).astype(np.int64)
    return np.frombuffer(b"".join(names), np.uint8), offsets


def packed(raw: bytes) -> Packed:
    return Packed("model", np.frombuffer(raw, np.uint8))


@given(strings)
def test_writes_what_the_naive_version_writes_and_reads_it_back(names: list[bytes]) -> None:
    made = write_strings(*arrays(names))
    assert made == cqdb(names)
    text, offsets = read_strings(packed(b"x" * 7 + made), 7, "labels")
    assert [text[a:b].tobytes() for a, b in pairwise(offsets)] == names


@given(strings)
def test_hashes_are_those_of_the_naive_version(names: list[bytes]) -> None:
    assert hash_strings(*arrays(names)).tolist() == [lookup3(name + b"\0") for name in names]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("", 0x8BA9414B),
        ("a", 0x42B17671),
        ("bias", 0x76A409D1),
        ("é", 0x8A4CE77C),
        ("elevenbytes", 0xC39F51E7),
        ("twelve-bytes", 0x6293977B),
        ("a-key-longer-than-twenty-four-bytes", 0x6A2E67E4),
    ],
)
def test_hashes_of_crfsuite(key: str, expected: int) -> None:
    assert lookup3(key.encode() + b"\0") == expected


def test_many_strings_collide_as_in_the_naive_version() -> None:
    names = [f"{i:x}".encode() for i in range(3000)]
    assert write_strings(*arrays(names)) == cqdb(names)


def test_records_in_another_order_are_read() -> None:
    """CRFsuite finds a record by its offset, wherever it is."""
    made = bytearray(write_strings(*arrays([b"one", b"three"])))
    first, second = made[RECORDS : RECORDS + 12], made[RECORDS + 12 : RECORDS + 26]
    made[RECORDS : RECORDS + 26] = second + first
    made[-8:] = np.array([RECORDS + 14, RECORDS], "<u4").tobytes()
    text, offsets = read_strings(packed(bytes(made)), 0, "labels")
    assert (text.tobytes(), offsets.tolist()) == (b"onethree", [0, 3, 8])


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (0, 7, "there is no list of labels"),
        (4, 10**9, "beyond the end"),
        (12, 1, "wrong byte order"),
        (16, 10**9, "beyond the end"),
        (20, 0, "has no strings by id"),
        (RECORDS, 1, "ids of the labels are not 0 to 1"),
        (RECORDS + 4, 2**32 - 1, "longer than the list"),
        (RECORDS + 4, 0, "longer than the list"),
        (RECORDS + 4, 3, "does not end with a NUL"),
        (-4, 2**32 - 1, "beyond the end"),
        (-4, 0, "ids of the labels"),
    ],
)
def test_damage_is_named(place: int, value: int, message: str) -> None:
    made = bytearray(write_strings(*arrays([b"one", b"two"])))
    place %= len(made)
    made[place : place + 4] = value.to_bytes(4, "little")
    with pytest.raises(ModelFileError, match=message):
        read_strings(packed(bytes(made)), 0, "labels")
