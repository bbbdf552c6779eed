"""OWL-QN: L-BFGS for an objective with c1·‖x‖₁, which has no derivative where a weight is 0.

    ◇f(x)  pseudo-gradient: ∇f + c1·sign(x); at x_i = 0 the one-sided slope that descends, or 0
    d = −H·◇f,  d_i = 0 where it does not descend along ◇f          H from the last pairs of ∇f, without the ‖·‖₁
    ξ = sign(x), or −sign(◇f) at 0                                   the orthant
    x ← π(x + α·d; ξ),  x_i = 0 where it would leave the orthant     α halves until f falls enough

Galen Andrew and Jianfeng Gao, "Scalable training of L1-regularized log-linear models", ICML 2007. The rules for
stopping and for the first step are CRFsuite's: ‖◇f‖ < epsilon·max(1, ‖x‖), and what `report` says.
"""

import math
from collections import deque
from collections.abc import Callable

import numpy as np

from tagfield.dataset import Doubles
from tagfield.errors import TrainingError

Smooth = Callable[[Doubles], tuple[float, Doubles]]  # f and ∇f without the L1 term
SUFFICIENT = 1e-4  # of the decrease that the slope promises


def pseudo_gradient(x: Doubles, gradient: Doubles, c1: float) -> Doubles:
    """◇f: the steepest one-sided slope; 0 where f rises on both sides.

    >>> pseudo_gradient(np.array([1.0, 0.0, 0.0]), np.array([0.5, 3.0, 0.5]), 1.0).tolist()
    [1.5, 2.0, 0.0]
    """
    at_zero = np.where(
        gradient < -c1, gradient + c1, np.where(gradient > c1, gradient - c1, np.zeros_like(gradient))
    )
    return np.where(x == 0, at_zero, gradient + c1 * np.sign(x))


def minimise_l1(
    objective: Smooth,
    start: Doubles,
    report: Callable[[float, Doubles], bool],
    *,
    c1: float,
    iterations: int,
    memory: int = 6,
    epsilon: float = 1e-5,
    line_search: int = 20,
) -> tuple[Doubles, bool, str]:
    """Minimises objective(x) + c1·‖x‖₁; returns x, whether it converged, and why it stopped.

    >>> square = lambda x: (float((x - [3.0, 0.2]) @ (x - [3.0, 0.2])), 2 * (x - [3.0, 0.2]))
    >>> x, converged, _ = minimise_l1(square, np.zeros(2), lambda value, x: False, c1=1.0, iterations=50)
    >>> x.round(4).tolist(), converged
    ([2.5, 0.0], True)
    """
    x = start.copy()
    smooth, gradient = objective(x)
    value = smooth + c1 * float(np.abs(x).sum())
    pairs: deque[tuple[Doubles, Doubles, float]] = deque(maxlen=memory)
    for _ in range(iterations):
        slope = pseudo_gradient(x, gradient, c1)
        if _norm(slope) < epsilon * max(1.0, _norm(x)):
            return x, True, f"the gradient is below {epsilon:g} of the weights"
        direction = -_inverse_hessian(slope, pairs)
        direction[direction * slope >= 0] = 0
        orthant = np.where(x == 0, -np.sign(slope), np.sign(x))
        step = 1.0 if pairs else 1.0 / _norm(direction)
        for _ in range(line_search):
            candidate = x + step * direction
            candidate[candidate * orthant <= 0] = 0
            smooth, found = objective(candidate)
            reached = smooth + c1 * float(np.abs(candidate).sum())
            if math.isfinite(reached) and reached <= value + SUFFICIENT * _dot(slope, candidate - x):
                break
            step /= 2
        else:
            if pairs:  # the remembered pairs mislead: once more along the slope itself
                pairs.clear()
                continue
            if not math.isfinite(reached):
                raise TrainingError(
                    "lbfgs with c1: the objective left the range of numbers; nothing was saved. Give a larger c2, or "
                    "scale large values down"
                )
            return x, True, "no step along the gradient lowers the objective"
        s, y = candidate - x, found - gradient
        curvature = _dot(s, y)
        if curvature > 0:
            pairs.append((s, y, curvature))
        x, value, gradient = candidate, reached, found
        if report(value, x):
            return x, True, "the objective no longer falls"
    return x, False, "the given number of iterations is done"


def _dot(a: Doubles, b: Doubles) -> float:
    return float(np.einsum("i,i->", a, b))  # BLAS would wake its threads for each of these short sums


def _norm(a: Doubles) -> float:
    return math.sqrt(_dot(a, a))


def _inverse_hessian(v: Doubles, pairs: deque[tuple[Doubles, Doubles, float]]) -> Doubles:
    """H·v by the two loops of L-BFGS."""
    q = v.copy()
    alphas = []
    for s, y, curvature in reversed(pairs):
        alpha = _dot(s, q) / curvature
        q -= alpha * y
        alphas.append(alpha)
    if pairs:
        _, y, curvature = pairs[-1]
        q *= curvature / _dot(y, y)
    for (s, y, curvature), alpha in zip(pairs, reversed(alphas), strict=True):
        q += (alpha - _dot(y, q) / curvature) * s
    return q
