"""Mixing: the changes of all shares become one change of the weights.

    θ̄ ← θ̄ + Σ_m δ_m · (1 + H/c)/(1 + H)     δ_m  what share m added to the weight in this round
    S ← S + Σ_m s_m / c                     s_m  what it added to AdaGrad's sum of squares; without it (z·δ_m/λ)²
    z ← z · Π_m (z_m / z)                    c    how many shares changed the weight
                                             a    attributes of a token, on average over the round
                                             H    κ·a·λ·Σ_m s_m/√S; without AdaGrad κ·a·λ·Σ_m s_m

All shares start from the same weights. How much of Σδ is too much depends on how far a round takes a weight on its way
to where it should be. A round with steps λ and curvature v takes it the part h/(1 + h) of the way, with h = λv. Shares
that worked one after the other would take it H/(1 + H), with H = c·h, but their sum is c·h/(1 + h): the factor is the
ratio of the two. It is 1 where a round moves a weight little, or where one share alone has seen it, as with most
weights, and 1/c, the mean, where each share alone goes all the way. Σu² estimates the curvature of one weight, for in a
log-linear model the two have the same expectation; the weights of a token's attributes move together, hence κ·a.

The sums run in the order of the shares, so the bits depend on the number of shares and mixes, and on nothing else.
docs/cluster.md has the figures behind κ.

The average over all steps takes the weights to move evenly from one mix to the next: with n steps in a round, it adds
n·z·(θ̄ before + θ̄ after)/2. In the form of native/kernel/pass/stochastic.hpp, Σ θ = Z·θ̄ − R, that is R += (Z + n·z/2)·δ.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tagfield.data.dataset import Floats, Longs
from tagfield.scale.cluster.rounds import Change, as_weight_blocks
from tagfield.train.trainers.stochastic import kept_weights
from tagfield.train.trainers.trainer import State, arrays_of, weights_of
from tagfield.weights.blocks import LANES
from tagfield.weights.layout import ABSENT, Weights, absent

MIXES = 32
KAPPA = 0.5  # how much of what its attributes do alone a token's do together
TINY = np.float32(1e-30)  # where S is 0, so is s
MOST = np.float32(1e6)  # of H, so that a run that leaves the range of numbers ends with its own error
FOLD = 1e-3  # below this, z is folded into θ̄


@dataclass(frozen=True)
class Scheme:
    """How shares are mixed: how often in an epoch, and κ; the larger, the sooner the mean takes the sum's place."""

    mixes: int = MIXES
    kappa: float = KAPPA


