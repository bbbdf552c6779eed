"""Slots with other ids (native/text/renumber.hpp): the twin's slots; arrays that do not fit together are refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.dataset import Dataset
from tagfield.data.encode import encode_sequences
from tagfield.data.slots import places_of
from tagfield.errors import InputError
from tagfield.native._text import Vocabulary
from tagfield.system.storage import save_tensors
from tests.support.naive_slots import renumbered, slots_of

HASHES = (956547388, 92302085, 514502065, 261384922)  # of the names below, in 30 bits
tokens = st.lists(st.sampled_from([f"a{k}" for k in range(30)]), max_size=5)
valued = st.dictionaries(st.sampled_from([f"a{k}" for k in range(30)]), st.sampled_from([1.0, 0.5, -2.0]), max_size=4)
sequences = st.lists(st.lists(tokens, max_size=4), max_size=5) | st.lists(st.lists(valued, max_size=4), max_size=5)


def wide(data: Dataset) -> Dataset:
    place = data.place.astype(np.uint32)
    return replace(data, place=(place & 0x7FFF) | ((place & np.uint32(1 << 15)) << np.uint32(16)))


@given(sequences, st.booleans(), st.integers(0, 99))
def test_slots_are_those_of_the_twin(X: list[Any], long: bool, seed: int) -> None:
    encoded = encode_sequences(X)
    data = wide(encoded.dataset) if long else encoded.dataset
    count = len(encoded.attributes)
    ids = np.random.default_rng(seed).permutation(200)[:count].astype(np.int32)
    ids[::3] = -1
    made = data.renumbered(ids)
    assert slots_of(made) == renumbered(slots_of(data), ids.tolist())
    assert made.place.dtype == data.place.dtype
    keep = np.arange(count) % 2 == 0
    kept = data.keep_attributes(keep)
    assert {a for sentence in slots_of(kept) for a, _ in sentence} <= set(range(int(keep.sum())))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("slots", [0, 2, 1]),
        ("slots", [0, 1, 9]),
        ("slots", [-1, 2, 3]),
        ("occurrences", [0, 9, 4]),
        ("occurrences", [0, 2, 99]),
        ("attribute", [0, 1, 7]),
        ("attribute", [0, -1, 2]),
        ("place", [0, 1, 0, 1]),
        ("place", [0x8000] * 4),
        ("slots", [0, 3]),
        ("slots", []),
    ],
)
def test_arrays_that_do_not_fit_together(name: str, value: list[int]) -> None:
    data = encode_sequences([[["a"], ["a", "b"]], [["c"]]]).dataset
    wrong = replace(data, **{name: np.array(value, getattr(data, name).dtype)})
    with pytest.raises(InputError):
        wrong.renumbered(np.arange(3, dtype=np.int32))


@given(sequences)
def test_stops_and_positions_come_back_as_places(X: list[Any]) -> None:
    data = encode_sequences(X).dataset
    states, place = places_of(data.states)
    np.testing.assert_array_equal(place, data.place)
    np.testing.assert_array_equal(states.attribute, data.attribute)
    assert data.slot_sizes().tolist() == data.states.sizes().tolist()


def test_files_of_version_1_load(tmp_path) -> None:  # type: ignore[no-untyped-def]
    data = encode_sequences([[["a"], {"a": 2.0, "b": 1.0}], [["c"]]], [["X", "Y"], ["X"]]).dataset
    old = data.to_arrays() | {"stop": data.stop, "position": data.position}
    del old["place"]
    save_tensors(tmp_path / "old", old, {"format": "tagfield dataset 1"})
    data.save(tmp_path / "new")
    for path in ("old", "new"):
        found = Dataset.load(tmp_path / path)
        for name, array in data.to_arrays().items():
            np.testing.assert_array_equal(getattr(found, name), array)
    for name, wrong in (("stop", [9, 9, 9]), ("position", [-1, 0, 0, 0]), ("slots", [0, 9, 2])):
        save_tensors(tmp_path / "bad", old | {name: np.array(wrong, old[name].dtype)}, {})
        with pytest.raises(InputError, match="the dataset is inconsistent"):
            Dataset.load(tmp_path / "bad")


def test_a_sentence_of_more_than_32_767_tokens_has_places_of_32_bits() -> None:
    short, long = [["a"]] * 3, [["a"]] * 32_768
    data = encode_sequences([short, long, short]).dataset
    assert data.place.dtype == np.uint32
    assert slots_of(data)[2] == [(0, [(0, 1.0), (1, 1.0), (2, 1.0)])]
    assert encode_sequences([long[:-1]]).dataset.place.dtype == np.uint16


@given(st.lists(st.text(max_size=6), unique=True), st.lists(st.text(max_size=6), unique=True))
def test_a_vocabulary_takes_the_names_of_another(mine: list[str], theirs: list[str]) -> None:
    known = Vocabulary(mine)
    ids = known.join(Vocabulary(theirs))
    assert [known[int(k)] for k in ids] == theirs
    assert known.strings() == [*mine, *(name for name in theirs if name not in mine)]
    np.testing.assert_array_equal(known.join(known), np.arange(len(known)))


@pytest.mark.parametrize("bits", [1, 8, 22, 30])
def test_hashed_names_stay_where_they_are(bits: int) -> None:
    """The hash is part of the format of models."""
    hashed = Vocabulary.hashed(bits)
    found = [hashed.find(name) for name in ("", "w[0]=The", "pos[-1]|pos[0]=DT|NN", "é" * 40)]
    assert found == [each >> (30 - bits) for each in HASHES]
    assert (len(hashed), hashed.hash_bits, hashed[1]) == (1 << bits, bits, "#1")
    assert found == hashed.join(Vocabulary(["", "w[0]=The", "pos[-1]|pos[0]=DT|NN", "é" * 40])).tolist()
    assert hashed == hashed.copy() != Vocabulary()
    if bits < 20:
        assert hashed.subset(np.arange(len(hashed))) == hashed
    with pytest.raises(InputError, match="none of them can be left out"):
        hashed.subset(np.array([0]))
    with pytest.raises(InputError, match="hash bits must be between 1 and 30, got 31"):
        Vocabulary.hashed(31)
