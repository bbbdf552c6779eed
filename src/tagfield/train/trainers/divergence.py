"""Divergence: weights that explain the data worse than zero weights do. One test for stochastic trainers everywhere.

The loss along a pass is that of weights which were changing. So a sample of the sentences is measured again, but only
where the loss along the pass exceeds that of zero weights.
"""

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np

from tagfield.train.problem.problem import Problem
from tagfield.weights.layout import Weights

SAMPLE = 1000  # sentences that are measured again
WORSE = 1.05  # where there is little to learn, noise alone makes weights a little worse than none


class DivergenceTest:
    """Compares weights with zero weights, by the softmax-margin loss with that cost.

    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> problem = Problem.of(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("sgd"))
    >>> DivergenceTest(problem, 0.0)(1e3, 0.0, problem.features.zeros)
    False
    """

    def __init__(self, problem: Problem, cost: float) -> None:
        self._problem, self._cost = problem, cost

    @cached_property
    def _untrained(self) -> float:
        """The loss of zero weights: −log p of each known label is log(1 + (L − 1)·exp(cost))."""
        problem, cost = self._problem, self._cost
        if problem.limits is not None or problem.class_weight is not None:
            return problem.nll(problem.features.zeros(), cost=cost)
        return problem.data.weighted_tokens()[1] * math.log1p(max(1, problem.features.labels - 1) * math.exp(cost))

    def __call__(self, along: float, penalty: float, weights: Callable[[], Weights]) -> bool:
        """Whether the weights after a pass have diverged.

        along: the loss along the pass, with the penalty; penalty: its part of that
        """
        if not along > self._untrained:
            return False
        problem, sentences = self._problem, self._problem.count
        sample = np.arange(0, sentences, max(1, sentences // SAMPLE), dtype=np.int64)
        nothing = problem.nll(problem.features.zeros(), sample, self._cost)
        found = problem.nll(weights(), sample, self._cost)
        return not found + penalty * len(sample) / max(1, sentences) <= WORSE * nothing
