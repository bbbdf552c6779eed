"""Directions that depend on E and Ẽ separately: the kernel against the formula, sentence by sentence."""

from functools import cache

import numpy as np
import pytest

from tagfield.bregman.generators import parse_generator
from tagfield.bregman.losses import named_loss, update
from tagfield.bregman.responses import Response
from tagfield.data.encode import encode_sequences
from tagfield.train import Settings
from tagfield.train.recipes.stochastic import Stochastic
from tests.support.chain_doors import marginals
from tests.support.trainers import made, pose

X = [[{"a": 1.0, "b": 1.0}, {"a": 1.0}, {"c": 1.0, "a": 1.0}], [{"b": 1.0}, {"c": 1.0, "b": 1.0}], [{"a": 1.0}]]
Y = [["P", "Q", "P"], ["Q", "Q"], ["R"]]


def expectations(X, Y, state, trans, labels, names):
    """E and Ẽ of one sentence by attribute and label, and of its transitions."""
    values = np.array([[token.get(name, 0.0) for name in names] for token in X])  # [n, A]
    node, edge = marginals(values @ state, trans)
    gold = np.array([labels.index(y) for y in Y])
    onehot = np.eye(len(labels))[gold]
    counted = np.zeros_like(edge)
    np.add.at(counted, (gold[:-1], gold[1:]), 1)
    return values.T @ node, values.T @ onehot, edge, counted


@cache  # a test's tables serve the next one
def response_of(loss, generator):
    return Response(loss, parse_generator(generator))


LOSSES = [update("U4"), update("U6"), named_loss("B1", 0.5), named_loss("B4", -0.7)]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@pytest.mark.parametrize("generator", ["arctan:0.1", pytest.param("gd:2", marks=pytest.mark.slow), "softplus"])
@pytest.mark.parametrize("value", [1.0, 0.6])
def test_the_kernel_follows_the_formula(loss, generator, value):
    X_scaled = [[{k: v * value for k, v in token.items()} for token in sentence] for sentence in X]
    encoded = encode_sequences(X_scaled, Y)
    names, labels = encoded.attributes.strings(), encoded.labels.strings()
    response = response_of(loss, generator)
    rate, c2 = 0.05, 0.01
    trainer = made(encoded, Settings(Stochastic(response, rate=rate, block=1), c2=c2, features="all"))
    state, trans = np.zeros((len(names), 3)), np.zeros((3, 3))
    C, t = 2 * c2 / 3, 0
    for _ in range(2):
        trainer.run(np.arange(3))
        for x, y in zip(X_scaled, Y, strict=True):
            E, counts, edge, edge_counts = expectations(x, y, state, trans, labels, names)
            active = np.array([any(name in token for token in x) for name in names])
            step = rate / (1 + rate * C * t)
            move = response.direction(E, counts) * active[:, None]
            state = (1 - C * step) * state - step * move
            turn = response.direction(edge, edge_counts) if len(x) > 1 else 0.0
            trans = (1 - C * step) * trans - step * turn
            t += 1
    found = trainer.weights()
    np.testing.assert_allclose(found.state.reshape(len(names), -1)[:, :3], state, rtol=2e-4, atol=2e-5)
    np.testing.assert_allclose(found.trans[:, :3], trans, rtol=2e-4, atol=2e-5)


@pytest.mark.slow  # the tables of gd:2 take seconds
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_values_of_both_signs_can_make_a_count_of_one_with_a_negative_expectation(loss):
    X, Y = [{"a": 2.0, "b": 1.0}, {"a": -1.0, "c": 1.0}], ["P", "P"]
    encoded = encode_sequences([X, [{"d": 1.0}]], [Y, ["Q"]])
    names, labels = encoded.attributes.strings(), encoded.labels.strings()
    response = response_of(loss, "gd:2")
    settings = Settings(Stochastic(response, rate=0.05), c2=0.0, features="all")
    start = pose(encoded, settings).start
    P, state = labels.index("P"), start.state.reshape(len(names), -1)
    state[names.index("b"), P], state[names.index("c"), P] = -4.0, 4.0
    trainer = made(encoded, settings, start=start)
    trainer.run(np.zeros(1, np.int64))
    before = state[:, : len(labels)].astype(float)
    E, counts, _, _ = expectations(X, Y, before, np.zeros((2, 2)), labels, names)
    a = names.index("a")
    assert counts[a, P] == 1
    assert E[a, P] < -0.5
    found = trainer.weights().state.reshape(len(names), -1)[a, : len(labels)]
    np.testing.assert_allclose(found, before[a] - 0.05 * response.direction(E, counts)[a], rtol=2e-4)


class Watched(Response):
    """A response whose exact direction looks at the arithmetic it runs in, and fails when it is told to."""

    def direction(self, E, empirical):
        log.append(float(np.float64(5e-324) * 1.0))
        if len(log) == 3:
            raise RuntimeError("enough")
        return super().direction(E, empirical)


log: list[float] = []


def test_a_users_function_runs_in_ordinary_arithmetic_and_may_fail():
    """Kernels flush subnormals, but not in a user's function; after its error the weights have the right scale."""
    encoded = encode_sequences([[{k: v * 0.6 for k, v in token.items()} for token in x] for x in X], Y)
    settings = Settings(
        Stochastic(Watched(update("U4"), parse_generator("gd:2")), rate=0.5, block=1), c2=0.3, features="all"
    )
    log.clear()
    failing = made(encoded, settings)
    with pytest.raises(RuntimeError, match="enough"):
        failing.run(np.array([0, 1, 2]))
    assert log == [5e-324] * 3
    log[:] = [0.0] * 10  # no more failures
    whole = made(encoded, settings)
    whole.run(np.array([0, 1]))
    b = encoded.attributes.strings().index("b")  # not in the sentence that failed
    found, expected = (
        trainer.weights().state.reshape(len(encoded.attributes), -1)[b, :3] for trainer in (failing, whole)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert abs(expected).max() > 0.01
