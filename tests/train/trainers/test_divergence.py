"""Weights that explain the data worse than none: noticed, where the loss of none is known."""

import math

import pytest

from tagfield.data.encode import encode_sequences
from tagfield.train import Settings
from tagfield.train.trainers.divergence import DivergenceTest
from tests.support.trainers import made


@pytest.mark.parametrize("cost", [0.0, 0.5, 4.0])
def test_the_loss_of_no_weights_is_known(cost: float) -> None:
    """So that training can tell when weights have become worse than none, also with a cost."""
    encoded = encode_sequences([[["a"], ["b"], ["c"]], [["b"]]], [["X", "Y", "Z"], ["Z"]], weights=[2.0, 0.5])
    trainer = made(encoded, Settings.of("sgd", rate=0.1, cost=cost, features="all"))
    problem, untrained = trainer.problem, DivergenceTest(trainer.problem, cost)._untrained
    assert untrained == pytest.approx(problem.nll(problem.features.zeros(), cost=cost), rel=1e-6)
    assert untrained == pytest.approx(6.5 * math.log(1 + 2 * math.exp(cost)))


def test_weights_that_are_worse_than_none_have_diverged() -> None:
    encoded = encode_sequences([[["a"], ["b"]]] * 4, [["X", "Y"]] * 4)
    trainer = made(encoded, Settings.of("sgd", rate=0.1, features="all"))
    test, zeros = DivergenceTest(trainer.problem, 0.0), trainer.problem.features.zeros
    wrong, right = zeros(), zeros()
    wrong.state[:, :2] = [[-9, 9], [9, -9]]
    right.state[:, :2] = [[9, -9], [-9, 9]]
    assert test(1e6, 0.0, lambda: wrong)
    assert not test(1e6, 0.0, lambda: right)  # only the loss along the pass was large
    assert test(1e6, 1e6, lambda: right)  # a penalty counts
    assert not test(float("nan"), 0.0, lambda: wrong)  # the loop itself looks for NaN


def test_a_loss_below_that_of_no_weights_is_not_measured_again() -> None:
    trainer = made(encode_sequences([[["a"]]], [["X"]]), Settings.of("sgd", rate=0.1))
    assert not DivergenceTest(trainer.problem, 0.0)(-1.0, 0.0, lambda: pytest.fail("the weights were asked for"))
