"""Rows of tables: lines on cells whose measured errors are the true ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.bregman.sampling import HIGH, LOW, sample_logs, sample_row

BITS = 7


def looked_up(cells: np.ndarray, x: np.ndarray) -> np.ndarray:
    """a + b·x of the cell of each x, found by its logarithm instead of its bits."""
    exponent = np.floor(np.log2(x)).astype(int)
    within = ((x / 2.0**exponent - 1) * 2**BITS).astype(int)
    a, b = cells[1 + ((exponent - LOW) << BITS) + within].astype(np.float64).T
    return a + b * x


@given(sizes=st.lists(st.floats(2.0**-20, 2.0**20, width=32), min_size=1, max_size=20))
@pytest.mark.parametrize("f", [np.tanh, np.arctan, np.log1p], ids=lambda f: f.__name__)
def test_a_row_is_as_near_as_it_says(f, sizes) -> None:
    row = sample_row(f, BITS)
    x = np.array(sizes)
    error = np.abs(looked_up(row.cells, x) - f(x)) / np.abs(f(x))
    assert error.max() <= row.relative_error * 1.5 + 1e-7  # measured at nine points of a cell
    assert row.relative_error < 1e-4


def test_a_row_covers_every_exponent_and_has_one_cell_below() -> None:
    assert len(sample_row(np.tanh, BITS).cells) == 1 + ((HIGH - LOW) << BITS)


def test_tails_are_power_laws() -> None:
    low_value, low_power, high_value, high_power = sample_row(lambda x: 3 * np.sqrt(x), BITS).tails
    assert (round(low_power, 6), round(high_power, 6)) == (0.5, 0.5)
    assert high_value > 0
    assert low_value > 0


def test_cells_beyond_the_reach_stay_zero() -> None:
    row = sample_row(np.tanh, BITS, reach=2.0)
    assert not row.cells[1 + ((3 - LOW) << BITS) :].any()
    assert row.cells[1 : 1 + ((0 - LOW) << BITS)].any(axis=1).all()


def test_logarithms_follow_what_dies_out_and_refuse_the_other_sign() -> None:
    row = sample_logs(lambda x: x * np.exp(-x * x), 10)
    assert row is not None
    assert row.relative_error < 1e-5
    assert sample_logs(lambda x: -x, 10) is None
    assert sample_logs(np.sqrt, 10) is None  # not linear near 0
