"""The lattice against enumerated paths, and against the recursions in logarithms where paths are too many."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import Model
from tagfield.errors import InputError
from tagfield.native._text import Vocabulary
from tagfield.weights.layout import FeatureSet
from tests.hunt.cases import drawn
from tests.support import chain_doors as lattice
from tests.support.chain_doors import chains
from tests.support.naive import Chain, all_paths, best_path, best_score, chain_by_paths, chain_in_logs, path_score
from tests.support.strategies import small_chains, wide_chains
from tests.support.tolerances import ALGEBRA, SINGLE


def check(scores: np.ndarray, trans: np.ndarray, expected: Chain) -> int:
    """Both widths of the kernel, with marginals and without; returns how often the float one fell back."""
    size = max(1.0, float(np.abs(scores).sum() + len(scores) * np.abs(trans).max()))
    fell_back = 0
    for dtype, tolerance in ((np.float64, ALGEBRA), (np.float32, SINGLE)):
        s, tau = scores.astype(dtype), trans.astype(dtype)
        log_z, node, edge, fell_back = chains.forward_backward(s, tau, True)
        alone, none, _, _ = chains.forward_backward(s, tau, False)
        assert none.shape[0] == 0
        for found in (log_z, alone):
            assert abs(found - expected.log_z) <= 1e-2 * tolerance * size + tolerance
        np.testing.assert_allclose(node, expected.node, atol=tolerance)
        np.testing.assert_allclose(edge, expected.edge, atol=tolerance * len(s))
    return fell_back


@settings(max_examples=300, deadline=None)
@given(small_chains())
def test_every_path_is_counted(chain: tuple[np.ndarray, np.ndarray]) -> None:
    expected = chain_by_paths(*chain)
    check(*chain, expected)
    logs = chain_in_logs(*chain)  # the twin of the wide chains is right too
    assert logs.log_z == pytest.approx(expected.log_z, rel=ALGEBRA, abs=ALGEBRA)
    np.testing.assert_allclose(logs.node, expected.node, atol=ALGEBRA)
    np.testing.assert_allclose(logs.edge, expected.edge, atol=ALGEBRA)


@settings(max_examples=300, deadline=None)
@given(wide_chains())
def test_labels_that_cross_blocks(chain: tuple[np.ndarray, np.ndarray]) -> None:
    check(*chain, chain_in_logs(*chain))


@settings(max_examples=20, deadline=None)
@given(wide_chains(st.sampled_from([100, 400])))
def test_long_sequences(chain: tuple[np.ndarray, np.ndarray]) -> None:
    check(*chain, chain_in_logs(*chain))


@settings(max_examples=200, deadline=None)
@given(small_chains())
def test_the_best_path_is_the_best_of_all(chain: tuple[np.ndarray, np.ndarray]) -> None:
    for dtype in (np.float64, np.float32):
        s, tau = (array.astype(dtype) for array in chain)
        score, path = chains.best_path(s, tau)
        paths = all_paths(s, tau)
        assert score == max(paths.values())  # the sums are taken in the same order, so not even a bit differs
        assert paths[tuple(path.tolist())] == score


@settings(max_examples=200, deadline=None)
@given(wide_chains())
def test_the_best_path_across_blocks(chain: tuple[np.ndarray, np.ndarray]) -> None:
    for dtype in (np.float64, np.float32):
        s, tau = (array.astype(dtype) for array in chain)
        score, path = chains.best_path(s, tau)
        assert score == best_score(s, tau) == path_score(s, tau, path)
        assert path.tolist() == best_path(s, tau)


@settings(deadline=None)
@given(st.data(), st.integers(1, 5), st.sampled_from([1, 2, 3, 8, 9]))
def test_of_equal_paths_the_lower_labels_at_the_end(data: st.DataObject, length: int, labels: int) -> None:
    number = st.integers(0, 1)  # so few numbers that most paths tie
    s = np.array(data.draw(st.lists(number, min_size=length * labels, max_size=length * labels)), float)
    tau = np.array(data.draw(st.lists(number, min_size=labels**2, max_size=labels**2)), float)
    s, tau = s.reshape(length, labels), tau.reshape(labels, labels)
    for dtype in (np.float64, np.float32):
        score, path = chains.best_path(s.astype(dtype), tau.astype(dtype))
        assert path.tolist() == best_path(s, tau)
        if labels <= 3:
            ties = [p for p, value in all_paths(s, tau).items() if value == score]
            assert tuple(path) == min(ties, key=lambda p: p[::-1])


def test_one_label_has_one_path() -> None:
    s, tau = np.array([[3.0], [-1000.0], [5.0]]), np.array([[-2.0]])
    check(s, tau, Chain(3.0 - 1000.0 + 5.0 - 4.0, np.ones((3, 1)), np.array([[2.0]])))
    assert lattice.best_path(s, tau)[1].tolist() == [0, 0, 0]


@pytest.mark.parametrize("labels", [1, 2, 8, 22, 33])
def test_one_token_knows_no_transition(labels: int) -> None:
    s = np.linspace(-1000, 1000, labels)[None]
    tau = np.full((labels, labels), 1000.0)
    log_z, node, edge, _ = chains.forward_backward(s, tau, True)
    assert log_z == pytest.approx(np.logaddexp.reduce(s[0]), rel=ALGEBRA)
    np.testing.assert_allclose(node[0], np.exp(s[0] - log_z), atol=ALGEBRA)
    assert not edge.any()


def test_ordinary_scores_need_no_fall_back() -> None:
    rng = np.random.default_rng(0)
    for labels in (3, 22, 40):
        s = rng.uniform(-12, 12, (50, labels)).astype(np.float32).astype(np.float64)
        tau = rng.uniform(-6, 6, (labels, labels)).astype(np.float32).astype(np.float64)
        assert check(s, tau, chain_in_logs(s, tau)) == 0


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([5, 22]), st.floats(20.0, 40.0))
def test_one_transition_far_above_the_rest_needs_no_fall_back(seed: int, labels: int, above: float) -> None:
    """Scaled by the largest transition, every step along the others would be too small for a float."""
    rng = np.random.default_rng(seed)
    s = rng.uniform(-8, 8, (30, labels)).astype(np.float32).astype(np.float64)
    tau = rng.uniform(-4, 4, (labels, labels)).astype(np.float32).astype(np.float64)
    s[:, -1] -= 2 * above  # the labels at both ends of that transition are seldom worth it
    tau[-1, -1] += above
    assert check(s, tau, chain_in_logs(s, tau)) == 0


@pytest.mark.parametrize("forbidden", [-1e30, -np.inf])
def test_a_label_after_which_nothing_may_come_costs_the_others_no_digits(forbidden: float) -> None:
    rng = np.random.default_rng(0)
    s, tau = rng.normal(size=(1000, 6)).astype(np.float32), rng.normal(size=(6, 6)).astype(np.float32)
    tau[2] = forbidden
    expected = chain_in_logs(s.astype(np.float64), np.maximum(tau, -1e30).astype(np.float64))
    log_z, node, edge, _ = chains.forward_backward(s, tau, True)
    assert log_z == pytest.approx(expected.log_z, abs=1e-4)
    np.testing.assert_allclose(node, expected.node, atol=SINGLE)
    np.testing.assert_allclose(edge, expected.edge, rtol=2e-6, atol=1e-5)


def islands(length: int, toll: float, entry: float, labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Two ways through that never meet. The first label pays a toll at every step, the second only at both ends.

    At each end alone the second looks hopeless, by more than a float can hold; together it is the better way.
    """
    s = np.full((length, labels), -20.0)
    tau = np.full((labels, labels), -5 * entry)
    s[:, :2] = 0
    s[0, 1] = s[-1, 1] = -entry
    tau[0, 0], tau[1, 1] = -toll, 0
    return s, tau


