"""Naive twins of the preconditioners beside AdaGrad: the formulas of docs/recipes.md in float64.

Every weight takes part in every step. The Hessian of a sentence is the covariance of its features, path by path: only
for chains that can be enumerated.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.support.naive import (
    Dense,
    Problem,
    Stochastic,
    add_cost,
    all_paths,
    path_counts,
    sentence_scores,
    sentence_transitions,
)

LEAST = 1e-4  # the ε of SGD-QN


@dataclass
class Newton(Stochastic):
    """S ← S + r²; the step is r/(S + δ)."""

    def scaled(self, r: Dense) -> Dense:
        self.squares = self.squares.map(lambda old, x: old + x * x, r)
        return r.map(lambda x, squares: x / (squares + self.floor), self.squares)


@dataclass
class Curved(Stochastic):
    """What SGD-QN and SMD share: one sentence, one step, and directions at other weights."""

    def run(self, order: list[int]) -> float:
        total = 0.0
        for s in (s for s in order if self.problem.sentences[s]):
            loss, r = self.direction(s)
            total += self.problem.weights[s] * loss
            rate = self.rate / (1 + self.rate * self.decay * self.t)
            self.step(s, r.map(np.multiply, self.present), rate, 1 - self.decay * rate)
            self.t += 1
            self.summed = self.summed.map(np.add, self.theta)
        return total

    def direction_at(self, s: int, theta: Dense) -> Dense:
        kept, self.theta = self.theta, theta
        try:
            return self.direction(s)[1].map(np.multiply, self.present)
        finally:
            self.theta = kept

    def step(self, s: int, r: Dense, rate: float, shrink: float) -> None:
        raise AssertionError("each preconditioner has its own")


@dataclass
class SgdQn(Curved):
    """1/B ← 1/B + skip·clip(curvature, C, most·C), every skip steps; a weight that does not occur shows C."""

    skip: int = 1
    most: float = 100.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.inverse = self.theta.map(lambda x: np.full_like(x, 1 / self.rate))  # 1/B

    def step(self, s: int, r: Dense, rate: float, shrink: float) -> None:
        weight = self.problem.weights[s]
        B = self.inverse.map(lambda x: 1 / x)
        d = r.map(lambda x, size: weight * size * x / shrink, B)
        moved = self.theta.map(np.subtract, d)
        seen = self.theta.map(np.zeros_like)
        if (self.t + 1) % self.skip == 0:
            after = self.direction_at(s, moved)
            curvature = d.map(lambda d, r, new: weight * d * (r - new) / (d * d + LEAST**2), r, after)
            seen = curvature.map(lambda x: self.skip * np.clip(x, 0, (self.most - 1) * self.decay))
        # The C of every step, one at a time, is the same as skip·C every skip steps, and follows λ_t.
        self.inverse = self.inverse.map(lambda old, x: old + self.decay + x, seen)
        self.theta = moved.map(lambda x: shrink * x)


@dataclass
class Smd(Curved):
    """p ← p·clip(1 − μ·r·v, ½, 2);  v ← λ·(1 − Cλ_t)·v − λ_t·p·(r + λ·Jv)."""

    mu: float = 0.1
    memory: float = 1.0
    slope: Callable[[np.ndarray], np.ndarray] | None = None  # f′(u); None for f(u) = u

    def __post_init__(self) -> None:
        super().__post_init__()
        self.gains = self.theta.map(np.ones_like)
        self.v = self.theta.map(np.zeros_like)

    def step(self, s: int, r: Dense, rate: float, shrink: float) -> None:
        weight = self.problem.weights[s]
        Jv = hessian_times(self.problem, s, self.theta, self.v, self.cost)
        if self.slope is not None:
            Jv = Jv.map(lambda x, slope: x * slope, self.u(s).map(self.slope))
        by = r.map(lambda r, v: np.clip(1 - self.mu * weight * r * v, 0.5, 2.0), self.v)
        self.gains = self.gains.map(np.multiply, by)
        size = self.gains.map(lambda p: weight * rate * p)
        self.theta = self.theta.map(lambda x, size, r: shrink * x - size * r, size, r)
        touched = touched_by(self.problem, s)  # the others only shrink
        self.v = self.v.map(
            lambda v, size, r, J, on, here: np.where(
                on & here, self.memory * shrink * v - size * (r + self.memory * J), shrink * v * here
            ),
            size, r, Jv, touched, self.present,
        )  # fmt: skip

    def u(self, s: int) -> Dense:
        kept, self.f = self.f, lambda u: u
        try:
            return self.direction(s)[1]
        finally:
            self.f = kept


def touched_by(problem: Problem, s: int) -> Dense:
    """The weights that a sentence has anything to do with: also those whose direction happens to be 0."""
    state = np.zeros((problem.attributes, problem.labels), bool)
    edge = np.zeros((problem.edge_attributes, problem.labels, problem.labels), bool)
    for t, token in enumerate(problem.sentences[s]):
        for a, _ in token:
            state[a] = True
        for e, _ in problem.edges[s][t] if problem.edges and t else []:
            edge[e] = True
    return Dense(state, np.full((problem.labels, problem.labels), len(problem.sentences[s]) > 1), edge)


def hessian_times(problem: Problem, s: int, theta: Dense, v: Dense, cost: float = 0.0) -> Dense:
    """Cov(Φ)·v under p(y|x), path by path: Σ p·Φ·(Φ·v − E[Φ·v])."""
    scores = add_cost(sentence_scores(problem, s, theta), problem.gold[s], cost)
    paths = all_paths(scores, sentence_transitions(problem, s, theta))
    top = max(paths.values())
    p = np.exp(np.array(list(paths.values())) - top)
    p /= p.sum()
    counts = [path_counts(problem, s, list(path)) for path in paths]
    along = np.array([phi.flat() @ v.flat() for phi in counts])
    pull = p * (along - p @ along)
    total = theta.map(np.zeros_like)
    for phi, by in zip(counts, pull, strict=True):
        total = total.map(lambda sum_, x, by=by: sum_ + by * x, phi)
    return total
