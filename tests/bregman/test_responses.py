"""Every response: the paper's formulas, tables within 1e-5 of them for every float32, and errors."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.bregman import (
    Generator,
    Loss,
    Response,
    arctan,
    entropy,
    erf,
    gd,
    named_loss,
    pnorm,
    quadratic,
    softplus,
    update,
)
from tagfield.bregman.tables import ResponseTable, tabulate
from tagfield.compare.response_curves import figure_one, normalised_gradient, response_curve
from tagfield.errors import InputError
from tests.support.bregman_table import EVERYWHERE, EXACT_RECIPES, FUNCTIONS_OF_U, OWN, PAPER, recipe
from tests.support.tolerances import ALGEBRA, TABLE

magnitude = st.floats(2.0**-99, 2.0**99, width=32) | st.floats(-99, 99).map(lambda e: float(np.float32(2.0**e)))
magnitudes = st.lists(magnitude, min_size=1, max_size=40)


def both_signs(sizes: list[float]) -> np.ndarray:
    return np.array([*sizes, *(-x for x in sizes)])


def height(curve, unit: float = 1.0):
    """The largest |curve(x)| up to max(|x|, unit), as a function of x, by sampling."""
    grid = np.union1d(np.geomspace(1e-6, 2.0**24, 2000), np.linspace(0, 4, 2001))
    so_far = np.maximum.accumulate(np.abs(curve(grid)))
    return lambda x: so_far[np.searchsorted(grid, np.maximum(np.abs(x), unit), "right") - 1]


@cache
def height_of(response: Response):
    return height(lambda x: np.maximum(np.abs(response.f(x)), np.abs(response.f(-x))))


@pytest.mark.parametrize("name", PAPER)
@given(sizes=magnitudes)
def test_recipes_are_the_papers_functions_and_their_tables_follow_them_everywhere(name, sizes):
    u = both_signs(sizes)
    exact = [EXACT_RECIPES[name](float(x)) for x in u]
    np.testing.assert_allclose(recipe(name).f(u), exact, rtol=ALGEBRA)
    np.testing.assert_allclose(FUNCTIONS_OF_U[PAPER.index(name)].table().evaluate(u), exact, rtol=TABLE)


@pytest.mark.parametrize("response", FUNCTIONS_OF_U, ids=str)
@settings(max_examples=25, deadline=None)
@given(sizes=magnitudes)
def test_a_table_follows_its_response_everywhere(response, sizes):
    """Relative to f, until f is negligible. A user's f whose h comes from differences is noise before that."""
    table, u = response.table(), both_signs(sizes)
    exact, found = response.f(u), table.evaluate(u).astype(np.float64)
    beyond = np.abs(exact) > 8e37
    assert (np.abs(found[beyond]) > 8e37).all()  # beyond float32
    error, inside = np.abs(found - np.where(beyond, 0, exact)), np.abs(u) < table.high_edge
    dies_out = table.logs or "own" in str(response)
    allowed = TABLE * np.maximum(np.abs(exact), 1e-12 * height_of(response)(u) if dies_out else 1e-30)
    if "own" in str(response) and table.bits >= 8:
        allowed = np.maximum(allowed, TABLE * 0.1 * height_of(response)(u))
    assert (error <= allowed)[inside & ~beyond].all()
    tails = (table.tail_error + TABLE) * np.maximum(np.abs(exact), 1e-12 * height_of(response)(1e6))
    if "own" not in str(response):  # far out, an own h by differences is noise, and so is what it is compared with
        assert (error <= tails)[~inside & ~beyond].all()


@pytest.mark.parametrize("response", FUNCTIONS_OF_U, ids=str)
def test_a_response_vanishes_at_zero_and_pulls_back(response):
    u = np.concatenate([-np.geomspace(1e-20, 1e4, 200), np.geomspace(1e-20, 1e4, 200)])
    assert response.f(0.0)[0] == 0
    assert response.table().evaluate([0.0, -0.0]).tolist() == [0, 0]
    assert (response.f(u) * u >= 0).all()
    assert response.odd == bool(np.allclose(response.f(u), -response.f(-u), rtol=1e-7))


