"""The curves of the paper's Figure 1, and those of any other generator, as numbers.

The figure compares u/(u²+0.1) with sigmoid gradients scaled to the same slope at 0 (10) and height 1. erf and gd then
stay above arctan: they respond more strongly to small errors.
"""

import numpy as np

from tagfield.bregman.convex import Generator
from tagfield.bregman.generators import arctan, erf, gd
from tagfield.bregman.losses import update
from tagfield.bregman.responses import Response
from tagfield.data.dataset import Doubles
from tagfield.errors import InputError

FIGURE_SLOPE = 10.0  # of u/(u²+0.1) at 0


def normalised_gradient(generator: Generator, u: Doubles, slope: float = FIGURE_SLOPE) -> Doubles:
    """The gradient of a generator, scaled to the given slope at 0 and, if it is bounded, to the limit 1.

    A bounded g is scaled in both directions, A·g(Bu), so its parameter cancels; an unbounded g only in height.

    >>> normalised_gradient(arctan(0.1), np.array([0.0, 0.1, 1e9])).round(4)
    array([0.    , 0.6391, 1.    ])
    """
    zero = np.zeros(1)
    with np.errstate(all="ignore"):
        steepness = float(generator.hessian(zero)[0])
    if not 0 < steepness < np.inf:
        raise InputError(f"{generator} has slope {steepness:g} at u = 0, so it cannot be scaled to slope {slope:g}")
    near, far = (float(generator.increment(zero, np.array([x]))[0]) for x in (1e15, 1e30))
    if not abs(far - near) <= 1e-6 * abs(far):  # unbounded
        return slope / steepness * generator.increment(np.zeros_like(u), u)
    return generator.increment(np.zeros_like(u), slope * far / steepness * u) / far


def response_curve(generator: Generator, u: Doubles, slope: float = FIGURE_SLOPE) -> Doubles:
    """The response U2 of a generator, f(u) = g(0) − g(−u), scaled to the given slope at 0.

    If the slope at 0 is 0 or infinite, as for a p-norm, the response is scaled to height 1 instead.

    >>> response_curve(arctan(0.01), np.array([0.0, 1e9])).round(4)
    array([0.    , 1.5708])
    """
    low, high = generator.domain
    if not (low < -np.abs(u).max() and np.abs(u).max() < high):
        raise InputError(
            f"{generator} is defined only for {low:g} < u < {high:g}, but a response needs u of both signs"
        )
    with np.errstate(all="ignore"):
        steepness = float(generator.hessian(np.zeros(1))[0])
        f = 0.0 - generator.increment(np.zeros_like(u), -u)
    if 0 < steepness < np.inf:
        return slope / steepness * f
    return f / (np.abs(f).max() or 1.0)


def figure_one(points: int = 401, reach: float = 1.0) -> tuple[Doubles, dict[str, Doubles]]:
    """The paper's Figure 1: values of u in [−reach, reach], and the four curves by name.

    >>> u, curves = figure_one(5)
    >>> list(curves), curves["erf"].round(3)
    (['u/(u²+0.1)', 'arctan', 'erf', 'gd'], array([-1., -1.,  0.,  1.,  1.]))
    """
    u = np.linspace(-reach, reach, points)
    curves = {"u/(u²+0.1)": Response(update("U1"), arctan(0.1)).f(u)}
    for name, generator in (("arctan", arctan()), ("erf", erf()), ("gd", gd())):
        curves[name] = normalised_gradient(generator, u)
    return u, curves
