"""Shares and rounds in one process: what a cluster computes, without a cluster."""

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.encode import Encoded
from tagfield.errors import TrainingError
from tagfield.inference.constraints import Rules
from tagfield.scale.cluster.mixed import MixedTrainer
from tagfield.scale.cluster.mixing import Scheme
from tagfield.scale.cluster.rounds import Change, Share
from tagfield.scale.cluster.workers import (
    LocalWorkers,
    Round,
    Sum,
    Task,
    Worker,
    WorkersGradient,
    covered,
    cut,
    order_of,
    tree,
)
from tagfield.train import Settings
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.trainers.objective import Objective
from tagfield.train.trainers.stochastic import StochasticTrainer
from tests.support.naive import Problem as Drawn
from tests.support.strategies import encode, learnable, problems
from tests.support.tolerances import ALGEBRA, PASSES

NOTHING = np.empty(0, np.int64)


def posed(encoded: Encoded, shares: int, name: str = "sgd", **options: Any) -> tuple[Problem, Task, LocalWorkers]:
    problem = Problem.of(encoded, Settings.of(name, **options))
    task = Task(problem.features, problem.settings, len(encoded), encoded.labels)
    return problem, task, LocalWorkers(task, cut(problem.dataset, shares))


def stochastic(problem: Problem) -> Stochastic:
    assert isinstance(problem.settings.recipe, Stochastic)
    return problem.settings.recipe


@pytest.mark.parametrize("name", ["sgd", "u2.g1", "adaptive"])
@pytest.mark.parametrize("features", ["observed", "all"])
def test_one_share_is_one_machine(name: str, features: str) -> None:
    problem, _, workers = posed(encode(learnable(60)), 1, name, rate=0.1, c2=0.5, features=features)
    alone = StochasticTrainer(stochastic(problem), problem, problem.start.copy())
    mixed = MixedTrainer(stochastic(problem), problem, workers, Scheme(mixes=4))
    for epoch in (1, 2):
        expected = alone.run(order_of(0, Round(1.0, 0.0, epoch, 0, 1), 0, 60))
        assert mixed.run(NOTHING) == pytest.approx(expected, rel=PASSES)
    assert mixed.figures() == alone.figures()
    for ours, theirs in zip(mixed.weights().arrays(), alone.weights().arrays(), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=PASSES)


@settings(max_examples=25, deadline=None)
@given(problems(labels=(2, 3, 10), empty=False, edges=True), st.integers(0, 99))
def test_a_round_tells_all_that_it_changed_and_nothing_else(drawn: Drawn, seed: int) -> None:
    problem = Problem.of(encode(drawn), Settings.of("adaptive", rate=0.2, features="all"))
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(problem.dataset))[: int(rng.integers(1, len(problem.dataset) + 1))].astype(np.int64)
    start = problem.start.map(lambda array: np.where(np.signbit(array), array, rng.standard_normal(array.shape)))
    start = start.map(lambda array: array.astype(np.float32))
    squares = start.map(np.abs)
    share = Share(problem, stochastic(problem))
    first = share.run(start, squares, 0.5, 3.0, 1, order)
    again = share.run(start, squares, 0.5, 3.0, 1, order)  # what the first one did is forgotten
    alone = StochasticTrainer(stochastic(problem), problem, start.copy())
    state = alone.state()
    for name, array in zip(("state", "trans", "edge"), squares.arrays(), strict=False):
        state.arrays[f"squares.{name}"] = array.copy()
    state.numbers.update(t=3.0, scale=0.5)
    alone.resume(state)
    alone.run(order)
    moved = alone.state().arrays
    for k, (name, before) in enumerate(zip(("state", "trans", "edge"), start.arrays(), strict=False)):
        told = before.reshape(-1, 8).copy()
        told[first.blocks[k]] += first.theta[k]
        np.testing.assert_allclose(told, moved[f"theta.{name}"].reshape(-1, 8), atol=1e-5)
        grown = squares.arrays()[k].reshape(-1, 8).copy()
        grown[first.blocks[k]] += first.squares[k]
        np.testing.assert_allclose(grown, moved[f"squares.{name}"].reshape(-1, 8), rtol=1e-5, atol=1e-5)
        assert np.array_equal(first.theta[k], again.theta[k])
    assert (first.loss, first.shrunk) == (again.loss, again.shrunk)
    assert first.sentences == len(order)


@pytest.mark.parametrize("name", ["u2.g1", "default"])
def test_shares_learn_what_one_machine_learns(name: str) -> None:
    problem, _, workers = posed(encode(learnable(200)), 4, name, rate=0.2)
    trainer = MixedTrainer(stochastic(problem), problem, workers, Scheme(8))
    losses = [trainer.run(NOTHING) for _ in range(4)]
    assert losses[-1] < 0.5 * losses[0]
    assert trainer.norm() > 0
    assert trainer.sent > 0


@pytest.mark.parametrize("name", ["sgd", "u2.g1", "adaptive", "default"])
def test_sixteen_shares_learn_as_fast_as_one_machine(name: str) -> None:
    problem, _, workers = posed(encode(learnable(400)), 16, name, rate=0.1)
    alone = StochasticTrainer(stochastic(problem), problem, problem.start.copy())
    mixed = MixedTrainer(stochastic(problem), problem, workers, Scheme(8))  # three sentences a share in a round
    rng = np.random.default_rng(0)
    for _ in range(3):
        alone.run(rng.permutation(400))
        mixed.run(NOTHING)
    assert problem.nll(mixed.weights()) < 1.25 * problem.nll(alone.weights())  # sums over √c would be 3 times as far