@pytest.mark.parametrize("response", FUNCTIONS_OF_U, ids=str)
def test_a_table_has_the_layout_that_the_kernel_reads(response):
    table = response.table()
    rows = 1 if response.odd else 2
    assert table.cells.dtype == np.float32
    octaves = 48 if table.high_edge == 2.0**24 else 150
    assert table.cells.shape == (rows, 1 + (octaves << table.bits), 2)
    assert table.tails.dtype == np.float64
    assert table.tails.shape == (rows, 4)
    assert table.low_edge == 2.0**-24
    assert table.high_edge in (2.0**24, 2.0**126)
    assert 5 <= table.bits <= (10 if table.logs else 9)
    assert table.odd == response.odd
    assert np.isfinite(table.cells).all()
    assert np.isfinite(table.tails).all()
    assert table.linear == response.generator.linear
    if table.low_linear:
        assert table.slope == pytest.approx(response.slope, rel=1e-6)
        assert (table.cells[:, 0, 0] == 0).all()


def test_a_cell_holds_the_line_of_its_floats():
    table = recipe("u2.g1").table()
    u = np.float32(0.7)
    bits = int(u.view(np.uint32))
    cell = 1 + ((bits >> (23 - table.bits)) - ((127 - 24) << table.bits))
    a, b = table.cells[0, cell]
    assert table.evaluate(u)[0] == a + b * u


@settings(max_examples=25, deadline=None)
@given(scale=st.floats(0.05, 50), steep=st.floats(0.05, 50), sign=st.sampled_from([-1.0, 1.0]))
def test_a_users_own_function_keeps_the_promise(scale, steep, sign):
    G = Generator.from_gradient(lambda u: scale * np.tanh(steep * u))
    response = Response(update("U2"), G)
    table = response.table()
    u = sign * np.geomspace(1e-30, 1e30, 500).astype(np.float32)
    np.testing.assert_allclose(table.evaluate(u), scale * np.tanh(steep * u.astype(np.float64)), rtol=TABLE)


@pytest.mark.parametrize("G", [erf(), erf(1.0), gd(10.0), gd(1.0), softplus(), softplus(5.0)], ids=str)
def test_what_dies_out_faster_than_any_power_is_kept_as_lines_of_its_logarithm(G):
    response = Response(update("U1"), G)
    table = response.table()
    u = both_signs(np.geomspace(1e-9, 1e3, 20_001).astype(np.float32))
    exact = response.f(u)
    alive = np.abs(exact) > 1e-12 * np.abs(exact).max()
    assert table.logs
    assert (np.abs(exact[alive]) < 1e-9 * np.abs(exact).max()).any()
    np.testing.assert_allclose(table.evaluate(u)[alive], exact[alive], rtol=TABLE)
    assert (np.abs(table.evaluate(u)[~alive]) <= 1.1e-12 * np.abs(exact).max()).all()


def test_lines_of_a_logarithm_are_for_functions_that_pull_back():
    with pytest.raises(InputError, match="cannot be tabulated"):
        tabulate([lambda x: -x * np.exp(-x * x)], odd=True, tolerance=1e-8)
    table = tabulate([lambda x: -x * np.exp(-x * x)], odd=True)
    assert not table.logs
    assert table.evaluate([0.5, -0.5]) == pytest.approx([-0.5 * np.exp(-0.25), 0.5 * np.exp(-0.25)], rel=TABLE)


def test_annealing_keeps_the_slope_and_ends_linear():
    for name in PAPER:
        response, u = recipe(name), np.linspace(-3, 3, 61)
        np.testing.assert_allclose(response.annealed(0.25).f(u), response.f(u / 4) * 4, rtol=1e-9, atol=1e-14)
        assert response.annealed(0.25).slope == pytest.approx(response.slope)
        np.testing.assert_allclose(response.annealed(1e-6).table().evaluate(u), response.slope * u, rtol=1e-5)


SEPARATE = [
    Response(update(name), G)
    for name in ("U4", "U6")
    for G in (arctan(), arctan(0.01), erf(), gd(), pnorm(3.0), softplus(), OWN[0])
] + [Response(named_loss(name, 0.5), arctan()) for name in ("B1", "B2", "B3", "B4")]


@cache
def both_sides(response: Response, count: int):
    sides = lambda x: (response.f_at_count(x, count), response.f_at_count(-np.minimum(x, count), count))  # noqa: E731
    return height(lambda x: np.abs(sides(x)).max(0), max(count, 1.0))