class Mixture:
    """The weights that shares have in common, and how they change.

    >>> weights = Weights(np.zeros((2, 8), np.float32), np.zeros((1, 8), np.float32))
    >>> mixture = Mixture(weights, adaptive=False, scheme=Scheme(kappa=1.0))
    >>> one = np.array([0]), np.ones((1, 8), np.float32)
    >>> change = Change([one[0], one[0]], [one[1], one[1]], [], 1.0, 3, 0.5, tokens=6, attributes=6)
    >>> mixture.mix([change, change], rate=2.0)  # H = 1: 2 · (1 + 1/2)/(1 + 1)
    >>> mixture.theta.state[:, 0].tolist(), mixture.t
    ([1.5, 0.0], 6.0)
    """

    def __init__(self, start: Weights, *, adaptive: bool, scheme: Scheme) -> None:
        self.theta = start.copy()
        self.squares = start.map(np.zeros_like) if adaptive else None
        self.scheme = scheme
        self.scale, self.t = 1.0, 0.0
        self.averaging, self.summed_scale, self.averaged = False, 0.0, 0
        self._rest: Weights | None = None
        self._seen = [np.zeros(array.size // LANES, np.bool_) for array in start.arrays()]
        self._place = [np.zeros(array.size // LANES, np.int32) for array in start.arrays()]

    def start_average(self) -> None:
        """Forgets what was averaged so far, and starts again here."""
        self.averaging, self.summed_scale, self.averaged = True, 0.0, 0
        self._rest = self.theta.map(np.zeros_like)

    def mix(self, changes: Sequence[Change], rate: float) -> None:
        """Adds the changes of one round, in the order of the shares.

        rate: λ at the start of the round
        """
        steps = sum(change.sentences for change in changes)
        for change in changes:
            self.scale *= change.shrunk
        self.t += steps
        middle = self.summed_scale + 0.5 * steps * self.scale
        if self.averaging:
            self.summed_scale += steps * self.scale
            self.averaged += steps
        kappa = (
            self.scheme.kappa * sum(each.attributes for each in changes) / max(1, sum(each.tokens for each in changes))
        )
        for k, theta in enumerate(self.theta.arrays()):
            union = self._union(k, changes)
            total, squares, count = self._sum(k, union, changes)
            total = self._step(k, total * self._factor(self._way(k, union, squares, count, kappa, rate), count))
            blocks = as_weight_blocks(theta)
            blocks[union] = np.where(total == 0, blocks[union], blocks[union] + total)  # −0.0, no feature, stays
            if self._rest is not None:
                as_weight_blocks(self._rest.arrays()[k])[union] += np.float32(middle) * total
        if self.scale < FOLD:
            self._fold()

    def _way(self, k: int, union: Longs, squares: Floats, count: Floats, kappa: float, rate: float) -> Floats:
        """H for each weight of the blocks; kappa: κ·a. AdaGrad's sums grow by what the shares have added to them."""
        with np.errstate(over="ignore"):
            if self.squares is None:
                way = squares * np.float32(kappa * self.scale**2 / rate)
            else:
                sums = as_weight_blocks(self.squares.arrays()[k])
                sums[union] += self._grown(squares, count)
                way = np.float32(kappa * rate) * squares / np.sqrt(sums[union] + TINY)
        found: Floats = np.minimum(way, MOST)
        return found

    # benchmarks/mixing.py tries others of these three.

    def _factor(self, h: Floats, count: Floats) -> Floats:
        """What the sum of the shares' changes is multiplied by; h: H, for each weight."""
        return (1 + h / count) / (1 + h)

    def _grown(self, squares: Floats, count: Floats) -> Floats:
        """What AdaGrad's sums grow by: what one share has seen on average, for it is one share that steps by them."""
        return squares / count

    def _step(self, k: int, total: Floats) -> Floats:
        """What is added to array k, of what the shares have changed."""
        return total

    def _union(self, k: int, changes: Sequence[Change]) -> Longs:
        """The blocks of array k that any share may have changed."""
        seen = self._seen[k]
        for change in changes:
            seen[change.blocks[k]] = True
        union = np.flatnonzero(seen)
        seen[union] = False
        self._place[k][union] = np.arange(len(union), dtype=np.int32)
        return union

    def _sum(self, k: int, union: Longs, changes: Sequence[Change]) -> tuple[Floats, Floats, Floats]:
        """For each weight of the blocks [blocks, LANES]: Σδ, Σs or Σδ², and how many shares changed it, at least 1."""
        total, squares, count = (np.zeros((len(union), LANES), np.float32) for _ in range(3))
        with np.errstate(over="ignore"):
            for change in changes:
                at, values = self._place[k][change.blocks[k]], change.theta[k]
                total[at] += values
                squares[at] += values * values if self.squares is None else change.squares[k]
                count[at] += values != 0
        return total, squares, np.maximum(count, 1)

    def _fold(self) -> None:
        """Folds z into θ̄, and Z into R, so that neither leaves the range of float32."""
        scale, summed = np.float32(self.scale), np.float32(self.summed_scale)
        for k, theta in enumerate(self.theta.arrays()):
            if self._rest is not None:
                rest = self._rest.arrays()[k]
                rest -= summed * theta
            none = absent(theta)
            theta *= scale
            theta += np.float32(0)
            theta[none] = ABSENT
        self.scale, self.summed_scale = 1.0, 0.0

    def kept(self, out: Weights | None = None) -> Weights:
        """The weights to keep now: the average if there is one, or the last."""
        return kept_weights(self.state(), out)

    def state(self) -> State:
        """Everything, by name; the arrays are the mixture's own."""
        nothing = self.theta.map(lambda array: array[:0])
        arrays = arrays_of(theta=self.theta, squares=self.squares or nothing, rest=self._rest or nothing)
        numbers: dict[str, Any] = {"t": self.t, "scale": self.scale, "averaging": float(self.averaging)}
        return State(arrays, numbers | {"summed_scale": self.summed_scale, "averaged": self.averaged})

    def resume(self, state: State) -> None:
        """Goes on from what `state` returned."""
        theta, squares, rest = (weights_of(state, name).copy() for name in ("theta", "squares", "rest"))
        self.theta = theta
        self.squares = squares if self.squares is not None else None
        self.averaging = bool(state.numbers["averaging"])
        self._rest = rest if self.averaging else None
        self.scale, self.t = state.numbers["scale"], state.numbers["t"]
        self.summed_scale, self.averaged = state.numbers["summed_scale"], int(state.numbers["averaged"])
