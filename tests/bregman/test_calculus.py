"""Differences, derivatives and integrals keep their digits where plain arithmetic loses them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.bregman.calculus import derivative, increment, integral, intermediate_size, mean_between

FUNCTIONS = {  # g, g′, ∫₀ᵘ g
    "arctan": (np.arctan, lambda u: 1 / (1 + u * u), lambda u: u * np.arctan(u) - np.log1p(u * u) / 2),
    "sinh": (np.sinh, np.cosh, lambda u: np.cosh(u) - 1),
    "cube": (lambda u: u**3, lambda u: 3 * u * u, lambda u: u**4 / 4),
}
EXACT_DIGITS = 1e-12  # relative: a few roundings of float64


@pytest.mark.parametrize("name", FUNCTIONS)
@given(q=st.floats(-3, 3), size=st.floats(1e-300, 2), sign=st.sampled_from([-1, 1]))
def test_an_increment_keeps_its_relative_accuracy(name: str, q: float, size: float, sign: int) -> None:
    g, h, _ = FUNCTIONS[name]
    delta = sign * size
    found = float(increment(g, h, np.array([q]), np.array([delta]))[0])
    if size < 1e-9 * max(1, abs(q)) and abs(q) > 1e-3:  # g(q+δ) − g(q) = δ·h(q)(1 + O(δ))
        assert found == pytest.approx(delta * float(h(np.array([q]))[0]), rel=1e-6)
    else:
        exact = float(g(np.array([q + delta]))[0] - g(np.array([q]))[0])
        assert found == pytest.approx(exact, rel=1e-6, abs=1e-15)


def test_an_increment_of_nothing_is_nothing_even_where_the_slope_is_infinite() -> None:
    found = increment(np.sqrt, lambda u: 0.5 / np.sqrt(u), np.array([0.0, 4.0]), np.zeros(2))
    assert found.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_derivative_by_differences_has_nine_digits(name: str) -> None:
    g, h, _ = FUNCTIONS[name]
    u = np.concatenate([-np.geomspace(1e-3, 5, 20), np.geomspace(1e-3, 5, 20)])
    np.testing.assert_allclose(derivative(g, u, (-np.inf, np.inf)), h(u), rtol=1e-9, atol=1e-9)


def test_a_derivative_is_never_negative() -> None:
    assert derivative(np.tanh, np.array([40.0, -40.0]), (-np.inf, np.inf)).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_integral_has_twelve_digits(name: str) -> None:
    g, _, G = FUNCTIONS[name]
    u = np.array([[-3.0, -0.5, 0.0], [1e-3, 1.0, 4.0]])
    np.testing.assert_allclose(integral(g, 0.0, u), G(u), rtol=EXACT_DIGITS, atol=1e-15)


def test_an_integral_towards_a_singular_point_converges() -> None:
    assert integral(np.log, 0.0, np.array([1.0]))[0] == pytest.approx(-1.0, rel=EXACT_DIGITS)


def test_a_mean_over_an_interval_is_the_integral_over_its_length() -> None:
    found = mean_between(np.exp, np.array([0.0, 1.0]), np.array([1.0, -1.0]))
    np.testing.assert_allclose(found, math.e - 1, rtol=EXACT_DIGITS)


def test_functions_that_subtract_large_numbers_are_found() -> None:
    assert intermediate_size(np.arcsinh) == 0.0
    assert intermediate_size(lambda u: (1e3 + u) - 1e3) > 0.5
