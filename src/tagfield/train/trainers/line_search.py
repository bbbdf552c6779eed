"""Line searches: how far to go along a direction. CRFsuite's three, so that its runs can be followed step by step.

    φ(α) = f(x + α·d)      low enough    φ(α) ≤ φ(0) + 10⁻⁴·α·φ′(0)                                Armijo
                           flat enough   φ′(α) ≥ 0.9·φ′(0), and in the strong sense |φ′(α)| ≤ 0.9·|φ′(0)|   Wolfe

    MoreThuente         an interval around a point that is both, in the strong sense; cubics and parabolas through
                        what is known of φ at its ends name the next point
    Backtracking        half the step where it is not low enough, 2.1 times where it is not flat enough
    StrongBacktracking  also half the step where it rises too steeply

Jorge J. Moré and David J. Thuente, "Line search algorithms with guaranteed sufficient decrease", ACM Transactions on
Mathematical Software 20(3), 1994: the cases of `_next_step` are those of its section 4. Constants as in libLBFGS.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

SUFFICIENT, FLATTER = 1e-4, 0.9
SHORTEST, LONGEST, NARROW = 1e-20, 1e20, 1e-16
SHRINK, STRETCH = 0.5, 2.1
NARROWER = 0.66  # an interval that is still wider than this part of its last but one is halved


@dataclass(frozen=True)
class Point:
    """φ and φ′ at a step."""

    step: float
    value: float
    slope: float

    def below(self, line: float) -> "Point":
        """The same of φ(α) − line·α."""
        return Point(self.step, self.value - line * self.step, self.slope - line)


Curve: TypeAlias = Callable[[float], Point]
Search: TypeAlias = Callable[[Curve, Point, float, int], "Point | None"]


def low_enough(start: Point, at: Point) -> bool:
    return at.value <= start.value + SUFFICIENT * at.step * start.slope


def backtracking(curve: Curve, start: Point, step: float, tries: int, strong: bool = False) -> Point | None:
    """A point that is low and flat enough; None where none is found.

    >>> square = lambda step: Point(step, (step - 1) ** 2, 2 * (step - 1))
    >>> backtracking(square, square(0.0), 4.0, 20).step
    1.0
    """
    for _ in range(tries):
        at = curve(step)
        if not (math.isfinite(at.value) and low_enough(start, at)):
            step *= SHRINK
        elif at.slope < FLATTER * start.slope:
            step *= STRETCH
        elif strong and at.slope > -FLATTER * start.slope:
            step *= SHRINK
        else:
            return at
        if not SHORTEST <= step <= LONGEST:
            break
    return None


def strong_backtracking(curve: Curve, start: Point, step: float, tries: int) -> Point | None:
    """A point that is low enough, and flat enough in the strong sense.

    >>> square = lambda step: Point(step, (step - 1) ** 2, 2 * (step - 1))
    >>> strong_backtracking(square, square(0.0), 1.96, 20).step
    0.98
    """
    return backtracking(curve, start, step, tries, strong=True)


def more_thuente(curve: Curve, start: Point, step: float, tries: int) -> Point | None:
    """A point that is low enough, and flat enough in the strong sense, by interpolation.

    Where it has no tries left, or the interval has become too narrow, the lowest point so far will do if it is low
    enough, and below the start by more than rounding hides.

    >>> square = lambda step: Point(step, (step - 1) ** 2, 2 * (step - 1))
    >>> round(more_thuente(square, square(0.0), 4.0, 20).step, 6)
    1.0
    """
    best = other = start  # the ends of the interval; before there is one, `other` is the start
    inside, first_stage = False, True
    line = SUFFICIENT * start.slope
    width, width_before = LONGEST - SHORTEST, 2 * (LONGEST - SHORTEST)
    for _ in range(tries):
        if inside:
            low, high = min(best.step, other.step), max(best.step, other.step)
            if not low < step < high or high - low <= NARROW * high:
                break
        else:
            low, high = best.step, step + 4 * (step - best.step)
        step = min(max(step, SHORTEST), LONGEST)
        at = curve(step)
        if not math.isfinite(at.value):  # beyond the range of numbers: it is not this far
            inside, other = True, Point(step, math.inf, math.inf)
            step = best.step + SHRINK * (step - best.step)
            continue
        if low_enough(start, at) and abs(at.slope) <= -FLATTER * start.slope:
            return at
        if step in (SHORTEST, LONGEST):
            break
        if first_stage and low_enough(start, at) and at.slope >= SUFFICIENT * start.slope:
            first_stage = False
        # Until a point is low enough, the interval is of φ less the line that says how low: its minimum is low enough.
        tilt = line if first_stage and not low_enough(start, at) and at.value <= best.value else 0.0
        ends = best.below(tilt), other.below(tilt), at.below(tilt)
        step, inside = _next_step(*ends, inside, low, high)
        best, other = _next_ends(best, other, at, *ends)
        if inside:
            if abs(other.step - best.step) >= NARROWER * width_before:
                step = best.step + SHRINK * (other.step - best.step)
            width_before, width = width, abs(other.step - best.step)
    return best if best.value < start.value and low_enough(start, best) else None


def _next_ends(best: Point, other: Point, at: Point, tilted: Point, _: Point, tilted_at: Point) -> tuple[Point, Point]:
    """The interval that holds a minimum, its lower end first."""
    if tilted_at.value > tilted.value:
        return best, at
    return at, (best if tilted_at.slope * tilted.slope < 0 else other)


def _next_step(best: Point, other: Point, at: Point, inside: bool, low: float, high: float) -> tuple[float, bool]:
    """The step to try next, and whether a minimum is known to be inside the interval."""
    cautious = False  # then the step keeps away from the far end
    if at.value > best.value:  # it has risen: there is a minimum between
        cubic, parabola = _cubic(best, at), _parabola(best, at)
        near = abs(cubic - best.step) < abs(parabola - best.step)
        step = cubic if near else cubic + (parabola - cubic) / 2
        inside = cautious = True
    elif at.slope * best.slope < 0:  # it rises again: so too
        cubic, secant = _cubic(best, at), _secant(best, at)
        step = cubic if abs(cubic - at.step) > abs(secant - at.step) else secant
        inside = True
    elif abs(at.slope) < abs(best.slope):  # it falls, less steeply
        cubic, secant = _cubic_beyond(best, at, low, high), _secant(best, at)
        nearer = abs(at.step - cubic) < abs(at.step - secant)
        step = cubic if nearer == inside else secant
        cautious = True
    elif inside:  # it falls as steeply
        step = _cubic(at, other) if math.isfinite(other.value) else (at.step + other.step) / 2
    else:
        step = high if at.step > best.step else low
    step = min(max(step, low), high)
    ends = _next_ends(best, other, at, best, other, at)
    if inside and cautious:
        far = ends[0].step + NARROWER * (ends[1].step - ends[0].step)
        step = min(step, far) if ends[1].step > ends[0].step else max(step, far)
    return step, inside


def _bend(u: Point, v: Point) -> tuple[float, float]:
    """θ and γ of the cubic with the values and slopes of two points; γ² may come out below 0."""
    theta = 3 * (u.value - v.value) / (v.step - u.step) + u.slope + v.slope
    size = max(abs(theta), abs(u.slope), abs(v.slope))
    return theta, size * math.sqrt(max(0.0, (theta / size) ** 2 - (u.slope / size) * (v.slope / size)))


def _cubic(u: Point, v: Point) -> float:
    """The minimum of that cubic."""
    theta, gamma = _bend(u, v)
    gamma = -gamma if v.step < u.step else gamma
    return u.step + (gamma - u.slope + theta) / (2 * gamma - u.slope + v.slope) * (v.step - u.step)


def _cubic_beyond(u: Point, v: Point, low: float, high: float) -> float:
    """The same where the minimum is beyond v, as far as it may be; an end where the cubic has none there."""
    theta, gamma = _bend(u, v)
    gamma = -gamma if u.step < v.step else gamma
    share = (gamma - v.slope + theta) / (2 * gamma - v.slope + u.slope)
    if share < 0 and gamma != 0:
        return v.step - share * (v.step - u.step)
    return high if v.step > u.step else low


def _parabola(u: Point, v: Point) -> float:
    """The minimum of the parabola with both values and the slope of u."""
    width = v.step - u.step
    return u.step + u.slope / ((u.value - v.value) / width + u.slope) / 2 * width


def _secant(u: Point, v: Point) -> float:
    """Where the line through both slopes is 0."""
    return v.step + v.slope / (v.slope - u.slope) * (u.step - v.step)


SEARCHES: dict[str, Search] = {
    "MoreThuente": more_thuente,
    "Backtracking": backtracking,
    "StrongBacktracking": strong_backtracking,
}
