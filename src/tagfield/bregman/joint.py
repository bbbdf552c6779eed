"""Joint: a convex function G of all coordinates together, for full-batch training.

    G: ℝⁿ → ℝ,  ∇G: ℝⁿ → ℝⁿ,  ∇²G(q)·v     instead of one g and h for each coordinate

The paper's derivation never needs G to be a sum over coordinates: M cancels as before, and (*) is
a·(∇G(p) − ∇G(q)) − c·∇²G(q)(p − q) with the whole Hessian. What needs it is speed: a stochastic step looks at the
features of one sentence, and with a joint G the step of each depends on all. So a joint generator trains with `batch`.

`squared_norm(p)` is ½‖u‖ₚ², whose gradient is the link function of the p-norm algorithms (Gentile and Littlestone 1999;
Grove, Littlestone and Schuurmans 2001): p = 2 is plain gradient descent, and a large p moves the worst features alone.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from tagfield.bregman.convex import Generator
from tagfield.errors import InputError
from tagfield.system.arrays import Doubles

Product: TypeAlias = Callable[[Doubles, Doubles], Doubles]


@dataclass(frozen=True)
class Joint(Generator):
    """A convex function of a vector: `value` gives one number, `gradient` a vector, `product` is ∇²G(q)·v.

    >>> A = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> G = Joint.of(lambda u: u @ A @ u / 2, lambda u: A @ u, lambda q, v: A @ v, name="a bowl", size=2)
    >>> G.increment(np.zeros(2), np.array([1.0, 0.0]))
    array([2., 1.])
    """

    product: Product = field(repr=False, default=lambda q, v: v)

    def __post_init__(self, trusted: bool) -> None:
        """`check` looks at the functions, which take vectors of one size."""

    @classmethod
    def of(
        cls,
        value: Callable[[Doubles], float],
        gradient: Callable[[Doubles], Doubles],
        product: Product,
        *,
        name: str = "own",
        symmetric: bool = True,
        size: int = 5,
    ) -> "Joint":
        """Checks on drawn points of `size` coordinates that each function is the derivative of the one before."""
        made = cls(name, value, gradient, _no_diagonal, symmetric=symmetric, product=product)  # type: ignore[arg-type]
        made.check(size)
        return made

    def increment(self, q: Doubles, delta: Doubles) -> Doubles:
        """∇G(q+δ) − ∇G(q)."""
        return self.gradient(q + delta) - self.gradient(q)

    def times(self, q: Doubles, delta: Doubles) -> Doubles:
        """∇²G(q)·δ."""
        return self.product(q, delta)

    def stretched(self, kappa: float) -> Generator:
        raise InputError(f"the generator {self} couples the features, so it cannot be annealed")

    def check(self, size: int = 5, seed: int = 0) -> None:
        """Raises an InputError where the three functions do not belong together, or G is not convex."""
        rng = np.random.default_rng(seed)
        for _ in range(20):
            q, v, step = rng.normal(0, 1, size), rng.normal(0, 1, size), 1e-5
            try:
                slope = float(self.value(q + step * v) - self.value(q - step * v)) / (2 * step)
                bend = (self.gradient(q + step * v) - self.gradient(q - step * v)) / (2 * step)
                found = self.product(q, v)
                same = np.shape(bend) == np.shape(found) == (size,)
            except (TypeError, ValueError):
                same = False
            if not same:
                raise InputError(f"{self}: value must give a number, gradient and product a vector as long as theirs")
            if abs(slope - float(self.gradient(q) @ v)) > 1e-4 * (1 + abs(slope)):
                raise InputError(f"{self}: the gradient is not the derivative of the value")
            if np.abs(bend - found).max() > 1e-4 * (1 + np.abs(bend).max()):
                raise InputError(f"{self}: the product is not the derivative of the gradient")
            if float(v @ found) < -1e-9 * float(v @ v):
                raise InputError(f"{self} is not convex: vᵀ∇²G(q)v is {float(v @ found):.3g} for some q and v")


def _no_diagonal(u: Doubles) -> Doubles:
    raise InputError("a joint generator has no second derivative for each feature alone; train with batch")


def squared_norm(p: float = 4.0) -> Joint:
    """½‖u‖ₚ² with p ≥ 2.

    >>> squared_norm(2.0).gradient(np.array([3.0, 4.0]))
    array([3., 4.])
    """
    if not (p >= 2 and math.isfinite(p)):
        raise InputError(f"p of the generator squared_norm must be at least 2 and finite, got {p:g}")

    def norm(u: Doubles) -> float:
        largest = float(np.abs(u).max(initial=0.0))
        return largest * float(np.sum(np.abs(u / largest) ** p)) ** (1 / p) if largest else 0.0

    def gradient(u: Doubles) -> Doubles:
        size = norm(u)
        return size * np.sign(u) * np.abs(u / size) ** (p - 1) if size else np.zeros_like(u)

    def product(q: Doubles, v: Doubles) -> Doubles:
        size = norm(q)
        if not size:
            return v + 0.0 if p == 2 else np.zeros_like(v)
        x = q / size
        link = np.sign(x) * np.abs(x) ** (p - 1)
        return (2 - p) * link * float(link @ v) + (p - 1) * np.abs(x) ** (p - 2) * v

    return Joint("squared_norm", lambda u: norm(u) ** 2 / 2, gradient, _no_diagonal, parameter=p, product=product)  # type: ignore[arg-type, return-value]
