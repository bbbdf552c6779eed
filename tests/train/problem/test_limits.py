"""Stochastic passes over unknown labels and under rules, against the naive twin; and what they must equal."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.bregman.generators import parse_generator
from tagfield.bregman.losses import named_loss, update
from tagfield.bregman.responses import Response
from tagfield.data.dataset import UNKNOWN
from tagfield.inference.constraints import Rules
from tagfield.inference.lattice import open_corpus
from tagfield.train import Settings, train
from tagfield.train.recipes.preconditioners import AdaGrad
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.trainers import stochastic
from tests.support.bregman_table import EXACT_RECIPES, recipe
from tests.support.corpus import with_hidden
from tests.support.naive import Limited, Problem
from tests.support.passes import close, drawn_features
from tests.support.strategies import encode, learnable, present, problems
from tests.support.tolerances import PASSES
from tests.support.trainers import made

LABELS = (1, 2, 3, 9, 40)  # of many, sentences share a lattice
COUNTED = {  # these need E and Ẽ separately
    "U4": Response(update("U4"), parse_generator("arctan:0.5")),
    "U6": Response(update("U6"), parse_generator("gd:2")),
    "B1": Response(named_loss("B1", 0.5), parse_generator("softplus")),
}


def hide(problem: Problem, hidden: set[tuple[int, int]]) -> Problem:
    gold = [[UNKNOWN if (s, t) in hidden else y for t, y in enumerate(ys)] for s, ys in enumerate(problem.gold)]
    return replace(problem, gold=gold)


def drawn_rules(data: st.DataObject, problem: Problem) -> Rules:
    """Some things are forbidden, but nothing that the gold labels do."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    L = problem.labels
    start, follow, end = (rng.random(shape) < 0.6 for shape in (L, (L, L), L))
    for gold in filter(None, problem.gold):
        start[gold[0]] = end[gold[-1]] = True
        follow[gold[:-1], gold[1:]] = True
    return Rules(start, follow, end)


@pytest.mark.parametrize(
    "name",
    ["sgd", "u2.g1", "u1.g1", *(pytest.param(name, marks=[pytest.mark.slow] * (name == "U6")) for name in COUNTED)],
)
def test_passes_follow_the_twin(name: str) -> None:
    counted = name in COUNTED
    response = COUNTED[name] if counted else recipe(name)
    if counted:
        f = gentle = response.direction
    else:
        exact, tiny = np.vectorize(EXACT_RECIPES[name], otypes=[float]), 1e-8
        slope = float(exact(tiny)) / tiny

        def f(E: np.ndarray, known: np.ndarray) -> np.ndarray:
            return exact(E - known)

        def gentle(E: np.ndarray, known: np.ndarray) -> np.ndarray:
            return exact(E - known) / slope  # beside transitions that keep the plain gradient

    @settings(max_examples=30, deadline=None)
    @given(
        problems(labels=LABELS, edges=True),
        st.sets(st.tuples(st.integers(0, 3), st.integers(0, 4))),
        st.data(),
        st.booleans(),
        st.booleans(),
        st.booleans(),
        st.sampled_from([0.0, 1.5]),
    )
    def follows(problem, hidden, data, ruled, respond_edges, adaptive, cost) -> None:  # type: ignore[no-untyped-def]
        everything = np.ones(problem.labels, bool)
        rules = Rules(everything, np.ones((problem.labels,) * 2, bool), everything)
        if ruled:
            rules = drawn_rules(data, problem)
        encoded = encode(problem)
        problem = hide(problem, hidden)
        labels = np.array([y for ys in problem.gold for y in ys], np.int32)
        encoded = replace(encoded, dataset=replace(encoded.dataset, labels=labels))
        features = drawn_features(data, problem, open_corpus(encoded.dataset))
        limits = rules.limits(encoded.dataset.tokens) if ruled else None
        respond = "all" if respond_edges else "states"
        told = Stochastic(
            response,
            AdaGrad(0.05) if adaptive else None,
            respond,
            cost=cost,
            rate=0.05,
            block=data.draw(st.sampled_from([1, 2, 8])),
        )
        trainer = made(encoded, Settings(told, c2=0.1), features, limits=limits)
        twin = Limited(
            problem,
            present(features),
            f if respond_edges else gentle,
            0.05,
            0.2 / len(problem.sentences),
            adaptive=adaptive,
            floor=0.05,
            respond_edges=respond_edges,
            cost=cost,
            block=told.block,
            start=rules.start,
            follow=rules.follow,
            end=rules.end,
        )
        for _ in range(2):
            order = data.draw(st.permutations(range(len(problem.sentences))))
            trainer.run(np.array(order, np.int64))
            assert trainer.nll == pytest.approx(twin.run(order), rel=PASSES, abs=PASSES)
        close(features, trainer.weights(), twin.theta)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stochastic, "SHARE", 1)
        follows()


def test_limits_that_forbid_nothing_change_nothing() -> None:
    encoded = encode(learnable(40))
    free = train(encoded, Settings.of("u2.g1", epochs=3, rate=0.1))
    L = len(encoded.labels)
    bound = train(
        encoded,
        Settings.of("u2.g1", epochs=3, rate=0.1),
        rules=Rules(np.ones(L, bool), np.ones((L, L), bool), np.ones(L, bool)),
    )
    assert free.weights.state.tobytes() == bound.weights.state.tobytes()
    assert free.weights.trans.tobytes() == bound.weights.trans.tobytes()


def test_plain_gradients_reach_the_optimum_of_lbfgs() -> None:
    encoded = encode(learnable(60))
    encoded = with_hidden(encoded, np.s_[::3])
    by_steps = train(encoded, Settings("sgd", features="all", c2=1.0, epochs=300, delta=0.0))
    at_once = train(encoded, Settings("lbfgs", features="all", c2=1.0, epochs=300))
    assert by_steps.best.objective == pytest.approx(at_once.best.objective, rel=3e-3)
