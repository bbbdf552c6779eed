"""Where each edge weight lives: quadruples there and back against a dict, growing, pruning, and wrong ones."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.errors import InputError
from tagfield.weights.features import grow, prune
from tagfield.weights.layout import FeatureSet, Weights, absent
from tests.support.strategies import dense_weights, present

Triple = tuple[int, int, int]
Table = dict[Triple, float]  # (edge attribute, from, to) → weight
WEIGHTS = st.sampled_from([0.0, -0.0, 1.0, -2.5, 1e-30, 3e38])
NOTHING: tuple[list[int], list[int], list[float]] = ([], [], [])


@st.composite
def tables(draw: st.DrawFn, least: tuple[int, int] = (0, 1)) -> tuple[int, int, Table]:
    """Edge attributes, labels, and edge features, in no order."""
    labels = draw(st.sampled_from([size for size in (1, 2, 8, 9, 33) if size >= least[1]]))
    edges = draw(st.integers(least[0], least[0] + 3))
    if not edges:
        return edges, labels, {}
    label = st.integers(0, labels - 1)
    return (
        edges,
        labels,
        draw(st.dictionaries(st.tuples(st.integers(0, edges - 1), label, label), WEIGHTS, max_size=12)),
    )


def made(edges: int, labels: int, table: Table, **how: Any) -> tuple[FeatureSet, Weights]:
    ids = [[key[i] for key in table] for i in range(3)]
    quadruples = (*ids, list(table.values()))
    return FeatureSet.from_triples(0, labels, NOTHING, NOTHING, edge_attributes=edges, edge_weights=quadruples, **how)  # type: ignore[arg-type]


def check(features: FeatureSet, weights: Weights, table: Table) -> None:
    """Each feature is there once with its weight, and nothing else is."""
    features.field(weights)  # the kernels take it
    mask, dense = present(features), dense_weights(features, weights)
    assert set(zip(*(i.tolist() for i in np.nonzero(mask.edge)), strict=True)) == set(table)
    assert all(dense.edge[key] == np.float32(weight) for key, weight in table.items())
    assert features.edge_count == features.size == len(table)
    assert (features.edge_attributes == 0) == (weights.edge is None)
    for one, zero in zip(weights.arrays(), features.zero.arrays(), strict=True):
        assert (absent(one) == absent(zero)).all()
        assert not zero.any()


@settings(max_examples=120, deadline=None)
@given(tables(), st.booleans())
def test_quadruples_there_and_back(drawn: tuple[int, int, Table], wide: bool) -> None:
    edges, labels, table = drawn
    features, weights = made(*drawn, dtype=np.float64 if wide else np.float32)
    kept = table if not wide else {key: float(np.float64(weight)) for key, weight in table.items()}
    if not wide:
        check(features, weights, table)
    at = features.coordinates()
    listed = list(zip(at.edge_attribute.tolist(), at.edge_before.tolist(), at.edge_after.tolist(), strict=True))
    assert listed == sorted(table)
    number = np.float64 if wide else np.float32
    assert at.edge_values(weights).tolist() == [number(kept[key]) for key in sorted(table)]
    every = np.array([(e, i, j) for e in range(edges) for i in range(labels) for j in range(labels)]).reshape(-1, 3)
    places = features.find_edges(*every.T.astype(np.int64))
    assert [tuple(triple) for triple in every[places >= 0].tolist()] == sorted(table)
    assert places[places >= 0].tolist() == at.edge.tolist()
    for e in range(edges):
        expected = [[number(kept.get((e, i, j), 0.0)) for j in range(labels)] for i in range(labels)]
        assert features.edge_matrix(weights, e).tolist() == expected
    _, same = FeatureSet.from_triples(
        0, labels, NOTHING, NOTHING, edge_attributes=edges, edge_weights=at.edge_features(weights), dtype=number
    )
    assert [array.tobytes() for array in same.arrays()] == [array.tobytes() for array in weights.arrays()]


@settings(max_examples=60, deadline=None)
@given(tables())
def test_full_rows_become_sparse_ones(drawn: tuple[int, int, Table]) -> None:
    """In the middle of a stream the rows are full; what is kept of it has sparse ones."""
    edges, labels, table = drawn
    features, weights = made(*drawn)
    if weights.edge is None:
        return
    full = Weights(weights.state, weights.trans, features.edge_rows.full(weights.edge))
    stream = FeatureSet("observed", 0, labels, None, None, full, edges)
    check(stream, full, table)
    check(*stream.compact(full), table)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_growing_keeps_every_old_weight(data: st.DataObject) -> None:
    old = data.draw(tables())
    new = data.draw(tables(least=old[:2]))
    check(*grow(*made(*old), made(*new)[0]), dict.fromkeys(new[2], 0.0) | old[2])
    if old[0]:
        with pytest.raises(InputError, match="can only grow"):
            grow(*made(*old), made(old[0] - 1, old[1], {})[0])


@settings(max_examples=80, deadline=None)
@given(tables(), st.sampled_from([0.0, 1.0, 2.5]))
def test_pruning_leaves_what_is_larger(drawn: tuple[int, int, Table], threshold: float) -> None:
    left = prune(*made(*drawn), threshold)
    kept = {key: w for key, w in drawn[2].items() if abs(w) > threshold}
    assert left.edge_attributes.tolist() == sorted({e for e, _, _ in kept})
    number = {e: i for i, e in enumerate(left.edge_attributes.tolist())}
    check(left.features, left.weights, {(number[e], i, j): w for (e, i, j), w in kept.items()})


@settings(max_examples=50, deadline=None)
@given(tables(), st.data())
def test_only_some_edge_attributes(drawn: tuple[int, int, Table], data: st.DataObject) -> None:
    edges, labels, table = drawn
    keep = np.array([data.draw(st.booleans()) for _ in range(edges)], bool)
    some = made(*drawn)[0].only(np.zeros(0, bool), keep)
    new = (np.cumsum(keep) - 1).tolist()
    assert (some.edge_attributes, some.labels) == (keep.sum(), labels)
    check(some, some.zeros(), {(new[e], i, j): 0.0 for e, i, j in table if keep[e]})


@pytest.mark.parametrize(
    ("quadruples", "message"),
    [
        (([0, 0], [1, 1], [0, 0], [1, 2]), "edge attribute 0, label 1 and label 0 occur in two triples"),
        (([2], [0], [0], [1]), r"edge attribute triple 0 has edge attribute id 2, which must be in 0\.\.1"),
        (([0], [2], [0], [1]), "has label id 2"),
        (([0], [0], [-1], [1]), "has label id -1"),
        (([0], [0], [0, 1], [1]), "must have equal lengths, got 1, 1, 2 and 1"),
        (([0], [0], [0], [np.inf]), "weights must be finite in float32"),
        ((["a"], [0], [0], [1]), "must hold integer ids and numeric weights"),
    ],
)
def test_quadruples_that_are_wrong(quadruples: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        FeatureSet.from_triples(0, 2, NOTHING, NOTHING, edge_attributes=2, edge_weights=quadruples)
    with pytest.raises(InputError, match="edge attribute"):  # without edge attributes there can be no weight
        FeatureSet.from_triples(0, 2, NOTHING, NOTHING, edge_weights=([0], [0], [0], [1.0]))
