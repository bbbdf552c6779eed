"""L-BFGS, and OWL-QN where the objective has c1·‖x‖₁, which has no derivative where a weight is 0.

    ◇f(x)  pseudo-gradient: ∇f + c1·sign(x); at x_i = 0 the one-sided slope that descends, or 0        (∇f without c1)
    d = −H·◇f,  d_i = 0 where it does not descend along ◇f              H from the last pairs of ∇f, without the ‖·‖₁
    ξ = sign(x), or −sign(◇f) at 0                                      the orthant
    x ← π(x + α·d; ξ),  x_i = 0 where it would leave the orthant        π and ξ only with c1

α starts at 1. With c1 it halves while f falls too little for the slope. Without, a line search finds a point that is
also flat enough (line_search.py), so that each pair has a positive curvature also where f is not convex.

Dong C. Liu and Jorge Nocedal, "On the limited memory BFGS method for large scale optimization", 1989; Galen Andrew and
Jianfeng Gao, "Scalable training of L1-regularized log-linear models", ICML 2007. The rules for stopping and for the
first step are CRFsuite's: ‖◇f‖ < epsilon·max(1, ‖x‖), and what `report` says.

SciPy's L-BFGS-B handles bounds, which weights do not have: on CoNLL-2000 its own work takes 30 ms an iteration, and
this 8 ms, beside a gradient of 95 ms.
"""

import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tagfield.dataset import Doubles, Longs
from tagfield.errors import TrainingError
from tagfield.layout import Weights
from tagfield.native import kernels
from tagfield.train.history import Figures
from tagfield.train.line_search import SEARCHES, SHRINK, SUFFICIENT, Point
from tagfield.train.objective import Objective, Part, dot, norm
from tagfield.train.options import QuasiNewton
from tagfield.train.problem import Problem
from tagfield.train.ties import settle_ties
from tagfield.train.trainer import Finished, State, Trainer

Smooth = Callable[[Doubles], tuple[float, Doubles]]  # f and ∇f without the L1 term
Found = tuple[Doubles, float, Doubles, float]  # a point, f and ∇f there, and the step that led to it
Find = Callable[[Any, Any, float], Any]  # a line search with its number of tries


class Minimiser:
    """Minimises objective(x) + c1·‖x‖₁, one iteration at a time.

    >>> square = lambda x: (float((x - [3.0, 0.2]) @ (x - [3.0, 0.2])), 2 * (x - [3.0, 0.2]))
    >>> found = Minimiser(square, np.zeros(2), QuasiNewton(), c1=1.0)
    >>> try:
    ...     while True:
    ...         _ = found.step()
    ... except Finished as end:
    ...     print(found.x.round(4).tolist(), end)
    [2.5, 0.0] the gradient norm is below 1e-05 of the weights' norm
    """

    def __init__(self, objective: Smooth, start: Doubles, told: QuasiNewton, c1: float = 0.0) -> None:
        self._objective, self._told, self._c1 = objective, told, c1
        self.x = start.copy()
        self.value, self.gradient = objective(self.x)
        self.value += _l1(self.x, c1)
        self.slope = pseudo_gradient(self.x, self.gradient, c1)
        self.tried, self.length = 0, 0.0  # of the last line search: its points, and its step
        self.pairs: deque[tuple[Doubles, Doubles, float]] = deque(maxlen=told.num_memories)

    def decide_ties(self, settle: Callable[[Doubles], object]) -> None:
        """Corrects the gradient where rounding decides on which side of c1 it is."""
        settle(self.gradient)
        self.slope = pseudo_gradient(self.x, self.gradient, self._c1)

    def step(self) -> float:
        """One iteration; returns the new value, and raises Finished where there is nothing left to gain."""
        x, slope, epsilon = self.x, self.slope, self._told.epsilon
        if norm(slope) <= epsilon * max(1.0, norm(x)):
            raise Finished(f"the gradient norm is below {epsilon:g} of the weights' norm")
        found = self._search(slope)
        if found is None and self.pairs:  # the remembered pairs mislead: once more along the slope itself
            self.pairs.clear()
            found = self._search(slope)
        if found is None:
            if not math.isfinite(self.value):
                raise TrainingError(
                    "lbfgs: the objective left the range of numbers; nothing was saved. Give a larger c2, or scale "
                    "large values down"
                )
            raise Finished("no step along the gradient lowers the objective")
        candidate, self.value, gradient, self.length = found
        s, y = (
            np.subtract(candidate, x, out=x),
            np.subtract(gradient, self.gradient, out=self.gradient),
        )  # no new arrays
        curvature = dot(s, y)
        if curvature > 0:
            self.pairs.append((s, y, curvature))
        self.x, self.gradient, self.slope = candidate, gradient, gradient
        del slope  # before the next one is made
        self.slope = pseudo_gradient(candidate, gradient, self._c1)
        return self.value

    def _look(self, x: Doubles) -> tuple[float, Doubles]:
        self.tried += 1
        return self._objective(x)

    def _search(self, slope: Doubles) -> Found | None:
        told, x, value = self._told, self.x, self.value
        self.tried = 0
        direction = _direction(slope, self.pairs, self._c1)
        step = 1.0 if self.pairs else 1.0 / norm(direction)
        if self._c1:
            tries = told.max_linesearch
            return _orthant_search(self._look, x, value, slope, direction, step, tries, self._c1)

        def find(curve: Any, start: Any, step: float) -> Any:
            return SEARCHES[told.linesearch](curve, start, step, told.max_linesearch)

        return _smooth_search(self._look, x, value, slope, direction, step, find)


