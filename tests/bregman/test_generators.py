"""Every generator: g is the derivative of G, h that of g, g never decreases; closed forms; names; bad input."""

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from tagfield.bregman import Generator, arctan, entropy, erf, gd, parse_generator, pnorm, quadratic, softplus
from tagfield.bregman.losses import divergence, update
from tagfield.errors import InputError
from tests.support.bregman_table import ALL, EVERYWHERE, OWN, SMOOTH
from tests.support.tolerances import ALGEBRA, NUMERIC

by_name = pytest.mark.parametrize("G", ALL, ids=str)
somewhere = st.floats(0.05, 3).flatmap(lambda x: st.sampled_from([x, -x]))


def central(f, u, step=1e-5):
    at = np.array([u + step, u - step])
    return float(np.diff(f(at))[0] / (at[1] - at[0]))


@by_name
@settings(max_examples=30, deadline=None)
@given(u=somewhere)
def test_the_derivatives_belong_to_the_function(G, u):
    u = abs(u) if G.domain[0] == 0 else u
    here = np.array([u])
    assert central(G.value, u) == pytest.approx(float(G.gradient(here)[0]), rel=NUMERIC, abs=NUMERIC)
    assert central(G.gradient, u) == pytest.approx(float(G.hessian(here)[0]), rel=NUMERIC, abs=NUMERIC)
    assert G.hessian(here)[0] >= 0


@by_name
def test_a_gradient_never_falls(G):
    u = np.geomspace(1e-12, 1e6, 2000)
    u = u if G.domain[0] == 0 else np.concatenate([-u[::-1], [0.0], u])
    g = G.gradient(u)
    assert np.isfinite(g).all()
    assert (np.diff(g) >= -1e-14 * np.abs(g[1:])).all()


@by_name
def test_symmetry_and_linearity_are_what_they_say(G):
    if G.domain[0] == 0:
        assert not G.symmetric
        return
    u = np.geomspace(0.01, 10, 50)
    zero = np.zeros_like(u)
    assert G.symmetric == np.allclose(G.increment(zero, u), -G.increment(zero, -u), rtol=1e-9)
    assert G.linear == np.allclose(G.increment(zero, u), u * G.increment(zero, zero + 1), rtol=1e-9)


@pytest.mark.parametrize("G", EVERYWHERE, ids=str)
@settings(max_examples=30, deadline=None)
@given(q=somewhere, exponent=st.integers(-60, -5), sign=st.sampled_from([-1.0, 1.0]))
def test_increments_keep_their_digits(G, q, exponent, sign):
    delta = sign * 2.0**exponent
    t, weight = np.polynomial.legendre.leggauss(40)
    exact = delta / 2 * weight @ G.hessian(q + delta * (t + 1) / 2)
    assert G.increment(np.array([q]), np.array([delta]))[0] == pytest.approx(exact, rel=1e-7, abs=1e-280)


@given(q=st.floats(0.1, 2), delta=st.floats(1e-6, 100))
def test_increments_keep_their_digits_where_a_sigmoid_is_flat(q, delta):
    """Beyond its shoulder a sigmoid is 1 − tiny; the increment must be right to the digits of the tiny."""
    for G, rest in ((erf(3.0), lambda x: math.erfc(3 * x)), (gd(10.0), lambda x: 2 * math.atan(math.exp(-10 * x)))):
        exact = rest(q) - rest(q + delta)
        found = G.increment(np.array([q, -q]), np.array([delta, -delta]))
        assert found == pytest.approx([exact, -exact], rel=NUMERIC)


@given(u=st.floats(-30, 30))
def test_g2_in_closed_form_differentiates_to_erf(u):
    alpha = 5 * math.sqrt(math.pi)
    assert central(erf(alpha).value, u, 1e-6) == pytest.approx(math.erf(alpha * u), abs=1e-8)
    near = min(abs(u), 1.0)  # beyond 1, erf(αt) is 1 to all digits
    integral = quad(lambda t: math.erf(alpha * t), 0, near, limit=200)[0] + abs(u) - near
    assert erf(alpha).value(np.array([u]))[0] == pytest.approx(integral, rel=1e-8, abs=1e-12)


