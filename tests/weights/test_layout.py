"""Where each weight lives: triples there and back against a dict, growing and pruning, and triples that are wrong."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.errors import InputError
from tagfield.weights.features import grow, prune
from tagfield.weights.layout import FeatureSet, Weights, absent
from tests.support.strategies import dense_weights, present

Table = dict[tuple[int, int], float]  # (row, label) → weight
WEIGHTS = st.sampled_from([0.0, -0.0, 1.0, -2.5, 1e-30, 3e38])


@st.composite
def tables(draw: st.DrawFn, least: tuple[int, int] = (0, 1)) -> tuple[int, int, Table, Table]:
    """Attributes, labels, state features and transitions, in no order."""
    labels = draw(st.sampled_from([size for size in (1, 2, 8, 9, 32, 33, 70) if size >= least[1]]))
    attributes = draw(st.integers(least[0], least[0] + 5))

    def some(rows: int) -> Table:
        if not rows:
            return {}
        pairs = st.tuples(st.integers(0, rows - 1), st.integers(0, labels - 1))
        return draw(st.dictionaries(pairs, WEIGHTS, max_size=12))

    return attributes, labels, some(attributes), some(labels)


def triples(table: Table) -> tuple[list[int], list[int], list[float]]:
    return [a for a, _ in table], [y for _, y in table], list(table.values())


def made(attributes: int, labels: int, state: Table, trans: Table, **how: Any) -> tuple[FeatureSet, Weights]:
    return FeatureSet.from_triples(attributes, labels, triples(state), triples(trans), **how)


def check(features: FeatureSet, weights: Weights, state: Table, trans: Table) -> None:
    """Each feature is there once with its weight, and nothing else is."""
    features.field(weights)  # the kernels take it
    mask, dense = present(features), dense_weights(features, weights)
    for table, there, values in ((state, mask.state, dense.state), (trans, mask.trans, dense.trans)):
        assert set(zip(*(i.tolist() for i in np.nonzero(there)), strict=True)) == set(table)
        assert all(values[key] == np.float32(weight) for key, weight in table.items())
    assert features.counts == (len(state), len(trans))
    for one, zero in ((weights.state, features.zero.state), (weights.trans, features.zero.trans)):
        assert (absent(one) == absent(zero)).all()
        assert not zero.any()


@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from([None, True, False]))
def test_triples_there_and_back(drawn: tuple[int, int, Table, Table], sparse: bool | None) -> None:
    attributes, labels, state, trans = drawn
    features, weights = made(*drawn, sparse=sparse)
    check(features, weights, state, trans)
    assert (features.first is not None) == (labels > 32 if sparse is None else sparse)
    at = features.coordinates()
    values, edges = at.values(weights)
    assert list(zip(at.attribute.tolist(), at.label.tolist(), strict=True)) == sorted(state)
    assert list(zip(at.before.tolist(), at.after.tolist(), strict=True)) == sorted(trans)
    assert values.tolist() == [np.float32(state[key]) for key in sorted(state)]
    assert edges.tolist() == [np.float32(trans[key]) for key in sorted(trans)]
    pairs = np.array([(a, y) for a in range(attributes) for y in range(labels)], np.int64).reshape(-1, 2)
    places = features.find(pairs[:, 0], pairs[:, 1])
    assert [tuple(pair) for pair in pairs[places >= 0].tolist()] == sorted(state)
    assert places[places >= 0].tolist() == at.state.tolist()
    for a in range(attributes):
        expected = [np.float32(state.get((a, y), 0.0)) for y in range(labels)]
        assert features.row(weights, a).tolist() == expected
    again, same = FeatureSet.from_triples(
        attributes, labels, (at.attribute, at.label, values), (at.before, at.after, edges), sparse=sparse
    )
    assert same.state.tobytes() == weights.state.tobytes()
    assert same.trans.tobytes() == weights.trans.tobytes()
    check(*again.compact(same), state, trans)


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from([True, False]))
def test_growing_keeps_every_old_weight(data: st.DataObject, sparse: bool) -> None:
    old = data.draw(tables())
    new = data.draw(tables(least=(old[0], old[1])))
    features, weights = grow(*made(*old, sparse=sparse), made(*new)[0])
    expected = [dict.fromkeys(table, 0.0) | before for before, table in zip(old[2:], new[2:], strict=True)]
    check(features, weights, *expected)
    assert (features.attributes, features.labels) == new[:2]
    assert (features.first is not None) == (new[1] > 32)


def test_a_set_does_not_shrink() -> None:
    small, large = made(1, 2, {}, {})[0], made(2, 2, {}, {})
    with pytest.raises(InputError, match="can only grow"):
        grow(*large, small)


@settings(max_examples=100, deadline=None)
@given(tables(), st.sampled_from([0.0, 1.0, 2.5]), st.sampled_from([True, False]))
def test_pruning_leaves_what_is_larger(drawn: tuple[int, int, Table, Table], threshold: float, sparse: bool) -> None:
    _, _, state, trans = drawn
    alive, features, weights, _ = prune(*made(*drawn, sparse=sparse), threshold)
    kept = {key: w for key, w in state.items() if abs(w) > threshold}
    assert alive.tolist() == sorted({a for a, _ in kept})
    number = {a: i for i, a in enumerate(alive.tolist())}
    left = {key: w for key, w in trans.items() if abs(w) > threshold}
    check(features, weights, {(number[a], y): w for (a, y), w in kept.items()}, left)


@settings(max_examples=50, deadline=None)
@given(tables(), st.data(), st.sampled_from([True, False]))
def test_only_some_attributes(drawn: tuple[int, int, Table, Table], data: st.DataObject, sparse: bool) -> None:
    attributes, _, state, trans = drawn
    keep = np.array([data.draw(st.booleans()) for _ in range(attributes)], bool)
    some = made(*drawn, sparse=sparse)[0].only(keep)
    new = (np.cumsum(keep) - 1).tolist()
    zeros = {(new[a], y): 0.0 for a, y in state if keep[a]}
    check(some, some.zeros(), zeros, dict.fromkeys(trans, 0.0))


NONE: tuple[list[int], list[int], list[float]] = ([], [], [])


@pytest.mark.parametrize(
    ("state", "trans", "message"),
    [
        (([0, 1, 0], [1, 1, 1], [1, 2, 3]), NONE, "attribute 0 and label 1 occur in two triples"),
        (NONE, ([1, 1], [0, 0], [1, 2]), "label 1 and label 0 occur in two triples"),
        (([0, 2], [0, 0], [1, 1]), NONE, r"attribute triple 1 has attribute id 2, which must be in 0\.\.1"),
        (([-1], [0], [1]), NONE, "has attribute id -1"),
        (([0], [2], [1]), NONE, r"has label id 2, which must be in 0\.\.1"),
        (NONE, ([0], [-1], [1]), "label triple 0 has label id -1"),
        (([0], [0, 1], [1]), NONE, "must have equal lengths, got 1, 2 and 1"),
        (([0], [0], [np.nan]), NONE, "has weight nan; weights must be finite in float32"),
        (([0], [0], [1e39]), NONE, "has weight inf"),
        ((["a"], [0], [1]), NONE, "must hold integer ids and numeric weights"),
    ],
)
def test_triples_that_are_wrong(state: Any, trans: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        FeatureSet.from_triples(2, 2, state, trans)


def test_a_million_triples_take_no_loop() -> None:
    rng = np.random.default_rng(0)
    keys = rng.permutation(3_000_000)[:1_000_000]  # in no order
    features, weights = FeatureSet.from_triples(75_000, 40, (keys // 40, keys % 40, keys % 7 - 3.0), NONE, sparse=True)
    at = features.coordinates()
    assert features.counts == (1_000_000, 0)
    assert (at.attribute * 40 + at.label == np.sort(keys)).all()
    assert (at.values(weights)[0] == np.sort(keys) % 7 - 3.0).all()


def test_marks_that_are_weights_make_zeros_all_the_same() -> None:
    """A mapped model marks its features by its own weights; fresh weights are zero for it too."""
    features, weights = made(2, 2, {(0, 1): 3.0}, {(1, 1): -1.0})
    assert features.marks is weights
    assert not features.zeros().state.any()
    assert features.zeros().state is not features.zeros().state
