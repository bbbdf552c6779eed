"""Rows of blocks: places there and back against a dict, and triples that are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.errors import InputError
from tagfield.weights.blocks import ABSENT, LANES, Rows, absent, sorted_keys, sparse_rows

ROWS, BLOCKS = 5, 3
features = st.dictionaries(
    st.tuples(st.integers(0, ROWS - 1), st.integers(0, BLOCKS * LANES - 1)), st.floats(0.5, 9, width=32), max_size=30
)


def made(table: dict[tuple[int, int], float]) -> tuple[Rows, np.ndarray]:
    keys = np.array(sorted(row * BLOCKS * LANES + label for row, label in table), np.int64)
    value = np.array([table[divmod(int(key), BLOCKS * LANES)] for key in keys], np.float32)
    return sparse_rows(keys, value, ROWS, BLOCKS)


@given(features)
def test_a_sparse_row_holds_its_features_and_nothing_else(table: dict[tuple[int, int], float]) -> None:
    rows, weights = made(table)
    dense = rows.dense(weights, 0, ROWS)
    expected = np.zeros((ROWS, BLOCKS * LANES), np.float32)
    for place, weight in table.items():
        expected[place] = weight
    np.testing.assert_array_equal(dense, expected)
    assert rows.sizes().tolist() == [len({y // LANES for r, y in table if r == row}) for row in range(ROWS)]


@given(features)
def test_find_is_the_inverse_of_locate(table: dict[tuple[int, int], float]) -> None:
    rows, weights = made(table)
    places = np.flatnonzero(~absent(weights.reshape(-1)))
    row, label = rows.locate(places)
    assert set(zip(row.tolist(), label.tolist(), strict=True)) == set(table)
    assert rows.find(row, label, weights).tolist() == places.tolist()
    everywhere = np.divmod(np.arange(ROWS * BLOCKS * LANES), BLOCKS * LANES)
    assert (rows.find(*everywhere, weights) >= 0).sum() == len(table)


@given(features)
def test_full_rows_hold_the_same_features(table: dict[tuple[int, int], float]) -> None:
    rows, weights = made(table)
    full = rows.full(weights)
    assert full.shape == (ROWS * BLOCKS, LANES)
    assert (~absent(full)).sum() == len(table)
    plain = Rows(ROWS, BLOCKS, None, None)
    np.testing.assert_array_equal(plain.dense(full, 1, 4), rows.dense(weights, 1, 4))


@given(features, st.lists(st.booleans(), min_size=ROWS, max_size=ROWS))
def test_only_some_rows_keep_their_blocks(table: dict[tuple[int, int], float], keep: list[bool]) -> None:
    rows, weights = made(table)
    fewer, theirs = rows.only(np.array(keep))
    kept = [row for row in range(ROWS) if keep[row]]
    np.testing.assert_array_equal(fewer.dense(weights[theirs], 0, len(kept)), rows.dense(weights, 0, ROWS)[kept])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_only_minus_zero_marks_a_pair_without_a_feature(dtype: type) -> None:
    weights = np.array([0.0, -0.0, np.finfo(dtype).tiny, -np.finfo(dtype).tiny, np.nan], dtype)
    assert absent(weights).tolist() == [False, True, False, False, False]
    assert absent(np.array([ABSENT], np.float32)).all()


SIZES = (("attribute", 2), ("label", 3))


@pytest.mark.parametrize(
    ("triples", "said"),
    [
        ((["a"], [0], [1.0]), "attribute triples must hold integer ids and numeric weights"),
        (([0, 1], [0], [1.0]), "attribute triples must have equal lengths, got 2, 1 and 1"),
        (([2], [0], [1.0]), r"attribute triple 0 has attribute id 2, which must be in 0\.\.1"),
        (([0], [-1], [1.0]), r"attribute triple 0 has label id -1, which must be in 0\.\.2"),
        (([0], [0], [1e39]), "weight inf; weights must be finite in float32"),
        (([1, 0, 1], [2, 0, 2], [1.0, 2.0, 3.0]), "attribute 1 and label 2 occur in two triples"),
    ],
)
def test_a_wrong_triple_is_named(triples: tuple[list[object], ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        sorted_keys(triples, SIZES, LANES)


def test_keys_are_ascending_and_minus_zero_becomes_a_feature() -> None:
    keys, weights = sorted_keys(([1, 0, 0], [0, 2, 1], [3.0, -0.0, 1.0]), SIZES, LANES)
    assert keys.tolist() == [1, 2, LANES]
    assert weights.tolist() == [1.0, 0.0, 3.0]
    assert not absent(weights).any()
