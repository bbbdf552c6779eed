"""The naive twin of mini-batches and of kinds of features: E and Ẽ of b sentences, one f for each feature, one step.

Labels may be unknown (−1): Ẽ is then the expectation over the paths that agree with what is known.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.support.naive import (
    Dense,
    Problem,
    add_cost,
    chain_in_logs,
    counts,
    path_counts,
    sentence_scores,
    sentence_transitions,
)

Direction = Callable[[Dense, Dense], Dense]  # of E and Ẽ


@dataclass
class Minibatches:
    """θ ← (1 − mCλ_t)·θ − λ_t·f(E, Ẽ), λ_t = λ̂/(1 + λ̂Ct), t ← t + m, over b sentences or what is left of them.

    A sum has m = n, the number of sentences. A mean divides E and Ẽ by n, has m = n/b, and its step is m·λ_t·f. With
    b = 1 a sentence's weight scales the step.
    """

    problem: Problem
    present: Dense  # masks
    f: Direction
    rate: float
    decay: float
    size: int
    mean: bool = False
    adaptive: bool = False
    floor: float = 1e-3
    cost: float = 0.0

    def __post_init__(self) -> None:
        self.theta = self.present.map(np.zeros_like).map(np.float64)
        self.squares, self.summed, self.t, self.steps = self.theta, self.theta, 0.0, 0

    def run(self, order: list[int]) -> float:
        order = [s for s in order if self.problem.sentences[s]]
        return sum(self.step(order[i : i + self.size]) for i in range(0, len(order), self.size))

    def step(self, batch: list[int]) -> float:
        weights = [self.problem.weights[s] for s in batch]
        found = [self.expected(s) for s in batch]
        inside = [1.0] if self.size == 1 else weights
        share = 1 / len(batch) if self.mean else 1.0
        E, empirical = (self.sum([one[k] for one in found], [w * share for w in inside]) for k in (1, 2))
        r = self.f(E, empirical)
        m = len(batch) / self.size if self.mean else len(batch)
        if self.adaptive:
            self.squares = self.squares.map(lambda old, x: old + x * x, r)
            r = r.map(lambda x, squares: x / (np.sqrt(squares) + self.floor), self.squares)
        rate = self.rate / (1 + self.rate * self.decay * self.t)
        step, shrink = rate * (weights[0] if self.size == 1 else 1.0), 1 - m * self.decay * rate
        step *= m if self.mean else 1.0
        self.theta = self.theta.map(lambda old, x, is_: np.where(is_, shrink * old - step * x, 0), r, self.present)
        self.summed = self.summed.map(np.add, self.theta)
        self.t, self.steps = self.t + m, self.steps + 1
        return sum(w * one[0] for w, one in zip(weights, found, strict=True))

    def expected(self, s: int) -> tuple[float, Dense, Dense]:
        """The loss, E and Ẽ of a sentence."""
        gold = self.problem.gold[s]
        scores = add_cost(sentence_scores(self.problem, s, self.theta), gold, self.cost)
        trans = sentence_transitions(self.problem, s, self.theta)
        every, known = chain_in_logs(scores, trans), scores.copy()
        for t, y in enumerate(gold):
            known[t, [label != y >= 0 for label in range(self.problem.labels)]] = -np.inf
        with np.errstate(invalid="ignore"):
            agreeing = chain_in_logs(known, trans)
        E = counts(self.problem, s, every.node, every.pairs)
        if min(gold) >= 0:
            return every.log_z - agreeing.log_z, E, path_counts(self.problem, s, gold)
        return every.log_z - agreeing.log_z, E, counts(self.problem, s, agreeing.node, agreeing.pairs)

    @staticmethod
    def sum(parts: list[Dense], weights: list[float]) -> Dense:
        total = parts[0].map(lambda x: x * weights[0])
        for part, weight in zip(parts[1:], weights[1:], strict=True):
            total = total.map(lambda x, y, by=weight: x + by * y, part)
        return total

    def average(self) -> Dense:
        return self.summed.map(lambda x: x / self.steps)
