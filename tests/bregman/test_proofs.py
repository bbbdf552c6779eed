"""The paper's section 3, checked numerically on chains small enough to enumerate; docs/theory.md cites these tests."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tagfield.bregman import (
    UPDATES,
    Loss,
    arctan,
    divergence,
    entropy,
    named_loss,
    natural_gradient,
    pnorm,
    quadratic,
    softplus,
    update,
)
from tests.support.bregman_table import GAMMAS, LOSSES, OWN, SMOOTH
from tests.support.naive_chain import Chains, gradient_by_differences
from tests.support.tolerances import NUMERIC

A = 2  # attributes


@st.composite
def corpora(draw):
    """One or two sentences of at most three positions, two or three labels."""
    labels = draw(st.integers(2, 3))
    position = st.lists(st.integers(0, A - 1), min_size=1, max_size=2)
    sentences = draw(st.lists(st.lists(position, min_size=1, max_size=3), min_size=1, max_size=2))
    return Chains.of(sentences, labels, A)


def weights(chains: Chains, seed: int, size: float = 1.0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, size, chains.size)


def gold_counts(chains: Chains, seed: int) -> tuple[list[int], np.ndarray]:
    random = np.random.default_rng(seed)
    gold = [int(random.integers(len(phi))) for phi in chains.counts]
    return gold, sum(phi[y] for phi, y in zip(chains.counts, gold, strict=True))


seeds = st.integers(0, 2**32 - 1)


@given(chains=corpora(), seed=seeds)
@settings(max_examples=30, deadline=None)
def test_fisher_is_the_derivative_of_the_expectation(chains, seed):
    theta = weights(chains, seed)
    np.testing.assert_allclose(chains.fisher(theta), gradient_by_differences(chains.expectation, theta), atol=1e-8)


@given(chains=corpora(), seed=seeds)
@settings(max_examples=30, deadline=None)
def test_the_likelihood_gradient_is_the_difference_of_expectations(chains, seed):
    theta = weights(chains, seed)
    gold, empirical = gold_counts(chains, seed)
    gradient = gradient_by_differences(lambda t: chains.log_likelihood(t, gold), theta)
    np.testing.assert_allclose(gradient, empirical - chains.expectation(theta), atol=1e-8)


def check_natural_gradient(G, loss, chains, seed, positive):
    """M·(*) against differences of B_G. With `positive`, Ẽ is another model's expectation, not a count."""
    theta = weights(chains, seed)
    empirical = chains.expectation(weights(chains, seed + 1)) if positive else gold_counts(chains, seed)[1]
    used = chains.fisher(theta).any(1)  # a feature that cannot occur has E = Ẽ = 0 for ever

    def divergence_at(t):
        return divergence(G, loss, chains.expectation(t)[used], empirical[used])

    if not used.any():
        return
    direction = natural_gradient(G, loss, chains.expectation(theta)[used], empirical[used])
    by_formula = chains.fisher(theta)[:, used] @ direction
    by_numbers = gradient_by_differences(divergence_at, theta, 1e-4)
    np.testing.assert_allclose(by_formula, by_numbers, rtol=1e-4, atol=NUMERIC * max(1.0, np.abs(direction).max()))


@pytest.mark.parametrize("G", [*SMOOTH, pnorm(3.0), OWN[3]], ids=str)
@given(chains=corpora(), seed=seeds, loss=st.sampled_from(LOSSES), positive=st.booleans())
@settings(max_examples=25, deadline=None)
def test_the_formula_is_the_natural_gradient(G, chains, seed, loss, positive):
    check_natural_gradient(G, loss, chains, seed, positive)


@pytest.mark.parametrize("name", ["B1", "B2", "B3", "B4"])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_formula_holds_for_every_loss_and_gamma(name, gamma):
    chains = Chains.of([[[0], [0, 1], [1]], [[1], [0]]], 3, A)
    for G in (arctan(), softplus(3.0), quadratic()):
        check_natural_gradient(G, named_loss(name, gamma), chains, 7, positive=False)


@given(chains=corpora(), seed=seeds, a=st.floats(-2, 2), b=st.floats(-2, 2), c=st.floats(-2, 2))
@settings(max_examples=40, deadline=None)
def test_the_formula_holds_for_the_general_loss(chains, seed, a, b, c):
    assume(abs(a - c) > 0.1)
    for G in (arctan(), softplus(2.0)):
        check_natural_gradient(G, Loss(a, b, c, c - (a - b)), chains, seed, positive=False)