@pytest.mark.parametrize("labels", [2, 8, 9, 22, 40])
@pytest.mark.parametrize(("toll", "entry"), [(25.0, 100.0), (20.0, 90.0), (300.0, 740.0), (7.0, 1000.0)])
def test_mass_that_is_lost_at_one_place_and_needed_at_another(toll: float, entry: float, labels: int) -> None:
    """Every step by itself is well scaled, and only what was flushed to zero tells that something is missing."""
    for length in range(3, 40):
        s, tau = islands(length, toll, entry, labels)
        expected = chain_in_logs(s, tau)
        check(s, tau, expected)
        s[-1, 1] = 0  # lost on the way forward only
        check(s, tau, chain_in_logs(s, tau))
        s[-1, 1], s[0, 1] = -entry, 0  # lost on the way back only
        check(s, tau, chain_in_logs(s, tau))


def test_the_fall_back_is_taken_and_right() -> None:
    s, tau = islands(12, 25.0, 100.0, 3)
    assert chains.forward_backward(s.astype(np.float32), tau.astype(np.float32), True)[3] == 1
    assert chains.forward_backward(s.astype(np.float32), tau.astype(np.float32), False)[3] == 1
    assert chains.forward_backward(s, tau, True)[3] == 0  # doubles hold it
    s, tau = islands(12, 300.0, 800.0, 3)
    log_z, node, _, fallbacks = chains.forward_backward(s, tau, True)
    assert fallbacks == 1
    assert log_z == pytest.approx(-1600.0)
    np.testing.assert_allclose(node[:, 1], 1.0)