@pytest.mark.parametrize("response", SEPARATE, ids=str)
@settings(max_examples=25, deadline=None)
@given(count=st.integers(0, 3), sizes=magnitudes, parts=st.lists(st.floats(-1, 1), min_size=1, max_size=20))
def test_the_table_of_a_count_follows_the_direction(response, count, sizes, parts):
    table = response.count_tables(3)[count]
    assert table.error <= TABLE
    E = np.array([*sizes, *(count * (1 + x) for x in parts)])  # anywhere, and around the count
    u = (E - count).astype(np.float32).astype(np.float64)
    u = u[(np.abs(u) < table.high_edge) & (u >= -count)]
    exact, found = response.f_at_count(u, count), table.evaluate(u)
    lost = 2e-7 * count * float(response.generator.hessian(np.zeros(1))[0])  # E = u + count in float32
    allowed = TABLE * np.maximum(np.abs(exact), 0.1 * both_sides(response, count)(u)) + lost + 1e-30
    assert (np.abs(found - exact) <= allowed).all()


@pytest.mark.parametrize("response", SEPARATE, ids=str)
def test_the_root_of_a_count_keeps_its_digits(response):
    for count, table in enumerate(response.count_tables(3)):
        G, loss = response.generator, response.loss
        slope = float((loss.a - loss.c) ** 2 * G.hessian(np.array([loss.offset * count]))[0])
        if slope < 1e-6:  # a sigmoid that is flat at this count
            continue
        u = np.concatenate([-np.geomspace(1e-30, 1e-9, 50), np.geomspace(1e-30, 1e-9, 50)]).astype(np.float32)
        np.testing.assert_allclose(response.f_at_count(u, count), slope * u, rtol=1e-6)
        np.testing.assert_allclose(table.evaluate(u), slope * u.astype(np.float64), rtol=TABLE)


def test_directions_of_counts_are_the_papers_updates():
    G, E, count = gd(3.0), np.array([0.2, 0.9, 1.7]), np.array([1.0, 1.0, 0.0])
    g, h = G.gradient, G.hessian
    np.testing.assert_allclose(Response(update("U4"), G).direction(E, count), h(E) * (E - count), rtol=ALGEBRA)
    np.testing.assert_allclose(Response(update("U6"), G).direction(E, count), g(E) - g(count), rtol=ALGEBRA)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: Response(update("U2"), entropy()),
            "B2, γ=0 evaluates the generator at differences E − Ẽ of both signs",
        ),
        (lambda: Response(update("U6"), entropy()).count_tables(1), "entropy is defined only above 0"),
        (lambda: Response(update("U6"), entropy()).direction([1.0], [0.0]), "B4, γ=0 evaluates it at q = 0"),
        (lambda: Response(update("U6"), entropy()).direction([0.0], [1.0]), "evaluates it at p = 0"),
        (lambda: Response(update("U4"), pnorm(1.5)).direction([0.0], [1.0]), "not finite for feature 0"),
        (lambda: Response(update("U6"), arctan()).f([1.0]), "depends on E and Ẽ separately"),
        (lambda: Response(update("U6"), arctan()).table(), "use direction"),
        (lambda: Response(update("U6"), arctan()).count_tables(-1), "max_count must be ≥ 0, got -1"),
        (lambda: Response(update("U2"), arctan(), scale=0.0), "scale of a response must be > 0 and finite, got 0"),
        (
            lambda: Response(update("U2"), Generator.from_gradient(lambda u: np.clip(u, -0.3, 0.3))).table(),
            "cannot be tabulated to a relative error of 1e-05: the error is .* near .u. = 0.3",
        ),
        (lambda: normalised_gradient(pnorm(1.5), np.zeros(3)), "pnorm:1.5 has slope inf at u = 0"),
        (lambda: normalised_gradient(pnorm(3.0), np.zeros(3)), "pnorm:3 has slope 0 at u = 0"),
        (lambda: response_curve(entropy(), np.linspace(-1, 1, 3)), "is defined only for 0 < u < inf"),
    ],
)
def test_bad_responses_are_explained(make, said):
    with pytest.raises(InputError, match=said):
        make()


