"""The lattice whose transitions look at the input, against enumerated paths and against recursions in logarithms."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import chain_doors as lattice
from tests.support.chain_doors import chains
from tests.support.naive import best_path, chain_in_logs
from tests.support.naive_edges import (
    EdgeChain,
    edge_best_path,
    edge_chain_by_paths,
    edge_chain_in_logs,
    edge_paths,
    edge_score,
)
from tests.support.strategies import ACROSS_BLOCKS, RANGES
from tests.support.tolerances import ALGEBRA

FORBIDDEN = -1e30  # as limits.hpp writes a transition that is not allowed


@st.composite
def edge_chains(
    draw: st.DrawFn, labels: st.SearchStrategy[int], lengths: st.SearchStrategy[int], *, limits: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Scores [n, L] and transitions [n, L, L]; some positions share tau[0]; limits forbid some paths."""
    n, L = draw(lengths), draw(labels)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def array(*shape: int) -> np.ndarray:
        if draw(st.booleans()):
            return rng.uniform(-1, 1, shape) * draw(st.sampled_from(RANGES))
        return rng.uniform(-1, 1, shape) * rng.choice(RANGES, size=shape)

    s, tau = array(n, L), array(n, L, L)
    tau[rng.random(n) < draw(st.sampled_from([0.0, 0.5, 1.0]))] = tau[0]
    if limits:
        s[rng.random(s.shape) < 0.3] = -np.inf
        tau[:, rng.random((L, L)) < draw(st.sampled_from([0.0, 0.3, 0.7]))] = -np.inf
    return s, tau


SMALL = edge_chains(st.integers(1, 4), st.integers(1, 5))
WIDE = edge_chains(st.sampled_from(ACROSS_BLOCKS), st.integers(1, 12))


def check(s: np.ndarray, tau: np.ndarray, expected: EdgeChain) -> int:
    """The sums with marginals and without; returns how often the kernel fell back to logarithms."""
    given_tau = np.where(np.isneginf(tau), FORBIDDEN, tau)
    log_z, node, edge, pair, fell_back = chains.edge_forward_backward(s, given_tau)
    alone, nothing, _, _, _ = chains.edge_forward_backward(s, given_tau, marginals=False)
    assert nothing.shape[0] == 0
    for found in (log_z, alone):
        assert found == pytest.approx(expected.log_z, rel=ALGEBRA, abs=ALGEBRA)
    np.testing.assert_allclose(node, expected.node, atol=ALGEBRA)
    np.testing.assert_allclose(edge, expected.pair.sum(axis=0), atol=ALGEBRA * len(s))
    own = [t for t in range(1, len(s)) if (given_tau[t] != given_tau[0]).any()]
    np.testing.assert_allclose(pair[own], expected.pair[own], atol=ALGEBRA)
    assert not node[np.isneginf(s)].any()
    assert not pair[np.isneginf(tau)].any()
    return fell_back


@settings(max_examples=120, deadline=None)
@given(SMALL)
def test_every_path_is_counted(chain: tuple[np.ndarray, np.ndarray]) -> None:
    expected = edge_chain_by_paths(*chain)
    check(*chain, expected)
    logs = edge_chain_in_logs(*chain)  # the twin of the wide chains is right too
    assert logs.log_z == pytest.approx(expected.log_z, rel=ALGEBRA, abs=ALGEBRA)
    np.testing.assert_allclose(logs.pair, expected.pair, atol=ALGEBRA)


@settings(max_examples=120, deadline=None)
@given(edge_chains(st.integers(1, 4), st.integers(1, 5), limits=True))
def test_what_is_forbidden_has_no_mass(chain: tuple[np.ndarray, np.ndarray]) -> None:
    """Exactly 0, not small; and −∞ for log Z if no path is left."""
    check(*chain, edge_chain_by_paths(*chain))


@settings(max_examples=100, deadline=None)
@given(WIDE)
def test_labels_that_cross_blocks(chain: tuple[np.ndarray, np.ndarray]) -> None:
    check(*chain, edge_chain_in_logs(*chain))


@settings(max_examples=100, deadline=None)
@given(edge_chains(st.sampled_from(ACROSS_BLOCKS), st.integers(1, 12), limits=True))
def test_limits_across_blocks(chain: tuple[np.ndarray, np.ndarray]) -> None:
    with np.errstate(invalid="ignore"):
        check(*chain, edge_chain_in_logs(*chain))


@settings(max_examples=10, deadline=None)
@given(edge_chains(st.sampled_from([5, 9, 24]), st.sampled_from([100, 300])))
def test_long_sequences(chain: tuple[np.ndarray, np.ndarray]) -> None:
    s, tau = chain
    size = float(np.abs(s).sum() + np.abs(tau).max(axis=(1, 2)).sum())
    log_z, node, edge, _, _ = chains.edge_forward_backward(s, tau)
    expected = edge_chain_in_logs(s, tau)
    assert abs(log_z - expected.log_z) <= 1e-12 * size + ALGEBRA
    np.testing.assert_allclose(node, expected.node, atol=1e-9)  # the twin takes no maximum off its messages
    np.testing.assert_allclose(edge, expected.pair.sum(axis=0), atol=1e-9 * len(s))