@settings(max_examples=300, deadline=None)
@given(st.data(), st.integers(1, 5), st.integers(1, 3), st.sampled_from([10**3, 10**6, 10**9]))
def test_large_scores_in_whole_numbers(data: st.DataObject, length: int, labels: int, size: int) -> None:
    """Whole numbers add up exactly in Python, so the probabilities of all paths are known whatever their size."""
    number = st.sampled_from([-size, -size + 1, -1, 0, 1, size - 1, size]) | st.integers(-size, size)
    s = [[data.draw(number) for _ in range(labels)] for _ in range(length)]
    tau = [[data.draw(number) for _ in range(labels)] for _ in range(labels)]
    paths = {
        path: sum(s[t][y] for t, y in enumerate(path)) + sum(tau[i][j] for i, j in pairwise(path))
        for path in product(range(labels), repeat=length)
    }
    top = max(paths.values())
    odds = {path: math.exp(max(score - top, -800)) for path, score in paths.items()}
    total = sum(odds.values())
    node, _ = lattice.marginals(s, tau)
    expected = np.zeros((length, labels))
    for path, share in odds.items():
        for t, y in enumerate(path):
            expected[t, y] += share / total
    np.testing.assert_allclose(node, expected, atol=2e-6)
    np.testing.assert_allclose(node.sum(axis=1), 1, rtol=1e-9)
    assert lattice.log_partition(s, tau) == pytest.approx(top + math.log(total), rel=1e-12, abs=1e-6)


@pytest.mark.parametrize("size", [1.1e9, 1e12, 1e16, 1e18, 1e31, 1e305])
def test_larger_scores_are_refused(size: float) -> None:
    s, tau = np.zeros((2, 3)), np.zeros((3, 3))
    s[1, 2] = -size
    for door in (lattice.log_partition, lattice.marginals):
        with pytest.raises(InputError, match=r"scores\[1, 2\] is -.*between -1e9 and 1e9"):
            door(s, tau)
        with pytest.raises(InputError, match=r"transitions\[1, 2\] is -.*between -1e9 and 1e9"):
            door(s * 0, np.vstack([s, s[:1]]))
    score, path = lattice.best_path(-s, tau)
    assert (score, path.tolist()) == (size, [0, 2])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    "door", [lattice.log_partition, lattice.marginals, lattice.best_path, lambda s, t: lattice.path_score(s, t, [0, 1])]
)
def test_what_is_not_a_number_is_turned_away_at_the_door(door, bad: float) -> None:
    s, tau = np.zeros((2, 3)), np.zeros((3, 3))
    s[1, 2] = bad
    with pytest.raises(InputError, match=rf"scores\[1, 2\] is {bad}; scores must be finite"):
        door(s, tau)
    s[1, 2], tau[2, 0] = 0, bad
    with pytest.raises(InputError, match=rf"transitions\[2, 0\] is {bad}"):
        door(s, tau)


