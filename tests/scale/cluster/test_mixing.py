"""Mixing against its twin, weight by weight; the average; folding; and what stays no feature."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.dataset import Doubles
from tagfield.scale.cluster.mixing import Mixture, Scheme
from tagfield.scale.cluster.rounds import Change, as_weight_blocks
from tagfield.weights.layout import ABSENT, Weights, absent
from tests.support.naive_mixing import naive_average, naive_mix

BLOCKS = 5
RATE = 0.5


def drawn_weights(rng: np.random.Generator) -> Weights:
    state = rng.standard_normal((BLOCKS, 8)).astype(np.float32)
    state[rng.random(state.shape) < 0.3] = ABSENT
    return Weights(state, rng.standard_normal((2, 8)).astype(np.float32))


def drawn_change(rng: np.random.Generator, weights: Weights, shrunk: float = 1.0) -> Change:
    """A change of some blocks, where weights that are no features, and a half of the others, stay as they are."""
    blocks = [np.flatnonzero(rng.random(BLOCKS) < 0.6), np.arange(2)]
    theta = []
    for array, which in zip(weights.arrays(), blocks, strict=True):
        step = rng.standard_normal((len(which), 8)).astype(np.float32)
        step[(rng.random(step.shape) < 0.5) | absent(as_weight_blocks(array)[which])] = 0
        theta.append(step)
    tokens = int(rng.integers(0, 9))
    sizes = int(rng.integers(1, 9)), 0.0, tokens, tokens * int(rng.integers(1, 30))
    return Change(blocks, theta, [step * step for step in theta], shrunk, *sizes)


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 6),
    st.booleans(),
    st.sampled_from([0.0, 1.0, 10.0, 1e4]),
    st.sampled_from([0.02, 1.5]),
    st.sampled_from([1.0, 0.9]),
)
def test_a_mix_is_that_of_its_twin(
    seed: int, shares: int, adaptive: bool, kappa: float, rate: float, shrunk: float
) -> None:
    rng = np.random.default_rng(seed)
    start = drawn_weights(rng)
    mixture = Mixture(start, adaptive=adaptive, scheme=Scheme(1, kappa))
    expected = [as_weight_blocks(array).astype(np.float64) for array in start.arrays()]
    squares = [np.zeros_like(array) if adaptive else None for array in expected]
    scale = 1.0
    for _ in range(3):
        changes = [drawn_change(rng, start, shrunk) for _ in range(shares)]
        scale *= shrunk**shares
        mixture.mix(changes, rate)
        for k in range(2):
            naive_mix(expected[k], squares[k], k, changes, mixture.scheme, scale, rate)
    for k in range(2):
        np.testing.assert_allclose(as_weight_blocks(mixture.theta.arrays()[k]), expected[k], rtol=1e-5, atol=1e-5)
        if mixture.squares is not None:
            np.testing.assert_allclose(as_weight_blocks(mixture.squares.arrays()[k]), squares[k], rtol=1e-5, atol=1e-5)
    assert np.array_equal(absent(mixture.theta.state), absent(start.state))  # no feature is lost, and none appears


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 0.9, 0.2]))
def test_the_average_is_that_of_weights_that_move_evenly(seed: int, shrunk: float) -> None:
    rng = np.random.default_rng(seed)
    start = drawn_weights(rng)
    mixture = Mixture(start, adaptive=False, scheme=Scheme(1))
    mixture.mix([drawn_change(rng, start)], RATE)
    mixture.start_average()

    def now() -> Doubles:
        return mixture.scale * mixture.theta.state.astype(np.float64)

    snapshots = [(now(), 0)]
    for _ in range(12):  # a scale of 0.2 ** 12 has been folded on the way
        change = drawn_change(rng, start, shrunk)
        before = mixture.theta.state.astype(np.float64).copy()
        scale = mixture.scale * shrunk
        mixture.mix([change], RATE)
        snapshots.append((scale * before, 0))  # the penalty of a round counts from its start
        snapshots.append((now(), change.sentences))
    kept = mixture.kept().state
    np.testing.assert_allclose(kept, naive_average(snapshots), rtol=2e-4, atol=2e-4)
    assert mixture.scale >= 1e-3
    assert np.array_equal(absent(kept), absent(start.state))


def test_a_mixture_resumes_bit_by_bit() -> None:
    rng = np.random.default_rng(0)
    start = drawn_weights(rng)
    changes = [[drawn_change(rng, start, 0.9) for _ in range(3)] for _ in range(4)]
    one = Mixture(start, adaptive=True, scheme=Scheme(1))
    one.start_average()
    for round_ in changes[:2]:
        one.mix(round_, RATE)
    other = Mixture(start, adaptive=True, scheme=Scheme(1))
    other.resume(one.state().copy())
    for round_ in changes[2:]:
        one.mix(round_, RATE)
        other.mix(round_, RATE)
    states = one.state(), other.state()
    assert states[0].numbers == states[1].numbers
    assert all(np.array_equal(array, states[1].arrays[name]) for name, array in states[0].arrays.items())


def mixed(kappa: float, *steps: float, shrunk: float = 1.0) -> tuple[float, Mixture]:
    """What becomes of one weight that each share has changed by a step, and the mixture."""
    start = Weights(np.zeros((1, 8), np.float32), np.zeros((1, 8), np.float32))
    at, none = np.array([0]), np.zeros((1, 8), np.float32)
    mixture = Mixture(start, adaptive=False, scheme=Scheme(1, kappa))
    changes = [Change([at, at], [np.full((1, 8), step, np.float32), none], [], shrunk, 1, 0.0, 3, 6) for step in steps]
    mixture.mix(changes, RATE)
    return float(mixture.theta.state[0, 0]), mixture


def test_a_weight_that_one_share_has_changed_keeps_its_whole_change() -> None:
    found, mixture = mixed(1e6, 0.0, 5.0, 0.0, shrunk=0.5)
    assert found == 5.0
    assert (mixture.scale, mixture.t) == (0.125, 3.0)


def test_small_changes_are_added_and_large_ones_averaged() -> None:
    small, large = np.array([1e-4, 3e-4]), np.array([1e3, 3e3])
    assert mixed(1.0, *small)[0] == pytest.approx(small.sum(), rel=1e-3)
    assert mixed(1.0, *large)[0] == pytest.approx(large.mean(), rel=1e-3)


def test_a_sum_goes_as_far_as_shares_one_after_the_other() -> None:
    """A share takes a weight h/(1 + h) of its way to 1, with h = κaδ²/λ and a = 2; two shares together 2h/(1 + 2h)."""
    for h in (0.01, 0.5, 20.0):
        step = h / (1 + h)
        assert mixed(h * RATE / step**2 / 2, step, step)[0] == pytest.approx(2 * h / (1 + 2 * h), rel=1e-5)


def test_changes_beyond_the_range_of_squares_are_averaged() -> None:
    for large in (1e19, 1e30):  # κδ²/λ is infinite; and so is δ²
        assert mixed(10.0, large, 3 * large)[0] == pytest.approx(2 * large, rel=1e-3)
