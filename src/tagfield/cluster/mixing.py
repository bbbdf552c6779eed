"""Mixing: the changes of all shares become one change of the weights.

    θ̄ ← θ̄ + Σ_m δ_m / c^p          δ_m  what share m added to the weight in this round
    S ← S + Σ_m s_m / c^q          s_m  what it added to AdaGrad's sum of squares
    z ← z · Π_m (z_m / z)           c    how many shares changed the weight

The plain mean (divide by the number of shares) shrinks a weight that one share alone has seen, and most weights are
such. Dividing by c^p leaves those whole. The sums run in the order of the shares, so the bits depend on the number of
shares and mixes, and on nothing else. docs/cluster.md has the figures behind p and q.

The average over all steps takes the weights to move evenly from one mix to the next: with n steps in a round, it adds
n·z·(θ̄ before + θ̄ after)/2. In the form of native/kernel/stochastic.hpp, Σ θ = Z·θ̄ − R, that is R += (Z + n·z/2)·δ.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagfield.cluster.rounds import Change, in_blocks
from tagfield.dataset import Floats, Longs
from tagfield.layout import ABSENT, Weights, absent
from tagfield.train.options import Recipe, Stochastic
from tagfield.train.stochastic import kept_weights
from tagfield.train.trainer import State, arrays_of, weights_of

MIXES = 32
FOLD = 1e-3  # below this, z is folded into θ̄


@dataclass(frozen=True)
class Scheme:
    """How shares are mixed: how often in an epoch, and what a sum over c shares is divided by.

    >>> from tagfield.train import RECIPES
    >>> Scheme.of(RECIPES["adaptive"]), Scheme.of(RECIPES["u2.g1"], mixes=8)
    (Scheme(mixes=32, p=0.5, q=1.0), Scheme(mixes=8, p=0.75, q=1.0))
    """

    mixes: int = MIXES
    p: float = 0.75
    q: float = 1.0

    @classmethod
    def of(cls, recipe: Recipe, mixes: int = MIXES) -> "Scheme":
        """The scheme for a recipe.

        With AdaGrad, S is what one share has seen on average (q = 1): a c-th of what one machine would have. So steps
        are √c times as long, and p = 1/2 makes their sum as long as one machine's.
        """
        adaptive = isinstance(recipe, Stochastic) and recipe.metric is not None
        return cls(mixes, 0.5 if adaptive else 0.75)

    def factors(self, shares: int) -> tuple[Floats, Floats]:
        """c^−p and c^−q for c = 0 … shares, with 1 for c = 0."""
        counts = np.maximum(np.arange(shares + 1), 1.0)
        return (counts**-self.p).astype(np.float32), (counts**-self.q).astype(np.float32)


class Mixture:
    """The weights that shares have in common, and how they change.

    >>> weights = Weights(np.zeros((2, 8), np.float32), np.zeros((1, 8), np.float32))
    >>> mixture = Mixture(weights, adaptive=False, scheme=Scheme(p=1.0))
    >>> one = np.array([0]), np.ones((1, 8), np.float32)
    >>> change = Change([one[0], one[0]], [one[1], one[1]], [], 1.0, 3, 0.5)
    >>> mixture.mix([change, change])
    >>> mixture.theta.state[:, 0].tolist(), mixture.t
    ([1.0, 0.0], 6.0)
    """

    def __init__(self, start: Weights, *, adaptive: bool, scheme: Scheme) -> None:
        self.theta = start.copy()
        self.squares = start.map(np.zeros_like) if adaptive else None
        self.scheme = scheme
        self.scale, self.t = 1.0, 0.0
        self.averaging, self.summed_scale, self.averaged = False, 0.0, 0
        self._rest: Weights | None = None
        self._seen = [np.zeros(array.size // 8, np.bool_) for array in start.arrays()]
        self._place = [np.zeros(array.size // 8, np.int32) for array in start.arrays()]

    def start_average(self) -> None:
        """Forgets what was averaged so far, and starts again here."""
        self.averaging, self.summed_scale, self.averaged = True, 0.0, 0
        self._rest = self.theta.map(np.zeros_like)

    def mix(self, changes: Sequence[Change]) -> None:
        """Adds the changes of one round, in the order of the shares."""
        steps = sum(change.sentences for change in changes)
        for change in changes:
            self.scale *= change.shrunk
        self.t += steps
        middle = self.summed_scale + 0.5 * steps * self.scale
        if self.averaging:
            self.summed_scale += steps * self.scale
            self.averaged += steps
        by_count, squares_by_count = self.scheme.factors(len(changes))
        for k, theta in enumerate(self.theta.arrays()):
            union = self._union(k, changes)
            total, count = self._sum(k, union, [(change.blocks[k], change.theta[k]) for change in changes])
            total = self._step(k, total * by_count[count])
            blocks = in_blocks(theta)
            blocks[union] = np.where(total == 0, blocks[union], blocks[union] + total)  # −0.0, no feature, stays
            if self._rest is not None:
                in_blocks(self._rest.arrays()[k])[union] += np.float32(middle) * total
            if self.squares is not None:
                grown, _ = self._sum(k, union, [(change.blocks[k], change.squares[k]) for change in changes])
                grown *= squares_by_count[count]
                in_blocks(self.squares.arrays()[k])[union] += grown
        if self.scale < FOLD:
            self._fold()

    def _step(self, k: int, total: Floats) -> Floats:
        """What is added to array k, of what the shares have changed; benchmarks/mixing.py tries others."""
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

    def _sum(self, k: int, union: Longs, parts: Iterable[tuple[Longs, Floats]]) -> tuple[Floats, NDArray[np.uint16]]:
        """The sum over the shares for each weight of the blocks [blocks, LANES], and how many shares changed it."""
        total = np.zeros((len(union), 8), np.float32)
        count = np.zeros((len(union), 8), np.uint16)
        for blocks, values in parts:
            at = self._place[k][blocks]
            total[at] += values
            count[at] += values != 0
        return total, count

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
