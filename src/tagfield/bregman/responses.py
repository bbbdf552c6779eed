"""Responses: the scalar function f that an update applies to every feature, and its table for the kernels.

    loss (a, b, c, d) + generator G ─▶ Response
        ─▶ f(u), table()         if the direction depends on u = E − Ẽ alone
        ─▶ direction(E, Ẽ)       for every loss, exact
        ─▶ count_tables()        one table per empirical count, if the direction depends on E and Ẽ separately
                                 (U4, U6, most γ)

The recipes of the paper are responses with a name: see tagfield/train/recipes/table.py.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from tagfield.bregman.convex import Generator
from tagfield.bregman.joint import Joint
from tagfield.bregman.losses import Loss, direction, require_finite
from tagfield.bregman.tables import TOLERANCE, ResponseTable, tabulate, tabulate_linear
from tagfield.errors import InputError
from tagfield.system.arrays import Doubles

ACCEPTABLE = 0.05  # the largest relative error of a count's table; `ResponseTable.error` is the actual one


@dataclass(frozen=True)
class Response:
    """The direction of one feature's update, scale·(*), for a loss and a generator.

    >>> from tagfield.bregman import arctan, update
    >>> r = Response(update("U2"), arctan(0.1))
    >>> r.depends_on_u_alone, r.f([0.0, 1.0]).round(4)
    (True, array([0.    , 3.9988]))
    """

    loss: Loss
    generator: Generator
    scale: float = 1.0
    name: str = ""
    tolerance: float = TOLERANCE  # the relative error of the table
    # Cached by count, or by None for table(): a table takes up to half a second, and calibration asks 20 times.
    _tables: dict[float | None, ResponseTable] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not (self.scale > 0 and math.isfinite(self.scale)):
            raise InputError(f"the scale of a response must be > 0 and finite, got {self.scale:g}")
        if self.loss.offset == 0:
            self._check_domain_around_zero()

    def __str__(self) -> str:
        return self.name or f"{self.loss.name} of {self.generator}"

    @property
    def depends_on_u_alone(self) -> bool:
        """Whether the direction is a function of u = E − Ẽ, and not of E and Ẽ separately."""
        return self.loss.offset == 0 or self.generator.linear

    @property
    def odd(self) -> bool:
        """Whether f(−u) = −f(u), which holds for a symmetric generator."""
        return self.depends_on_u_alone and self.generator.symmetric

    @property
    def slope(self) -> float:
        """f′(0) = scale·(a−c)²·h(0)."""
        self._require_f("slope")
        return float(self.scale * (self.loss.a - self.loss.c) ** 2 * self.generator.hessian(np.zeros(1))[0])

    def f(self, u: ArrayLike) -> Doubles:
        """The direction as a function of u = E − Ẽ, exact, in float64.

        >>> from tagfield.bregman import arctan, update
        >>> Response(update("U1"), arctan(0.1)).f([0.5]).round(6)
        array([1.428571])
        """
        self._require_f("f(u)")
        u = np.atleast_1d(np.asarray(u, np.float64))
        return self.scale * direction(self.generator, self.loss, u, np.zeros_like(u))

    def direction(self, expected: ArrayLike, empirical: ArrayLike) -> Doubles:
        """The direction as a function of E and Ẽ, exact, in float64; for every loss.

        >>> from tagfield.bregman import quadratic, update
        >>> Response(update("U6"), quadratic()).direction([2.0], [0.5])
        array([1.5])
        """
        E, empirical = np.atleast_1d(np.asarray(expected, np.float64), np.asarray(empirical, np.float64))
        E, empirical = np.broadcast_arrays(E, empirical)
        result = direction(self.generator, self.loss, E - empirical, empirical)
        return self.scale * require_finite(result, self.generator, self.loss)

    def f_at_count(self, u: ArrayLike, count: float) -> Doubles:
        """The direction as a function of u = E − count, exact even for tiny u.

        >>> from tagfield.bregman import gd, update
        >>> Response(update("U6"), gd(1.0)).f_at_count([1e-20], 0.0)
        array([1.e-20])
        """
        u = np.atleast_1d(np.asarray(u, np.float64))
        return self.scale * direction(self.generator, self.loss, u, np.full_like(u, count))

    def annealed(self, kappa: float) -> "Response":
        """f(κu)/κ, which has the slope of f at 0 and becomes linear, that is plain gradient descent, as κ → 0.

        >>> from tagfield.bregman import arctan, update
        >>> f = Response(update("U2"), arctan(0.01), 0.1)  # arctan(10u)
        >>> f.annealed(0.5).f([0.2]).round(6)  # arctan(10·0.5·0.2)/0.5
        array([1.570796])
        """
        name = f"{self} annealed to {kappa:.12g}"
        return replace(self, generator=self.generator.stretched(kappa), name=name)

    def table(self) -> ResponseTable:
        """f as a table for the kernels, with a relative error of at most `tolerance`.

        >>> from tagfield.bregman import gd, update
        >>> response = Response(update("U2"), gd(10.0))
        >>> response.table().evaluate([0.05]) - response.f([0.05]) < 1e-6
        array([ True])
        """
        self._require_f("table")
        if self.generator.linear:
            return tabulate_linear(self.slope)
        if None not in self._tables:
            branches = [self.f] if self.odd else [self.f, lambda x: self.f(-x)]
            self._tables[None] = tabulate(branches, self.odd, tolerance=self.tolerance, name=str(self))
        return self._tables[None]

    def count_tables(self, max_count: int) -> list[ResponseTable]:
        """The tables for the empirical counts 0, 1, …, max_count, each a function of u = E − count.

        Each has three rows (see tables.py) and its own `bits` and `error`. The error of U4 and U6 is at most
        `tolerance`. For other γ, a steep generator bends far from u = 0, and the error of a high count can be larger,
        but never above 5 %.

        >>> from tagfield.bregman import arctan, update
        >>> tables = Response(update("U6"), arctan(0.1)).count_tables(2)
        >>> [t.count for t in tables], max(t.error for t in tables) < 1e-5
        ([0.0, 1.0, 2.0], True)
        """
        if self.generator.domain != (-math.inf, math.inf):
            low = self.generator.domain[0]
            raise InputError(
                f"{self} has no tables for counts: the generator {self.generator} is defined only above {low:g}, "
                f"but the loss {self.loss.name} evaluates it at {low:g} for a feature that does not occur in a "
                "sentence or has probability 0; train on the whole corpus at once, where every count is positive, "
                "or choose another generator"
            )
        if max_count < 0:
            raise InputError(f"max_count must be ≥ 0, got {max_count}")
        if self.generator.linear:
            return [tabulate_linear(self.slope) for _ in range(max_count + 1)]
        for count in range(max_count + 1):
            if count not in self._tables:
                self._tables[count] = self._count_table(float(count))
        return [self._tables[count] for count in range(max_count + 1)]

    def _count_table(self, count: float) -> ResponseTable:
        branches = [
            lambda x: self.f_at_count(x, count),
            lambda x: self.f_at_count(-x, count),
            lambda e: self.f_at_count(e - count, count) if count else self.f_at_count(-e, count),
        ]
        name = f"{self} for count {count:g}"
        return tabulate(branches, False, count=count, tolerance=self.tolerance, acceptable=ACCEPTABLE, name=name)

    def _require_f(self, what: str) -> None:
        if isinstance(self.generator, Joint):
            raise InputError(f"{self.generator} couples all features, so it has no {what} of one; use direction(E, Ẽ)")
        if not self.depends_on_u_alone:
            raise InputError(
                f"{self} depends on E and Ẽ separately, so it has no {what}; use direction(E, Ẽ) or count_tables()"
            )

    def _check_domain_around_zero(self) -> None:
        low, high = self.generator.domain
        if not low < 0 < high:
            raise InputError(
                f"the loss {self.loss.name} evaluates the generator at differences E − Ẽ of both signs, but "
                f"{self.generator} is defined only for {low:g} < u < {high:g}; use U4 or U6, which need only "
                "positive E and Ẽ, or another generator"
            )
