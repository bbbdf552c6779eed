"""The naive twin of a stream: C is shared by the sentences so far, and features come as they are shown."""

from dataclasses import dataclass

import numpy as np

from tests.support.naive import Dense, Stochastic, path_counts


@dataclass
class Streamed(Stochastic):
    """θ ← θ/(1 + C_t·λ_t) − λ_t·weight·f(u) with C_t = C/(t + 1) and λ_t = λ̂/(1 + λ̂·C_t·t)."""

    observe: bool = True

    def run(self, order: list[int]) -> float:
        total, whole = 0.0, self.decay
        for s in order:
            if not self.problem.sentences[s]:
                continue
            if self.observe:
                self.show(s)
            self.decay = whole / (self.t + 1)
            rate = self.rate / (1 + self.rate * self.decay * self.t)
            loss, r = self.direction(s)
            total += self.problem.weights[s] * loss
            if self.adaptive:
                self.squares = self.squares.map(lambda old, x: old + x * x, r)
                r = r.map(lambda x, squares: x / (np.sqrt(squares) + self.floor), self.squares)
            step, by = rate * self.problem.weights[s], 1 / (1 + self.decay * rate)
            self.theta = self.theta.map(
                lambda old, x, there, by=by, step=step: np.where(there, by * old - step * x, 0), r, self.present
            )
            self.summed = self.summed.map(np.add, self.theta)
            self.t += 1
        self.decay = whole
        return total

    def show(self, s: int) -> None:
        """What a sentence shows becomes features, with a sum of squares of 0 where they are new."""
        tokens = enumerate(self.problem.sentences[s])
        seen = path_counts(self.problem, s, self.problem.gold[s]).map(lambda x: x != 0)
        for t, token in tokens:  # a value of 0 still shows its attribute
            for a, _ in token:
                seen.state[a, self.problem.gold[s][t]] = True
        gold = self.problem.gold[s]
        for t in range(1, len(gold) if self.problem.edges else 0):
            for e, _ in self.problem.edges[s][t]:
                seen.edge[e, gold[t - 1], gold[t]] = True
        new = seen.map(lambda shown, there: shown & ~there, self.present)
        self.squares = self.squares.map(lambda old, fresh: np.where(fresh, 0, old), new)
        self.present = self.present.map(np.logical_or, seen)


def nothing(attributes: int, labels: int, edges: int = 0) -> Dense:
    """No feature at all."""
    shapes = (attributes, labels), (labels, labels), (edges, labels, labels)
    return Dense(*(np.zeros(shape, bool) for shape in shapes))
