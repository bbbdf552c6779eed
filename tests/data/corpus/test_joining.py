"""One dataset of several: the same as if their sentences had been encoded together."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.corpus.joining import join, no_edges, widened
from tagfield.data.encode import encode_sequences
from tests.data.test_dataset import same
from tests.support.naive import Problem
from tests.support.strategies import encode, listed, problems


@settings(max_examples=60, deadline=None)
@given(problems(edges=True), st.data())
def test_parts_joined_are_the_whole(problem: Problem, data: st.DataObject) -> None:
    whole = encode(problem).dataset
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=3)))
    bounds = [0, *cuts, len(whole)]
    parts = [whole.take(np.arange(a, b)) for a, b in pairwise(bounds)]
    same(join(parts), whole)


@given(st.lists(st.integers(0, 2**15 - 1), max_size=6), st.data())
def test_wider_places_keep_positions_and_marks(positions: list[int], data: st.DataObject) -> None:
    marks = [data.draw(st.booleans()) for _ in positions]
    narrow = np.array([p | m << 15 for p, m in zip(positions, marks, strict=True)], np.uint16)
    wide = widened(narrow)
    assert wide.dtype == np.uint32
    assert wide.tolist() == [p | m << 31 for p, m in zip(positions, marks, strict=True)]
    assert widened(wide) is wide


def test_one_part_that_is_wide_makes_all_places_wide() -> None:
    one = encode_sequences([[["a"], ["b"]]], [["X", "Y"]]).dataset
    both = join([one, replace(one, place=widened(one.place))])
    assert both.place.dtype == np.uint32
    assert both.position.tolist() == [0, 1, 0, 1]


def test_values_and_edges_of_one_part_are_filled_in_for_the_others() -> None:
    plain = encode_sequences([[["a"], ["b"]]], [["X", "Y"]]).dataset
    rich = encode_sequences([[{"a": 2.0}, ["b"]]], [["X", "Y"]], edges=[[[], ["e"]]]).dataset
    both = join([plain, rich, plain])
    assert both.value is not None
    assert both.value.tolist() == [1, 1, 2, 1, 1, 1]
    assert listed(both.edge_slots, both) == [[[], []], [[], [(0, 1.0)]], [[], []]]
    assert both.tokens.tolist() == [0, 2, 4, 6]


def test_nothing_joined_is_a_dataset_of_no_sentence() -> None:
    nothing = join([])
    assert (len(nothing), nothing.tokens.tolist(), len(nothing.place)) == (0, [0], 0)
    one = encode_sequences([[["a"]]], [["X"]]).dataset
    assert join([one]) is one


@pytest.mark.parametrize("sentences", [0, 3])
def test_sentences_without_edges_have_no_slot(sentences: int) -> None:
    slots = no_edges(sentences)
    assert slots.slots.tolist() == slots.occurrences.tolist() == [0] * (sentences + 1)
    assert len(slots.attribute) == len(slots.stop) == len(slots.position) == 0
