"""Weights: arrays that begin at cache lines, float64 to float32, and the values of features."""

import numpy as np
import pytest

from tagfield.errors import InputError
from tagfield.weights.blocks import absent
from tagfield.weights.layout import FeatureSet
from tagfield.weights.weights import LINE, Weights, zeros_on_lines


def weights_of(*, wide: bool = False, edges: bool = True) -> tuple[FeatureSet, Weights]:
    return FeatureSet.from_triples(
        2,
        3,
        ([0, 1], [2, 0], [1.5, -2.0]),
        ([0, 2], [1, 2], [0.5, 4.0]),
        edge_attributes=2 if edges else 0,
        edge_weights=([0, 1], [1, 0], [0, 2], [0.25, -0.5]) if edges else ((), (), (), ()),
        dtype=np.float64 if wide else np.float32,
    )


def test_a_copy_begins_at_a_cache_line_and_shares_nothing() -> None:
    _, weights = weights_of()
    copied = weights.copy()
    for one, other in zip(weights.arrays(), copied.arrays(), strict=True):
        assert other.ctypes.data % LINE == 0
        assert not np.shares_memory(one, other)
        np.testing.assert_array_equal(one.view(np.uint32), other.view(np.uint32))  # −0.0 stays −0.0
    assert all(array.ctypes.data % LINE == 0 and not array.any() for array in weights.zeros().arrays())


@pytest.mark.parametrize("size", [1, 7, 8, 1000])
def test_zeros_begin_at_a_cache_line_whatever_their_size(size: int) -> None:
    assert zeros_on_lines(np.ones((size, 8), np.float32)).ctypes.data % LINE == 0


def test_map_takes_every_array_with_those_of_the_others() -> None:
    _, weights = weights_of()
    doubled = weights.map(np.add, weights)
    assert [float(array.sum()) for array in doubled.arrays()] == [2 * float(array.sum()) for array in weights.arrays()]


def test_float64_weights_become_float32_and_features_stay_features() -> None:
    _, wide = weights_of(wide=True)
    tiny = wide.map(lambda array: np.where(absent(array), array, array * 1e-60))
    single = tiny.single()
    assert single.state.dtype == np.float32
    for one, other in zip(wide.arrays(), single.arrays(), strict=True):
        assert (absent(one) == absent(other)).all()
    assert single.single() is single


def test_weights_beyond_float32_cannot_be_trained_further() -> None:
    _, wide = weights_of(wide=True)
    with pytest.raises(InputError, match="beyond the range of float32"):
        wide.map(lambda array: array * 1e60).single()


def test_finite_looks_at_every_array() -> None:
    _, weights = weights_of()
    assert weights.finite()
    for array in weights.arrays():
        kept = array.reshape(-1)[0]
        array.reshape(-1)[0] = np.nan
        assert not weights.finite()
        array.reshape(-1)[0] = kept


def test_coordinates_name_the_feature_of_every_weight() -> None:
    features, weights = weights_of()
    at = features.coordinates()
    state, trans = at.values(weights)
    assert [*zip(at.attribute.tolist(), at.label.tolist(), state.tolist(), strict=True)] == [(0, 2, 1.5), (1, 0, -2.0)]
    assert [*zip(at.before.tolist(), at.after.tolist(), trans.tolist(), strict=True)] == [(0, 1, 0.5), (2, 2, 4.0)]
    edge = (array.tolist() for array in map(np.asarray, at.edge_features(weights)))
    assert [*zip(*edge, strict=True)] == [(0, 1, 0, 0.25), (1, 0, 2, -0.5)]


def test_transitions_without_a_feature_are_zero() -> None:
    _, weights = weights_of(edges=False)
    assert weights.transitions().tolist() == [[0, 0.5, 0], [0, 0, 0], [0, 0, 4.0]]
    assert not np.signbit(weights.transitions()).any()
    assert len(weights.arrays()) == 2