@settings(max_examples=100, deadline=None)
@given(SMALL)
def test_the_best_path_is_the_best_of_all(chain: tuple[np.ndarray, np.ndarray]) -> None:
    score, again, path = chains.edge_best_path(*chain)
    paths = edge_paths(*chain)
    top = max(paths.values())
    assert score == pytest.approx(top, rel=1e-14, abs=1e-12)  # two additions in another order
    assert again == pytest.approx(score, rel=1e-14, abs=1e-12)
    assert paths[tuple(path.tolist())] == pytest.approx(top, rel=1e-14, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(WIDE)
def test_the_best_path_across_blocks(chain: tuple[np.ndarray, np.ndarray]) -> None:
    score, again, path = chains.edge_best_path(*chain)
    expected, labels = edge_best_path(*chain)
    assert (score, path.tolist()) == (expected, labels)
    assert again == pytest.approx(edge_score(*chain, tuple(labels)), rel=1e-14, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(st.data(), st.integers(1, 5), st.sampled_from([1, 2, 3, 8, 9]))
def test_of_equal_paths_the_lower_labels_at_the_end(data: st.DataObject, length: int, labels: int) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    s, tau = (
        rng.integers(0, 2, (length, labels)).astype(float),
        rng.integers(0, 2, (length, labels, labels)).astype(float),
    )
    score, _, path = chains.edge_best_path(s, tau)
    assert path.tolist() == edge_best_path(s, tau)[1]
    if labels <= 3:
        ties = [p for p, value in edge_paths(s, tau).items() if value == score]
        assert tuple(path) == min(ties, key=lambda p: p[::-1])


@settings(max_examples=60, deadline=None)
@given(WIDE, st.sampled_from([1e-6, 0.25, 1.0, 3.0]))
def test_scores_and_transitions_are_multiplied(chain: tuple[np.ndarray, np.ndarray], z: float) -> None:
    s, tau = chain
    expected = edge_chain_in_logs(z * s, z * tau)
    log_z, node, _, _, _ = chains.edge_forward_backward(s, tau, z)
    assert log_z == pytest.approx(expected.log_z, rel=ALGEBRA, abs=ALGEBRA)
    np.testing.assert_allclose(node, expected.node, atol=ALGEBRA)


@settings(max_examples=60, deadline=None)
@given(WIDE)
def test_one_matrix_for_all_is_the_plain_chain(chain: tuple[np.ndarray, np.ndarray]) -> None:
    s, tau = chain
    tau[:] = tau[0]
    plain = chain_in_logs(s, tau[0])
    log_z, node, edge, pair, _ = chains.edge_forward_backward(s, tau)
    assert log_z == pytest.approx(plain.log_z, rel=ALGEBRA, abs=ALGEBRA)
    np.testing.assert_allclose(node, plain.node, atol=ALGEBRA)
    np.testing.assert_allclose(edge, plain.edge, atol=ALGEBRA * len(s))
    assert not pair.any()  # no position has its own
    assert chains.edge_best_path(s, tau)[2].tolist() == best_path(s, tau[0])


@settings(max_examples=60, deadline=None)
@given(SMALL)
def test_the_doors_agree(chain: tuple[np.ndarray, np.ndarray]) -> None:
    """lattice.py with transitions of each position; what is given for the first counts for nothing."""
    s, tau = chain
    expected, void = edge_chain_by_paths(s, tau), np.array(tau)
    void[0] = 7e8
    node, pairs = lattice.marginals(s, void)
    np.testing.assert_allclose(node, expected.node, atol=ALGEBRA)
    np.testing.assert_allclose(pairs, expected.pair, atol=ALGEBRA)
    log_z, (score, path) = lattice.log_partition(s, void), lattice.best_path(s, void)
    assert log_z == pytest.approx(expected.log_z, rel=ALGEBRA, abs=ALGEBRA)
    assert lattice.path_score(s, void, path) == pytest.approx(score, rel=ALGEBRA, abs=ALGEBRA)
    assert score == pytest.approx(max(edge_paths(s, tau).values()), rel=ALGEBRA, abs=ALGEBRA)


def test_ordinary_scores_need_no_fall_back_with_limits_or_without() -> None:
    rng = np.random.default_rng(0)
    for labels in (3, 22, 40):
        s, tau = rng.uniform(-60, 60, (50, labels)), rng.uniform(-60, 60, (50, labels, labels))
        assert check(s, tau, edge_chain_in_logs(s, tau)) == 0
        s[rng.random(s.shape) < 0.2], tau[:, rng.random((labels, labels)) < 0.3] = -np.inf, -np.inf
        with np.errstate(invalid="ignore"):
            assert check(s, tau, edge_chain_in_logs(s, tau)) == 0


@pytest.mark.parametrize("labels", [2, 9, 22])
@pytest.mark.parametrize(("toll", "entry"), [(25.0, 100.0), (300.0, 600.0), (300.0, 740.0), (7.0, 1000.0)])
def test_mass_that_is_lost_at_one_place_and_needed_at_another(toll: float, entry: float, labels: int) -> None:
    """Two ways through that never meet: one pays a toll at every step, the other only at both ends."""
    for length in range(3, 40, 4):
        s, tau = np.full((length, labels), -20.0), np.full((length, labels, labels), -5 * entry)
        s[:, :2] = 0
        s[0, 1] = s[-1, 1] = -entry
        tau[:, 0, 0], tau[:, 1, 1] = -toll, 0
        tau[length // 2] += 0.5  # one position has its own
        for first, last in ((-entry, -entry), (-entry, 0.0), (0.0, -entry)):
            s[0, 1], s[-1, 1] = first, last
            check(s, tau, edge_chain_in_logs(s, tau))


def test_a_huge_step_to_a_forbidden_label_leaves_no_trace() -> None:
    """The best label so far has one cheap way on, which is forbidden, and one that is dearer than most."""
    s, tau = np.zeros((4, 2)), np.zeros((4, 2, 2))
    s[1, 1], s[2, 1] = -640.0, -np.inf
    tau[2] = [[-460.0, 299.0], [0.0, 0.0]]
    assert check(s, tau, edge_chain_by_paths(s, tau)) == 0


@settings(max_examples=100, deadline=None)
@given(st.data(), st.integers(1, 5), st.integers(1, 3), st.sampled_from([10**3, 10**6, 10**9]))
def test_large_scores_in_whole_numbers(data: st.DataObject, length: int, labels: int, size: int) -> None:
    """Whole numbers add up exactly in Python, so the probabilities of all paths are known whatever their size."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    s, tau = rng.integers(-size, size + 1, (length, labels)), rng.integers(-size, size + 1, (length, labels, labels))
    near = data.draw(st.booleans())
    s, tau = (np.where(rng.random(x.shape) < 0.7, x // size * size + x % 3, x) if near else x for x in (s, tau))
    s, tau = np.clip(s, -size, size), np.clip(tau, -size, size)
    paths = {
        path: sum(int(s[t, y]) for t, y in enumerate(path))
        + sum(int(tau[t, i, j]) for t, (i, j) in enumerate(pairwise(path), 1))
        for path in product(range(labels), repeat=length)
    }
    top = max(paths.values())
    odds = {path: math.exp(max(score - top, -800)) for path, score in paths.items()}
    total = sum(odds.values())
    log_z, node, _, _, _ = chains.edge_forward_backward(s.astype(float), tau.astype(float))
    expected = np.zeros((length, labels))
    for path, share in odds.items():
        for t, y in enumerate(path):
            expected[t, y] += share / total
    np.testing.assert_allclose(node, expected, atol=2e-6)
    assert log_z == pytest.approx(top + math.log(total), rel=1e-12, abs=1e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("place", ["scores", "shared", "own"])
def test_what_is_not_a_number_gives_no_number(bad: float, place: str) -> None:
    """Training relies on this: weights that left the numbers give a log Z that is no number."""
    s, tau = np.zeros((4, 3)), np.zeros((4, 3, 3))
    tau[2, 1, 1] = 0.5
    if place == "scores":
        s[1, 2] = bad
    elif place == "own":
        tau[2, 0, 1] = bad
    else:
        tau[[0, 1, 3], 0, 1] = bad
    assert not np.isfinite(chains.edge_forward_backward(s, tau)[0])


@pytest.mark.parametrize("labels", [1, 2, 8, 22])
def test_one_token_knows_no_transition(labels: int) -> None:
    s, tau = np.linspace(-1000, 1000, labels)[None], np.full((1, labels, labels), 1000.0)
    log_z, node, edge, _, _ = chains.edge_forward_backward(s, tau)
    assert log_z == pytest.approx(np.logaddexp.reduce(s[0]), rel=ALGEBRA)
    np.testing.assert_allclose(node[0], np.exp(s[0] - log_z), atol=ALGEBRA)
    assert not edge.any()
    assert chains.edge_best_path(s, tau)[2].tolist() == [labels - 1]


def test_shapes_that_do_not_fit() -> None:
    for s, tau in (
        ((0, 2), (0, 2, 2)),
        ((2, 0), (2, 0, 0)),
        ((2, 2), (2, 3, 3)),
        ((2, 2), (1, 2, 2)),
        ((2, 2), (2, 2, 3)),
    ):
        for door in (chains.edge_forward_backward, chains.edge_best_path):
            with pytest.raises(ValueError, match="do not fit together"):
                door(np.zeros(s), np.zeros(tau))
