"""What the Fisher matrix leaves open, and what the paper's words claim too much; docs/theory.md cites these tests."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.bregman import arctan, divergence, erf, named_loss, natural_gradient, pnorm, quadratic, softplus, update
from tests.support.naive_chain import Chains, gradient_by_differences

TOY = Chains.of([[[0], [0, 1], [1]]], 3, 3)  # one sentence; attribute 2 never occurs: 18 weights
TWO = Chains.of([[[0], [0, 1], [1]], [[1], [0]]], 2, 2)


def theta_of(chains: Chains, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 1, chains.size)


@given(seed=st.integers(0, 2**32 - 1), name=st.sampled_from(["U1", "U2", "U6"]))
@settings(max_examples=30, deadline=None)
def test_the_fisher_matrix_is_singular_and_its_null_space_changes_no_probability(seed, name):
    theta, gold = theta_of(TOY, seed), TOY.counts[0][5]
    M, E = TOY.fisher(theta), TOY.expectation(theta)
    assert np.linalg.matrix_rank(M, tol=1e-9 * np.abs(M).max()) <= 8 < TOY.size
    x = natural_gradient(arctan(), update(name), E, gold)
    by_differences = gradient_by_differences(
        lambda t: divergence(arctan(), update(name), TOY.expectation(t), gold), theta, 1e-4
    )
    np.testing.assert_allclose(M @ x, by_differences, rtol=1e-3, atol=1e-4)
    values, vectors = np.linalg.eigh(M)
    null = vectors[:, values < 1e-10 * values[-1]]
    least = x - null @ (null.T @ x)  # M⁺∇B: the solution without a part in the null space
    assert null.shape[1] >= 10
    for other in (theta - 0.3 * x, theta - 0.3 * least):
        assert np.isfinite(TOY.probabilities(other)[0]).all()
    np.testing.assert_allclose(
        TOY.probabilities(theta - 0.3 * x)[0], TOY.probabilities(theta - 0.3 * least)[0], rtol=1e-9
    )


def test_the_closed_form_is_not_the_least_solution():
    theta, gold = theta_of(TOY, 1), TOY.counts[0][5]
    M = TOY.fisher(theta)
    x = natural_gradient(arctan(), update("U2"), TOY.expectation(theta), gold)
    assert np.linalg.norm(x - np.linalg.pinv(M, rcond=1e-10) @ (M @ x)) > 0.01


@pytest.mark.parametrize(
    ("G", "name"), [(arctan(), "U1"), (arctan(), "U2"), (erf(), "U2"), (softplus(3.0), "U2")], ids=str
)
def test_no_function_has_a_transformed_gradient_as_its_gradient(G, name):
    """A gradient field has a symmetric Jacobian. That of f(E(θ) − Ẽ) is diag(f′)·M, and it is not symmetric."""
    empirical = TWO.expectation(theta_of(TWO, 9))

    def step(theta):
        return natural_gradient(G, update(name), TWO.expectation(theta), empirical)

    jacobian = gradient_by_differences(step, theta_of(TWO, 3)).T
    assert np.abs(jacobian - jacobian.T).max() > 0.05 * np.abs(jacobian).max()

    def plain(theta):
        return natural_gradient(quadratic(), update(name), TWO.expectation(theta), empirical)

    jacobian = gradient_by_differences(plain, theta_of(TWO, 3)).T
    np.testing.assert_allclose(jacobian, jacobian.T, atol=1e-8)


@pytest.mark.parametrize("G", [quadratic(), arctan(), softplus(2.0)], ids=str)
@pytest.mark.parametrize("name", ["U2", "U6"])
def test_the_divergence_is_not_convex_in_the_weights(G, name):
    """Not even the quadratic: ½‖E − Ẽ‖² has the Hessian MM + Σ uᵢ∇M, and the second part may win."""
    gold = TWO.counts[0][0] + TWO.counts[1][0]

    def slope(theta):
        return TWO.fisher(theta) @ natural_gradient(G, update(name), TWO.expectation(theta), gold)

    lowest = 0.0
    for seed in range(40):
        hessian = gradient_by_differences(slope, 2 * theta_of(TWO, seed))
        lowest = min(lowest, float(np.linalg.eigvalsh((hessian + hessian.T) / 2)[0]))
    assert lowest < -0.01


@pytest.mark.parametrize("G", [arctan(), erf(), softplus(3.0), quadratic(), pnorm(3.0)], ids=str)
@given(name=st.sampled_from(["B3", "B4"]), gamma=st.floats(-5, 5), E=st.floats(-3, 3), empirical=st.floats(-3, 3))
@settings(max_examples=50, deadline=None)
def test_b3_and_b4_never_point_away_whatever_gamma_is(G, name, gamma, E, empirical):
    assert natural_gradient(G, named_loss(name, gamma), [E], [empirical])[0] * (E - empirical) >= 0


@pytest.mark.parametrize("name", ["B1", "B2"])
@pytest.mark.parametrize("gamma", [-2.0, 3.0])
def test_b1_and_b2_can_point_away_outside_zero_to_one(name, gamma):
    random = np.random.default_rng(0)
    E, empirical = random.uniform(-3, 3, 500), random.uniform(-3, 3, 500)  # counts of attributes with values
    agreement = natural_gradient(arctan(), named_loss(name, gamma), E, empirical) * (E - empirical)
    assert agreement.min() < 0 < agreement.max()


@given(seed=st.integers(0, 2**32 - 1), name=st.sampled_from(["U1", "U2", "U3", "U4", "U5", "U6"]))
@settings(max_examples=30, deadline=None)
def test_a_small_step_raises_the_likelihood(seed, name):
    """uᵀ(*) > 0 unless u = 0, where h > 0; −u is the gradient of the likelihood, so the likelihood rises."""
    theta = theta_of(TWO, seed)
    gold = [int(i) for i in np.random.default_rng(seed).integers(0, [8, 4])]
    empirical = sum(phi[y] for phi, y in zip(TWO.counts, gold, strict=True))
    for G in (arctan(), softplus()):
        u = TWO.expectation(theta) - empirical
        x = natural_gradient(G, update(name), u + empirical, empirical)
        assert u @ x > 0
        before, after = (TWO.log_likelihood(t, gold) for t in (theta, theta - 1e-6 / (1 + np.abs(x).max()) * x))
        assert after > before


def test_a_count_that_no_weights_reach_is_not_reached():
    """With all gold labels equal, maximum likelihood lies at infinity: E comes near to Ẽ, and θ grows."""
    empirical = TWO.counts[0][0] + TWO.counts[1][0]
    theta, sizes = np.zeros(TWO.size), []
    for _ in range(4):
        for _ in range(500):
            theta = theta - 0.1 * natural_gradient(arctan(), update("U2"), TWO.expectation(theta), empirical)
        sizes.append(np.linalg.norm(theta))
    assert sizes == sorted(sizes)
    assert sizes[-1] > sizes[-2] + 0.01
    assert 0 < np.abs(TWO.expectation(theta) - empirical).max() < 0.05


@given(seed=st.integers(0, 2**32 - 1), C=st.sampled_from([0.5, 2.0]))
@settings(max_examples=10, deadline=None)
def test_the_fixed_point_with_a_penalty_is_an_optimum_of_its_own(seed, C):
    """arctan: f⁻¹(v) = √ε·tan(√ε·v), so ψ(θ) = −log cos(√ε·Cθ)/C; small steps along −(Cθ + f(u)) lower the sum."""
    eps, gold = 0.1, [seed % 8, seed % 4]
    counted = sum(counts[y] for counts, y in zip(TWO.counts, gold, strict=True))
    limit = np.pi / 2 / np.sqrt(eps) / C

    def total(theta):  # the likelihood loss has the gradient E − Ẽ
        return -TWO.log_likelihood(theta, gold) - np.log(np.cos(np.sqrt(eps) * C * theta)).sum() / C

    def left(theta):
        return C * theta + natural_gradient(arctan(eps), update("U2"), TWO.expectation(theta), counted)

    theta = np.clip(theta_of(TWO, seed), -0.9 * limit, 0.9 * limit)
    down = gradient_by_differences(total, theta)
    assert (down * left(theta) >= -1e-6).all()
    before = total(theta)
    for _ in range(1000):
        theta = theta - 0.01 * left(theta)
        after = total(theta)
        assert after <= before + 1e-12
        before = after
    assert np.abs(left(theta)).max() < 0.05
    assert np.abs(gradient_by_differences(total, theta)).max() < 0.05


def test_another_sentence_tells_the_two_solutions_apart():
    """M of the first sentence alone: both steps give it the same probabilities, and the second sentence others."""
    seen, unseen = Chains.of([[[0], [0, 1], [1]]], 3, 2), Chains.of([[[1], [0]]], 3, 2)
    gold, theta = seen.counts[0][5], theta_of(seen, 1)
    x = natural_gradient(arctan(), update("U2"), seen.expectation(theta), gold)
    M = seen.fisher(theta)
    least = np.linalg.pinv(M, rcond=1e-10) @ (M @ x)
    steps = [theta - 0.3 * x, theta - 0.3 * least]
    np.testing.assert_allclose(*(seen.probabilities(t)[0] for t in steps), rtol=1e-9)
    first, second = (unseen.probabilities(t)[0] for t in steps)
    assert np.abs(first - second).max() > 0.01


def walk(G, loss, rate, steps, start=0.0):
    """The largest |u| after full-batch training towards counts that some weights reach."""
    empirical = TWO.expectation(theta_of(TWO, 9))
    theta = start * theta_of(TWO, 1)
    for _ in range(steps):
        theta = theta - rate * natural_gradient(G, loss, TWO.expectation(theta), empirical)
    return np.abs(TWO.expectation(theta) - empirical).max()


def test_without_the_sign_rule_training_ends_elsewhere():
    assert walk(arctan(), named_loss("B1", 0.5), 0.02, 1500, start=2.0) < 0.01
    assert walk(arctan(), named_loss("B1", -2.0), 0.02, 1500, start=2.0) > 1.0


def test_an_infinite_slope_at_zero_stalls():
    """h(u) of pnorm:1.2 grows without bound as u falls to 0, so the step stays larger than the distance."""
    assert walk(arctan(), update("U2"), 0.05, 3000) < 1e-6
    stalled = [walk(pnorm(1.2), update("U2"), 0.05, steps) for steps in (1000, 3000)]
    assert min(stalled) > 1e-4
    assert stalled[1] > 0.5 * stalled[0]
