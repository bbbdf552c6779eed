"""Natural gradient descent on the whole corpus, in float64 and over every pair: the twin of `descend`.

    Ẽ = Σ_s weight·Φ(x_s,y_s)/S     E = Ẽ + u,  u = Σ_s weight·(E_s − Ẽ_s)/S
    p = aE − bẼ,  q = cE − dẼ       (*) = a·(g(p) − g(q)) − c·h(q)·(p − q)
    r = 2c2/S·θ + (*)               tried = θ − λ·r
    ‖r(tried) − r‖ ≤ ‖r‖/2:  θ ← tried, λ ← 1.1·λ;   otherwise: λ ← λ/2

So a step is taken if it turns what is left by at most half of its length.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from tests.support.naive import Dense, Problem, difference, path_counts

Function = Callable[[np.ndarray], np.ndarray]
GENERATORS: dict[str, tuple[Function, Function]] = {  # g and h, the derivatives of G
    "quadratic": (lambda u: u, np.ones_like),
    "arctan:0.1": (lambda u: np.arctan(u / sqrt(0.1)) / sqrt(0.1), lambda u: 1 / (u * u + 0.1)),
    "softplus:2": (lambda u: np.log1p(np.exp(2 * u)) / 2, lambda u: 1 / (1 + np.exp(-2 * u))),
    "pnorm:3": (lambda u: u * np.abs(u), lambda u: 2 * np.abs(u)),
    "entropy": (np.log, lambda u: 1 / u),
}


def coefficients(loss: str, gamma: float) -> tuple[float, float, float, float]:
    """a, b, c, d with p = aE − bẼ and q = cE − dẼ."""
    rho = 1 - gamma
    return {
        "B1": (gamma, 0.0, -rho, -1.0),
        "B2": (-rho, -1.0, gamma, 0.0),
        "B3": (0.0, -rho, 1.0, gamma),
        "B4": (1.0, gamma, 0.0, -rho),
    }[loss]


def empirical(problem: Problem) -> Dense:
    """Σ_s weight·Φ(x_s, y_s)."""
    A, E, L = problem.attributes, problem.edge_attributes, problem.labels
    total = Dense(np.zeros((A, L)), np.zeros((L, L)), np.zeros((E, L, L)))
    for s, weight in enumerate(problem.weights):
        total = total.map(lambda sum, n, w=weight: sum + w * n, path_counts(problem, s, problem.gold[s]))
    return total


@dataclass
class WholeCorpus:
    problem: Problem
    present: Dense  # masks of the features that exist
    loss: str
    gamma: float
    generator: str
    c2: float
    rate: float

    def __post_init__(self) -> None:
        self.theta = self.present.map(lambda m: np.zeros(m.shape))
        self.lowest = np.inf  # E/Ẽ

    def nll_and_u(self, theta: Dense) -> tuple[float, Dense]:
        nll, u = 0.0, theta.map(np.zeros_like)
        for s, weight in enumerate(self.problem.weights):
            if self.problem.sentences[s]:
                part, x = difference(self.problem, s, theta)
                nll += weight * part
                u = u.map(lambda sum, x, w=weight: sum + w * x / len(self.problem.sentences), x)
        return nll, u

    def direction(self, u: Dense) -> Dense:
        g, h = GENERATORS[self.generator]
        a, b, c, d = coefficients(self.loss, self.gamma)
        target = empirical(self.problem).map(lambda n: n / len(self.problem.sentences))

        def star(u: np.ndarray, target: np.ndarray, present: np.ndarray) -> np.ndarray:
            E, target = u[present] + target[present], target[present]
            if self.generator == "entropy":  # E > 0, however the sum is rounded
                self.lowest = min(self.lowest, *(E / target), np.inf)
                E = np.maximum(E, 1e-9 * target)
            p, q = a * E - b * target, c * E - d * target
            found = np.zeros(u.shape)
            found[present] = a * (g(p) - g(q)) - c * h(q) * (p - q)
            return found

        return u.map(star, target, self.present)

    def residual(self, theta: Dense) -> Dense:
        """Cθ + (*)."""
        decay = 2 * self.c2 / len(self.problem.sentences)
        return theta.map(lambda x, r: decay * x + r, self.direction(self.nll_and_u(theta)[1]))

    def step(self) -> tuple[float, float]:
        """Tries until θ has moved, or the rate is tiny; the objective, and how clear the closest decision was."""
        rest, clear = self.residual(self.theta), np.inf
        length = sqrt(squared(rest))
        while length > 1e-9 and self.rate > 1e-12:
            rate = self.rate
            tried = self.theta.map(lambda x, r, rate=rate: x - rate * r, rest)
            turned = sqrt(squared(self.residual(tried).map(np.subtract, rest)))
            clear = min(clear, abs(turned / length - 0.5))
            if turned <= length / 2:
                self.theta, self.rate = tried, 1.1 * rate
                return self.nll_and_u(tried)[0] + self.c2 * squared(tried), clear
            self.rate = rate / 2
        return self.nll_and_u(self.theta)[0], 0.0


def squared(theta: Dense) -> float:
    return float(np.sum(theta.flat() ** 2))
