"""Blocks of sentences with many labels: listed pairs and matrix products against the recursions in logarithms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.chain_doors import chains
from tests.support.naive import best_path, best_score, chain_in_logs
from tests.support.tolerances import ALGEBRA, SINGLE

Block = tuple[list[np.ndarray], np.ndarray]  # scores of each sentence [n, L], transitions [L, L]: −0.0 is not listed
SIZES = [0.0, 1.0, 8.0, 30.0, 300.0, 1000.0]
WIDTHS = [(np.float64, ALGEBRA), (np.float32, SINGLE)]


@st.composite
def blocks(draw: st.DrawFn, most: int = 11) -> Block:
    """1 to `most` sentences of 1 to 14 tokens; labels fill blocks of eight, or nearly; few to all pairs are listed."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = draw(st.sampled_from([1, 2, 7, 8, 9, 16, 33, 45]))
    lengths = draw(st.lists(st.integers(1, 14), min_size=1, max_size=most))

    def drawn(shape: tuple[int, int]) -> np.ndarray:
        size = draw(st.sampled_from(SIZES)) if draw(st.booleans()) else rng.choice(SIZES, size=shape)
        return (rng.uniform(-1, 1, shape) * size).astype(np.float32).astype(np.float64)

    trans = drawn((labels, labels))
    if draw(st.booleans()):
        trans = -np.abs(trans)  # what cancels: every listed pair takes from the constant
    listed = rng.random((labels, labels)) < draw(st.sampled_from([0.0, 0.05, 0.3, 0.9, 1.0]))
    return [drawn((n, labels)) for n in lengths], np.where(listed, trans, -0.0)


def packed(scores: list[np.ndarray], dtype: type) -> tuple[np.ndarray, np.ndarray]:
    tokens = np.cumsum([0, *(len(s) for s in scores)])
    return np.ascontiguousarray(np.concatenate(scores).astype(dtype)), tokens


def listed_pairs(trans: np.ndarray) -> np.ndarray:
    return (trans != 0) | ~np.signbit(trans)


def check(block: Block, *, listed: bool) -> int:
    """Both widths, with marginals and without; returns how many sentences of floats failed the guards."""
    scores, trans = block
    expected = [chain_in_logs(s, trans + 0.0) for s in scores]
    failed = 0
    for dtype, tolerance in WIDTHS:
        given_scores, tokens = packed(scores, dtype)
        tau = trans.astype(dtype)
        log_z, node, edge, failed = chains.block_forward_backward(given_scores, tokens, tau, listed, True)
        alone = chains.block_forward_backward(given_scores, tokens, tau, listed, False)[0]
        for k, (s, chain) in enumerate(zip(scores, expected, strict=True)):
            size = max(1.0, float(np.abs(s).sum() + len(s) * np.abs(trans).max()))
            for found in (log_z[k], alone[k]):
                assert abs(found - chain.log_z) <= 1e-2 * tolerance * size + tolerance
            np.testing.assert_allclose(node[tokens[k] : tokens[k + 1]], chain.node, atol=tolerance)
            pairs = np.where(listed_pairs(trans), chain.edge, 0.0) if listed else chain.edge
            np.testing.assert_allclose(edge[k], pairs, atol=tolerance * len(s))
    return failed


@settings(max_examples=60, deadline=None)
@given(blocks())
def test_listed_pairs_and_a_constant_are_the_whole_matrix(block: Block) -> None:
    check(block, listed=True)


@settings(max_examples=60, deadline=None)
@given(blocks())
def test_matrix_products_are_the_chains_one_by_one(block: Block) -> None:
    check(block, listed=False)


def usual(listed_share: float, size: float, labels: int = 60) -> Block:
    rng = np.random.default_rng(3)
    trans = np.where(rng.random((labels, labels)) < listed_share, rng.uniform(-size, size, (labels, labels)), -0.0)
    return [rng.uniform(-2 * size, 2 * size, (n, labels)) for n in (1, 40, 3, 17, 25, 9, 30, 12, 60)], trans


@pytest.mark.parametrize("listed", [True, False])
def test_weights_as_training_makes_them_pass_the_guards(listed: bool) -> None:
    assert check(usual(0.1, 5.0), listed=listed) == 0


def test_where_listed_pairs_cancel_the_whole_constant_the_sentence_takes_another_lattice() -> None:
    labels, n = 40, 12
    trans = np.full((labels, labels), -0.0)
    trans[0] = trans[:, 0] = -60.0  # the one likely label may hardly be left, nor reached
    scores = np.zeros((n, labels))
    scores[:, 0] = 100.0
    assert check(([scores, scores[:3]], trans), listed=True) > 0


@settings(max_examples=40, deadline=None)
@given(blocks(), st.booleans(), st.randoms(use_true_random=False))
def test_a_sentence_gets_the_same_bits_in_any_block(block: Block, listed: bool, random: object) -> None:
    scores, trans = block
    order = list(range(len(scores)))
    random.shuffle(order)  # type: ignore[attr-defined]
    for dtype, _ in WIDTHS:
        tau = trans.astype(dtype)
        given_scores, tokens = packed(scores, dtype)
        log_z, node, edge, _ = chains.block_forward_backward(given_scores, tokens, tau, listed, True)
        moved, moved_tokens = packed([scores[k] for k in order], dtype)
        log_z2, node2, edge2, _ = chains.block_forward_backward(moved, moved_tokens, tau, listed, True)
        for place, k in enumerate(order):
            assert log_z2[place] == log_z[k]
            one = node2[moved_tokens[place] : moved_tokens[place + 1]]
            np.testing.assert_array_equal(one, node[tokens[k] : tokens[k + 1]])
            np.testing.assert_array_equal(edge2[place], edge[k])


@settings(max_examples=100, deadline=None)
@given(blocks())
def test_the_best_paths_of_listed_pairs_are_those_of_the_matrix(block: Block) -> None:
    scores, trans = block
    for dtype, _ in WIDTHS:
        given_scores, tokens = packed(scores, dtype)
        score, paths = chains.block_best_paths(given_scores, tokens, trans.astype(dtype))
        for k, s in enumerate(scores):
            found = paths[tokens[k] : tokens[k + 1]].tolist()
            assert found == best_path(s.astype(dtype), trans.astype(dtype))
            assert score[k] == best_score(s.astype(dtype), trans.astype(dtype))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.3, 0.9]))
def test_ties_of_best_paths_go_to_the_lower_label(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    labels = 12
    trans = np.where(rng.random((labels, labels)) < share, rng.integers(-2, 2, (labels, labels)), -0.0)
    scores = [rng.integers(-1, 2, (n, labels)).astype(np.float64) for n in (7, 3, 9)]
    given_scores, tokens = packed(scores, np.float64)
    _, paths = chains.block_best_paths(given_scores, tokens, trans)
    for k, s in enumerate(scores):
        assert paths[tokens[k] : tokens[k + 1]].tolist() == best_path(s, trans)


@pytest.mark.parametrize("tokens", [[0], [0, 3], [0, 9, 4], [1, 4], [0, 2, 2, 4]])
def test_offsets_that_do_not_fit_are_refused(tokens: list[int]) -> None:
    scores, trans = np.zeros((4, 3)), np.zeros((3, 3))
    with pytest.raises(ValueError, match=r"sentence|tokens"):
        chains.block_forward_backward(scores, np.array(tokens), trans, True, True)
