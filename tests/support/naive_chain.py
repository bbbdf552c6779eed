"""A linear-chain CRF by enumeration: every label path, its feature counts and probability. For tiny chains.

Φ(x, y) counts, for every attribute a and label y, how often they meet, and for every pair of labels how often
one follows the other: K = A·L + L² features. Nothing here is shared with the package.
"""

from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np


@dataclass(frozen=True)
class Chains:
    """A corpus of tiny sentences; counts[s] is [paths, K], one row for every label path of sentence s."""

    counts: list[np.ndarray]

    @classmethod
    def of(cls, sentences: list[list[list[int]]], labels: int, attributes: int) -> "Chains":
        """Sentences as attribute ids for every position."""
        tables = []
        for sentence in sentences:
            rows = []
            for path in product(range(labels), repeat=len(sentence)):
                state, edge = np.zeros((attributes, labels)), np.zeros((labels, labels))
                for here, y in zip(sentence, path, strict=True):
                    for a in here:
                        state[a, y] += 1
                for before, after in pairwise(path):
                    edge[before, after] += 1
                rows.append(np.concatenate([state.ravel(), edge.ravel()]))
            tables.append(np.array(rows))
        return cls(tables)

    @property
    def size(self) -> int:
        return self.counts[0].shape[1]

    def probabilities(self, theta: np.ndarray) -> list[np.ndarray]:
        scores = [phi @ theta for phi in self.counts]
        weights = [np.exp(s - s.max()) for s in scores]
        return [w / w.sum() for w in weights]

    def expectation(self, theta: np.ndarray) -> np.ndarray:
        """E = Σ_s Σ_y p(y|x_s)·Φ(x_s, y)."""
        return sum(p @ phi for p, phi in zip(self.probabilities(theta), self.counts, strict=True))

    def log_likelihood(self, theta: np.ndarray, gold: list[int]) -> float:
        return float(sum(np.log(p[y]) for p, y in zip(self.probabilities(theta), gold, strict=True)))

    def fisher(self, theta: np.ndarray) -> np.ndarray:
        """M = Σ_s E[score·scoreᵀ], score = ∇ log p(y|x) = Φ − E[Φ]; by its definition, path by path."""
        total = np.zeros((self.size, self.size))
        for p, phi in zip(self.probabilities(theta), self.counts, strict=True):
            score = phi - p @ phi
            total += sum(weight * np.outer(row, row) for weight, row in zip(p, score, strict=True))
        return total


def gradient_by_differences(function, theta: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """∂function/∂θ, fourth-order central differences; [K] or [K, …]."""
    rows = []
    for direction in np.eye(len(theta)) * step:
        near = function(theta + direction) - function(theta - direction)
        far = function(theta + 2 * direction) - function(theta - 2 * direction)
        rows.append((8 * near - far) / (12 * step))
    return np.array(rows)
