"""Mixing, weight by weight, in float64: the twin of scale/cluster/mixing.py."""

import math
from itertools import pairwise

import numpy as np

from tagfield.data.dataset import Doubles
from tagfield.scale.cluster.mixing import Scheme
from tagfield.scale.cluster.rounds import Change


def naive_mix(
    theta: Doubles, squares: Doubles | None, k: int, changes: list[Change], scheme: Scheme, scale: float, rate: float
) -> None:
    """Changes array k of the weights [B, LANES] and AdaGrad's sums in place.

    scale: z at the end of the round
    """
    kappa = scheme.kappa * sum(change.attributes for change in changes) / max(1, sum(c.tokens for c in changes))
    for block in range(len(theta)):
        for lane in range(theta.shape[1]):
            steps, grown = [], []
            for change in changes:
                for at in np.flatnonzero(change.blocks[k] == block):
                    steps.append(float(change.theta[k][at, lane]))
                    grown.append(float(change.squares[k][at, lane]) if squares is not None else 0.0)
            count = max(1, sum(step != 0 for step in steps))
            if squares is None:
                h = kappa * rate * sum((scale * step / rate) ** 2 for step in steps)
            else:
                squares[block, lane] += sum(grown) / count
                h = kappa * rate * sum(grown) / math.sqrt(squares[block, lane]) if any(grown) else 0.0
            theta[block, lane] += sum(steps) * (1 + h / count) / (1 + h)


def naive_average(snapshots: list[tuple[Doubles, int]]) -> Doubles:
    """The mean over all steps of weights that move evenly: (θ before a round + θ after it)/2, for each of its steps."""
    total, steps = np.zeros_like(snapshots[0][0]), 0
    for (before, _), (after, count) in pairwise(snapshots):
        total += count * (before + after) / 2
        steps += count
    return total / steps
