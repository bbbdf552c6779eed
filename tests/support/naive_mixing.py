"""Mixing, weight by weight, in float64: the twin of cluster/mixing.py."""

from itertools import pairwise

import numpy as np

from tagfield.cluster.mixing import Scheme
from tagfield.cluster.rounds import Change
from tagfield.dataset import Doubles


def naive_mix(theta: Doubles, squares: Doubles, k: int, changes: list[Change], scheme: Scheme) -> None:
    """Changes array k of the weights [B, LANES] and AdaGrad's sums in place."""
    for block in range(len(theta)):
        for lane in range(theta.shape[1]):
            steps, grown = [], []
            for change in changes:
                for at in np.flatnonzero(change.blocks[k] == block):
                    steps.append(float(change.theta[k][at, lane]))
                    grown.append(float(change.squares[k][at, lane]) if change.squares else 0.0)
            count = max(1, sum(step != 0 for step in steps))
            theta[block, lane] += sum(steps) / count**scheme.p
            squares[block, lane] += sum(grown) / count**scheme.q


def naive_average(snapshots: list[tuple[Doubles, int]]) -> Doubles:
    """The mean over all steps of weights that move evenly: (θ before a round + θ after it)/2, for each of its steps."""
    total, steps = np.zeros_like(snapshots[0][0]), 0
    for (before, _), (after, count) in pairwise(snapshots):
        total += count * (before + after) / 2
        steps += count
    return total / steps
