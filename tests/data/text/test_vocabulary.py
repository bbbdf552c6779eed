"""Vocabulary against a dict, and against damaged arrays."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tagfield.errors import InputError
from tagfield.native._text import Vocabulary, encode_objects

strings = st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40), max_size=60)


@given(strings, strings)
def test_strings_are_added_and_found_as_in_a_dict(added: list[str], asked: list[str]) -> None:
    vocabulary, ids = Vocabulary(), {}
    for string in added:
        assert vocabulary.add(string) == ids.setdefault(string, len(ids))
    assert len(vocabulary) == len(ids)
    assert list(vocabulary) == vocabulary.strings() == list(ids) == [vocabulary[id] for id in ids.values()]
    for string in added + asked:
        assert vocabulary.find(string) == ids.get(string, -1)
        assert (string in vocabulary) == (string in ids)


def test_many_strings_are_found_frequent_or_not() -> (
    None
):  # more than the frequent ones, which have a table of their own
    strings = [f"{k}" if k % 3 else f"w[{k % 5}]={k:025}" for k in range(40_000)]
    vocabulary, grown = Vocabulary(strings), Vocabulary()
    assert [grown.add(string) for string in strings + strings[::-1]] == [*range(40_000), *range(39_999, -1, -1)]
    assert vocabulary == grown
    assert [vocabulary.find(string) for string in strings] == list(range(40_000))
    assert {vocabulary.find(string + "!") for string in strings} == {-1}
    found = encode_objects([[strings, ["?", *strings[::-1]]]], None, vocabulary, True, Vocabulary(), False)
    assert found[0][3].tolist() == [*range(40_000), *range(39_999, -1, -1)]
    assert found[2:] == (1, ["?"])


def test_strings_whose_hashes_agree_are_told_apart() -> None:
    """Slots hold the upper 32 bits of a hash, and a hashed vocabulary shows 30: a quarter of these pairs agree."""
    hashed, by_bits = Vocabulary.hashed(30), {}
    for k in range(300_000):
        by_bits.setdefault(hashed.find(f"{k:o}"), []).append(f"{k:o}")
    strings = [string for alike in by_bits.values() if len(alike) > 1 for string in alike]
    assert len(strings) > 40
    half = strings[::2]
    vocabulary = Vocabulary(half)
    asked = [[strings, strings[::-1]]]
    ids = {string: id for id, string in enumerate(half)}
    assert [vocabulary.find(string) for string in strings] == [ids.get(string, -1) for string in strings]
    found = encode_objects(asked, None, vocabulary, True, Vocabulary(), False)
    assert found[0][3].tolist() == [*range(len(half)), *range(len(half) - 1, -1, -1)]
    assert [vocabulary.add(string) for string in strings[1::2]] == list(range(len(half), len(strings)))
    found = encode_objects(asked, None, vocabulary, True, Vocabulary(), False)
    assert found[0][3].tolist() == [vocabulary.find(string) for token in asked[0] for string in token]
    assert sorted(found[0][3].tolist()) == sorted([*range(len(strings))] * 2)


@given(strings)
def test_arrays_and_pickle_round_trip(added: list[str]) -> None:
    vocabulary = Vocabulary(added)
    text, offsets = vocabulary.to_arrays()
    assert (text.dtype, offsets.dtype, len(offsets)) == (np.uint8, np.int64, len(vocabulary) + 1)
    assert Vocabulary.from_arrays(text, offsets) == vocabulary
    assert pickle.loads(pickle.dumps(vocabulary)) == vocabulary
    assert vocabulary.copy() == vocabulary
    assert vocabulary != Vocabulary([*vocabulary, "\0 not there \0"])


@given(st.data(), strings)
def test_a_subset_keeps_the_strings_of_a_mask_or_of_ids(data: st.DataObject, added: list[str]) -> None:
    vocabulary = Vocabulary(added)
    mask = data.draw(arrays(bool, len(vocabulary)))
    kept = [string for string, keep in zip(vocabulary, mask, strict=True) if keep]
    assert vocabulary.subset(mask).strings() == vocabulary.subset(np.flatnonzero(mask)).strings() == kept


def test_many_strings_survive_growth() -> None:
    vocabulary = Vocabulary(f"string {k}" for k in range(100_000))
    assert [vocabulary.find(f"string {k}") for k in range(0, 100_000, 7)] == list(range(0, 100_000, 7))
    assert vocabulary.find("string 100000") == -1
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda k: vocabulary.find(f"string {k}"), range(2_000))
        assert list(found) == list(range(2_000))


def test_offsets_need_no_alignment() -> None:
    text, offsets = Vocabulary(["a", "bc"]).to_arrays()
    shifted = np.frombuffer(b"." + offsets.tobytes(), np.uint8)[1:].view(np.int64)
    assert Vocabulary.from_arrays(text, shifted).strings() == ["a", "bc"]


@pytest.mark.parametrize(
    ("text", "offsets", "message"),
    [
        (b"ab", [], "start with 0"),
        (b"ab", [1, 2], "start with 0"),
        (b"ab", [0, 2, 1, 2], "offset 2 is 1"),
        (b"ab", [0, 3], "offset 1 is 3"),
        (b"ab", [0, -1], "offset 1 is -1"),
        (b"ab", [0, 2**62], "offset 1"),
        (b"ab", [0, 1], "2 bytes, but its offsets end at 1"),
        (b"aa", [0, 1, 2], "string 1 occurs twice"),
        (b"a\xff", [0, 1, 2], "string 1 is not valid UTF-8"),
        ("é".encode(), [0, 1, 2], "string 0 is not valid UTF-8"),
        (b"\xed\xa0\x80", [0, 3], "not valid UTF-8"),
        (b"\xc0\xaf", [0, 2], "not valid UTF-8"),
        (b"\xf4\x90\x80\x80", [0, 4], "not valid UTF-8"),
    ],
)
def test_damaged_arrays_are_refused(text: bytes, offsets: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Vocabulary.from_arrays(np.frombuffer(text, np.uint8), np.array(offsets, np.int64))


@given(st.binary(max_size=12))
def test_utf8_is_judged_as_python_does(text: bytes) -> None:
    try:
        expected = text.decode()
    except UnicodeDecodeError:
        with pytest.raises(ValueError, match="UTF-8"):
            Vocabulary.from_arrays(np.frombuffer(text, np.uint8), np.array([0, len(text)]))
    else:
        made = Vocabulary.from_arrays(np.frombuffer(text, np.uint8), np.array([0, len(text)]))
        assert made.strings() == [expected]


def test_ids_masks_and_strings_that_do_not_fit_are_refused() -> None:
    vocabulary = Vocabulary(["a"])
    for id in (1, -1, 2**40):
        with pytest.raises(IndexError):
            vocabulary[id]
    with pytest.raises(IndexError):
        vocabulary.subset(np.array([1]))
    with pytest.raises(InputError, match="twice"):
        vocabulary.subset(np.array([0, 0]))
    with pytest.raises(InputError, match="mask"):
        vocabulary.subset(np.array([True, False]))
    with pytest.raises(InputError, match="surrogate"):
        vocabulary.add("\udc00")
    with pytest.raises(InputError, match="holds strings"):
        Vocabulary([3])  # type: ignore[list-item]
