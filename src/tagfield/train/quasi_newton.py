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
from collections.abc import Callable
from typing import Any

import numpy as np

from tagfield.dataset import Doubles
from tagfield.errors import TrainingError
from tagfield.native import kernels
from tagfield.train.line_search import SEARCHES, SHRINK, SUFFICIENT, Point

Smooth = Callable[[Doubles], tuple[float, Doubles]]  # f and ∇f without the L1 term
Find = Callable[[Any, Any, float], Any]  # a line search with its number of tries


def minimise(
    objective: Smooth,
    start: Doubles,
    report: Callable[[float, Doubles], bool],
    *,
    iterations: int,
    c1: float = 0.0,
    memory: int = 6,
    epsilon: float = 1e-5,
    search: str = "MoreThuente",
    line_search: int = 20,
) -> tuple[Doubles, bool, str]:
    """Minimises objective(x) + c1·‖x‖₁; returns x, whether it converged, and why it stopped.

    >>> square = lambda x: (float((x - [3.0, 0.2]) @ (x - [3.0, 0.2])), 2 * (x - [3.0, 0.2]))
    >>> x, converged, _ = minimise(square, np.zeros(2), lambda value, x: False, iterations=50)
    >>> x.round(4).tolist(), converged
    ([3.0, 0.2], True)
    >>> x, converged, _ = minimise(square, np.zeros(2), lambda value, x: False, c1=1.0, iterations=50)
    >>> x.round(4).tolist(), converged
    ([2.5, 0.0], True)
    """
    x = start.copy()
    value, gradient = objective(x)
    value += _l1(x, c1)
    pairs: deque[tuple[Doubles, Doubles, float]] = deque(maxlen=memory)

    def find(curve: Any, start: Any, step: float) -> Any:
        return SEARCHES[search](curve, start, step, line_search)

    for _ in range(iterations):
        slope = pseudo_gradient(x, gradient, c1)
        if norm(slope) < epsilon * max(1.0, norm(x)):
            return x, True, f"the gradient is below {epsilon:g} of the weights"
        direction = _direction(slope, pairs, c1)
        step = 1.0 if pairs else 1.0 / norm(direction)
        if c1:
            found = _orthant_search(objective, x, value, slope, direction, step, line_search, c1)
        else:
            found = _smooth_search(objective, x, value, slope, direction, step, find)
        if found is None:
            if pairs:  # the remembered pairs mislead: once more along the slope itself
                pairs.clear()
                continue
            if not math.isfinite(value):
                raise TrainingError(
                    "lbfgs: the objective left the range of numbers; nothing was saved. Give a larger c2, or scale "
                    "large values down"
                )
            return x, True, "no step along the gradient lowers the objective"
        candidate, value, new_gradient = found
        s, y = candidate - x, new_gradient - gradient
        curvature = dot(s, y)
        if curvature > 0:
            pairs.append((s, y, curvature))
        x, gradient = candidate, new_gradient
        if report(value, x):
            return x, True, "the objective no longer falls"
    return x, False, "the given number of iterations is done"


def pseudo_gradient(x: Doubles, gradient: Doubles, c1: float) -> Doubles:
    """◇f: the steepest one-sided slope; 0 where f rises on both sides.

    >>> pseudo_gradient(np.array([1.0, 0.0, 0.0]), np.array([0.5, 3.0, 0.5]), 1.0).tolist()
    [1.5, 2.0, 0.0]
    """
    if not c1:
        return gradient
    at_zero = np.where(
        gradient < -c1, gradient + c1, np.where(gradient > c1, gradient - c1, np.zeros_like(gradient))
    )
    return np.where(x == 0, at_zero, gradient + c1 * np.sign(x))


def _smooth_search(
    objective: Smooth, x: Doubles, value: float, slope: Doubles, direction: Doubles, step: float, search: Find
) -> tuple[Doubles, float, Doubles] | None:
    """A point along the direction that is low and flat enough, with its value and gradient; None if there is none."""

    def curve(step: float) -> Point[tuple[Doubles, Doubles]]:
        candidate = step * direction
        candidate += x
        reached, gradient = objective(candidate)
        return Point(step, reached, dot(gradient, direction), (candidate, gradient))

    found = search(curve, Point(0.0, value, dot(slope, direction), (x, slope)), step)
    return None if found is None else (found.place[0], found.value, found.place[1])


def _orthant_search(
    objective: Smooth,
    x: Doubles,
    value: float,
    slope: Doubles,
    direction: Doubles,
    step: float,
    tries: int,
    c1: float,
) -> tuple[Doubles, float, Doubles] | None:
    """The same with c1: the step halves until the point in the orthant is low enough."""
    orthant = np.where(x == 0, -np.sign(slope), np.sign(x))
    for _ in range(tries):
        candidate = step * direction
        candidate += x
        candidate[candidate * orthant <= 0] = 0
        reached, gradient = objective(candidate)
        reached += _l1(candidate, c1)
        if math.isfinite(reached) and reached <= value + SUFFICIENT * dot(slope, candidate - x):
            return candidate, reached, gradient
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


def dot(a: Doubles, b: Doubles) -> float:
    """a·b without BLAS, which would wake its threads for each of these short sums.

    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float(np.einsum("i,i->", a, b))


def norm(a: Doubles) -> float:
    """‖a‖.

    >>> norm(np.array([3.0, 4.0]))
    5.0
    """
    return math.sqrt(dot(a, a))
