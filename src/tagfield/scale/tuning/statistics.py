"""Paired differences: by how much a candidate is ahead of the default on the same folds, and how sure that is.

    d_k = figure of the candidate − figure of the default, on fold k ─▶ mean ± √(1/K + 1/(K − 1)) · sd(d)

The training parts of the folds overlap, so the plain standard error sd/√K is too small. The factor is that of Nadeau
and Bengio ("Inference for the Generalization Error", 2003), with n_test/n_train = 1/(K − 1).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Estimate(NamedTuple):
    """A mean over folds and its standard error, which is NaN for one fold."""

    mean: float
    error: float

    def __str__(self) -> str:
        return f"{self.mean:.2f}" if math.isnan(self.error) else f"{self.mean:.2f} ± {self.error:.2f}"


def estimate(figures: Sequence[float], folds: int | None = None) -> Estimate:
    """The mean of the figures of some folds, of which there are `folds` in all (by default as many as figures).

    >>> str(estimate([80.0, 81.0, 82.0]))
    '81.00 ± 0.91'
    >>> str(estimate([80.0]))
    '80.00'
    """
    count = len(figures)
    if count < 2:
        return Estimate(float(figures[0]) if count else math.nan, math.nan)
    share = 1 / ((folds or count) - 1)
    return Estimate(float(np.mean(figures)), float(np.std(figures, ddof=1)) * math.sqrt(1 / count + share))


def difference(figures: Sequence[float], default: Sequence[float], folds: int | None = None) -> Estimate:
    """How far a candidate is ahead of the default, over the folds that both have.

    >>> str(difference([81.0, 82.0, 83.5], [80.0, 81.0, 82.0]))
    '1.17 ± 0.26'
    """
    return estimate([one - other for one, other in zip(figures, default, strict=False)], folds)
