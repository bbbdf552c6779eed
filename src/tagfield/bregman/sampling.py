"""Sampling: builds one row of a table from f(x), x > 0, and measures its errors.

f at nine points of every cell ─▶ minimax lines in float32 ─▶ the largest error and its position
f far below and far above the cells ─▶ power laws

Straight lines cannot follow a function that decays like exp(−u²), but lines of its logarithm can: sample_logs.
"""

from dataclasses import dataclass

import numpy as np

from tagfield.bregman.calculus import Function
from tagfield.system.arrays import Doubles, Floats

LOW, HIGH = -24, 24  # the cells cover 2^LOW ≤ x < 2^HIGH
FAR = 126  # or 2^FAR, nearly the largest float32, if no power law continues f

_LARGEST = float(np.finfo(np.float32).max)
_SMALLEST = 1e-30  # negligible next to a float32 weight
_FLOOR = 0.1
NEGLIGIBLE = (1e-12, 1e-6)  # shares of the maximum of |f|; below them errors are relative to that share
_NODES = (1 - np.cos(np.linspace(0, np.pi, 9))) / 2  # positions in a cell, both ends included


@dataclass(frozen=True)
class TableRow:
    """One row of a table. Errors compare a + b·x in float32 with f in float64, at float32 points."""

    cells: Floats  # [n, 2]
    tails: tuple[float, float, float, float]
    low_linear: bool
    relative_error: float  # max |table − f| / |f|
    floored_error: float  # max |table − f| / max(|f|, height/10), height = max of |f| up to max(x, 1, count)
    worst_at: float  # the x with the largest floored error
    tail_error: float


def sample_row(
    f: Function, bits: int, reach: float = np.inf, count: float = 0.0, function_of_E: bool = False, high: int = HIGH
) -> TableRow:
    """Samples f, measuring errors up to `reach`.

    function_of_E: this is row 2 of a count's table, where f(0) is not 0

    If `reach` is finite, the cells beyond it and beyond `count` are never read, and stay 0.

    >>> row = sample_row(np.tanh, 7)
    >>> row.relative_error < 1e-5, row.low_linear, [round(t, 6) for t in row.tails]
    (True, True, [0.0, 1.0, 1.0, 0.0])
    """
    edges = _edges(bits, high)
    left, right = edges[:-1], np.nextafter(edges[1:].astype(np.float32), np.float32(0)).astype(np.float64)
    used = int(np.searchsorted(left, max(reach, count, 1.0), side="right"))
    left, right = left[:used], right[:used]
    x = (left[:, None] + (right - left)[:, None] * _NODES).astype(np.float32).astype(np.float64)  # [used, 9]
    with np.errstate(all="ignore"):
        y = f(x)
        a, b = _lines(x, y)
        error = np.abs((a[:, None] + b[:, None] * x.astype(np.float32)).astype(np.float64) - y)
        size = np.maximum(np.abs(y), _SMALLEST)
        relative = _worst(error / size, x, y, reach)[0]
        floored, at = _worst(error / np.maximum(size, _FLOOR * _height(x, y, max(count, 1.0))), x, y, reach)
    zero = count == 0 or not function_of_E
    low_value, low_power, low_line, low_error = _low_tail(f, zero)
    height = float(np.nanmax(np.abs(y), initial=0.0))
    high_value, high_power, tail_error = _high_tail(f, height, high) if reach == np.inf else (0.0, 0.0, 0.0)
    low_error = low_error if reach else 0.0
    cells = np.zeros((len(edges), 2), np.float32)
    cells[0], cells[1 : 1 + used] = low_line, np.stack([a, b], 1)
    return TableRow(
        cells=cells,
        tails=(low_value, low_power, high_value, high_power),
        low_linear=low_power == (1 if zero else 0),
        relative_error=max(relative, low_error),
        floored_error=max(floored, low_error),
        worst_at=at if floored >= low_error else 2.0**LOW,
        tail_error=tail_error,
    )


def sample_logs(f: Function, bits: int, sign: int = 1, negligible: float = NEGLIGIBLE[0]) -> TableRow | None:
    """log |f| = a + b·(x − x₀) in the cell from x₀; None if f has the other sign or is not linear near 0.

    >>> row = sample_logs(lambda x: x * np.exp(-x * x), 10)
    >>> row.relative_error < 1e-5
    True
    """
    low_value, low_power, low_line, low_error = _low_tail(f, True)
    edges = _edges(bits, HIGH)
    left, right = edges[:-1], np.nextafter(edges[1:].astype(np.float32), np.float32(0)).astype(np.float64)
    x = (left[:, None] + (right - left)[:, None] * _NODES).astype(np.float32).astype(np.float64)
    with np.errstate(all="ignore"):
        y = f(x)
        if low_power != 1 or not (np.isfinite(y) & (y * sign >= 0)).all():
            return None
        size = np.abs(y)
        a, b = _lines(x - left[:, None], np.log(np.maximum(size, _SMALLEST)))
        found = np.exp(a[:, None] + b[:, None] * (x - left[:, None]).astype(np.float32)).astype(np.float64)
        error, at = _worst(np.abs(found - size) / np.maximum(size, negligible * size.max()), x, y, np.inf)
    high_value, high_power, tail_error = _high_tail(f, float(size.max()), HIGH)
    return TableRow(
        cells=np.concatenate([[(0.0, abs(low_line[1]))], np.stack([a, b], 1)]).astype(np.float32),
        tails=(abs(low_value), low_power, abs(high_value), high_power),
        low_linear=True,
        relative_error=max(error, low_error),
        floored_error=max(error, low_error),
        worst_at=at,
        tail_error=tail_error,
    )


