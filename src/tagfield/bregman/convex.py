"""Generator: a convex function G of one coordinate and its derivatives, which define a Bregman divergence.

G of a vector is the sum over its coordinates, so every function here maps an array to an array of the same shape. A
divergence depends only on h and on differences of g. So adding an affine function to G changes nothing, and
`symmetric` means symmetric up to an affine function. generators.py has the named generators; `from_gradient` builds
one from your own function.
"""

import math
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field, replace

import numpy as np

from tagfield.bregman.calculus import Function, Interval, derivative, increment, integral, intermediate_size
from tagfield.errors import InputError, shown
from tagfield.system.arrays import Doubles

REAL: Interval = (-math.inf, math.inf)


def check_function(what: str, function: Function, domain: Interval) -> None:
    """Raise InputError unless the function maps an array of numbers to real numbers, one for each.

    >>> check_function("g", lambda u: None, REAL)
    Traceback (most recent call last):
    tagfield.errors.InputError: g must map an array to an array of the same shape; use NumPy functions
    """
    low, high = max(domain[0], -1e3), min(domain[1], 1e3)
    points = low + (high - low) * np.array([0.4995, 0.5005])  # −1 and 1 on the real line
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(function(points))
    except Exception as error:
        told = f"{what} must map an array to an array of the same shape; use NumPy functions"
        raise InputError(f"{told} ({type(error).__name__}: {error})") from error
    if found.dtype.kind not in "fiu" or found.shape not in ((), points.shape):
        raise InputError(f"{what} must map an array to an array of the same shape; use NumPy functions")


