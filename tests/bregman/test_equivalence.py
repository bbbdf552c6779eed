"""Which of the six updates are the same for a generator."""

import numpy as np
import pytest

from tagfield.bregman import UPDATES, arctan, equivalent_updates, natural_gradient, update
from tagfield.errors import InputError
from tests.support.bregman_table import ALL, SMOOTH
from tests.support.tolerances import ALGEBRA


@pytest.mark.parametrize("G", [G for G in SMOOTH if G.hessian(np.zeros(1))[0] > 0], ids=str)
def test_u1_and_u2_agree_to_first_order_and_to_second_if_g_is_symmetric(G):
    """U1 − U2 = O(u²), and O(u³) where G is symmetric: halving u divides it by at least four, or eight."""
    curvature = float(G.hessian(np.zeros(1))[0])
    reach = min(1.0, float(G.increment(np.zeros(1), np.ones(1))[0]) / curvature)  # where g starts to bend
    for sign in (-1, 1):
        u = sign * reach * np.array([2e-2, 1e-2])
        first, second = (natural_gradient(G, update(name), u, 0 * u) for name in ("U1", "U2"))
        gap = np.abs(first - second)
        if gap[0] < 1e-9 * abs(first[0]):  # linear, or below what differences can show
            continue
        assert gap[0] / gap[1] >= (7.5 if G.symmetric else 3.8)


def same(G, one, other) -> bool:
    random = np.random.default_rng(11)
    E, empirical = random.uniform(0.05, 2, 60), random.uniform(0.05, 2, 60)
    first, second = (natural_gradient(G, update(name), E, empirical) for name in (one, other))
    return np.allclose(first, second, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("G", ALL, ids=str)
def test_equivalent_updates_are_exactly_the_equal_ones(G):
    found = equivalent_updates(G)
    group_of = {name: group for group in found.groups for name in group}
    assert set(group_of) | set(found.undefined) == set(UPDATES)
    for one in group_of:
        for other in group_of:
            if str(G) == "pnorm:1" and {one, other} <= {"U1", "U3", "U4", "U6"}:
                assert same(G, one, other)  # its h is zero, and its g constant on u > 0: no update at all
                continue
            assert same(G, one, other) == (other in group_of[one])
    for name in found.undefined:
        with pytest.raises(InputError, match="is defined for 0 < u"):
            natural_gradient(G, update(name), [1.0, 2.0], [2.0, 1.0])


def test_the_shifted_generator_turns_u4_into_u3_and_u6_into_u5():
    """G′(u) = G(u + Ẽ), the paper's reason to set U4 and U6 aside; it needs one G′ for each value of Ẽ."""
    G, E, shift = arctan(), np.array([0.2, 1.4]), 0.6
    g, h = (lambda u: G.gradient(u + shift)), (lambda u: G.hessian(u + shift))
    u = E - shift
    np.testing.assert_allclose(h(u) * u, natural_gradient(G, update("U4"), E, shift), rtol=ALGEBRA)
    np.testing.assert_allclose(g(u) - g(np.zeros(2)), natural_gradient(G, update("U6"), E, shift), rtol=ALGEBRA)
