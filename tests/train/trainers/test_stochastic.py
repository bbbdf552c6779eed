"""Stochastic passes against the naive twin: every recipe, both feature sets and every kind of rows."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.encode import Vocabulary, encode_sequences
from tagfield.errors import InputError
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.train import RECIPES, Settings, train
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.trainers import stochastic
from tagfield.weights.features import feature_set
from tagfield.weights.layout import absent
from tests.support.bregman_table import EXACT_RECIPES
from tests.support.naive import Problem
from tests.support.naive import Stochastic as Twin
from tests.support.passes import LABELS, PAPER, check_against_twin, close, drawn_features, naive_f, run_pass
from tests.support.strategies import encode, present, problems, to_dense
from tests.support.tolerances import PASSES
from tests.support.trainers import made


def test_the_twin_covers_the_table() -> None:
    """The other stochastic recipes are made of these parts: the metric, the average, and any response."""
    stochastic = {name for name, recipe in RECIPES.items() if isinstance(recipe, Stochastic)}
    assert stochastic - {"adaptive", "newton", "sgdqn", "smd", "ngd"} == set(PAPER)


@pytest.mark.parametrize("name", PAPER)
def test_passes_follow_the_twin(name: str) -> None:
    @settings(max_examples=30, deadline=None)
    @given(
        problems(labels=LABELS, edges=True),
        st.data(),
        st.sampled_from([0.02, 0.1]),
        st.sampled_from([0.0, 0.1, 1.0]),
        st.sampled_from([0.0, 0.0, 0.7, 5.0]),
        st.sampled_from([1, 2, 3, 8]),
        st.sampled_from([1, 1, 2, 3]),
    )
    def follows(
        problem: Problem, data: st.DataObject, rate: float, c2: float, cost: float, block: int, threads: int
    ) -> None:
        encoded = encode(problem)
        features = drawn_features(data, problem, open_corpus(encoded.dataset))
        told = Settings.of(name, rate=rate, c2=c2, cost=cost, block=block, threads=threads)
        trainer = made(encoded, told, features)
        count = len(problem.sentences)
        twin = Twin(problem, present(features), naive_f(name), rate, 2 * c2 / count, cost=cost, block=block)
        for _ in range(3):
            order = data.draw(st.permutations(range(count)))
            objective = trainer.run(np.array(order, np.int64))
            loss = twin.run(order)
            penalty = c2 * float(np.sum(twin.theta.flat() ** 2))
            assert objective == pytest.approx(loss + penalty, rel=PASSES, abs=PASSES)
            assert trainer.norm() == pytest.approx(math.sqrt(np.sum(twin.theta.flat() ** 2)), rel=PASSES, abs=PASSES)
        weights = trainer.weights()
        close(features, weights, twin.theta)
        for array, zero in zip(weights.arrays(), features.zero.arrays(), strict=True):
            assert (absent(array) == absent(zero)).all()  # what is no feature stays none

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stochastic, "LEAST_WORK", 0.0)  # threads, however little there is to do
        patch.setattr(stochastic, "SHARE", 1)
        follows()


@settings(max_examples=100, deadline=None)
@given(
    problems(labels=LABELS, edges=True),
    st.data(),
    st.sampled_from(PAPER),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.0, 0.5, 4.0]),
    st.sampled_from([1, 2, 8]),
)
def test_metric_and_average_follow_the_twin(
    problem: Problem,
    data: st.DataObject,
    name: str,
    adaptive: bool,
    averaging: bool,
    respond_edges: bool,
    decay: float,
    block: int,
) -> None:
    floor = 0.05  # a small floor makes u/√S jump where u is almost 0, and rounding decides
    both = {"respond_edges": respond_edges, "floor": floor, "block": block}
    told = {"preconditioner": "adaptive" if adaptive else "flat", "decay": decay, "averaging": averaging}
    check_against_twin(problem, data, name, partial(Twin, adaptive=adaptive, **both), **told, **both)


def test_a_constant_rate_stays() -> None:
    problem = Problem([[[(0, 1.0)], [(1, 1.0)]]] * 4, [[0, 1]] * 4, [1.0] * 4, 2, 2)
    corpus = open_corpus(encode(problem).dataset)
    features = feature_set(corpus, 2, 2, "all")
    native, theta, _ = run_pass(features, corpus, [[0]], "sgd", rate=0.5, decay=0.4, constant=True, t=1000.0)
    assert native.t == 1001.0
    # u = −½ for the gold labels; θ = −λ·u, whatever t is
    np.testing.assert_allclose(
        native.scale * to_dense(features, theta.state, theta.trans).state[0], [0.25, -0.25], rtol=1e-6
    )


@pytest.mark.parametrize("kind", ["all", "observed"])
def test_a_scale_that_is_folded_into_the_weights(kind: str) -> None:
    """z falls below 1e-9 several times; nothing shows, neither in the weights nor in their average."""
    problem = Problem(
        [[[(0, 1.0)], [(1, 1.0), (0, 1.0)], [(2, 1.0)]], [[(2, 1.0)], [(0, 1.0)]]],
        [[0, 1, 2], [2, 0]],
        [1.0, 2.0],
        3,
        3,
        [[[], [(0, 1.0)], [(1, 0.5)]], [[], []]],
        2,
    )
    corpus = open_corpus(encode(problem).dataset)
    features = feature_set(corpus, 3, 3, kind, edge_attributes=2)
    orders, decay = [[0, 1] * 61], 5.0
    native, theta, rest = run_pass(
        features, corpus, orders, "u2.g1", rate=0.1999, decay=decay, constant=True, averaging=True
    )
    twin = Twin(problem, present(features), naive_f("u2.g1"), 0.1999, decay)
    theta_by_hand = present(features).map(lambda m: np.zeros(m.shape))
    total = theta_by_hand
    for s in orders[0]:  # the twin's own rate falls with t; here it is constant
        twin.t, twin.theta = 0, theta_by_hand
        twin.run([s])
        theta_by_hand = twin.theta
        total = total.map(np.add, theta_by_hand)
    assert native.scale > 1e-9  # 0.0005^122 would be far below
    close(features, theta.map(lambda array: array * np.float32(native.scale)), theta_by_hand)
    mean = theta.map(lambda array, own: (native.summed_scale * array - own) / native.averaged, rest)
    close(features, mean, total.map(lambda x: x / len(orders[0])))


def test_folding_never_loses_a_feature() -> None:
    """A small negative weight that is flushed to zero by folding must not become −0.0, the mark of no feature."""
    problem = Problem([[[(0, 1.0)]], [[(1, 1.0)]]], [[0], [1]], [1.0, 1.0], 2, 2)
    corpus = open_corpus(encode(problem).dataset)
    features = feature_set(corpus, 2, 2, "all")
    native = kernels.Pass()
    native.rate, native.decay, native.constant = 0.1, 9.9999, True
    theta = features.zeros()
    for order in ([0], [1] * 40, [0]):
        native.run(corpus, features.field(theta), None, None, np.array(order, np.int64))
        assert (absent(theta.state) == absent(features.zero.state)).all()
    assert (to_dense(features, theta.state, theta.trans).state != 0).all()


@pytest.mark.parametrize("name", PAPER)
def test_the_response_takes_the_sum_over_the_sentence(name: str) -> None:
    """An attribute at every position: one f of the whole u, not the sum of one f for each position."""
    length, f = 6, EXACT_RECIPES[name]
    problem = Problem([[[(0, 1.0)]] * length], [[0] * length], [1.0], 1, 2)
    trainer = made(encode(problem), Settings.of(name, rate=0.01, c2=0.0, features="all"))
    trainer.run(np.zeros(1, np.int64))
    weights = to_dense(trainer.problem.features, trainer.weights().state, trainer.weights().trans)
    assert weights.state[0, 0] == pytest.approx(-0.01 * f(-length / 2), rel=1e-4)
    assert weights.trans[0, 0] == pytest.approx(-0.01 * f(-0.75 * (length - 1)), rel=1e-4)
    assert weights.trans[1, 0] == pytest.approx(-0.01 * f(0.25 * (length - 1)), rel=1e-4)


def test_a_rate_that_turns_the_weights_around_is_refused() -> None:
    problem = Problem([[[(0, 1.0)]]], [[0]], [1.0], 1, 2)
    with pytest.raises(InputError, match=r"a rate of 0\.5 with c2=1 on 1 sequences .* give a smaller rate"):
        made(encode(problem), Settings.of("sgd", rate=0.5, features="all"))


def test_the_pass_checks_what_it_is_given() -> None:
    problem = Problem([[[(0, 1.0)]], [[(1, 1.0)]]], [[0], [1]], [1.0, 1.0], 2, 2)
    corpus = open_corpus(encode(problem).dataset)
    features = feature_set(corpus, 2, 2, "all")
    theta, one = features.field(features.zeros()), np.zeros(1, np.int64)
    for order in ([2], [-1], [0, 5]):
        with pytest.raises(ValueError, match="not there"):
            kernels.Pass().run(corpus, theta, None, None, np.array(order, np.int64))
    other = feature_set(corpus, 2, 2, "all")
    with pytest.raises(ValueError, match="no such preconditioner"):
        kernels.Pass().preconditioner = "curved"
    for flag, value in (
        ("preconditioner", "adaptive"),
        ("preconditioner", "newton"),
        ("preconditioner", "sgdqn"),
        ("averaging", True),
    ):
        native = kernels.Pass()
        setattr(native, flag, value)
        with pytest.raises(ValueError, match="needs a field for"):
            native.run(corpus, theta, None, None, one)
        beside = other.field(other.zeros())
        with pytest.raises(ValueError, match="different layouts"):
            native.run(corpus, theta, beside, beside, one)
    for labels, follow in (((1, 2), (2, 2)), ((2, 1), (2, 2)), ((2, 2), (1, 2)), ((2, 2), (2, 3))):
        native = kernels.Pass()
        native.set_limits(kernels.Limits(np.ones(labels, np.uint8), np.ones(follow, np.uint8)))
        with pytest.raises(ValueError, match="the limits do not fit"):
            native.run(corpus, theta, None, None, one)
    small = kernels.Field(kernels.Layout(1, 2, None, None), theta.state[:1].copy(), theta.transitions.copy())
    with pytest.raises(ValueError, match="attributes that the layout does not have"):
        kernels.Pass().run(corpus, small, None, None, one)


@pytest.mark.parametrize("value", [1e3, 1e6, 1e8, 1e10])
def test_the_loss_of_large_scores_keeps_its_digits(value: float) -> None:
    X = [[{"a": value}, {"b": 1.0}], [{"a": -value}, {"b": 1.0}]] * 10
    encoded = encode_sequences(X, [["P", "Q"], ["Q", "P"]] * 10)
    trainer = made(encoded, Settings.of("u2.g1", rate=0.1, block=1, c2=0.01, features="all"))
    losses = [(trainer.run(np.arange(20)), trainer.nll)[1] for _ in range(3)]
    assert losses == pytest.approx([9.1869, 2.7995, 1.5345], rel=1e-3)  # the same for all: the sign alone decides


def test_a_rate_is_found_with_a_cost_and_the_gold_path_leads_by_more() -> None:
    encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]] * 20, [["X", "Y"], ["Y", "X"]] * 20)
    losses = {}
    for cost in (0.0, 3.0):
        problem = made(encoded, Settings.of("sgd", rate=0.1, features="all")).problem
        trained = train(encoded, Settings.of("sgd", cost=cost, features="all", c2=0.01, epochs=5))
        losses[cost] = problem.nll(trained.weights)
    assert losses[3.0] < losses[0.0]


def test_adagrad_remembers_the_steps_of_transitions_where_there_are_no_state_weights() -> None:
    """Sentences without attributes: only the transitions have weights, and the steps of later passes are smaller."""
    encoded = encode_sequences([[[], []]], [["X", "X"]], labels=Vocabulary(["X", "Y"]))
    trainer = made(encoded, Settings.of("adaptive", rate=0.1, c2=0.0))
    at = [0.0]
    for _ in range(3):
        trainer.run(np.arange(1))
        at.append(float(trainer.weights().trans[0, 0]))
    steps = np.diff(at)
    assert steps[0] > 1.2 * steps[1] > 1.2 * steps[2] > 0


def test_what_a_pass_changes_begins_at_cache_lines() -> None:
    encoded = encode_sequences([[["a", "b"], ["c"]]] * 3, [["X", "Y"]] * 3)
    trainer = made(encoded, Settings.of("adaptive", average=True, rate=0.1))
    trainer.run(np.arange(3))
    assert {array.ctypes.data % 64 for array in trainer.state().arrays.values() if array.size} == {0}