def test_a_trainer_that_resumes_within_an_epoch_goes_on_bit_by_bit() -> None:
    problem, _, workers = posed(encode(learnable(50)), 3, "default", rate=0.1)
    whole = MixedTrainer(stochastic(problem), problem, workers, Scheme(mixes=5))
    states: list[Any] = []
    whole.after_mix = lambda: states.append(whole.state().copy())
    objectives = [whole.run(NOTHING) for _ in range(3)]
    assert len(states) == 12  # not after the last mix of an epoch
    for middle in (0, 3, 6, 11):
        later = MixedTrainer(stochastic(problem), problem, workers, Scheme(mixes=5))
        later.resume(states[middle])
        left = 3 - middle // 4
        assert [later.run(NOTHING) for _ in range(left)] == objectives[3 - left :]
        assert pickle.dumps(later.weights()) == pickle.dumps(whole.weights())


def test_the_order_of_a_share_takes_each_sentence_once_an_epoch() -> None:
    rounds = [Round(1.0, 0.0, epoch, part, 3) for epoch in (1, 2) for part in range(3)]
    orders = [order_of(7, this, 1, 10) for this in rounds]
    for epoch in (0, 1):
        assert sorted(np.concatenate(orders[3 * epoch : 3 * epoch + 3]).tolist()) == list(range(10))
    assert not np.array_equal(np.concatenate(orders[:3]), np.concatenate(orders[3:]))
    assert not np.array_equal(orders[0], order_of(7, rounds[0], 2, 10)[: len(orders[0])])


@pytest.mark.parametrize("shares", [1, 3, 8])
def test_the_gradient_of_shares_is_that_of_the_corpus(shares: int) -> None:
    encoded = encode(learnable(40))
    problem, _, workers = posed(encoded, shares, "lbfgs", c2=0.3)
    x = np.random.default_rng(0).standard_normal(problem.features.size)
    value, gradient = Objective(problem)(x)
    whole, other = Objective(problem, [WorkersGradient(workers)])(x)
    assert whole == pytest.approx(value, rel=ALGEBRA)
    np.testing.assert_allclose(other, gradient, atol=1e-9)


def test_rules_and_class_weights_reach_the_shares() -> None:
    drawn = learnable(60)
    fitting = [s for s, path in enumerate(drawn.gold) if (0, 2) not in pairwise(path)]
    encoded = encode(drawn).take(np.array(fitting))
    follow = np.ones((3, 3), np.bool_)
    follow[0, 2] = False
    rules = Rules(np.ones(3, np.bool_), follow, np.ones(3, np.bool_))
    weight = np.array([1.0, 2.0, 0.5])
    for more in ({"rules": rules}, {"class_weight": weight}):
        problem = Problem.of(encoded, Settings.of("lbfgs"), **more)
        task = Task(problem.features, problem.settings, len(encoded), encoded.labels, **more)
        x = np.random.default_rng(0).standard_normal(problem.features.size)
        value, gradient = Objective(problem)(x)
        whole, other = Objective(problem, [WorkersGradient(LocalWorkers(task, cut(problem.dataset, 4)))])(x)
        assert whole == pytest.approx(value, rel=ALGEBRA)
        np.testing.assert_allclose(other, gradient, atol=1e-9)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 20), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_the_tree_has_the_same_bits_whoever_adds(shares: int, workers: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    leaves = rng.standard_normal((shares, 3)) * 10.0 ** rng.integers(-8, 8, (shares, 1))

    def leaf(low: int, high: int) -> Sum | None:
        return (float(leaves[low, 0]), leaves[low].copy()) if high - low == 1 else None

    expected = tree(0, shares, leaf)
    ends = [shares * worker // workers for worker in range(workers + 1)]
    parts = {}
    for first, last in pairwise(ends):
        parts |= {node: tree(*node, leaf) for node in covered(0, shares, first, last)}
    found = tree(0, shares, lambda *node: parts.get(node))
    assert found[0] == expected[0]
    assert np.array_equal(found[1], expected[1])


def test_a_task_can_be_pickled_after_it_was_used() -> None:
    problem, task, workers = posed(encode(learnable(10)), 2, rate=0.1)
    workers.train(problem.start, None, Round(1.0, 0.0, 1, 0, 1))
    copy = pickle.loads(pickle.dumps(task))
    other = Worker(copy, 0, [lambda: problem.dataset])
    assert isinstance(other.train(0, problem.start, None, Round(1.0, 0.0, 1, 0, 1)), Change)


def test_a_penalty_that_shrinks_the_weights_to_nothing_in_one_round_says_so() -> None:
    problem, _, workers = posed(encode(learnable(20)), 1, rate=0.1, c2=100 - 1e-8)  # 2·c2·rate/20 = 1 − 1e-10
    with pytest.raises(TrainingError, match="to nothing in one step; give a smaller rate"):
        workers.train(problem.start, None, Round(1.0, 0.0, 1, 0, 1))


def test_weights_beyond_the_range_of_numbers_end_the_epoch_with_a_sentence() -> None:
    problem, _, workers = posed(encode(learnable(20)), 2, rate=1e38, c2=0.0)
    with pytest.raises(TrainingError, match="smaller rate"):
        MixedTrainer(stochastic(problem), problem, workers, Scheme(mixes=2)).run(NOTHING)
