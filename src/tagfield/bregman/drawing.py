"""Drawing: the curves of the paper's Figure 1, as numbers; who has a plotting library draws them.

The figure compares u/(u²+0.1) with sigmoid gradients brought to the same slope at 0 (10) and the height 1.
erf and gd then stay above arctan: they answer small errors more strongly.
"""

import numpy as np

from tagfield.bregman.convex import Generator
from tagfield.bregman.generators import arctan, erf, gd
from tagfield.bregman.responses import recipe
from tagfield.dataset import Doubles
from tagfield.errors import InputError

FIGURE_SLOPE = 10.0  # of u/(u²+0.1) at 0


def normalised(generator: Generator, u: Doubles, slope: float = FIGURE_SLOPE) -> Doubles:
    """The gradient of a generator with the given slope at 0, and with limit 1 where it is bounded.

    A bounded g is stretched both ways, A·g(Bu), whatever its parameter; an unbounded one is scaled.

    >>> normalised(arctan(0.1), np.array([0.0, 0.1, 1e9])).round(4)
    array([0.    , 0.6391, 1.    ])
    """
    zero = np.zeros(1)
    with np.errstate(all="ignore"):
        steepness = float(generator.hessian(zero)[0])
    if not 0 < steepness < np.inf:
        raise InputError(
            f"{generator} has no finite slope above 0 at u = 0, so it cannot be drawn with a slope of {slope:g}"
        )
    near, far = (float(generator.increment(zero, np.array([x]))[0]) for x in (1e15, 1e30))
    if not abs(far - near) <= 1e-6 * abs(far):  # it grows for ever
        return slope / steepness * generator.increment(np.zeros_like(u), u)
    return generator.increment(np.zeros_like(u), slope * far / steepness * u) / far


def asked_for(generator: Generator, u: Doubles, slope: float = FIGURE_SLOPE) -> Doubles:
    """The response U2 of any generator, f(u) = g(0) − g(−u), with the given slope at 0: its parameter can be seen.

    One whose slope at 0 is 0 or infinite, as a p-norm's, is drawn with the height 1 instead.

    >>> asked_for(arctan(0.01), np.array([0.0, 1e9])).round(4)
    array([0.    , 1.5708])
    """
    low, high = generator.domain
    if not (low < -np.abs(u).max() and np.abs(u).max() < high):
        raise InputError(
            f"{generator} is defined only for {low:g} < u < {high:g}, and a response is drawn for u of both signs"
        )
    with np.errstate(all="ignore"):
        steepness = float(generator.hessian(np.zeros(1))[0])
        f = 0.0 - generator.increment(np.zeros_like(u), -u)
    if 0 < steepness < np.inf:
        return slope / steepness * f
    return f / (np.abs(f).max() or 1.0)


def figure_one(points: int = 401, reach: float = 1.0) -> tuple[Doubles, dict[str, Doubles]]:
    """The paper's Figure 1: u on [−reach, reach] and its four curves by name.

    >>> u, curves = figure_one(5)
    >>> list(curves), curves["erf"].round(3)
    (['u/(u²+0.1)', 'arctan', 'erf', 'gd'], array([-1., -1.,  0.,  1.,  1.]))
    """
    u = np.linspace(-reach, reach, points)
    curves = {"u/(u²+0.1)": recipe("u1.g1").f(u)}
    for name, generator in (("arctan", arctan()), ("erf", erf()), ("gd", gd())):
        curves[name] = normalised(generator, u)
    return u, curves
