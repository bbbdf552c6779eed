"""Slots against plain lists of them, and the two forms of their places."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.encode import encode_sequences
from tagfield.data.slots import MOST_TOKENS, Slots, last_of, places_of, spans_of
from tagfield.errors import InputError
from tests.support.naive import Problem
from tests.support.strategies import edge_slots, encode, listed, problems

SENTENCES = [[[(0, 1.0), (1, 1.0)], [(0, 1.0)], [(1, 2.0)]], [], [[], [(2, 1.0)]]]


def plain(slots: Slots) -> list[list[tuple[int, list[int]]]]:
    """(attribute, positions) of the slots of each sentence."""
    found: list[list[tuple[int, list[int]]]] = []
    for s in range(len(slots.slots) - 1):
        start, own = 0, []
        for d in range(slots.slots[s], slots.slots[s + 1]):
            first = int(slots.occurrences[s])
            own.append((int(slots.attribute[d]), slots.position[first + start : first + slots.stop[d]].tolist()))
            start = int(slots.stop[d])
        found.append(own)
    return found


@settings(max_examples=50, deadline=None)
@given(problems())
def test_sizes_and_sentences_are_those_of_the_lists(problem: Problem) -> None:
    states = encode(problem).dataset.states
    expected = plain(states)
    assert states.sizes().tolist() == [len(places) for own in expected for _, places in own]
    assert states.sentences().tolist() == [s for s, own in enumerate(expected) for _, places in own for _ in places]


@settings(max_examples=50, deadline=None)
@given(problems(values=True), st.data())
def test_occurrences_kept_leave_no_empty_slot(problem: Problem, data: st.DataObject) -> None:
    dataset = encode(problem).dataset
    states = dataset.states
    keep = np.array([data.draw(st.booleans()) for _ in states.position], bool)
    kept = states.keep_occurrences(keep)
    assert (kept.sizes() > 0).all()
    marked = replace(states, value=np.where(keep, 1, 0).astype(np.float32))
    expected = [[[a for a, value in token if value] for token in sentence] for sentence in listed(marked, dataset)]
    assert [[[a for a, _ in token] for token in sentence] for sentence in listed(kept, dataset)] == expected


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5), st.data())
def test_spans_are_new_offsets_and_the_entries_between_the_old_ones(sizes: list[int], data: st.DataObject) -> None:
    offsets = np.cumsum([0, *sizes])
    chosen = data.draw(st.lists(st.integers(0, len(sizes) - 1), max_size=5))
    starts, which = spans_of(offsets, np.array(chosen, np.int64))
    entries = [list(range(offsets[s], offsets[s + 1])) for s in chosen]
    assert which.tolist() == [entry for own in entries for entry in own]
    assert starts.tolist() == np.cumsum([0, *map(len, entries)]).tolist()


def test_places_mark_the_last_occurrence_of_each_slot() -> None:
    slots = Slots(np.array([0, 2]), np.array([0, 3]), *(np.array(a, np.int32) for a in ([5, 7], [2, 3], [0, 4, 1])))
    same, place = places_of(slots)
    assert same is slots
    assert place.dtype == np.uint16
    assert place.tolist() == [0, 4 | 1 << 15, 1 | 1 << 15]
    assert (int(last_of(place)), int(last_of(place.astype(np.uint32)))) == (1 << 15, 1 << 31)


@pytest.mark.parametrize(("position", "bits"), [(MOST_TOKENS - 1, 16), (MOST_TOKENS, 32)])
def test_long_sentences_have_places_of_32_bits(position: int, bits: int) -> None:
    one = np.array([1], np.int32)
    _, place = places_of(Slots(np.array([0, 1]), np.array([0, 1]), one, one, np.array([position], np.int32)))
    assert 8 * place.itemsize == bits
    assert int(place[0]) == position | 1 << (bits - 1)


def test_slots_that_never_occur_have_no_place() -> None:
    slots = edge_slots(SENTENCES)
    empty = replace(slots, stop=np.array([0, *slots.stop[1:]], np.int32))  # its occurrence goes to the next slot
    kept, place = places_of(empty)
    assert len(kept.attribute) == len(slots.attribute) - 1
    assert len(place) == len(slots.position)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stop": np.array([2, 1], np.int32)}, "the stops of the slots do not cover the occurrences"),
        ({"stop": np.array([1, 2], np.int32)}, "the stops of the slots do not cover the occurrences"),
        ({"position": np.array([0, -1, 2], np.int32)}, "a position is out of bounds"),
    ],
)
def test_arrays_that_are_no_slots_are_refused(change: dict[str, np.ndarray], message: str) -> None:
    right = Slots(np.array([0, 2]), np.array([0, 3]), *(np.array(a, np.int32) for a in ([5, 7], [2, 3], [0, 4, 1])))
    with pytest.raises(ValueError, match=message):
        places_of(replace(right, **change))


@pytest.mark.parametrize("sentences", [{}, "a", np.array([7]), np.array(["a"]), [["a"]], 0.5])
def test_what_are_no_sentences_is_an_input_error(sentences: object) -> None:
    data = encode_sequences([[["a"]], [["b"]]], [["X"], ["X"]])
    for take in (data.take, data.dataset.take, data.dataset.tokens_of):
        with pytest.raises(InputError, match="sentences must be an array of indices between 0 and 1"):
            take(sentences)
