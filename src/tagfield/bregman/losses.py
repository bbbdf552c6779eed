"""Losses: B1–B4 for any γ, the footnote's general loss, and the updates U1–U6, all by one formula.

Write E for the model's expectation of the features, Ẽ for the empirical one, u = E − Ẽ. A loss is four
numbers with a − b = c − d:

    p = aE − bẼ,   q = cE − dẼ
    divergence         B_G(p, q) = G(p) − G(q) − ∇G(q)ᵀ(p − q)
    natural gradient   a·(∇G(p) − ∇G(q)) − c·∇²G(q)(p − q)                                  (*)

With s = a − b = c − d the two points are p = sẼ + au and q = sẼ + cu, so p − q = (a − c)u. The code computes them
this way, which loses no digits as E → Ẽ. If s = 0, (*) depends on u alone.

           p           q           a    b    c    d     γ = 0   γ = 1        ρ = 1 − γ
    B1     γE          Ẽ − ρE      γ    0   −ρ   −1     U1      U6
    B2     Ẽ − ρE      γE         −ρ   −1    γ    0     U2      U4
    B3     ρẼ          E − γẼ      0   −ρ    1    γ     U4      U3
    B4     E − γẼ      ρẼ          1    γ    0   −ρ     U6      U5
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tagfield.bregman.calculus import integral
from tagfield.bregman.convex import Generator
from tagfield.bregman.joint import Joint
from tagfield.errors import InputError
from tagfield.system.arrays import Doubles


@dataclass(frozen=True)
class Loss:
    """The general loss of the paper's footnote, B_G(aE − bẼ, cE − dẼ) with a − b = c − d.

    >>> Loss(1, 0, 0, -1)  # B_G(E, Ẽ)
    Loss(a=1, b=0, c=0, d=-1, name='general')
    """

    a: float
    b: float
    c: float
    d: float
    name: str = "general"

    def __post_init__(self) -> None:
        numbers = (self.a, self.b, self.c, self.d)
        if not all(math.isfinite(x) for x in numbers):
            raise InputError(f"the loss coefficients a, b, c, d must be finite, got {numbers}")
        if not math.isclose(self.a - self.b, self.c - self.d, rel_tol=1e-12, abs_tol=1e-12):
            raise InputError(
                f"a loss needs a − b = c − d, got {self.a:g} − {self.b:g} and {self.c:g} − {self.d:g}; "
                "otherwise its minimum is not at E = Ẽ"
            )
        if self.a == self.c:
            raise InputError(f"a and c must differ, got {self.a:g} for both; the loss would always be 0")

    def __str__(self) -> str:
        return self.name

    @property
    def offset(self) -> float:
        """s = a − b, the weight of Ẽ in p and q. If it is 0, the update depends on u = E − Ẽ alone."""
        return self.a - self.b

    def points(self, u: Doubles, empirical: Doubles) -> tuple[Doubles, Doubles]:
        """q and p − q, from u and Ẽ.

        >>> Loss(1, 0, 0, -1).points(np.array([0.5]), np.array([2.0]))
        (array([2.]), array([0.5]))
        """
        return self.offset * empirical + self.c * u, (self.a - self.c) * u


LOSSES = ("B1", "B2", "B3", "B4")


def named_loss(name: str, gamma: float = 0.0) -> Loss:
    """B1, B2, B3 or B4 for any real γ.

    >>> named_loss("B2", 0.0)
    Loss(a=-1.0, b=-1.0, c=0.0, d=0.0, name='B2, γ=0')
    """
    if not math.isfinite(gamma):
        raise InputError(f"γ must be finite, got {gamma}")
    rho = 1 - gamma
    coefficients = {
        "B1": (gamma, 0.0, -rho, -1.0),
        "B2": (-rho, -1.0, gamma, 0.0),
        "B3": (0.0, -rho, 1.0, gamma),
        "B4": (1.0, gamma, 0.0, -rho),
    }
    if name.upper() not in coefficients:
        raise InputError(f"no loss named {name!r}; choose one of {', '.join(coefficients)}")
    a, b, c, d = (x + 0.0 for x in coefficients[name.upper()])  # + 0.0 turns −0.0 into 0.0
    return Loss(a, b, c, d, f"{name.upper()}, γ={gamma:g}")


UPDATES = {
    "U1": ("B1", 0.0),  # ∇²G(Ẽ−E)(E−Ẽ)
    "U2": ("B2", 0.0),  # ∇G(0) − ∇G(Ẽ−E)
    "U3": ("B3", 1.0),  # ∇²G(E−Ẽ)(E−Ẽ)
    "U4": ("B3", 0.0),  # ∇²G(E)(E−Ẽ); B2, γ=1 gives the same
    "U5": ("B4", 1.0),  # ∇G(E−Ẽ) − ∇G(0)
    "U6": ("B4", 0.0),  # ∇G(E) − ∇G(Ẽ); B1, γ=1 gives the same
}


def update(name: str) -> Loss:
    """The loss whose natural gradient is the paper's update U1, …, U6.

    >>> update("U2").name
    'B2, γ=0'
    """
    if name.upper() not in UPDATES:
        raise InputError(f"no update named {name!r}; choose one of {', '.join(UPDATES)}")
    return named_loss(*UPDATES[name.upper()])


def _check_domain(generator: Generator, loss: Loss, **points: Doubles) -> None:
    """Raises an InputError if a point is outside the domain of the generator."""
    for letter, point in points.items():
        if not generator.contains(point):
            low, high = generator.domain
            outside = point[~((point > low) & (point < high))].flat[0]
            raise InputError(
                f"the generator {generator} is defined for {low:g} < u < {high:g}, but the loss {loss.name} "
                f"evaluates it at {letter} = {outside:g}; choose another loss or generator, or use only features "
                "with positive empirical and expected counts"
            )


def divergence(generator: Generator, loss: Loss, expected: ArrayLike, empirical: ArrayLike) -> float:
    """B_G(p, q), summed over the coordinates; never negative, and 0 where E = Ẽ.

    Near E = Ẽ the code computes ∫(p−t)·h(t) dt, because the difference would lose its digits.

    >>> from tagfield.bregman.generators import quadratic
    >>> divergence(quadratic(), update("U6"), [1.0, 2.0], [1.0, 4.0])  # ½‖E−Ẽ‖²
    2.0
    """
    E, empirical = np.broadcast_arrays(np.asarray(expected, np.float64), np.asarray(empirical, np.float64))
    q, delta = (np.ravel(x) for x in loss.points(E - empirical, empirical))
    _check_domain(generator, loss, p=q + delta, q=q)
    if isinstance(generator, Joint):
        return max(0.0, float(generator.value(q + delta) - generator.value(q) - generator.gradient(q) @ delta))
    with np.errstate(all="ignore"):
        there, here, slope = generator.value(q + delta), generator.value(q), generator.gradient(q) * delta
        each = there - here - slope
        close = np.abs(each) < 1e-6 * (np.abs(there) + np.abs(here) + np.abs(slope))
    for some in np.array_split(np.flatnonzero(close), 1 + int(close.sum()) // 1000):
        each[some] = _as_integral(generator, q[some], delta[some])
    return float(np.maximum(each, 0.0).sum())


def _as_integral(generator: Generator, q: Doubles, delta: Doubles) -> Doubles:
    """∫(p−x)·h(x) dx from q to p = q + δ, with points dense at 0 or at the end closer to 0, where h may peak."""
    p = q + delta
    across = q * p < 0

    def part(start: Doubles, span: Doubles, rest: Callable[[Doubles], Doubles]) -> Doubles:
        with np.errstate(all="ignore"):
            return integral(lambda t: rest(t) * generator.hessian(start + t * span), 0.0, np.ones_like(start)) * span

    zero = np.zeros_like(q)
    from_zero = part(zero, p, lambda t: (1 - t) * p) - part(zero, q, lambda t: p - t * q)
    near_q = part(q, delta, lambda t: (1 - t) * delta)
    near_p = part(p, -delta, lambda t: t * delta) * -1
    found = np.where(across, from_zero, np.where(np.abs(q) <= np.abs(p), near_q, near_p))
    return np.where(delta == 0, 0.0, found)


def natural_gradient(generator: Generator, loss: Loss, expected: ArrayLike, empirical: ArrayLike) -> Doubles:
    """The formula (*): M⁻¹ times the gradient of the divergence with respect to θ, without computing M.

    >>> from tagfield.bregman.generators import arctan
    >>> natural_gradient(arctan(0.1), update("U1"), [1.0], [0.5]).round(6)  # u/(u²+0.1) at u = 0.5
    array([1.428571])
    """
    E, empirical = np.broadcast_arrays(np.asarray(expected, np.float64), np.asarray(empirical, np.float64))
    return require_finite(direction(generator, loss, E - empirical, empirical), generator, loss)


def require_finite(result: Doubles, generator: Generator, loss: Loss) -> Doubles:
    """Returns the result; raises an InputError if it is not finite (such as ∇²G of a p-norm with p < 2 at 0).

    >>> from tagfield.bregman.generators import pnorm
    >>> natural_gradient(pnorm(1.5), update("U4"), [0.0], [1.0])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    tagfield.errors.InputError: the update B3, γ=0 of pnorm:1.5 is not finite for feature 0: ...
    """
    if not np.isfinite(result).all():
        at = int(np.argmin(np.isfinite(result)))
        raise InputError(
            f"the update {loss.name} of {generator} is not finite for feature {at}: the generator's "
            "derivatives are unbounded there; choose a smoother generator, or another loss"
        )
    return result


def direction(generator: Generator, loss: Loss, u: Doubles, empirical: Doubles) -> Doubles:
    """(*) as a function of u = E − Ẽ and Ẽ, which keeps the digits of a small u; 0 where u = 0.

    >>> from tagfield.bregman.generators import gd
    >>> G, tiny, Ẽ = gd(10.0), np.array([1e-18]), np.array([0.2])
    >>> direction(G, update("U6"), tiny, Ẽ) / tiny / G.hessian(Ẽ)
    array([1.])
    """
    q, delta = loss.points(u, empirical)
    _check_domain(generator, loss, p=q + delta, q=q)
    total = np.zeros(np.broadcast_shapes(u.shape, q.shape))
    with np.errstate(all="ignore"):
        if loss.a:
            total += loss.a * generator.increment(q, delta)
        if loss.c:
            total -= loss.c * generator.times(q, delta)
    return total
