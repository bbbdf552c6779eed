"""The tests of significance against their definitions: every sign pattern, a known t, and how often they err."""

from itertools import product
from statistics import mean, stdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from tagfield.compare.significance import compare_pair, holm, randomisation


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_randomisation_is_near_the_share_of_all_sign_patterns(gain: list[int], seed: int) -> None:
    seen = abs(sum(gain))
    exact = mean(
        abs(sum(s * g for s, g in zip(signs, gain, strict=True))) >= seen
        for signs in product((-1, 1), repeat=len(gain))
    )
    found = randomisation(np.array(gain, float), np.random.default_rng(seed), rounds=4000)
    assert found == pytest.approx(exact, abs=0.05)


@given(st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=3, max_size=5), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_the_p_over_seeds_is_the_paired_t_tests(wrong: list[list[int]], seed: int) -> None:
    one = np.array(wrong)
    other = np.random.default_rng(seed).integers(0, 4, one.shape)
    found = compare_pair(one, other, 100, rounds=200)
    sums = (other - one).sum(axis=1).tolist()
    assert found.tokens == pytest.approx(mean(sums))
    if stdev(sums) > 0:
        value = mean(sums) / (stdev(sums) / len(sums) ** 0.5)
        assert found.by_seeds == pytest.approx(2 * student.sf(abs(value), len(sums) - 1))


def test_alike_recipes_are_rarely_told_apart_and_different_ones_often() -> None:
    rng = np.random.default_rng(5)

    def drawn(share: float) -> np.ndarray:
        return rng.binomial(20, share, (5, 300))

    false = sum(compare_pair(drawn(0.05), drawn(0.05), 6000, rounds=300).p < 0.05 for _ in range(100))
    true = sum(compare_pair(drawn(0.05), drawn(0.065), 6000, rounds=300).p < 0.05 for _ in range(20))
    assert false <= 12
    assert true >= 18


def test_the_interval_holds_the_truth() -> None:
    rng = np.random.default_rng(6)
    hits = 0
    for _ in range(60):
        one, other = rng.binomial(20, 0.05, (5, 200)), rng.binomial(20, 0.06, (5, 200))
        found = compare_pair(one, other, 4000, rounds=400)
        hits += found.low <= 40 <= found.high
    assert hits >= 50


def test_a_recipe_without_seeds_is_compared_with_every_seed_of_the_other() -> None:
    one, other = np.array([[0, 1, 2]]), np.array([[1, 1, 2], [2, 1, 2]])
    found = compare_pair(one, other, 30, rounds=50)
    assert (found.tokens, found.by_seeds, found.points) == (1.5, None, pytest.approx(5.0))


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_is_its_definition(p: list[float]) -> None:
    found = holm(p)
    order = sorted(range(len(p)), key=lambda k: p[k])
    for rank, k in enumerate(order):
        assert found[k] == pytest.approx(min(1.0, max((len(p) - j) * p[order[j]] for j in range(rank + 1))))
