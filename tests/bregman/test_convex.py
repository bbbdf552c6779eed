"""Generators of a user's own: what is derived from a gradient, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.bregman.convex import Generator
from tagfield.errors import InputError


def test_value_and_curvature_follow_from_a_gradient_alone() -> None:
    own = Generator.from_gradient(np.sinh, name="sinh", checked_on=(-20, 20))
    u = np.linspace(-3, 3, 13)
    np.testing.assert_allclose(own.hessian(u), np.cosh(u), rtol=1e-8)
    np.testing.assert_allclose(own.value(u), np.cosh(u) - 1, rtol=1e-10, atol=1e-12)
    assert own.symmetric
    assert not own.linear


def test_a_line_is_linear_and_a_clipped_line_is_not() -> None:
    assert Generator.from_gradient(lambda u: 3 * u).linear
    assert not Generator.from_gradient(lambda u: np.clip(u, -1e6, 1e6)).linear


def test_a_gradient_that_is_steeper_to_the_right_is_not_symmetric() -> None:
    assert not Generator.from_gradient(np.expm1, checked_on=(-50, 50)).symmetric


@given(kappa=st.floats(1e-3, 1e3), u=st.floats(-5, 5))
def test_a_stretched_generator_keeps_its_slope_at_zero(kappa: float, u: float) -> None:
    G = Generator("arcsinh", np.abs, np.arcsinh, lambda x: 1 / np.sqrt(1 + x * x))
    stretched, at = G.stretched(kappa), np.array([u])
    assert stretched.hessian(np.zeros(1))[0] == G.hessian(np.zeros(1))[0]
    np.testing.assert_allclose(stretched.gradient(at), np.arcsinh(kappa * at) / kappa, rtol=1e-14)


def test_a_stretched_domain_shrinks() -> None:
    G = Generator("log", np.log, np.log, np.reciprocal, domain=(0.0, 8.0))
    assert G.stretched(2.0).domain == (0.0, 4.0)


@pytest.mark.parametrize("kappa", [0.0, -1.0, float("inf"), float("nan")])
def test_a_stretch_must_be_positive_and_finite(kappa: float) -> None:
    with pytest.raises(InputError, match="the stretch factor κ must be > 0 and finite"):
        Generator("line", np.square, np.positive, np.ones_like).stretched(kappa)


def test_curvature_times_nothing_is_nothing_where_it_is_infinite() -> None:
    G = Generator("root", np.abs, np.sqrt, lambda u: np.full_like(u, np.inf))
    with np.errstate(invalid="ignore"):  # as its callers have it
        assert G.times(np.zeros(2), np.array([0.0, 1.0])).tolist() == [0.0, np.inf]


@pytest.mark.parametrize(
    ("gradient", "more", "said"),
    [
        (np.cos, {}, "decreases from .* so G is not convex"),
        (lambda u: 1 / u, {}, "is not finite at u = "),
        (lambda u: 1.0, {}, "gradient of 'own'"),
        (np.arctan, {"hessian": lambda u: 2 / (1 + u * u)}, "hessian|second derivative"),
    ],
)
def test_a_gradient_that_is_no_gradient_of_a_convex_function_is_refused(gradient, more, said) -> None:
    with pytest.raises(InputError, match=said), np.errstate(all="ignore"):
        Generator.from_gradient(gradient, **more)


NONSENSE = pytest.mark.parametrize(
    "nonsense",
    [
        lambda u: None,
        lambda u: "x",
        lambda u: np.zeros(3),
        lambda u: u * 1j,
        lambda u: np.array([None] * len(u)),
        lambda u: 1 / 0,
        lambda: 0.0,
        3,
    ],
)


@NONSENSE
def test_functions_that_return_nonsense_are_input_errors(nonsense) -> None:
    with pytest.raises(InputError, match="of 'mine' must map an array"):
        Generator.from_gradient(nonsense, name="mine")


@NONSENSE
@pytest.mark.parametrize("which", ["value", "gradient", "hessian"])
def test_a_generator_built_directly_checks_its_functions(nonsense, which: str) -> None:
    functions = {"value": np.cosh, "gradient": np.sinh, "hessian": np.cosh} | {which: nonsense}
    with pytest.raises(InputError, match=f"the {which} of 'mine' must map an array"):
        Generator("mine", **functions)


@pytest.mark.parametrize("domain", [None, 3, (1.0,), (1.0, 0.0), (0.0, 0.0), ("a", "b"), (float("nan"), 1.0)])
def test_a_domain_is_two_numbers_the_lower_first(domain) -> None:
    with pytest.raises(InputError, match="the domain of 'mine' must be two numbers"):
        Generator("mine", np.cosh, np.sinh, np.cosh, domain=domain)