@given(u=st.floats(-5, 5))
def test_g3_in_closed_form_is_the_integral_of_gd(u):
    for beta in (1.0, 10.0):
        exact = quad(lambda t, beta=beta: 2 * math.atan(math.tanh(beta * t / 2)), 0, u, limit=200)[0]
        assert gd(beta).value(np.array([u]))[0] == pytest.approx(exact, rel=1e-8, abs=1e-13)


@pytest.mark.parametrize("G", [arctan(), erf(), gd(), softplus(), *OWN], ids=str)
def test_nothing_overflows_far_out(G):
    u = np.array([-1e150, -1e6, 1e6, 1e150])
    assert np.isfinite(G.gradient(u)).all()
    assert np.isfinite(G.hessian(u)).all()


def test_gd_is_the_papers_formula_and_safe():
    u = np.linspace(-3, 3, 61)
    np.testing.assert_allclose(gd(10.0).gradient(u), 2 * np.arctan(np.exp(10 * u)) - np.pi / 2, atol=1e-14)
    tiny = np.array([1e-30])
    np.testing.assert_allclose(gd(10.0).gradient(tiny), 10 * tiny, rtol=ALGEBRA)


def test_entropy_makes_the_kullback_leibler_divergence():
    p, q = np.array([0.2, 3.0]), np.array([0.7, 2.0])
    G = entropy()
    bregman = G.value(p) - G.value(q) - G.gradient(q) * (p - q)
    np.testing.assert_allclose(bregman, p * np.log(p / q) - p + q, rtol=ALGEBRA)


@pytest.mark.parametrize("G", [g for g in SMOOTH if g.domain[0] < 0], ids=str)
def test_stretching_towards_zero_makes_it_linear(G):
    u = np.linspace(-2, 2, 41)
    slope = float(G.hessian(np.zeros(1))[0])
    flat = G.stretched(1e-7)
    np.testing.assert_allclose(flat.increment(np.zeros_like(u), u), slope * u, atol=1e-5 * max(slope, 1))
    np.testing.assert_allclose(G.stretched(0.5).gradient(u), G.gradient(u / 2) / 0.5, rtol=ALGEBRA)


def test_an_own_generator_finds_its_derivative_and_its_value():
    u = np.concatenate([-np.geomspace(1e-6, 1e3, 100), [0.0], np.geomspace(1e-6, 1e3, 100)])
    G = Generator.from_gradient(np.arcsinh)
    np.testing.assert_allclose(G.hessian(u), 1 / np.sqrt(1 + u * u), rtol=1e-8)
    np.testing.assert_allclose(G.value(u), u * np.arcsinh(u) - np.sqrt(1 + u * u) + 1, rtol=1e-8, atol=1e-12)
    assert Generator.from_gradient(lambda u: 3 * u).linear
    assert not Generator.from_gradient(lambda u: np.where(u > 0, 2 * u, u)).symmetric


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Generator.from_gradient(np.sin, name="sine"), "gradient of 'sine' decreases from .* not convex"),
        (lambda: Generator.from_gradient(lambda u: -u), "decreases"),
        (lambda: Generator.from_gradient(np.log), "not finite at u = -10000; give a smaller `domain`"),
        (lambda: Generator.from_gradient(lambda u: 1.0), "must map an array to an array"),
        (lambda: Generator.from_gradient(np.log, domain=(5e4, 6e4)), "is empty"),
        (lambda: arctan(0.0), "ε of the generator arctan must be > 0 and finite, got 0"),
        (lambda: erf(-1.0), "α of the generator erf must be > 0"),
        (lambda: gd(math.inf), "β of the generator gd must be > 0 and finite, got inf"),
        (lambda: softplus(math.nan), "κ of the generator softplus must be > 0"),
        (lambda: pnorm(0.5), "below 1 it is not convex"),
        (lambda: arctan().stretched(0.0), "stretch factor κ must be > 0 and finite, got 0"),
        (lambda: parse_generator("arc"), "no generator named 'arc'; choose one of linear, quadratic, arctan"),
        (lambda: parse_generator("arctan:x"), "must be a number, such as arctan:0.5"),
        (lambda: parse_generator("entropy:1"), "takes no parameter, got 'entropy:1'"),
        (lambda: parse_generator("pnorm:0"), "p of the generator pnorm must be at least 1"),
    ],
)
def test_bad_generators_are_explained(make, said):
    with pytest.raises(InputError, match=said):
        make()


