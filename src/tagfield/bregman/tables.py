"""ResponseTable: a response f as a piecewise linear function, which the kernels evaluate without calling libm.

    |u| as a float32:   sign | exponent | mantissa
                               └─ the exponent and the top `bits` of the mantissa select a cell
    f(u) ≈ a + b·|u|,  (a, b) = cells[row, cell],  cell = 1 + (bits of |u| >> 23−bits) − ((127+LOW) << bits)

The cells divide [2^LOW, 2^HIGH). From 2^e to 2^(e+1) they are 2^(e−bits) wide, so the relative error stays the same
over fourteen decades. Each cell has its minimax line: the chord, shifted half way to the curve.
Cell 0 is everything below 2^LOW. Outside the cells, f is a power of |u|, fitted in sampling.py. If no power fits (a
logarithm), the cells continue to 2^FAR, near the end of float32.

    row 0   u ≥ 0              row 1   u < 0, with f(−|u|)              row 0 alone if f is odd
    row 2   u < −count/2, in the table of a count: f as a function of E = u + count. f bends where E is
            small; there |u| is near the count, where the cells of row 1 are too wide

A function that decays faster than any power (U1 of erf) is stored as lines of its logarithm, relative to the lower edge
of the cell: |f(u)| ≈ exp(a + b·(|u| − edge)), with the sign of u.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from tagfield.bregman.calculus import Function
from tagfield.bregman.sampling import FAR, HIGH, LOW, NEGLIGIBLE, TableRow, sample_logs, sample_row
from tagfield.errors import InputError
from tagfield.system.arrays import Doubles, Floats

MIN_BITS, MAX_BITS = 5, 9  # 1,537 to 24,577 cells, 12 to 196 kB per row
LOG_BITS = (8, 9, 10)
TOLERANCE = 1e-5


@dataclass(frozen=True)
class ResponseTable:
    """A response sampled for the kernels.

    >>> table = tabulate([np.arctan], odd=True)
    >>> table.evaluate([-1.0, 0.0, 2.0]).round(3)
    array([-0.785,  0.   ,  1.107], dtype=float32)
    """

    cells: Floats  # [rows, n, 2]  (a, b) of each cell; n = 1 + (HIGH−LOW)·2^bits, or with FAR for HIGH
    bits: int
    odd: bool  # f is odd: one row, and the result takes the sign of u
    linear: bool  # f(u) = slope·u exactly, without a lookup
    low_linear: bool  # whether cell 0 is f below low_edge; else the power law is, and f(0) = 0
    tails: Doubles  # [rows, 4]  f(low_edge), its power, f(high_edge), its power
    count: float | None = None  # the empirical count, if the table has three rows
    error: float = 0.0  # the largest error in the cells and below, as in sampling.TableRow
    tail_error: float = 0.0  # the largest relative error above high_edge
    low_edge: float = 2.0**LOW
    high_edge: float = 2.0**HIGH
    logs: bool = False  # the lines are of log |f|, except cell 0

    @property
    def slope(self) -> float:
        """f(u)/u as u → 0, if f is linear there."""
        return float(self.cells[0, 0, 1])

    def evaluate(self, u: ArrayLike) -> Floats:
        """f(u) in float32, as the kernels compute it; the tests compare the two.

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
                edge = (x.view(np.uint32) >> np.uint32(23 - self.bits) << np.uint32(23 - self.bits)).view(np.float32)
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
    branches: Sequence[Function],
    odd: bool,
    *,
    count: float | None = None,
    tolerance: float = TOLERANCE,
    acceptable: float | None = None,
    name: str = "the response",
) -> ResponseTable:
    """Samples f into the smallest table within the tolerance.

    branches: the rows of the table: f(x); f(−x), unless f is odd; f as a function of E, in the table of a count
    tolerance: the relative error to reach
    acceptable: the relative error above which it raises an InputError; by default the tolerance

    If lines cannot follow f, lines of log |f| may, down to 1e-12 of its maximum, or to 1e-6 if it is noise below. If
    neither can (f changes its sign in the table of a count), the error is relative to f or to a tenth of its maximum,
    whichever is larger.

    >>> tabulate([lambda x: x / (x * x + 0.1)], odd=True).error < 1e-5
    True
    """
    acceptable = tolerance if acceptable is None else acceptable
    # With count 0 every u < 0 is read from row 2; attributes with negative values lead there.
    reach = [np.inf, count / 2, count / 2] if count else [np.inf, np.inf if count is None else 0.0, np.inf]

    def sample(bits: int, high: int = HIGH) -> tuple[list[TableRow], float, float]:
        rows = [sample_row(f, bits, reach[i], count or 0.0, i == 2, high) for i, f in enumerate(branches)]
        return rows, max(row.relative_error for row in rows), max(row.floored_error for row in rows)

    bits = MIN_BITS
    rows, strict, floored = sample(bits)
    # Each bit divides the error by four; within reach of MAX_BITS, ask for the strict relative error.
    ask_strict = strict <= tolerance * 4.0 ** (MAX_BITS - MIN_BITS + 1)
    while (strict if ask_strict else floored) > tolerance and bits < MAX_BITS:
        excess = min((strict if ask_strict else floored) / tolerance, 4.0**MAX_BITS)
        bits = min(bits + max(1, math.ceil(math.log(excess, 4) - 0.3)), MAX_BITS)
        rows, strict, floored = sample(bits)
    if strict > tolerance and count is None:
        for negligible, bits_of_logs in product(NEGLIGIBLE, LOG_BITS):
            logs = [
                row
                for f, sign in zip(branches, (1, -1), strict=False)
                if (row := sample_logs(f, bits_of_logs, sign, negligible))
            ]
            if len(logs) == len(branches) and max(row.relative_error for row in logs) <= tolerance:
                return replace(
                    _assemble(logs, bits_of_logs, odd, count, max(row.relative_error for row in logs)), logs=True
                )
    edge = HIGH
    if strict <= tolerance and count is None and max(row.tail_error for row in rows) > tolerance:
        far, far_strict, _ = sample(bits, FAR)  # such as arcsinh, which no power law fits
        if far_strict <= tolerance:
            rows, strict, edge = far, far_strict, FAR
    error = strict if strict <= tolerance else floored
    if not error <= acceptable:
        worst = max(rows, key=lambda row: row.floored_error)
        raise InputError(
            f"{name} cannot be tabulated to a relative error of {acceptable:g}: the error is {error:.2g} "
            f"near |u| = {worst.worst_at:.3g}, where it is too steep or not finite; choose a smoother generator, or a "
            "larger tolerance"
        )
    return replace(_assemble(rows, bits, odd, count, error), high_edge=2.0**edge)


def tabulate_linear(slope: float) -> ResponseTable:
    """The table of f(u) = slope·u, for which the kernels need no lookup.

    >>> tabulate_linear(2.0).evaluate([3.0, -1e30])
    array([ 6.e+00, -2.e+30], dtype=float32)
    """
    cells = np.zeros((1, 1 + ((HIGH - LOW) << MIN_BITS), 2), np.float32)
    cells[:, :, 1] = slope
    tails = np.array([[slope * 2.0**LOW, 1.0, slope * 2.0**HIGH, 1.0]])
    return ResponseTable(cells, MIN_BITS, odd=True, linear=True, low_linear=True, tails=tails)


def _assemble(rows: list[TableRow], bits: int, odd: bool, count: float | None, error: float) -> ResponseTable:
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
