"""SequenceList beside the array that sklearn-crfsuite 0.5 would return, and beside plain lists."""

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_predict

from tagfield import CRF
from tagfield.compat.sklearn.sequences import SequenceList
from tests.support.chains import tagged

labels = st.sampled_from(["1", "2", "3"])
even = st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(labels, min_size=n, max_size=n), min_size=1, max_size=5))
ragged = st.lists(st.lists(labels, max_size=4), max_size=5)
EVEN = [["1", "2", "3"], ["3", "1", "2"]]
RAGGED = [["1"], ["2", "3"], []]


def peer(rows: list[list[Any]]) -> Any:
    """What sklearn-crfsuite 0.5 makes of the labels of each sequence."""
    return np.array([list(row) for row in rows], dtype=object)


@given(st.one_of(even, ragged))
def test_the_array_is_the_one_of_sklearn_crfsuite(rows: list[list[str]]) -> None:
    ours, theirs = SequenceList(rows), peer(rows)
    assert np.asarray(ours).shape == ours.shape == theirs.shape
    assert np.asarray(ours).dtype == ours.dtype == theirs.dtype
    assert ours.tolist() == theirs.tolist() == rows
    assert (len(ours), ours.size, ours.ndim) == (len(theirs), theirs.size, theirs.ndim)
    assert ours.flatten().tolist() == theirs.flatten().tolist()


@given(st.one_of(even, ragged), st.one_of(even, ragged))
def test_it_compares_as_lists_do(one: list[list[str]], other: list[list[str]]) -> None:
    for right in (other, SequenceList(other)):
        assert bool(SequenceList(one) == right) == (one == other)
        assert bool(SequenceList(one) != right) == (one != other)
        assert (right in [SequenceList(one)]) == (one == other)
    assert SequenceList(one) == one
    assert not bool(SequenceList(one) != one)
    assert SequenceList(one) != 3


@given(even)
def test_it_compares_element_by_element_too(rows: list[list[str]]) -> None:
    other = [["1"] * len(rows[0]) for _ in rows]
    for theirs in (other, SequenceList(other), np.array(other, object)):
        assert (SequenceList(rows) == theirs).tolist() == (peer(rows) == np.array(other, object)).tolist()
        assert (SequenceList(rows) != theirs).sum() == (peer(rows) != np.array(other, object)).sum()
    assert (SequenceList(rows) == rows[0])[0].all()  # one row for all, as NumPy repeats it
    assert not (SequenceList(rows) == other[0]).all() or rows == other


def test_comparisons_of_other_shapes() -> None:
    assert (SequenceList(RAGGED) == [["1"], ["2", "2"], []]).tolist() == [True, False, True]
    assert (SequenceList(EVEN) == [["1", "2", "3"], ["3"]]).tolist() == [True, False]
    assert not (SequenceList(EVEN) == [["1", "2", "3"]] * 3).any()
    tuples = [[("a", 1), ("b", 2)]]
    assert (SequenceList(tuples) == tuples).tolist() == [[True, True]]
    assert (SequenceList(tuples)[0] == tuples[0]).all()
    with pytest.raises(TypeError, match="unhashable"):
        hash(SequenceList(EVEN))


def test_one_sequence_and_its_methods() -> None:
    y = SequenceList(EVEN)
    assert y[0].tolist() == ["1", "2", "3"]
    assert y[0].astype(int).sum() == y.astype(int)[0].sum() == np.array(y, dtype=int)[0].sum() == 6
    assert y[0, 1] == "2"
    assert y[:, 0].tolist() == ["1", "3"]
    assert y[[1]].tolist() == [EVEN[1]]
    assert y[np.array([True, False])].tolist() == [EVEN[0]]
    assert type(y[:1]) is SequenceList
    assert y[...].shape == (2, 3)
    assert y[1][1:] == ["1", "2"]
    y[0][0] = "changed"
    y[0].append("more")
    assert y.tolist()[0] == ["changed", "2", "3", "more"]


def test_iterating_gives_plain_lists_and_an_index_what_has_the_methods_of_an_array() -> None:
    y = SequenceList(RAGGED)
    assert [type(row) for row in y] == [type(row) for row in SequenceList(EVEN)] + [list] == [list] * 3
    assert y[0].tolist() == next(iter(y))
    with pytest.raises(AttributeError, match="'SequenceList' object has no attribute 'nothing'"):
        _ = y.nothing
    with pytest.raises(ValueError, match="only by a copy"):
        y.__array__(copy=False)


@pytest.mark.parametrize("rows", [EVEN, RAGGED, []], ids=str)
def test_copies_pickles_and_json(rows: list[list[str]]) -> None:
    y = SequenceList(rows)
    for again in (pickle.loads(pickle.dumps(y)), copy.deepcopy(y), copy.copy(y)):
        assert type(again) is SequenceList
        assert again == y
        assert again.shape == y.shape
    assert json.loads(json.dumps(y)) == rows
    assert isinstance(y, list)
    y.append(["4"])
    y += [["5"]]
    assert y == [*rows, ["4"], ["5"]]


def test_folds_are_joined_whatever_the_lengths_of_their_sequences() -> None:
    folds = [SequenceList(EVEN), SequenceList(RAGGED)]
    assert np.concatenate(folds).tolist() == EVEN + RAGGED
    assert np.concatenate([SequenceList(EVEN), SequenceList(EVEN)]).shape == (4, 3)
    assert np.concatenate(SequenceList(RAGGED)).tolist() == ["1", "2", "3"]
    assert np.unique(SequenceList(EVEN)).tolist() == ["1", "2", "3"]
    X, Y = tagged(12)
    shortest = min(map(len, X))
    X, Y = X[:8] + [x[:shortest] for x in X[8:]], Y[:8] + [y[:shortest] for y in Y[8:]]
    found = cross_val_predict(CRF(c2=0.1, max_iterations=5), X, Y, cv=3)  # the sequences of the last fold are even
    assert [len(row) for row in found] == [len(x) for x in X]


def test_what_predict_returns() -> None:
    crf = CRF(c2=0.01).fit([[["a"], ["b"]]] * 2, [["1", "2"]] * 2)
    X = [[["a"], ["b"]], [["b"], ["a"]]]
    assert crf.predict(X)[0].tolist() == ["1", "2"]
    assert np.array(crf.predict(X), dtype=int).tolist() == [[1, 2], [2, 1]]
    assert (crf.predict(X) == [["1", "2"], ["2", "1"]]).all()
    assert type(crf.predict_single(X[0])) is list
    rows = crf.predict_marginals(X)
    assert np.array(rows).shape == rows.shape == (2, 2)
    assert {type(row) for row in crf.predict_marginals_single(X[0])} == {dict}
    assert json.loads(json.dumps(rows)) == rows
    assert pickle.loads(pickle.dumps(rows)) == copy.deepcopy(rows) == rows
    assert dict(rows[0][0]) == {**rows[0][0]} == rows[0][0]
    assert sum(rows[0][0].values()) == pytest.approx(1, abs=1e-6)


def test_pandas_reads_the_marginals() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    crf = CRF().fit([[["a"], ["b"]]] * 2, [["1", "2"]] * 2)
    frame = pandas.DataFrame(crf.predict_marginals_single([["a"], ["b"]]))
    assert list(frame.columns) == ["1", "2"]
    assert (frame.sum(axis=1) - 1).abs().max() < 1e-6