@pytest.mark.parametrize("G", [quadratic(), arctan(0.25), erf(2.0), gd(3.0), pnorm(1.5), entropy(), softplus(2.0)])
def test_names_read_back(G):
    assert str(parse_generator(str(G))) == str(G)


def test_an_own_generator_may_live_on_a_half_line():
    G = Generator.from_gradient(np.log, domain=(0.0, math.inf))
    np.testing.assert_allclose(G.hessian(np.array([1e-3, 1.0, 50.0])), [1e3, 1.0, 0.02], rtol=1e-7)
    assert not G.symmetric


def test_a_clipped_line_is_no_line() -> None:
    assert not Generator.from_gradient(lambda u: np.clip(u, -2000, 2000)).linear
    assert not Generator.from_gradient(lambda u: np.clip(u, -1e12, 1e12)).linear
    assert Generator.from_gradient(lambda u: 3 * u).linear


@pytest.mark.parametrize(
    ("gradient", "hessian", "message"),
    [
        (np.arctan, lambda u: -1 / (1 + u * u), "but the slope of its gradient is"),
        (np.arctan, lambda u: 5 / (1 + u * u), "but the slope of its gradient is"),
        (np.arctan, lambda u: 1.0, "the second derivative of 'own' must map an array"),
        (math.atan, None, "the gradient of 'own' must map an array"),
        (None, None, "the gradient of 'own' must map an array"),
    ],
)
def test_functions_that_are_not_what_they_should_be(gradient, hessian, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match=message):
        Generator.from_gradient(gradient, hessian)


@pytest.mark.parametrize(
    ("gradient", "hessian"),
    [
        (np.arctan, lambda u: 1 / (1 + u * u)),
        (np.tanh, lambda u: 1 / np.cosh(np.minimum(np.abs(u), 300)) ** 2),
        (lambda u: np.maximum(u, 0.5 * u), lambda u: np.where(u > 0, 1.0, 0.5)),  # a kink is allowed
    ],
)
def test_a_second_derivative_that_is_right_is_taken(gradient, hessian) -> None:  # type: ignore[no-untyped-def]
    assert Generator.from_gradient(gradient, hessian).hessian is hessian


@pytest.mark.parametrize(
    ("generator", "E", "empirical", "truth"),
    [(erf(), -0.3, 1e6, 0.6), (gd(), 0.001, 2e6, 0.1816), (arctan(0.1), 0.001, 2e6, 15.655)],
    ids=str,
)
def test_divergences_of_large_counts(generator, E: float, empirical: float, truth: float) -> None:  # type: ignore[no-untyped-def]
    """G bends within a millionth of the interval: a quadrature with few points would miss it."""
    assert divergence(generator, update("U6"), [E], [empirical]) == pytest.approx(truth, rel=1e-3)


def test_divergences_of_many_features_and_of_one_number() -> None:
    many = divergence(arctan(0.1), update("U6"), np.full(5000, 1.0 + 1e-9), np.full(5000, 1.0))
    one = divergence(arctan(0.1), update("U6"), 1.0 + 1e-9, 1.0)
    assert many == pytest.approx(5000 * one, rel=1e-9)
    assert one == pytest.approx(0.5e-18 / 1.1, rel=1e-6)


def test_recipes_whose_generator_needs_no_special_function_train_without_scipy() -> None:
    code = (
        "import sys; sys.modules['scipy'] = None; from tagfield.data.encode import encode_sequences; "
        "from tagfield.train import train; "
        "print(len(train(encode_sequences([[['a'], ['b']]], [['X', 'Y']]), 'u2.g1').history) > 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "True\n"
