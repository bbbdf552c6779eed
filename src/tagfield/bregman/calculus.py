"""Accurate differences, derivatives and integrals of a function of one variable.

    increment    g(q+δ) − g(q)    near δ = 0 as δ·∫h, which keeps the relative accuracy as δ → 0
    derivative   h from g alone   extrapolated central differences with two sequences of step sizes
    integral     G from g alone   Gauss–Legendre on panels that shrink towards the starting point

The natural gradient is a difference that goes to 0 as training converges, and the tables guarantee a relative error.
Plain subtraction would lose all digits there.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from tagfield.system.arrays import Doubles

Function: TypeAlias = Callable[[Doubles], Doubles]
Interval: TypeAlias = tuple[float, float]

_NEAR = 1e-6  # where subtraction would lose six digits or more, integrate instead


def _unit_gauss(n: int) -> tuple[Doubles, Doubles]:
    x, w = np.polynomial.legendre.leggauss(n)
    return (x + 1) / 2, w / 2


def _double_exponential(step: float = 1 / 12, reach: float = 3.0) -> tuple[Doubles, Doubles]:
    """Nodes and weights on [0, 1], dense at both ends, where a saturated g still changes."""
    t = np.arange(-reach, reach + step / 2, step)
    s = np.pi / 2 * np.sinh(t)
    w = np.cosh(t) / np.cosh(s) ** 2
    return (1 + np.tanh(s)) / 2, w / w.sum()


def _shrinking_panels(panels: int = 48, points: int = 8) -> tuple[Doubles, Doubles]:
    """Gauss points on [½, 1], [¼, ½], … and on a last panel down to 0."""
    x, w = _unit_gauss(points)
    ends = np.append(0.0, 2.0 ** -np.arange(panels - 1.0, -1.0, -1.0))
    width = np.diff(ends)[:, None]
    return (ends[:-1, None] + width * x).ravel(), (width * w).ravel()


_SHRINKING = _shrinking_panels()
_GAUSS_4, _GAUSS_16, _DENSE_ENDS = _unit_gauss(4), _unit_gauss(16), _double_exponential()


def mean_between(h: Function, q: Doubles, delta: Doubles, rule: tuple[Doubles, Doubles] = _GAUSS_16) -> Doubles:
    """The mean of h over [q, q+δ]: ∫₀¹ h(q + tδ) dt.

    >>> mean_between(np.square, np.array([0.0]), np.array([3.0])).round(12)
    array([3.])
    """
    total = np.zeros(np.broadcast_shapes(q.shape, delta.shape))
    for t, w in zip(*rule, strict=True):
        total += w * h(q + t * delta)
    return total


def increment(g: Function, h: Function, q: Doubles, delta: Doubles, noise: float = 0.0) -> Doubles:
    """g(q+δ) − g(q), with a small relative error even where the two are nearly equal.

    noise: the size of g's intermediate results, if they are larger than g itself; see `intermediate_size`

    >>> tiny = np.array([1e-20])
    >>> increment(np.exp, np.exp, np.zeros(1), tiny) / tiny
    array([1.])
    """
    q, delta = np.broadcast_arrays(q, delta)
    there, here = g(q + delta), g(q)
    result = np.where(delta == 0, 0.0, there - here)
    size = np.maximum(np.maximum(np.abs(there), np.abs(here)), noise)
    near = ((np.abs(delta) < _NEAR * np.abs(q)) | (np.abs(result) < _NEAR * size)) & (delta != 0)
    if near.any():
        result[near] = delta[near] * _mean_slope(h, q[near], delta[near])
    return result


def _mean_slope(h: Function, q: Doubles, delta: Doubles) -> Doubles:
    """The mean of h over [q, q+δ], with more points the more h changes between the ends."""
    first, last = h(q), h(q + delta)
    change = np.abs(last - first) / np.maximum(np.maximum(first, last), 1e-300)
    mean = np.empty_like(q)
    for low, high, rule in ((-1, 0.01, _GAUSS_4), (0.01, 0.5, _GAUSS_16), (0.5, np.inf, _DENSE_ENDS)):
        some = (change > low) & ~(change > high)
        if some.any():
            mean[some] = mean_between(h, q[some], delta[some], rule)
    return mean


def intermediate_size(g: Function) -> float:
    """The size of g's intermediate results: 0 if g(u) is accurate for tiny u, else the maximum of |g| on [−1, 1].

    tanh has all its digits at u = 10⁻³⁰; 1/(1+exp(−u)) − ½ has none, because it subtracts numbers of size ½.

    >>> intermediate_size(np.tanh), round(intermediate_size(lambda u: 1 / (1 + np.exp(-u)) - 0.5), 3)
    (0.0, 0.231)
    """
    x = 2.0 ** -np.arange(30.0, 100.0)
    with np.errstate(all="ignore"):
        steps = np.diff(np.log2(np.abs(g(x))))
        height = np.nanmax(np.abs(g(np.linspace(-1, 1, 101))))
    resolved = np.isfinite(steps).all() and np.ptp(steps) < 1e-6
    return 0.0 if resolved else float(height)


def derivative(g: Function, u: Doubles, domain: Interval, noise: float = 0.0) -> Doubles:
    """g′(u) by extrapolated central differences; never negative, because g is increasing.

    It halves the step ten times, starting from 1 and from |u|/4. Each point keeps the estimate with the smallest
    error, estimated as the difference between successive estimates plus rounding.

    >>> derivative(np.arctan, np.array([0.0, 1.0]), (-np.inf, np.inf)).round(9)
    array([1. , 0.5])
    """
    room = np.minimum(u - domain[0], domain[1] - u) / 2
    best, least = np.zeros_like(u), np.full_like(u, np.inf)
    with np.errstate(all="ignore"):
        for first in (np.minimum(1.0, room), np.minimum(np.abs(u) / 4, room)):
            previous: list[Doubles] = []
            for halvings in range(10):
                step = first / 2.0**halvings
                right, left = g(u + step), g(u - step)
                width = (u + step) - (u - step)
                size = np.maximum(np.maximum(np.abs(right), np.abs(left)), noise)
                row = [(right - left) / width]
                for m, older in enumerate(previous[:4], 1):
                    row.append(row[-1] + (row[-1] - older) / (4.0**m - 1))
                    error = np.abs(row[-1] - older) + 4e-16 * size / step
                    better = error < least
                    best, least = np.where(better, row[-1], best), np.where(better, error, least)
                previous = row
    return np.maximum(best, 0.0)


def integral(g: Function, start: float, u: Doubles) -> Doubles:
    """∫ g from `start` to u, on 48 panels that halve towards `start`, with 8 Gauss points each.

    >>> integral(np.arctan, 0.0, np.array([-1.0, 0.0, 1.0])).round(12)
    array([0.43882457, 0.        , 0.43882457])
    """
    t, w = _SHRINKING
    span = np.asarray(u, np.float64).ravel() - start
    total = np.empty_like(span)
    for first in range(0, len(span), 4096):  # 384 points per u, so in blocks
        some = span[first : first + 4096]
        total[first : first + 4096] = some * (w @ g(start + t[:, None] * some))
    return total.reshape(np.shape(u))