def _edges(bits: int, high: int) -> Doubles:
    steps = np.arange((high - LOW) << bits)
    starts = np.ldexp(1 + (steps & ((1 << bits) - 1)) / 2.0**bits, LOW + (steps >> bits))
    return np.append(starts, 2.0**high)


def _lines(x: Doubles, y: Doubles) -> tuple[Floats, Floats]:
    """The minimax line of each cell: the slope of the chord, and the mean of the largest and smallest residual."""
    b = ((y[:, -1] - y[:, 0]) / (x[:, -1] - x[:, 0])).astype(np.float32)
    rest = y - b[:, None].astype(np.float64) * x
    a = ((rest.max(1) + rest.min(1)) / 2).astype(np.float32)
    over = ~(np.isfinite(a) & np.isfinite(b))  # beyond float32: use the largest number instead of NaN
    a[over] = np.clip(np.nan_to_num(y[over, 0], nan=0.0), -_LARGEST, _LARGEST)
    b[over] = 0.0
    return a, b


def _height(x: Doubles, y: Doubles, unit: float) -> Doubles:
    """max |f(v)| over v ≤ max(x, unit), for each cell [n−1, 1]."""
    height = np.maximum.accumulate(np.abs(y).max(1))
    at_unit = height[min(int(np.searchsorted(x[:, 0], unit)), len(x) - 1)]
    return np.asarray(np.maximum(height, at_unit)[:, None])


def _worst(error: Doubles, x: Doubles, y: Doubles, reach: float) -> tuple[float, float]:
    """The largest error up to `reach` and its x, ignoring values that float32 cannot represent."""
    counted = np.where((x <= reach) & ~(np.abs(y) > _LARGEST / 100), error, 0.0)
    counted = np.where(np.isnan(counted), np.inf, counted)
    at = int(np.argmax(counted))
    return float(counted.flat[at]), float(x.flat[at])


def _low_tail(f: Function, zero: bool) -> tuple[float, float, tuple[float, float], float]:
    """f(2^LOW), the power below it, the line of cell 0, and the smaller relative error of the two."""
    edge = 2.0**LOW
    with np.errstate(all="ignore"):
        for exponent in (-100, -60, -36):
            far = 2.0**exponent
            top, bottom = (float(v) for v in f(np.array([edge, far])))
            if not zero:  # E < 2^LOW is lost next to its count, so f is constant there
                return top, 0.0, (top, 0.0), 0.0 if np.isfinite(top) else np.inf
            if abs(top) < _SMALLEST or abs(bottom) > 0:
                break
        if abs(top) < _SMALLEST:
            return 0.0, 1.0, (0.0, 0.0), 0.0
        slope = bottom / far
        probes = np.ldexp(1.0, np.arange(exponent, LOW + 1, 4))
        exact = f(probes)
        linear = float(np.max(np.abs(slope * probes - exact) / np.maximum(np.abs(exact), _SMALLEST**2)))
        if linear <= 2e-6:
            return slope * edge, 1.0, (0.0, slope), linear
        power = float(np.log2(top / bottom) / (LOW - exponent))
        fitted = top * (probes / edge) ** power
        error = float(np.max(np.abs(fitted - exact) / np.maximum(np.abs(exact), _SMALLEST)))
    if not power >= 0:  # f would be unbounded at 0
        error = np.inf
    return top, power, (0.0, top / edge), error if np.isfinite(error) else np.inf


def _high_tail(f: Function, height: float, high: int) -> tuple[float, float, float]:
    """f(2^high), the power above it, and its error up to 10³⁰, relative to f until f is negligible."""
    beyond = np.geomspace(1e8, 1e30, 12) if high == HIGH else [1.9 * 2.0**high]
    probes = np.append(2.0**high, beyond)
    with np.errstate(all="ignore"):
        y = f(probes)
        if not np.isfinite(y[0]) or abs(y[0]) > _LARGEST:
            return float(np.clip(np.nan_to_num(y[0]), -_LARGEST, _LARGEST)), 0.0, 0.0
        if abs(y[0]) < _SMALLEST:
            return 0.0, 0.0, 0.0
        alive = np.isfinite(y) & (y * np.sign(y[0]) > 1e-12 * height)
        last = int(np.flatnonzero(alive).max(initial=0))
        power = float(np.log(y[last] / y[0]) / np.log(probes[last] / probes[0])) if last else 0.0
        if abs(power - round(power)) < 1e-8:
            power = float(round(power))
        size = np.maximum(np.abs(y), 1e-12 * height)
        error = float(np.nan_to_num(np.abs(y[0] * (probes / probes[0]) ** power - y) / size).max())
    return float(y[0]), power, error
