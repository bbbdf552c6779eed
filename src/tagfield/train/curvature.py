"""What L-BFGS knows of the curvature: the last pairs of steps and changes of the gradient, and their products.

    s = x' − x,  y = ∇' − ∇         SY[i, j] = s_i·y_j,  YY[i, j] = y_i·y_j,  sv[i] = ◇·s_i,  yv[i] = ◇·y_i

    for i, the latest first   α_i = s_i·q / s_i·y_i,   q ← q − α_i·y_i              q = −◇ at first
    q ← q · (s·y / y·y of the latest)
    for i, the oldest first   q ← q + (α_i − y_i·q / s_i·y_i)·s_i                  now q = −H·◇

q stays a sum of ◇, s_i and y_i, so the two loops need only its coefficients and the products: 2m numbers instead of 2m
passes over vectors as long as the model. The vectors are read when a pair is added and when q is summed
(native/kernel/gradient/vectors.hpp).
"""

import math
from collections import deque
from operator import mul

import numpy as np

from tagfield.dataset import Doubles
from tagfield.native import kernels

Pair = tuple[Doubles, Doubles]


class Curvature:
    """The last pairs, and the products of all vectors, at a point that moves.

    memory: how many pairs are remembered
    c1: of the L1 term, which makes ◇ of ∇

    >>> at = Curvature(3)
    >>> x, gradient = np.array([3.0, 0.0]), np.array([6.0, 0.0])  # of ‖x‖²
    >>> at.measure(x, gradient)
    >>> at.norm, at.slope_norm, at.active
    (3.0, 6.0, 1)
    >>> _ = at.add(x, np.array([2.0, 1.0]), gradient, np.array([4.0, 2.0]))
    >>> _ = at.direction(np.array([2.0, 1.0]), np.array([4.0, 2.0]), out := np.empty(2))
    >>> out.tolist()  # to the minimum
    [-2.0, -1.0]
    """

    def __init__(self, memory: int, c1: float = 0.0, threads: int = 1) -> None:
        self._memory, self._c1, self._threads = memory, c1, threads
        self.pairs: deque[Pair] = deque()
        self._sy = self._yy = np.zeros((0, 0))  # [m, m]
        self._sv = self._yv = np.zeros(0)  # [m]
        self.norm = self.slope_norm = 0.0  # ‖x‖, ‖◇‖
        self.active = 0  # weights that are not 0

    def measure(self, x: Doubles, gradient: Doubles) -> None:
        """Finds the products of a point with the pairs."""
        self._read(kernels.point_products(x, gradient, self._c1, list(self.pairs), self._threads))

    def add(self, x: Doubles, x_new: Doubles, gradient: Doubles, gradient_new: Doubles) -> list[Doubles]:
        """The step from one point to the next: x and gradient become s and y. Returns the arrays that are free now.

        A pair without a positive curvature is not kept.
        """
        full = len(self.pairs) == self._memory
        known = list(self.pairs)[1 if full else 0 :]  # the oldest makes room
        m = len(known)
        found = kernels.make_pair(x, x_new, gradient, gradient_new, self._c1, known, self._threads)
        of_point, (sy, yy), others = found[: 5 + 2 * m], found[5 + 2 * m : 7 + 2 * m], found[7 + 2 * m :]
        if not sy > 0:
            self.measure(x_new, gradient_new)
            return [x, gradient]
        grown_sy, grown_yy = np.empty((m + 1, m + 1)), np.empty((m + 1, m + 1))
        if m:
            grown_sy[:m, :m], grown_yy[:m, :m] = self._sy[-m:, -m:], self._yy[-m:, -m:]
        grown_sy[m, :m], grown_sy[:m, m], grown_yy[m, :m] = others[0::3], others[1::3], others[2::3]
        grown_yy[:m, m], grown_sy[m, m], grown_yy[m, m] = grown_yy[m, :m], sy, yy
        self._sy, self._yy = grown_sy, grown_yy
        free = list(self.pairs.popleft()) if full else []
        self.pairs.append((x, gradient))
        self._read(of_point)
        return free

    def _read(self, found: list[float]) -> None:  # as point_products returns them
        self.norm, self.slope_norm, self.active = math.sqrt(found[0]), math.sqrt(found[1]), int(found[2])
        self._sv, self._yv = np.array(found[3::2]), np.array(found[4::2])

    def clear(self, x: Doubles, gradient: Doubles) -> list[Doubles]:
        """Forgets the pairs; returns the arrays that are free now."""
        free = [array for pair in self.pairs for array in pair]
        self.pairs.clear()
        self.measure(x, gradient)
        return free

    def direction(self, x: Doubles, gradient: Doubles, out: Doubles) -> tuple[float, float]:
        """out = −H·◇, and with c1 only where it descends; returns out·◇ and out·out."""
        of_slope, of_s, of_y = self.two_loops()
        pairs = list(self.pairs)
        along, square = kernels.direction(x, gradient, self._c1, pairs, of_slope, of_s, of_y, out, self._threads)
        return along, square

    def two_loops(self) -> tuple[float, Doubles, Doubles]:
        """−H·◇ as the coefficients of ◇, of each s and of each y."""
        m = len(self.pairs)
        SY, YY = self._sy[:m, :m].tolist(), self._yy[:m, :m].tolist()
        sv, yv = self._sv.tolist(), self._yv.tolist()
        of_slope, of_s, of_y, alpha = -1.0, [0.0] * m, [0.0] * m, [0.0] * m
        for i in reversed(range(m)):
            alpha[i] = (of_slope * sv[i] + sum(map(mul, SY[i], of_y))) / SY[i][i]
            of_y[i] -= alpha[i]
        scale = SY[-1][-1] / YY[-1][-1] if m else 1.0
        of_slope, of_y = of_slope * scale, [b * scale for b in of_y]
        for i in range(m):
            along = of_slope * yv[i] + sum(map(mul, YY[i], of_y)) + sum(SY[j][i] * of_s[j] for j in range(i))
            of_s[i] = alpha[i] - along / SY[i][i]
        return of_slope, np.array(of_s), np.array(of_y)

    def products(self) -> Doubles:
        """All products, for `resume`."""
        point = [self.norm, self.slope_norm, self.active]
        parts = [np.array(point), self._sv, self._yv, self._sy.reshape(-1), self._yy.reshape(-1)]
        return np.concatenate(parts)

    def resume(self, pairs: list[Pair], products: Doubles) -> None:
        """The pairs and products of an earlier point."""
        m = len(pairs)
        self.pairs = deque(pairs)
        self.norm, self.slope_norm, self.active = float(products[0]), float(products[1]), int(products[2])
        self._sv, self._yv, sy, yy = np.split(products[3:], [m, 2 * m, 2 * m + m * m])
        self._sy, self._yy = sy.reshape(m, m), yy.reshape(m, m)
