"""ResponseTable: a direction function f as short lines that a kernel follows without calling libm.

    |u| as a float32:   sign | exponent | mantissa
                               └─ the exponent and the top `bits` of the mantissa name a cell
    f(u) ≈ a + b·|u|,  (a, b) = cells[row, cell],  cell = 1 + (bits of |u| >> 23−bits) − ((127+LOW) << bits)

The cells divide [2^LOW, 2^HIGH), each as wide as 2^−bits of its place, so that the relative error stays
equal over fourteen decades. The line in a cell is the minimax one: the chord, moved half way to the curve.
Cell 0 is everything below 2^LOW. Outside the cells f is continued as a power of |u|, fitted in sampling.py; where no
power fits (a logarithm), the cells go on to 2^FAR, where float32 ends.

    row 0   u ≥ 0              row 1   u < 0, holding f(−|u|)              row 0 alone where f is odd
    row 2   u < −count/2, in the table of a count: f as a function of E = u + count. It bends where E is
            small, and there |u| is near the count and its cells are too wide to follow

A function that dies out faster than any power (U1 of erf) is kept as lines of its logarithm, from the cell's own edge:
|f(u)| ≈ exp(a + b·(|u| − edge)), with the sign of u.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from tagfield.bregman.sampling import DEAD, FAR, HIGH, LOW, Curve, Row, sample_logs, sample_row
from tagfield.dataset import Doubles, Floats
from tagfield.errors import InputError

MIN_BITS, MAX_BITS = 5, 9  # 1,537 to 24,577 cells: 12 to 196 kilobytes a row
LOG_BITS = (8, 9, 10)
TOLERANCE = 1e-5


@dataclass(frozen=True)
class ResponseTable:
    """A function f sampled for the kernel.

    >>> table = tabulate([np.arctan], odd=True)
    >>> table.evaluate([-1.0, 0.0, 2.0]).round(3)
    array([-0.785,  0.   ,  1.107], dtype=float32)
    """

    cells: Floats  # [rows, n, 2]  (a, b) of each cell; n = 1 + (HIGH−LOW)·2^bits, or with FAR for HIGH
    bits: int
    odd: bool  # one row; the result takes the sign of u
    linear: bool  # f(u) = slope·u exactly: no look-up needed
    low_linear: bool  # cell 0 is f below low_edge; else the power law is, and f(0) = 0
    tails: Doubles  # [rows, 4]  f(low_edge), its power, f(high_edge), its power
    count: float | None = None  # the empirical count, of a table with three rows
    error: float = 0.0  # the largest found in the cells and below, as in sampling.Row
    tail_error: float = 0.0  # the largest relative error found beyond high_edge
    low_edge: float = 2.0**LOW
    high_edge: float = 2.0**HIGH
    logs: bool = False  # the lines are of log |f|, but for cell 0

    @property
    def slope(self) -> float:
        """f(u)/u as u → 0, where f is linear there."""
        return float(self.cells[0, 0, 1])

    def evaluate(self, u: ArrayLike) -> Floats:
        """f(u) as the kernel computes it, in float32; the kernel's twin in tests.

        >>> tabulate([np.sqrt, lambda x: -np.sqrt(x)], odd=False).evaluate([4.0, -9.0, 1e30]).round(3)
        array([ 2.e+00, -3.e+00,  1.e+15], dtype=float32)
        """
        u = np.atleast_1d(np.asarray(u, np.float32))
        x, row = np.abs(u), np.zeros(u.shape, np.intp)
        if not self.odd:
            row[u < 0] = 1
        if self.count is not None:
            far = u < np.float32(-self.count / 2)
            row[far], x[far] = 2, np.abs(u[far] + np.float32(self.count))
        place = (x.view(np.uint32) >> np.uint32(23 - self.bits)).astype(np.int64) - ((127 + LOW) << self.bits)
        cell = np.clip(1 + place, 0, self.cells.shape[1] - 1)
        line = self.cells[row, cell]
        with np.errstate(over="ignore"):
            if self.linear:
                return np.asarray(self.cells[0, 0, 1] * u)
            y = line[..., 0] + line[..., 1] * x
            if self.logs:
                edge = (x.view(np.uint32) >> np.uint32(23 - self.bits) << np.uint32(23 - self.bits)).view(
                    np.float32
                )
                y = np.where(cell == 0, y, np.exp(line[..., 0] + line[..., 1] * (x - edge)))
            high = x >= self.high_edge
            value, power = self.tails[row[high], 2], self.tails[row[high], 3]
            y[high] = value * (x[high].astype(np.float64) / self.high_edge) ** power
            if not self.low_linear:
                low = x < self.low_edge
                value, power = self.tails[row[low], 0], self.tails[row[low], 1]
                y[low] = value * (x[low].astype(np.float64) / self.low_edge) ** power
                y[u == 0] = 0.0
        return np.asarray(np.copysign(np.float32(1), u) * y) if self.odd or self.logs else y


def tabulate(
    curves: Sequence[Curve],
    odd: bool,
    *,
    count: float | None = None,
    tolerance: float = TOLERANCE,
    acceptable: float | None = None,
    name: str = "the response",
) -> ResponseTable:
    """Sample f into the smallest table that reaches the tolerance.

    `curves` are the rows: f(x), f(−x) where f is not odd, and f as a function of E in the table of a count.
    Every f(u) is asked to be right relative to itself. Where lines do not give that, lines of log |f| may, until f is
    below 1e-12 of its height, or 1e-6 where it has become noise by then; and where they do not either (f changes its
    sign in the table of a count), f is right relative to the larger of itself and a tenth of its height.
    An error above `acceptable`, by default the tolerance, is refused.

    >>> tabulate([lambda x: x / (x * x + 0.1)], odd=True).error < 1e-5
    True
    """
    acceptable = tolerance if acceptable is None else acceptable
    # Without a count every u < 0 is looked up in row 2: attributes with negative values come to that.
    reach = [np.inf, count / 2, count / 2] if count else [np.inf, np.inf if count is None else 0.0, np.inf]

    def sample(bits: int, high: int = HIGH) -> tuple[list[Row], float, float]:
        rows = [sample_row(f, bits, reach[i], count or 0.0, i == 2, high) for i, f in enumerate(curves)]
        return rows, max(row.relative_error for row in rows), max(row.floored_error for row in rows)

    bits = MIN_BITS
    rows, strict, floored = sample(bits)
    ask_strict = strict <= tolerance * 4.0 ** (
        MAX_BITS - MIN_BITS + 1
    )  # a bit more divides the error by four
    while (strict if ask_strict else floored) > tolerance and bits < MAX_BITS:
        excess = min((strict if ask_strict else floored) / tolerance, 4.0**MAX_BITS)
        bits = min(bits + max(1, math.ceil(math.log(excess, 4) - 0.3)), MAX_BITS)
        rows, strict, floored = sample(bits)
    if strict > tolerance and count is None:
        for dead, bits_of_logs in product(DEAD, LOG_BITS):
            logs = [
                row
                for f, sign in zip(curves, (1, -1), strict=False)
                if (row := sample_logs(f, bits_of_logs, sign, dead))
            ]
            if len(logs) == len(curves) and max(row.relative_error for row in logs) <= tolerance:
                return replace(
                    _assemble(logs, bits_of_logs, odd, count, max(row.relative_error for row in logs)),
                    logs=True,
                )
    edge = HIGH
    if strict <= tolerance and count is None and max(row.tail_error for row in rows) > tolerance:
        far, far_strict, _ = sample(bits, FAR)  # such as arcsinh, which no power law continues
        if far_strict <= tolerance:
            rows, strict, edge = far, far_strict, FAR
    error = strict if strict <= tolerance else floored
    if not error <= acceptable:
        worst = max(rows, key=lambda row: row.floored_error)
        raise InputError(
            f"{name} cannot be tabulated to a relative error of {acceptable:g}: it reaches {error:.2g}, "
            f"near |u| = {worst.worst_at:.3g}, where it is too sharp or not finite; choose a smoother "
            "generator, or allow a larger tolerance"
        )
    return replace(_assemble(rows, bits, odd, count, error), high_edge=2.0**edge)


def tabulate_linear(slope: float) -> ResponseTable:
    """The table of f(u) = slope·u, which the kernel does not look into.

    >>> tabulate_linear(2.0).evaluate([3.0, -1e30])
    array([ 6.e+00, -2.e+30], dtype=float32)
    """
    cells = np.zeros((1, 1 + ((HIGH - LOW) << MIN_BITS), 2), np.float32)
    cells[:, :, 1] = slope
    tails = np.array([[slope * 2.0**LOW, 1.0, slope * 2.0**HIGH, 1.0]])
    return ResponseTable(cells, MIN_BITS, odd=True, linear=True, low_linear=True, tails=tails)


def _assemble(rows: list[Row], bits: int, odd: bool, count: float | None, error: float) -> ResponseTable:
    return ResponseTable(
        cells=np.stack([row.cells for row in rows]),
        bits=bits,
        odd=odd,
        linear=False,
        low_linear=all(row.low_linear for row in rows),
        tails=np.array([row.tails for row in rows]),
        count=count,
        error=error,
        tail_error=max(row.tail_error for row in rows),
    )
