"""AROW in float64, weight by weight: the twin of native/kernel/pass/mistake_passes.hpp.

ŷ = argmax μ·Φ(x,·)     δ = Φ(x,y) − Φ(x,ŷ)     ℓ = μ·Φ(x,ŷ) − μ·Φ(x,y) + wrong labels
α = wℓ/(γ + w Σ_i Σ_i δ_i²)      μ_i ← μ_i + α Σ_i δ_i         1/Σ_i ← 1/Σ_i + w δ_i²/γ         w: the sentence's weight
"""

from dataclasses import dataclass

import numpy as np

from tests.support.naive import (
    Dense,
    Problem,
    best_path,
    best_score,
    path_counts,
    path_score,
    sentence_scores,
    sentence_transitions,
)


@dataclass
class Arow:
    problem: Problem
    present: Dense  # masks of the features that exist
    start: Dense
    variance: float
    gamma: float

    def __post_init__(self) -> None:
        self.mean = self.start.map(np.float64)
        self.spread = self.mean.map(lambda m: np.full(m.shape, self.variance))

    def run(self, order: list[int]) -> float:
        """One pass; the summed loss."""
        return sum(self.step(s) for s in order if self.problem.sentences[s])

    def step(self, s: int) -> float:
        gold, trans = self.problem.gold[s], sentence_transitions(self.problem, s, self.mean)
        scores = sentence_scores(self.problem, s, self.mean)
        guess = best_path(scores, trans)
        wrong = sum(g != y for g, y in zip(guess, gold, strict=True))
        if not wrong:
            return 0.0
        difference = path_counts(self.problem, s, gold).map(np.subtract, path_counts(self.problem, s, guess))
        delta = difference.map(np.multiply, self.present)
        loss = path_score(scores, trans, guess) - path_score(scores, trans, gold) + wrong
        weight = self.problem.weights[s]
        unsure = self.gamma
        for v, d in zip(self.spread.flat(), delta.flat(), strict=True):
            unsure += weight * v * d * d
        alpha = weight * loss / unsure
        self.mean = self.mean.map(lambda m, v, d: m + alpha * v * d, self.spread, delta)
        self.spread = self.spread.map(lambda v, d: 1 / (1 / v + weight * d * d / self.gamma), delta)
        return float(weight * loss)

    def is_clear(self, s: int) -> bool:
        """Whether the best path leads every other by more than rounding in float32."""
        scores, trans = sentence_scores(self.problem, s, self.mean), sentence_transitions(self.problem, s, self.mean)
        if not len(scores):
            return True
        best, second = best_score(scores, trans), -np.inf
        for t, y in enumerate(best_path(scores, trans)):  # the best path that differs at t
            other = scores.copy()
            other[t, y] = -np.inf
            second = max(second, best_score(other, trans))
        largest = max(1.0, float(np.abs(self.mean.flat()).max()))
        return bool(best - second > 1e-4 * max(largest, abs(best)))