EITHER = pytest.mark.parametrize("dtype", [np.float32, np.float64])
PLACES = pytest.mark.parametrize("place", [("scores", 0, 0), ("scores", 1, 2), ("transitions", 0, 1)])


def with_one(value: float, place: tuple[str, int, int], dtype: type) -> tuple[np.ndarray, np.ndarray]:
    """Zeros for two positions and three labels, except for one number."""
    s, tau = np.zeros((2, 3), dtype), np.zeros((3, 3), dtype)
    (s if place[0] == "scores" else tau)[place[1:]] = value
    return s, tau


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@EITHER
@PLACES
def test_a_kernel_that_meets_one_nevertheless_says_so(bad: float, dtype: type, place: tuple[str, int, int]) -> None:
    """The stochastic pass relies on this: weights that left the numbers give a log Z that is no number."""
    assert not np.isfinite(chains.forward_backward(*with_one(bad, place, dtype), True)[0])


@EITHER
@PLACES
def test_minus_infinity_leaves_out_the_paths_that_it_meets(dtype: type, place: tuple[str, int, int]) -> None:
    """Of the nine paths three go through a label, and one takes a transition."""
    log_z, node, edge, _ = chains.forward_backward(*with_one(-np.inf, place, dtype), True)
    assert log_z == pytest.approx(np.log(6 if place[0] == "scores" else 8), rel=SINGLE)
    np.testing.assert_allclose(node.sum(axis=1), 1, rtol=SINGLE)
    assert (node if place[0] == "scores" else edge)[place[1:]] == pytest.approx(0, abs=SINGLE)


def test_shapes_that_do_not_fit() -> None:
    for s, tau in (
        (np.zeros((0, 2)), np.zeros((2, 2))),
        (np.zeros((2, 0)), np.zeros((0, 0))),
        (np.zeros((2, 2)), np.zeros((3, 3))),
        (np.zeros((2, 2)), np.zeros((2, 3))),
        (np.zeros(2), np.zeros((2, 2))),
    ):
        with pytest.raises(InputError, match="scores must be"):
            lattice.marginals(s, tau)
    for dtype in (np.float32, np.float64):
        with pytest.raises(ValueError, match="do not fit together"):
            chains.best_path(np.zeros((2, 2), dtype), np.zeros((3, 3), dtype))
    for path in ([0], [0, 2], [-1, 0], [0.0, 1.0], [[0, 1]]):
        with pytest.raises(InputError, match="2 label ids, each between 0 and 1"):
            lattice.path_score(np.zeros((2, 2)), np.zeros((2, 2)), path)


@settings(max_examples=50, deadline=None)
@given(small_chains())
def test_the_doors_agree(chain: tuple[np.ndarray, np.ndarray]) -> None:
    s, tau = chain
    score, path = lattice.best_path(s, tau)
    assert lattice.path_score(s, tau, path) == pytest.approx(score, rel=ALGEBRA, abs=ALGEBRA)
    assert score <= lattice.log_partition(s, tau) + ALGEBRA * max(1, abs(score))
    node, edge = lattice.marginals(s.tolist(), tau.tolist())
    np.testing.assert_allclose(node.sum(axis=1), 1, atol=ALGEBRA)
    np.testing.assert_allclose(edge.sum(axis=1), node[:-1].sum(axis=0), atol=ALGEBRA)
    np.testing.assert_allclose(edge.sum(axis=0), node[1:].sum(axis=0), atol=ALGEBRA)


def two_labels(*rows: tuple[float, float], dtype: type = np.float32) -> Model:
    """A model of two labels without transitions; attribute k has the weights rows[k]."""
    state = np.array(rows, dtype)
    a, y = np.indices(state.shape).reshape(2, -1)
    features, weights = FeatureSet.from_triples(len(rows), 2, (a, y, state.ravel()), ([], [], []), dtype=dtype)
    return Model(Vocabulary(["O", "B-X"]), Vocabulary(f"a{k}" for k in range(len(rows))), features, weights)


