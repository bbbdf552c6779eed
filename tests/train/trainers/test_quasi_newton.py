"""L-BFGS and OWL-QN: the optimum of drawn problems against SciPy's, and the same bits on any number of threads."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from tagfield.data.dataset import Doubles
from tagfield.errors import TrainingError
from tagfield.train import Settings, train
from tagfield.train.recipes.crfsuite_recipes import QuasiNewton
from tagfield.train.trainers.quasi_newton import Minimiser, Smooth
from tagfield.train.trainers.trainer import Finished
from tests.support.strategies import encode, learnable

Pure = Callable[[Doubles], tuple[float, Doubles]]


def filling(objective: Pure) -> Smooth:
    """A function that returns a value and a gradient, as the Minimiser wants it."""

    def smooth(x: Doubles, gradient: Doubles) -> float:
        value, gradient[:] = objective(x)
        return value

    return smooth


def minimise(
    objective: Pure, start: Doubles, *, c1: float = 0.0, iterations: int, epsilon: float = 1e-5
) -> tuple[Doubles, str]:
    """Steps until there is nothing left to gain or the iterations are done; the end, and why."""
    found = Minimiser(filling(objective), start, QuasiNewton(epsilon=epsilon), c1)
    try:
        for _ in range(iterations):
            found.step()
    except Finished as end:
        return found.x, str(end)
    return found.x, ""


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.3, 3.0]))
def test_it_ends_at_the_optimum(size: int, seed: int, c1: float) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((30, size)), rng.integers(0, 2, 30) * 2 - 1

    def logistic(w: Doubles) -> tuple[float, Doubles]:
        margin = y * (X @ w)
        slope = -y / (1 + np.exp(margin))
        return float(np.logaddexp(0, -margin).sum() + 0.05 * (w @ w)), X.T @ slope + 0.1 * w

    x, reason = minimise(logistic, np.zeros(size), c1=c1, iterations=500, epsilon=1e-8)
    assert reason

    def split(pair: Doubles) -> tuple[float, Doubles]:  # w = a − b with a, b ≥ 0 makes ‖w‖₁ linear
        value, slope = logistic(pair[:size] - pair[size:])
        return value + c1 * float(pair.sum()), np.concatenate([slope + c1, c1 - slope])

    best = minimize(split, np.zeros(2 * size), jac=True, method="L-BFGS-B", bounds=[(0, None)] * (2 * size))
    assert logistic(x)[0] + c1 * np.abs(x).sum() <= best.fun * (1 + 1e-6) + 1e-9


def test_it_follows_a_valley_that_is_not_convex() -> None:
    def rosenbrock(x: Doubles) -> tuple[float, Doubles]:
        a, b = 1 - x[0], x[1] - x[0] ** 2
        return float(a * a + 100 * b * b), np.array([-2 * a - 400 * x[0] * b, 200 * b])

    x, reason = minimise(rosenbrock, np.array([-1.2, 1.0]), iterations=300)
    assert reason
    np.testing.assert_allclose(x, [1.0, 1.0], atol=1e-4)


def test_numbers_out_of_range_are_an_error() -> None:
    with pytest.raises(TrainingError, match="left the range of numbers"):
        minimise(lambda x: (float("nan"), np.ones(2)), np.zeros(2), iterations=5)


def test_a_step_lowers_the_value_until_it_is_finished_and_leaves_the_start_alone() -> None:
    def bowl(x: Doubles) -> tuple[float, Doubles]:
        return float(x**4 @ np.ones(2)), 4 * x**3

    start = np.array([3.0, -2.0])
    found = Minimiser(filling(bowl), start, QuasiNewton(epsilon=1e-3))
    values = [found.value, found.step(), found.step()]
    assert values == sorted(values, reverse=True)
    assert found.value == values[-1] == bowl(found.x)[0]
    assert start.tolist() == [3.0, -2.0]
    end, reason = minimise(bowl, start, iterations=100, epsilon=1e-3)
    assert reason == "the gradient norm is below 0.001 of the weights' norm"
    finished = Minimiser(filling(bowl), end, QuasiNewton(epsilon=1e-3))
    for _ in range(2):
        with pytest.raises(Finished):
            finished.step()
        assert finished.x.tolist() == end.tolist()


def test_where_no_step_descends_it_is_finished() -> None:
    found = Minimiser(filling(lambda x: (float(x @ x), -2 * x)), np.ones(2), QuasiNewton())  # the gradient lies
    with pytest.raises(Finished, match=r"^no step along the gradient lowers the objective$"):
        found.step()
    assert found.x.tolist() == [1.0, 1.0]


def test_training_ends_by_every_rule() -> None:
    encoded = encode(learnable(10))
    for told, reason, converged in (
        (Settings("lbfgs", epochs=2), "it reached the maximum of 2 iterations", False),
        (Settings("lbfgs", period=2, delta=0.5), "the objective has settled over 2 iterations", True),
        (Settings("lbfgs", period=0), "the gradient norm is below 1e-05 of the weights' norm", True),
    ):
        trained = train(encoded, told)
        assert (trained.stop_reason, trained.converged) == (reason, converged)