@dataclass(frozen=True)
class Generator:
    """A convex function G of one coordinate, with its first two derivatives.

    Each function maps an array to an array of the same shape; InputError says which one does not.

    >>> cosh = Generator("cosh", np.cosh, np.sinh, np.cosh)
    >>> cosh.gradient(np.array([0.0, 1.0])).round(4), cosh.hessian(np.array([0.0, 1.0])).round(4)
    (array([0.    , 1.1752]), array([1.    , 1.5431]))
    """

    name: str
    value: Function = field(repr=False)  # G
    gradient: Function = field(repr=False)  # g = ∇G, elementwise
    hessian: Function = field(repr=False)  # h = diagonal of ∇²G
    parameter: float | None = None
    domain: Interval = REAL  # the open interval where G is defined
    symmetric: bool = True  # h(u) = h(−u)
    linear: bool = False  # h is constant, so every update is plain gradient descent
    noise: float = 0.0  # see calculus.increment
    trusted: InitVar[bool] = False  # the functions are not called to check them

    def __post_init__(self, trusted: bool) -> None:
        low, high = _check_domain(self.name, self.domain)
        if trusted:
            return
        for what, function in (("value", self.value), ("gradient", self.gradient), ("hessian", self.hessian)):
            check_function(f"the {what} of {self.name!r}", function, (low, high))

    def __str__(self) -> str:
        return self.name if self.parameter is None else f"{self.name}:{self.parameter:.12g}"

    def contains(self, u: Doubles) -> bool:
        """Whether every coordinate is inside the domain of G.

        >>> G = Generator("log", np.log, np.log, np.log, domain=(0.0, np.inf))
        >>> G.contains(np.array([0.0])), G.contains(np.array([1.0]))
        (False, True)
        """
        return bool(((u > self.domain[0]) & (u < self.domain[1])).all())

    def increment(self, q: Doubles, delta: Doubles) -> Doubles:
        """g(q+δ) − g(q), with a small relative error as δ → 0.

        >>> cosh = Generator("cosh", np.cosh, np.sinh, np.cosh)
        >>> cosh.increment(np.array([1.0]), np.array([1e-18])) / 1e-18 / np.cosh(1)
        array([1.])
        """
        if self.linear:
            return delta * self.hessian(q)
        with np.errstate(all="ignore"):
            return increment(self.gradient, self.hessian, q, delta, self.noise)

    def times(self, q: Doubles, delta: Doubles) -> Doubles:
        """∇²G(q)·δ, which is h(q)·δ, coordinate by coordinate; 0 where δ = 0, even where h is infinite.

        >>> Generator("cosh", np.cosh, np.sinh, np.cosh).times(np.zeros(1), np.array([2.0]))
        array([2.])
        """
        return np.where(delta == 0, 0.0, self.hessian(q) * delta)

    def stretched(self, kappa: float) -> "Generator":
        """G(κu)/κ²: its gradient g(κu)/κ has the slope of g at 0, and becomes linear as κ → 0.

        >>> Generator("cosh", np.cosh, np.sinh, np.cosh).stretched(0.5).gradient(np.array([2.0])).round(4)
        array([2.3504])
        """
        if not (kappa > 0 and math.isfinite(kappa)):
            raise InputError(f"the stretch factor κ must be > 0 and finite, got {kappa:g}")
        low, high = self.domain
        return Generator(
            name=f"{self} stretched by {kappa:.12g}",
            value=lambda u: self.value(kappa * u) / kappa**2,
            gradient=lambda u: self.gradient(kappa * u) / kappa,
            hessian=lambda u: self.hessian(kappa * u),
            domain=(low / kappa, high / kappa),
            symmetric=self.symmetric,
            linear=self.linear,
            noise=self.noise / kappa,
            trusted=True,
        )

    @classmethod
    def from_gradient(
        cls,
        gradient: Callable[[Doubles], Doubles],
        hessian: Callable[[Doubles], Doubles] | None = None,
        value: Callable[[Doubles], Doubles] | None = None,
        *,
        name: str = "own",
        domain: Interval = REAL,
        checked_on: Interval = (-1e4, 1e4),
    ) -> "Generator":
        """Builds a generator from your own gradient, an increasing function that maps arrays to arrays.

        Without `hessian` and `value`, it computes h by differences and G by quadrature. It checks on a grid, dense
        near 0, that the gradient increases; otherwise G is not convex, and the error says where.

        >>> G = Generator.from_gradient(np.arcsinh, name="arcsinh")
        >>> G.symmetric, G.hessian(np.array([0.0])).round(9), G.value(np.array([1.0])).round(6)
        (True, array([1.]), array([0.46716]))
        """
        check_function(f"the gradient of {name!r}", gradient, domain)
        low, high = max(domain[0], checked_on[0]), min(domain[1], checked_on[1])
        grid = _grid(low, high, domain)
        g = _evaluate(name, "gradient", gradient, grid)
        if not np.isfinite(g).all():
            at = grid[np.argmin(np.isfinite(g))]
            raise InputError(f"the gradient of {name!r} is not finite at u = {at:.6g}; give a smaller `domain`")
        noise = intermediate_size(gradient) if domain[0] < 0 < domain[1] else 0.0
        slack = 1e-12 * np.maximum(np.abs(g[1:]), np.abs(g[:-1])) + 1e-14 * noise
        falls = np.flatnonzero(np.diff(g) < -slack)
        if len(falls):
            i = int(falls[0])
            raise InputError(
                f"the gradient of {name!r} decreases from {g[i]:.6g} at u = {grid[i]:.6g} to {g[i + 1]:.6g} at "
                f"u = {grid[i + 1]:.6g}, so G is not convex; give an increasing gradient"
            )
        h: Function = hessian if hessian is not None else (lambda u: derivative(gradient, u, domain, noise))
        if hessian is not None:
            _check_hessian(name, gradient, hessian, grid, domain, noise)
        start = 0.0 if domain[0] < 0 < domain[1] else float(grid[len(grid) // 2])
        made = cls(
            name=name,
            value=value if value is not None else (lambda u: integral(gradient, start, np.asarray(u, np.float64))),
            gradient=gradient,
            hessian=h,
            domain=domain,
            noise=noise,
        )
        positive = np.geomspace(1e-3, min(1e3, high), 200) if start == 0 and low < 0 else np.empty(0)
        positive = positive[-positive > low]
        up, down = (
            made.increment(np.zeros_like(positive), positive),
            made.increment(np.zeros_like(positive), -positive),
        )
        symmetric = bool(len(positive)) and bool(np.allclose(up, -down, rtol=1e-9, atol=0))
        slope = (up[0] / positive[0]) if len(positive) else 0.0
        far = np.append(positive, np.geomspace(1e3, 1e30, 200))  # a clipped line is not linear
        far = far[(far < domain[1]) & (-far > domain[0])]
        with np.errstate(all="ignore"):
            linear = symmetric and bool(
                np.allclose(made.increment(np.zeros_like(far), far), slope * far, rtol=1e-9, atol=0)
            )
        return replace(made, symmetric=symmetric, linear=linear)


def _check_domain(name: object, domain: object) -> Interval:
    """The ends of a domain; raises an InputError unless they are two numbers in ascending order."""
    try:
        low, high = (float(end) for end in domain)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        low = high = math.nan
    if not low < high:
        raise InputError(f"the domain of {name!r} must be two numbers, the lower first, got {shown(domain)}")
    return low, high


def _evaluate(name: str, what: str, function: Callable[[Doubles], Doubles], grid: Doubles) -> Doubles:
    """The values of a user's function on the grid; raises an InputError unless it maps arrays to arrays."""
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(function(grid), np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != grid.shape:
        raise InputError(f"the {what} of {name!r} must map an array to an array of the same shape; use NumPy functions")
    return found


def _check_hessian(
    name: str, gradient: Function, hessian: Callable[[Doubles], Doubles], grid: Doubles, domain: Interval, noise: float
) -> None:
    """Raises an InputError if h is negative, or clearly not the derivative of the gradient."""
    some = grid[np.abs(grid) <= 1e3][::7]
    h = _evaluate(name, "second derivative", hessian, some)
    with np.errstate(all="ignore"):
        slope = derivative(gradient, some, domain, noise)
    size = np.maximum(np.abs(slope), 1e-3 * np.nanmax(np.abs(slope), initial=1e-300))
    off = ~(np.isfinite(h) & (h >= 0) & (np.abs(h - slope) <= 0.05 * size)) & np.isfinite(slope)
    if off.sum() > 0.01 * off.size:  # a few points may be kinks
        at = int(np.flatnonzero(off)[0])
        raise InputError(
            f"the second derivative of {name!r} is {h[at]:.6g} at u = {some[at]:.6g}, but the slope of its gradient is "
            f"{slope[at]:.6g} there; correct it, or leave it out"
        )


def _grid(low: float, high: float, domain: Interval) -> Doubles:
    """Points inside the domain, dense near 0 and near a finite end of the domain."""
    if not low < high:
        raise InputError(f"the interval ({low:g}, {high:g}) is empty; `domain` and `checked_on` must overlap")
    fine = np.concatenate([np.geomspace(1e-8, 1e4, 1201), np.linspace(0, 10, 1001)])
    points = np.concatenate([-fine, fine, *(end + s * fine for end in domain if math.isfinite(end) for s in (-1, 1))])
    points = np.unique(np.concatenate([points, np.linspace(low, high, 1001)]))
    return points[(points > domain[0]) & (points < domain[1]) & (points >= low) & (points <= high)]