class QuasiNewtonTrainer(Trainer):
    """L-BFGS on the weights of a feature set: one iteration a pass."""

    def __init__(self, recipe: QuasiNewton, problem: Problem, parts: Sequence[Part] | None = None) -> None:
        self.recipe: QuasiNewton = recipe
        self.problem = problem
        self._objective = Objective(problem, parts)
        start = self._objective.pack(problem.start)
        self._found = Minimiser(self._objective, start, recipe, problem.settings.c1)
        if problem.settings.c1 and not start.any():
            self._found.decide_ties(lambda gradient: settle_ties(problem, gradient, problem.settings.c1))

    def run(self, order: Longs) -> float:
        """One iteration over the whole corpus, in whatever order; returns the objective."""
        self.monitor = self._found.step()
        return self.monitor

    def norm(self) -> float:
        return norm(self._found.x)

    def figures(self) -> Figures:
        found = self._found
        active = int(np.count_nonzero(found.x))
        return Figures(norm(found.slope), active, found.tried, found.length)

    def release(self) -> None:
        self._found.pairs.clear()

    def training_nll(self) -> float:
        found, settings = self._found, self.problem.settings
        return found.value - settings.c2 * dot(found.x, found.x) - _l1(found.x, settings.c1)

    def weights(self, out: Weights | None = None) -> Weights:
        return self._objective.weights(self._found.x)

    def state(self) -> State:
        found = self._found
        arrays = {"x": found.x, "gradient": found.gradient}
        numbers = {"value": found.value, "pairs": len(found.pairs)}
        for i, (s, y, curvature) in enumerate(found.pairs):
            arrays |= {f"s{i}": s, f"y{i}": y}
            numbers[f"curvature{i}"] = curvature
        return State(arrays, numbers)

    def resume(self, state: State) -> None:
        found, arrays, numbers = self._found, state.arrays, state.numbers
        found.x, found.gradient, found.value = arrays["x"], arrays["gradient"], numbers["value"]
        found.slope = pseudo_gradient(found.x, found.gradient, self.problem.settings.c1)
        found.pairs.clear()
        for i in range(int(numbers["pairs"])):
            found.pairs.append((arrays[f"s{i}"], arrays[f"y{i}"], numbers[f"curvature{i}"]))


def pseudo_gradient(x: Doubles, gradient: Doubles, c1: float) -> Doubles:
    """◇f: the steepest one-sided slope; 0 where f rises on both sides.

    >>> pseudo_gradient(np.array([1.0, 0.0, 0.0]), np.array([0.5, 3.0, 0.5]), 1.0).tolist()
    [1.5, 2.0, 0.0]
    """
    if not c1:
        return gradient
    at_zero = np.abs(gradient)  # in place from here on: the vectors are as large as the model
    at_zero -= c1
    np.copysign(np.maximum(at_zero, 0, out=at_zero), gradient, out=at_zero)
    at_zero += 0.0  # −0.0 would be another orthant
    slope = np.sign(x)
    slope *= c1
    slope += gradient
    np.copyto(slope, at_zero, where=x == 0)
    return slope


def _smooth_search(
    objective: Smooth, x: Doubles, value: float, slope: Doubles, direction: Doubles, step: float, search: Find
) -> Found | None:
    """A point along the direction that is low and flat enough, with its value and gradient; None if there is none."""

    def point(step: float) -> Doubles:
        candidate: Doubles = step * direction
        candidate += x
        return candidate

    def curve(step: float) -> Point[Doubles]:  # a point is its gradient; where it is, its step says
        reached, gradient = objective(point(step))
        return Point(step, reached, dot(gradient, direction), gradient)

    found = search(curve, Point(0.0, value, dot(slope, direction), slope), step)
    return None if found is None else (point(found.step), found.value, found.place, found.step)


def _orthant_search(
    objective: Smooth, x: Doubles, value: float, slope: Doubles, direction: Doubles, step: float, tries: int, c1: float
) -> Found | None:
    """The same with c1: the step halves until the point in the orthant is low enough."""
    up, down = (x > 0) | ((x == 0) & (slope < 0)), (x < 0) | ((x == 0) & (slope > 0))  # ξ
    for _ in range(tries):
        candidate = step * direction
        candidate += x
        left = (up & (candidate <= 0)) | (down & (candidate >= 0)) | ~(up | down)
        np.copyto(candidate, 0.0, where=left)
        reached, gradient = objective(candidate)
        reached += _l1(candidate, c1)
        if math.isfinite(reached) and reached <= value + SUFFICIENT * dot(slope, candidate - x):
            return candidate, reached, gradient, step
        step *= SHRINK
    return None


def _direction(slope: Doubles, pairs: deque[tuple[Doubles, Doubles, float]], c1: float) -> Doubles:
    """−H·◇f by the two loops of L-BFGS, and with c1 only where it descends."""
    q = -slope
    kernels.two_loops(q, list(pairs))
    if c1:
        q[q * slope >= 0] = 0
    return q


def _l1(x: Doubles, c1: float) -> float:
    return c1 * float(np.abs(x).sum()) if c1 else 0.0
