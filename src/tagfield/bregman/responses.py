"""Responses: the scalar direction f that an update applies to every feature, and its table for the kernel.

    loss (a, b, c, d) + generator G ─▶ Response
        ─▶ f(u), table()                   where the direction depends on u = E − Ẽ alone
        ─▶ direction(E, Ẽ)                 always, exactly
        ─▶ count_tables()                  one table for each empirical count, where it depends on E and Ẽ
                                           separately (U4, U6, most γ)

A recipe is a response by name. The paper folds the constant 1/√ε of G1 into the learning rate; `scale`
undoes such constants, so that f is the function the paper prints.

    sgd      u                     U2 of the quadratic
    u1.g1    u/(u²+0.1)            U1 of arctan:0.1
    u2.g1    arctan(u/√0.1)        U2 of arctan:0.1, times √0.1
    u2.g1p   arctan(10u)           U2 of arctan:0.01, times 0.1
    u2.g2    erf(5√π·u)            U2 of erf
    u2.g3    gd(10u)               U2 of gd
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from tagfield.bregman.convex import Generator
from tagfield.bregman.generators import arctan, erf, gd, quadratic
from tagfield.bregman.losses import Loss, direction, finite, update
from tagfield.bregman.tables import TOLERANCE, ResponseTable, tabulate, tabulate_linear
from tagfield.dataset import Doubles
from tagfield.errors import InputError

ACCEPTABLE = (
    0.05  # the error up to which the table of a count is handed out; `ResponseTable.error` says which
)


@dataclass(frozen=True)
class Response:
    """The direction of one feature's update, scale·(*), for a loss and a generator.

    >>> r = Response(update("U2"), arctan(0.1))
    >>> r.of_difference, r.f([0.0, 1.0]).round(4)
    (True, array([0.    , 3.9988]))
    """

    loss: Loss
    generator: Generator
    scale: float = 1.0
    name: str = ""
    tolerance: float = TOLERANCE  # of the table, relative
    # A table of a count takes up to half a second, and calibration asks for all of them twenty times. None: no count.
    _kept: dict[float | None, ResponseTable] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if not (self.scale > 0 and math.isfinite(self.scale)):
            raise InputError(f"the scale of a response must be a positive number, not {self.scale:g}")
        if self.loss.offset == 0:
            self._check_domain_around_zero()

    def __str__(self) -> str:
        return self.name or f"{self.loss.name} of {self.generator}"

    @property
    def of_difference(self) -> bool:
        """Does the direction depend on u = E − Ẽ alone?"""
        return self.loss.offset == 0 or self.generator.linear

    @property
    def odd(self) -> bool:
        """Is f(−u) = −f(u)? So it is for a symmetric generator."""
        return self.of_difference and self.generator.symmetric

    @property
    def slope(self) -> float:
        """f′(0) of a response of u: scale·(a−c)²·h(0)."""
        self._need_difference("slope")
        return float(self.scale * (self.loss.a - self.loss.c) ** 2 * self.generator.hessian(np.zeros(1))[0])

    def f(self, u: ArrayLike) -> Doubles:
        """The exact direction as a function of u = E − Ẽ, in float64.

        >>> recipe("u1.g1").f([0.5]).round(6)
        array([1.428571])
        """
        self._need_difference("f(u)")
        u = np.atleast_1d(np.asarray(u, np.float64))
        return self.scale * direction(self.generator, self.loss, u, np.zeros_like(u))

    def direction(self, expected: ArrayLike, empirical: ArrayLike) -> Doubles:
        """The exact direction from E and Ẽ, in float64; for every loss.

        >>> Response(update("U6"), quadratic()).direction([2.0], [0.5])
        array([1.5])
        """
        E, empirical = np.atleast_1d(np.asarray(expected, np.float64), np.asarray(empirical, np.float64))
        E, empirical = np.broadcast_arrays(E, empirical)
        result = direction(self.generator, self.loss, E - empirical, empirical)
        return self.scale * finite(result, self.generator, self.loss)

    def of_count(self, u: ArrayLike, count: float) -> Doubles:
        """The exact direction as a function of u = E − count, so that u near 0 keeps its digits.

        >>> Response(update("U6"), gd(1.0)).of_count([1e-20], 0.0)
        array([1.e-20])
        """
        u = np.atleast_1d(np.asarray(u, np.float64))
        return self.scale * direction(self.generator, self.loss, u, np.full_like(u, count))

    def annealed(self, kappa: float) -> "Response":
        """f(κu)/κ: the same slope at 0; as κ → 0 it becomes linear, and training plain gradient descent.

        >>> recipe("u2.g1p").annealed(0.5).f([0.2]).round(6)  # arctan(10·0.5·0.2)/0.5
        array([1.570796])
        """
        name = f"{self} annealed to {kappa:.12g}"
        return replace(self, generator=self.generator.stretched(kappa), name=name)

    def table(self) -> ResponseTable:
        """f for the kernel, with a relative error of at most `tolerance`.

        >>> recipe("u2.g3").table().evaluate([0.05]) - recipe("u2.g3").f([0.05]) < 1e-6
        array([ True])
        """
        self._need_difference("table")
        if self.generator.linear:
            return tabulate_linear(self.slope)
        if None not in self._kept:
            curves = [self.f] if self.odd else [self.f, lambda x: self.f(-x)]
            self._kept[None] = tabulate(curves, self.odd, tolerance=self.tolerance, name=str(self))
        return self._kept[None]

    def count_tables(self, max_count: int) -> list[ResponseTable]:
        """The tables for the empirical counts 0, 1, …, max_count, each a function of u = E − count.

        Each has three rows (see tables.py) and its own `bits` and `error`. U4 and U6 reach `tolerance`; for
        other γ a sharp generator bends far from u = 0 and can keep the error of a high count above it, though
        never above 5 %.

        >>> tables = Response(update("U6"), arctan(0.1)).count_tables(2)
        >>> [t.count for t in tables], max(t.error for t in tables) < 1e-5
        ([0.0, 1.0, 2.0], True)
        """
        if self.generator.domain != (-math.inf, math.inf):
            low = self.generator.domain[0]
            raise InputError(
                f"{self} has no table for counts: the generator {self.generator} is defined only above "
                f"{low:g}, but with the loss {self.loss.name} a feature that a sentence lacks, or that "
                f"the model gives probability 0, takes it to {low:g}; train on the whole corpus, where every "
                "count is positive, or choose another generator"
            )
        if max_count < 0:
            raise InputError(f"max_count must be 0 or more, not {max_count}")
        if self.generator.linear:
            return [tabulate_linear(self.slope) for _ in range(max_count + 1)]
        for count in range(max_count + 1):
            if count not in self._kept:
                self._kept[count] = self._count_table(float(count))
        return [self._kept[count] for count in range(max_count + 1)]

    def _count_table(self, count: float) -> ResponseTable:
        curves = [
            lambda x: self.of_count(x, count),
            lambda x: self.of_count(-x, count),
            lambda e: self.of_count(e - count, count) if count else self.of_count(-e, count),
        ]
        name = f"{self} for a count of {count:g}"
        return tabulate(
            curves, False, count=count, tolerance=self.tolerance, acceptable=ACCEPTABLE, name=name
        )

    def _need_difference(self, what: str) -> None:
        if not self.of_difference:
            raise InputError(
                f"{self} depends on E and Ẽ separately, so it has no {what}; "
                "use direction(E, Ẽ) or count_tables()"
            )

    def _check_domain_around_zero(self) -> None:
        low, high = self.generator.domain
        if not low < 0 < high:
            raise InputError(
                f"the loss {self.loss.name} needs the generator around u = 0, because it looks at "
                f"differences E − Ẽ of both signs, but {self.generator} is defined only for "
                f"{low:g} < u < {high:g}; use U4 or U6, which keep to positive E and Ẽ, or another one"
            )


def recipe(name: str) -> Response:
    """A response of the paper by the name of its recipe.

    >>> [round(float(recipe(name).f([0.1])[0]), 4) for name in RECIPES]
    [0.1, 0.9091, 0.3063, 0.7854, 0.7899, 0.8658]
    """
    if name not in RECIPES:
        raise InputError(f"there is no recipe {name!r} with a response; choose one of {', '.join(RECIPES)}")
    loss, generator, scale = RECIPES[name]
    return Response(loss, generator, scale, name)


RECIPES: dict[str, tuple[Loss, Generator, float]] = {
    "sgd": (update("U2"), quadratic(), 1.0),
    "u1.g1": (update("U1"), arctan(0.1), 1.0),
    "u2.g1": (update("U2"), arctan(0.1), math.sqrt(0.1)),
    "u2.g1p": (update("U2"), arctan(0.01), 0.1),
    "u2.g2": (update("U2"), erf(), 1.0),
    "u2.g3": (update("U2"), gd(10.0), 1.0),
}