def check_all_doors(model: Model, token: object, above: float, tolerance: float) -> None:
    """Every probability of one token whose second label is `above` the first."""
    X, p = [[token, token]], 1 / (1 + math.exp(-above))
    node = model.marginals(X)[0]
    np.testing.assert_allclose(node, [[1 - p, p]] * 2, atol=tolerance)
    assert model.direct is not None
    [[first, _]] = model.direct.probabilities(X, model.label_names)
    assert first["B-X"] == pytest.approx(p, abs=tolerance)
    [paths] = model.n_best(X, 9)
    assert sorted(q for _, q in paths) == pytest.approx(
        sorted([p * p, p * (1 - p), p * (1 - p), (1 - p) ** 2]), abs=tolerance
    )
    best = model.decoder(X).best_with_probabilities()
    assert best.path[0] == pytest.approx(max(p, 1 - p) ** 2, abs=tolerance)
    wanted = ["B-X", "B-X"] if above > 0 else ["O", "O"]
    assert model.tag(X) == model.tag(X, rules=False) == [wanted]
    assert model.tag(X, threads=2) == [wanted]
    for span in model.spans(X)[0]:
        assert span.probability == pytest.approx(p, abs=tolerance)
    assert math.exp(model.log_probability(X, [wanted])[0]) == pytest.approx(max(p, 1 - p) ** 2, abs=tolerance)


@pytest.mark.parametrize("size", [1.0, 255.0, 257.0, 1e4, 1e7, 2.0**24, 1e8, 9e8])
@pytest.mark.parametrize("above", [1.0, -0.5])
def test_large_scores_of_float32_weights_are_summed_in_double(size: float, above: float) -> None:
    """A float of 1e7 has no digits behind the point: both labels had the probability 0.5."""
    size = float(np.float32(size))
    check_all_doors(two_labels((size, size), (0.0, above)), ["a0", "a1"], above, SINGLE)
    check_all_doors(two_labels((size, size), (0.0, above)), ["a1", "a0"], above, SINGLE)


@pytest.mark.parametrize("size", [200.0, 1e4, 1e8])
def test_large_weights_that_cancel(size: float) -> None:
    """The scores are small, but the sums on the way to them are not."""
    for token in (["a2", "a0", "a1"], ["a0", "a2", "a1"], ["a0", "a1", "a2"]):
        check_all_doors(two_labels((size, size), (-size, -size), (0.0, 1.0)), token, 1.0, SINGLE)


def test_large_values_of_small_weights() -> None:
    model = two_labels((1.0, 1.0), (0.0, 1.0))
    check_all_doors(model, {"a0": 1e8, "a1": 1.0}, 1.0, SINGLE)
    check_all_doors(model, {"a0": -1e7, "a1": 1.0}, 1.0, SINGLE)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_beyond_the_promise_are_refused_at_every_door(dtype: type) -> None:
    model = two_labels((1.1e9, 0.0), dtype=dtype)
    for ask in (
        model.marginals,
        lambda X: model.n_best(X, 2),
        model.spans,
        lambda X: model.direct.probabilities(X, ("O", "B-X")),
    ):
        with pytest.raises((InputError, OverflowError, ValueError)):
            ask([[["a0"]]])
    with pytest.raises(InputError, match="beyond ±1e9"):
        model.marginals([[["a0"]]])
    assert model.tag([[["a0"]]]) == [["O"]]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([30.0, 255.0, 300.0, 1e5, 1e8]))
def test_float32_weights_with_edges_limits_and_known_labels_at_any_size(seed: int, size: float) -> None:
    """The same at the edge of what is summed in float32, and beyond it, against all paths."""
    case = drawn(seed, size=size, dtype=np.float32)
    truths = case.truths()
    for truth, node, tokens in zip(truths, case.model.marginals(case.X, **case.asked), case.tokens, strict=True):
        np.testing.assert_allclose(node, truth.marginals(len(tokens)), atol=SINGLE)
