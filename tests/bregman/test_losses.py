"""Divergences and updates, number by number: the paper's six updates, their signs, and what is refused."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tagfield.bregman import Loss, divergence, entropy, named_loss, natural_gradient, quadratic, update
from tagfield.errors import InputError
from tests.support.bregman_table import ALL, EVERYWHERE, LOSSES


@pytest.mark.parametrize("G", EVERYWHERE, ids=str)
def test_the_six_updates_are_the_papers(G):
    random = np.random.default_rng(3)
    E, empirical = random.uniform(0.1, 3, 20), random.uniform(0.1, 3, 20)
    g, h, zero = G.gradient, G.hessian, np.zeros(20)
    papers = {
        "U1": h(empirical - E) * (E - empirical),
        "U2": g(zero) - g(empirical - E),
        "U3": h(E - empirical) * (E - empirical),
        "U4": h(E) * (E - empirical),
        "U5": g(E - empirical) - g(zero),
        "U6": g(E) - g(empirical),
    }
    for name, expected in papers.items():
        np.testing.assert_allclose(natural_gradient(G, update(name), E, empirical), expected, rtol=1e-7, atol=1e-12)
    for name, twin in (("U4", named_loss("B2", 1.0)), ("U6", named_loss("B1", 1.0))):
        np.testing.assert_allclose(natural_gradient(G, twin, E, empirical), papers[name], rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("G", EVERYWHERE, ids=str)
@given(loss=st.sampled_from(LOSSES), E=st.floats(-5, 5), empirical=st.floats(-5, 5))
@settings(max_examples=50, deadline=None)
def test_a_divergence_is_never_negative_and_zero_where_they_meet(G, loss, E, empirical):
    assert divergence(G, loss, [E], [empirical]) >= 0
    assert divergence(G, loss, [E], [E]) == 0
    assert natural_gradient(G, loss, [E], [E])[0] == 0


@pytest.mark.parametrize("G", [G for G in ALL if str(G) != "pnorm:1"], ids=str)
@given(E=st.floats(0.1, 2), gap=st.floats(1e-6, 1), sign=st.sampled_from([-1, 1]), loss=st.sampled_from(LOSSES))
@settings(max_examples=50, deadline=None)
def test_a_divergence_is_zero_only_where_they_meet(G, E, gap, sign, loss):
    """pnorm:1 is convex but not strictly so: its divergence is zero between any points of one sign."""
    empirical = E + sign * gap * min(E, 1) / 2
    try:
        found = divergence(G, loss, [E], [empirical])
    except InputError:
        assert str(G) == "entropy"
        return
    q, delta = loss.points(np.array([E - empirical]), np.array([empirical]))
    with np.errstate(invalid="ignore"):
        flat = G.hessian(q)[0] * delta[0] ** 2 < 1e-290 and G.hessian(q + delta)[0] * delta[0] ** 2 < 1e-290
    assert found > 0 or flat  # a saturated sigmoid's last variation is below float64


@pytest.mark.parametrize("G", EVERYWHERE, ids=str)
@given(
    gamma=st.floats(0, 1),
    name=st.sampled_from(["B1", "B2", "B3", "B4"]),
    E=st.floats(-3, 3),
    empirical=st.floats(-3, 3),
)
@settings(max_examples=50, deadline=None)
def test_for_gamma_between_zero_and_one_the_update_never_points_away(G, gamma, name, E, empirical):
    u, loss = E - empirical, named_loss(name, gamma)
    q, delta = loss.points(np.array([u]), np.array([empirical]))
    assume(np.isfinite(G.hessian(np.concatenate([q, q + delta]))).all())
    assert natural_gradient(G, loss, [E], [empirical])[0] * u >= 0


def test_divergences_of_the_quadratic_and_the_entropy_are_the_corrected_ones():
    p, q = np.array([0.4, 1.2]), np.array([0.9, 0.3])
    assert divergence(quadratic(), update("U6"), p, q) == pytest.approx(0.5 * ((p - q) ** 2).sum())
    assert divergence(entropy(), update("U6"), p, q) == pytest.approx((p * np.log(p / q) - p + q).sum())


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Loss(1, 0, 0, 0), "a loss needs a − b = c − d, got 1 − 0 and 0 − 0"),
        (lambda: Loss(1, 0, 1, 0), "a and c must differ, got 1 for both"),
        (lambda: Loss(float("nan"), 0, 0, -1), "must be finite"),
        (lambda: named_loss("B5"), "no loss named 'B5'; choose one of B1, B2, B3, B4"),
        (lambda: named_loss("B1", float("inf")), "γ must be finite, got inf"),
        (lambda: update("U7"), "no update named 'U7'; choose one of U1"),
        (lambda: divergence(entropy(), update("U6"), [1.0], [0.0]), "entropy is defined for 0 < u .* q = 0"),
        (lambda: natural_gradient(entropy(), update("U1"), [1.0], [2.0]), "the loss B1, γ=0 evaluates it at p = 0"),
    ],
)
def test_bad_losses_are_explained(make, said):
    with pytest.raises(InputError, match=said):
        make()
