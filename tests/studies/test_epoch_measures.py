"""The curves of one run against what `train` reports, and the divergence against its definition."""

import math

import numpy as np
import pytest

from studies.epoch_measures import measure_epochs
from tagfield.compare.plan import Plan, PlannedRun
from tagfield.train import train
from tests.compare.test_compare import encode_addresses

PLAN = Plan(epochs=4, iterations=8, c2=0.3)


@pytest.mark.parametrize("recipe", ["sgd", "u2.g1", "u1.g1", "lbfgs", "pa"])
def test_a_point_is_what_training_reports(recipe: str) -> None:
    data, test = encode_addresses(60, 20)
    run = PlannedRun(recipe, "observed", 0)
    found = list(measure_epochs(data, test, PLAN, run))
    trained = train(data, PLAN.settings(run), watch={"test": test})
    assert len(found) == len(trained.history)
    assert [p.accuracy for p in found] == pytest.approx([e.watched["test"].accuracy for e in trained.history])
    if recipe == "lbfgs":
        tokens = int(data.dataset.tokens[-1])
        assert [p.objective for p in found] == pytest.approx([e.objective / tokens for e in trained.history], rel=1e-5)
    assert all(p.loss <= p.objective for p in found)


def test_the_divergence_of_plain_gradients_is_half_the_square() -> None:
    data, test = encode_addresses(60, 20)
    last = list(measure_epochs(data, test, PLAN, PlannedRun("sgd", "observed", 0)))[-1]
    from tagfield.train.problem.problem import Problem
    from tagfield.train.trainers.objective import Objective

    settings = PLAN.settings(PlannedRun("sgd", "observed", 0))
    problem, trained = Problem.of(data, settings), train(data, settings)
    objective = Objective(problem)
    assert trained.best.number == 4  # the weights kept are those of the last epoch
    x = objective.pack(trained.weights)
    u = (objective(x)[1] - 2 * PLAN.c2 * x) / len(data)
    assert last.divergence == pytest.approx(float(u @ u) / 2, rel=1e-4)


def test_recipes_without_expectations_have_no_divergence() -> None:
    data, test = encode_addresses(60, 20)
    assert all(math.isnan(p.divergence) for p in measure_epochs(data, test, PLAN, PlannedRun("pa", "observed", 0)))
    found = [p.divergence for p in measure_epochs(data, test, PLAN, PlannedRun("u2.g1", "observed", 0))]
    assert np.isfinite(found).all()
    assert found[-1] < found[0]