def test_a_kink_is_allowed_by_a_larger_tolerance():
    G = Generator.from_gradient(lambda u: np.clip(u, -0.3, 0.3), name="clip")
    table = Response(update("U2"), G, tolerance=1e-3).table()
    assert table.evaluate([0.1, -5.0, 1e20]) == pytest.approx([0.1, -0.3, 0.3], rel=1e-3)


def test_a_step_and_a_power_are_exact_enough():
    assert Response(update("U2"), pnorm(1.0)).table().evaluate([1e-30, -3.0, 1e30, 0.0]).tolist() == [1, -1, 1, 0]
    cubes = tabulate([lambda x: x**3], odd=True)
    assert isinstance(cubes, ResponseTable)
    assert cubes.evaluate([1e-9, -2.0, 1e10]) == pytest.approx([1e-27, -8, 1e30], rel=TABLE)


def test_values_beyond_float32_are_held_not_broken():
    table = tabulate([lambda x: 1e20 * np.minimum(x, 1e30) ** 5], odd=True)
    assert np.isfinite(table.cells).all()
    assert table.evaluate([2.0])[0] == pytest.approx(32e20, rel=TABLE)
    assert table.evaluate([1e6, -1e6]).tolist() == [np.finfo(np.float32).max, np.finfo(np.float32).min]


@pytest.mark.parametrize("G", [G for G in EVERYWHERE if G.linear], ids=str)
def test_linear_responses_need_no_table(G):
    for loss in (update("U1"), update("U6"), named_loss("B3", 0.4), Loss(2.0, 1.0, 0.5, -0.5)):
        response = Response(loss, G)
        assert response.depends_on_u_alone
        table = response.table()
        assert table.linear
        slope = (loss.a - loss.c) ** 2 * float(G.hessian(np.zeros(1))[0])
        assert table.slope == pytest.approx(slope)
        assert [t.linear for t in response.count_tables(2)] == [True] * 3


def test_figure_one_has_the_papers_slopes_and_bounds():
    u, curves = figure_one(20001)
    middle = len(u) // 2
    for name, curve in curves.items():
        slope = (curve[middle + 1] - curve[middle - 1]) / (u[middle + 1] - u[middle - 1])
        assert slope == pytest.approx(10, rel=1e-3), name
    sigmoids = [curves[name] for name in ("arctan", "erf", "gd")]
    assert all(np.abs(curve).max() <= 1 for curve in sigmoids)
    right = u > 0
    assert (curves["erf"] >= curves["arctan"])[right].all()  # «both of them stay on top of arctan»
    assert (curves["gd"] >= curves["arctan"])[right].all()
    assert normalised_gradient(quadratic(), np.array([0.5]))[0] == pytest.approx(5)


def test_a_logarithm_is_right_as_far_as_float32_goes() -> None:
    """No power law continues it: beyond 2²⁴ the error was 5 % at 1e8 and 18 % at 1e12."""
    response = Response(update("U2"), Generator.from_gradient(np.arcsinh))
    u = np.geomspace(1e-30, 2.0**126, 5000)
    found = response.table().evaluate(u)
    np.testing.assert_allclose(found, response.f(u.astype(np.float32)), rtol=TABLE)


def test_a_slope_by_differences_is_right_until_it_is_noise() -> None:
    response = Response(update("U1"), Generator.from_gradient(np.tanh))
    u = np.linspace(0.01, 7, 3000)
    np.testing.assert_allclose(response.table().evaluate(u), u / np.cosh(u) ** 2, rtol=3 * TABLE)


def test_response_curves_keep_the_parameter_and_the_sign() -> None:
    u = np.linspace(-1, 1, 201)
    sharp, flat = (response_curve(arctan(epsilon), u) for epsilon in (0.01, 0.1))
    assert np.abs(sharp - flat).max() > 1
    for curve in (sharp, flat):
        assert (curve[101] - curve[99]) / (u[101] - u[99]) == pytest.approx(10, rel=0.02)
    for p in (1.5, 3.0):
        assert np.abs(response_curve(pnorm(p), u)).max() == pytest.approx(1)
    soft = Response(update("U2"), softplus())
    np.testing.assert_allclose(response_curve(softplus(), u), 10 / soft.slope * soft.f(u), rtol=1e-9, atol=1e-12)