@given(chains=corpora(), seed=seeds, name=st.sampled_from(["U4", "U6"]))
@settings(max_examples=40, deadline=None)
def test_the_formula_holds_for_the_entropy_where_it_is_defined(chains, seed, name):
    check_natural_gradient(entropy(), update(name), chains, seed, positive=True)


@pytest.mark.parametrize("G", [arctan(), pytest.param(softplus(2.0), marks=pytest.mark.slow), quadratic()], ids=str)
@pytest.mark.parametrize("name", UPDATES)
def test_every_update_ends_at_the_maximum_likelihood(G, name):
    chains = Chains.of([[[0], [1]], [[0, 1]], [[1], [0]]], 2, A)
    empirical = chains.expectation(weights(chains, 5, 0.5))  # a point that the model can reach
    theta = np.zeros(chains.size)
    for _ in range(4000):
        theta = theta - 0.05 * natural_gradient(G, update(name), chains.expectation(theta), empirical)
    np.testing.assert_allclose(chains.expectation(theta), empirical, atol=1e-6)


@given(chains=corpora(), seed=seeds, loss=st.sampled_from(LOSSES))
@settings(max_examples=40, deadline=None)
def test_a_small_step_lowers_the_divergence(chains, seed, loss):
    theta = weights(chains, seed)
    _, empirical = gold_counts(chains, seed)
    for G in (arctan(), softplus()):
        E = chains.expectation(theta)
        step = natural_gradient(G, loss, E, empirical)
        slope = step @ chains.fisher(theta) @ step
        assert slope >= 0
        if slope < 1e-4:
            continue
        stepped = chains.expectation(theta - 1e-6 * step)
        assert divergence(G, loss, stepped, empirical) < divergence(G, loss, E, empirical)


def scaled_pass(divisor, theta, f, C, rates):
    """The sparse step θ = z·θ̄ with a given divisor of the rate."""
    z, bar = 1.0, theta.copy()
    for t, rate in enumerate(rates):
        bar = bar - rate / (divisor(rate) * z) * f(t, z * bar)
        z = (1 - C * rate) * z
    return z * bar


def test_the_scaled_step_is_the_plain_step_and_the_printed_one_is_not():
    """θ ← (1 − Cλ)θ − λf in both forms; the paper prints λ/((1−λ)z) where λ/((1−Cλ)z) is right."""
    C, hat = 0.02, 0.1
    rates = [hat / (1 + hat * C * t) for t in range(50)]
    pull = np.linspace(-1, 1, 8)

    def f(t, theta):
        return np.arctan(theta - pull) + 0.1 * np.cos(t + np.arange(8))

    plain = np.ones(8)
    for t, rate in enumerate(rates):
        plain = (1 - C * rate) * plain - rate * f(t, plain)
    np.testing.assert_allclose(scaled_pass(lambda r: 1 - C * r, np.ones(8), f, C, rates), plain, rtol=1e-12)
    assert not np.allclose(scaled_pass(lambda r: 1 - r, np.ones(8), f, C, rates), plain, rtol=1e-3)


def test_the_regulariser_in_the_metric_gives_the_plain_shrinkage():
    """∇(C/2·θᵀMθ) with M held fixed is C·Mθ (the paper drops the C), so the natural gradient is Cθ."""
    chains = Chains.of([[[0], [1], [0]]], 2, A)
    theta, C = weights(chains, 2), 0.3
    M = chains.fisher(theta)
    gradient = gradient_by_differences(lambda t: C / 2 * t @ M @ t, theta)
    np.testing.assert_allclose(gradient, M @ (C * theta), atol=1e-9)


def test_every_test_that_the_theory_cites_exists():
    here = Path(__file__).parents[1]
    cited = set(re.findall(r"`(test_\w+)`", (here.parent / "docs" / "theory.md").read_text(encoding="utf-8")))
    written = set(
        re.findall(r"^def (test_\w+)", "\n".join(p.read_text("utf-8") for p in here.rglob("test_*.py")), re.M)
    )
    assert len(cited) > 20
    assert cited <= written
