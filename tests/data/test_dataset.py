"""Operations on a corpus: sentences taken, arrays there and back, and the first sentence without a label."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.dataset import UNKNOWN, Dataset
from tagfield.data.encode import encode_sequences
from tagfield.errors import InputError
from tagfield.inference.lattice import open_corpus
from tests.support.naive import Problem
from tests.support.strategies import encode, listed, problems


def same(one: Dataset, other: Dataset) -> None:
    mine, theirs = one.to_arrays(), other.to_arrays()
    assert mine.keys() == theirs.keys()
    for name, array in mine.items():
        np.testing.assert_array_equal(array, theirs[name])
        assert array.dtype == theirs[name].dtype


@settings(max_examples=80, deadline=None)
@given(problems(edges=True), st.data())
def test_sentences_taken_are_those_encoded_alone(problem: Problem, data: st.DataObject) -> None:
    whole = encode(problem)
    chosen = data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=5))
    part = whole.take(np.array(chosen, np.int64))
    open_corpus(part.dataset)
    expected, found = (
        list(replace(each, dataset=replace(each.dataset, edge_slots=None), edges=None).sequences())
        for each in (whole, part)
    )
    for s, sequence in zip(chosen, found, strict=True):
        assert (sequence.tokens, sequence.labels) == (expected[s].tokens, expected[s].labels)
        assert sequence.weight == expected[s].weight
    edges = listed(whole.dataset.edge_slots, whole.dataset)
    assert listed(part.dataset.edge_slots, part.dataset) == [edges[s] for s in chosen]
    same(whole.take(np.arange(len(whole))).dataset, whole.dataset)


@settings(max_examples=80, deadline=None)
@given(problems(edges=True), st.data())
def test_attributes_kept_get_new_ids(problem: Problem, data: st.DataObject) -> None:
    dataset = encode(problem).dataset
    keep, looked = (
        np.array([data.draw(st.booleans()) for _ in range(size)], bool)
        for size in (problem.attributes, problem.edge_attributes)
    )
    part = dataset.keep_attributes(keep).keep_edges(looked)
    open_corpus(part)
    for before, after, kept in ((dataset.states, part.states, keep), (dataset.edge_slots, part.edge_slots, looked)):
        ids = (np.cumsum(kept) - 1).tolist()
        expected = [
            [[(ids[a], value) for a, value in token if kept[a]] for token in sentence]
            for sentence in listed(before, dataset)
        ]
        assert listed(after, part) == expected


@settings(max_examples=50, deadline=None)
@given(problems(edges=True))
def test_edge_attributes_of_the_first_token_are_left_out(problem: Problem) -> None:
    dataset = encode(problem).dataset
    if problem.edges:
        expected = [[sorted(token) if t else [] for t, token in enumerate(s)] for s in problem.edges]
        assert listed(dataset.edge_slots, dataset) == expected
        assert dataset.edge_slots is not None
        assert (dataset.edge_slots.position > 0).all()
        assert "occurrences of edge attributes" in repr(dataset)


@settings(max_examples=50, deadline=None)
@given(problems(edges=True))
def test_arrays_with_a_prefix_make_the_same_dataset(problem: Problem) -> None:
    dataset = encode(problem).dataset
    arrays = dataset.to_arrays("part.")
    assert all(name.startswith("part.") for name in arrays)
    same(Dataset.from_arrays({**arrays, "labels": arrays["part.labels"][:0]}, "part."), dataset)


@settings(max_examples=80, deadline=None)
@given(problems(), st.data())
def test_the_first_sentence_without_a_label(problem: Problem, data: st.DataObject) -> None:
    dataset = encode(problem).dataset
    assert dataset.first_unlabelled() is None
    hidden = np.array([data.draw(st.booleans()) for _ in dataset.labels], bool)
    gold = np.where(hidden, UNKNOWN, dataset.labels)
    bare = [s for s in range(len(dataset)) if hidden[dataset.tokens[s] : dataset.tokens[s + 1]].any()]
    assert dataset.first_unlabelled(gold) == (bare[0] if bare else None)
    for token in range(len(gold)):
        s = dataset.sentence_of(token)
        assert dataset.tokens[s] <= token < dataset.tokens[s + 1]


def test_a_file_holds_the_arrays(tmp_path) -> None:
    for values in ({}, {"size": 0.5}):
        data = encode_sequences([[["a"], {"b": True, **values}]], [["X", "Y"]]).dataset
        data.save(tmp_path / "data")
        same(Dataset.load(tmp_path / "data"), data)
        open_corpus(Dataset.load(tmp_path / "data"))


@pytest.mark.parametrize("keep", [3, -(2**31), [True], np.array([1]), np.array([[True]]), "a", None])
def test_what_is_no_mask_of_attributes_is_an_input_error(keep: object) -> None:
    data = encode_sequences([[["a"]]], [["X"]]).dataset
    with pytest.raises(InputError, match="keep must be an array of bools"):
        data.keep_attributes(keep)


@pytest.mark.parametrize("index", [2**63, -(2**70)])
def test_an_index_beyond_any_array_is_refused(index: int) -> None:
    encoded = encode_sequences([[["a"]]], [["X"]])
    with pytest.raises(InputError, match="indices between 0 and 0"):
        encoded.take(index)  # type: ignore[arg-type]
