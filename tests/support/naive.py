"""Naive twins of the kernels: plain loops and float64, straight from the formulas, sharing nothing with the package.

    paths ─▶ chain (log Z, marginals, best path) ─▶ difference u = E − Ẽ ─▶ stochastic, margin and batch training

A `Problem` is a corpus by ids. θ is dense: state [A, L], trans [L, L] and edge [E, L, L], with masks of the features
that exist. Transitions are [L, L], or [T, L, L] where edge attributes make them differ: τ[t] leads into position t.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise, product

import numpy as np

Token = list[tuple[int, float]]  # attribute ids with their values; an id may come twice


@dataclass(frozen=True)
class Problem:
    sentences: list[list[Token]]
    gold: list[list[int]]
    weights: list[float]
    attributes: int
    labels: int
    edges: list[list[Token]] = field(default_factory=list)  # edge attributes of each token; those of the first are void
    edge_attributes: int = 0


@dataclass(frozen=True)
class Dense:
    """Something of every (attribute, label) pair, of every transition, and of every (edge attribute, from, to)."""

    state: np.ndarray  # [A, L]
    trans: np.ndarray  # [L, L]
    edge: np.ndarray = field(default_factory=lambda: np.zeros(0))  # [E, L, L]

    def map(self, fn: Callable[..., np.ndarray], *others: "Dense") -> "Dense":
        def parts(name: str) -> np.ndarray:
            return fn(getattr(self, name), *(getattr(other, name) for other in others))

        return Dense(parts("state"), parts("trans"), parts("edge") if self.edge.size else self.edge)

    def flat(self) -> np.ndarray:
        return np.concatenate([self.state.ravel(), self.trans.ravel(), self.edge.ravel()])


@dataclass(frozen=True)
class Chain:
    log_z: float
    node: np.ndarray  # [T, L]  P(y_t = y)
    edge: np.ndarray  # [L, L]  Σ_t P(y_{t−1} = i, y_t = j)
    pairs: np.ndarray = field(default_factory=lambda: np.zeros(0))  # [T, L, L]  P(y_{t−1} = i, y_t = j); pairs[0] is 0


def into(trans: np.ndarray, t: int) -> np.ndarray:
    """The transitions into position t."""
    return trans if trans.ndim == 2 else trans[t]


def path_score(scores: np.ndarray, trans: np.ndarray, path: tuple[int, ...]) -> float:
    score = scores[0, path[0]]
    for t in range(1, len(path)):
        score = score + into(trans, t)[path[t - 1], path[t]] + scores[t, path[t]]
    return float(score)


def all_paths(scores: np.ndarray, trans: np.ndarray) -> dict[tuple[int, ...], float]:
    length, labels = scores.shape
    return {p: path_score(scores, trans, p) for p in product(range(labels), repeat=length)}


def chain_by_paths(scores: np.ndarray, trans: np.ndarray) -> Chain:
    """Every path, one by one."""
    paths = all_paths(scores, trans)
    top = max(paths.values())
    total = sum(np.exp(score - top) for score in paths.values())
    length, labels = scores.shape
    node, pairs = np.zeros(scores.shape), np.zeros((length, labels, labels))
    for path, score in paths.items():
        p = np.exp(score - top) / total
        for t, y in enumerate(path):
            node[t, y] += p
        for t, (before, after) in enumerate(pairwise(path), start=1):
            pairs[t, before, after] += p
    return Chain(float(top + np.log(total)), node, pairs.sum(axis=0), pairs)


def chain_in_logs(scores: np.ndarray, trans: np.ndarray) -> Chain:
    """The recursions with logarithms, for chains whose paths are too many; held against `chain_by_paths`."""
    length, labels = scores.shape
    alpha, beta = np.array(scores, float), np.zeros(scores.shape)
    for t in range(1, length):
        alpha[t] += np.logaddexp.reduce(alpha[t - 1][:, None] + into(trans, t), axis=0)
    for t in reversed(range(length - 1)):
        beta[t] = np.logaddexp.reduce(into(trans, t + 1) + scores[t + 1] + beta[t + 1], axis=1)
    log_z = np.logaddexp.reduce(alpha[-1])
    pairs = np.zeros((length, labels, labels))
    for t in range(1, length):
        pairs[t] = np.exp(alpha[t - 1][:, None] + into(trans, t) + scores[t] + beta[t] - log_z)
    return Chain(float(log_z), np.exp(alpha + beta - log_z), pairs.sum(axis=0), pairs)


def best_score(scores: np.ndarray, trans: np.ndarray) -> float:
    best = scores[0]
    for t in range(1, len(scores)):
        best = (best[:, None] + into(trans, t)).max(axis=0) + scores[t]
    return float(best.max())


def k_best_scores(scores: np.ndarray, trans: np.ndarray, count: int) -> list[float]:
    """The scores of the best paths, by keeping as many for each label."""
    kept: list[list[float]] = [[float(score)] for score in scores[0]]
    for t in range(1, len(scores)):
        step = into(trans, t)
        ways = [[v + step[i, j] for i, before in enumerate(kept) for v in before] for j in range(scores.shape[1])]
        kept = [sorted((float(v + scores[t, j]) for v in way), reverse=True)[:count] for j, way in enumerate(ways)]
    every = sorted((v for label in kept for v in label), reverse=True)[:count]
    return [v for v in every if v > -np.inf]


def sentence_scores(problem: Problem, s: int, theta: Dense) -> np.ndarray:
    """s_t(y) = Σ_a value · θ[a, y]."""
    scores = np.zeros((len(problem.sentences[s]), problem.labels))
    for t, token in enumerate(problem.sentences[s]):
        for a, value in token:
            scores[t] += value * theta.state[a]
    return scores


def sentence_transitions(problem: Problem, s: int, theta: Dense) -> np.ndarray:
    """τ_t(i, j) = τ(i, j) + Σ_e value · θ[e, i, j]; [L, L] where there are no edge attributes."""
    if not problem.edges:
        return theta.trans
    trans = np.array([theta.trans] * len(problem.sentences[s]))
    for t, token in enumerate(problem.edges[s]):
        for e, value in token:
            trans[t] += value * theta.edge[e]
    return trans


def counts(problem: Problem, s: int, node: np.ndarray, pairs: np.ndarray) -> Dense:
    """Φ summed over the sentence, for given [T, L] and [T, L, L] (counts or expectations)."""
    state = np.zeros((problem.attributes, problem.labels))
    edge = np.zeros((problem.edge_attributes, problem.labels, problem.labels))
    for t, token in enumerate(problem.sentences[s]):
        for a, value in token:
            state[a] += value * node[t]
        for e, value in problem.edges[s][t] if problem.edges else []:
            edge[e] += value * pairs[t]  # pairs[0] is 0
    return Dense(state, pairs.sum(axis=0), edge)


def path_counts(problem: Problem, s: int, path: list[int]) -> Dense:
    node, pairs = np.zeros((len(path), problem.labels)), np.zeros((len(path), problem.labels, problem.labels))
    for t, y in enumerate(path):
        node[t, y] = 1
    for t, (before, after) in enumerate(pairwise(path), start=1):
        pairs[t, before, after] = 1
    return counts(problem, s, node, pairs)


def add_cost(scores: np.ndarray, gold: list[int], cost: float) -> np.ndarray:
    """The scores of a sentence with the cost of every label that is known to be wrong."""
    wrong = np.array([[y >= 0 and label != y for label in range(scores.shape[1])] for y in gold])
    return scores + cost * wrong if len(gold) else scores


def difference(problem: Problem, s: int, theta: Dense, cost: float = 0.0) -> tuple[float, Dense]:
    """−log p(gold), and u = E − Ẽ summed over the whole sentence; with a cost, of the softmax margin."""
    scores = add_cost(sentence_scores(problem, s, theta), problem.gold[s], cost)
    trans = sentence_transitions(problem, s, theta)
    chain = chain_in_logs(scores, trans)
    loss = chain.log_z - path_score(scores, trans, tuple(problem.gold[s]))
    expected = counts(problem, s, chain.node, chain.pairs)
    return loss, expected.map(np.subtract, path_counts(problem, s, problem.gold[s]))


def nll(problem: Problem, theta: Dense) -> float:
    """Σ_s weight_s · −log p(gold_s)."""
    return sum(w * difference(problem, s, theta)[0] for s, w in enumerate(problem.weights) if problem.sentences[s])


@dataclass
class Stochastic:
    """θ ← (1 − Cλ_t)·θ − λ_t·weight·f(u), u being that of one whole sentence; λ_t = λ̂/(1 + λ̂Ct).

    The sentences of a block see the same θ; their steps follow in order.
    """

    problem: Problem
    present: Dense  # masks
    f: Callable[[np.ndarray], np.ndarray]
    rate: float
    decay: float
    adaptive: bool = False
    floor: float = 1e-3
    respond_edges: bool = True
    cost: float = 0.0
    block: int = 1

    def __post_init__(self) -> None:
        self.theta = self.present.map(np.zeros_like).map(np.float64)
        self.squares, self.summed, self.t = self.theta, self.theta, 0

    def run(self, order: list[int]) -> float:
        total, found = 0.0, {}
        order = [s for s in order if self.problem.sentences[s]]
        for i, s in enumerate(order):
            if i % self.block == 0:
                found = {i + k: self.direction(each) for k, each in enumerate(order[i : i + self.block])}
            loss, r = found[i]
            total += self.problem.weights[s] * loss
            r = self.scaled(r)
            rate = self.rate / (1 + self.rate * self.decay * self.t)
            step = rate * self.problem.weights[s]
            shrink = 1 - self.decay * rate
            self.theta = self.theta.map(
                lambda old, x, is_feature, by=shrink, step=step: np.where(is_feature, by * old - step * x, 0),
                r,
                self.present,
            )
            self.summed = self.summed.map(np.add, self.theta)
            self.t += 1
        return total

    def scaled(self, r: Dense) -> Dense:
        """The direction by the preconditioner: flat, or AdaGrad's."""
        if not self.adaptive:
            return r
        self.squares = self.squares.map(lambda old, x: old + x * x, r)
        return r.map(lambda x, squares: x / (np.sqrt(squares) + self.floor), self.squares)

    def direction(self, s: int) -> tuple[float, Dense]:
        """The loss of a sentence and f(u)."""
        loss, u = difference(self.problem, s, self.theta, self.cost)
        return loss, u.map(self.f) if self.respond_edges else Dense(self.f(u.state), u.trans, u.edge)

    def average(self) -> Dense:
        return self.summed.map(lambda x: x / self.t)


@dataclass
class Limited(Stochastic):
    """The same where a label may be unknown (−1) and only some labels may start, follow each other, and end.

    Ẽ is then the expectation over the paths that agree with what is known, and f is a function of E and Ẽ.
    """

    start: np.ndarray = field(default_factory=lambda: np.ones(0, bool))  # [L]
    follow: np.ndarray = field(default_factory=lambda: np.ones((0, 0), bool))  # [L, L]
    end: np.ndarray = field(default_factory=lambda: np.ones(0, bool))  # [L]

    def direction(self, s: int) -> tuple[float, Dense]:
        scores = add_cost(sentence_scores(self.problem, s, self.theta), self.problem.gold[s], self.cost)
        scores[0, ~self.start] = scores[-1, ~self.end] = -np.inf
        trans = np.where(self.follow, sentence_transitions(self.problem, s, self.theta), -np.inf)
        known = scores.copy()
        for t, y in enumerate(self.problem.gold[s]):
            if y >= 0:
                known[t, np.arange(self.problem.labels) != y] = -np.inf
        every, agreeing = chain_in_logs(scores, trans), chain_in_logs(known, trans)
        E, empirical = (counts(self.problem, s, chain.node, chain.pairs) for chain in (every, agreeing))
        r, u = E.map(self.f, empirical), E.map(np.subtract, empirical)
        return every.log_z - agreeing.log_z, r if self.respond_edges else Dense(r.state, u.trans, u.edge)


@dataclass
class Margin:
    """Passive–aggressive: θ += τ·(Φ(gold) − Φ(guess)) when the guess is wrong; the average of θ over all steps."""

    problem: Problem
    present: Dense
    type: int
    c: float
    cost_sensitive: bool

    def __post_init__(self) -> None:
        self.theta = self.present.map(np.zeros_like).map(np.float64)
        self.summed, self.steps = self.theta, 1  # CRFsuite counts θ = 0 as the first of the average

    def run(self, order: list[int]) -> float:
        total = 0.0
        for s in order:
            gold, weight = self.problem.gold[s], self.problem.weights[s]
            if not gold:
                continue
            scores = sentence_scores(self.problem, s, self.theta)
            trans = sentence_transitions(self.problem, s, self.theta)
            guess = best_path(scores, trans)
            wrong = sum(g != y for g, y in zip(guess, gold, strict=True))
            if wrong:
                delta = path_counts(self.problem, s, gold).map(np.subtract, path_counts(self.problem, s, guess))
                delta = delta.map(np.multiply, self.present)
                loss = path_score(scores, trans, guess) - path_score(scores, trans, gold)
                loss += np.sqrt(wrong) if self.cost_sensitive else 1.0
                loss = wrong / len(gold) if self.type == 3 else loss  # the perceptron
                total += weight * loss
                norm = float(np.sum(delta.flat() ** 2))
                tau = loss / (norm + 1 / (2 * self.c)) if self.type == 2 else loss / norm if norm else 0.0
                tau = {1: min(self.c, tau), 3: 1.0}.get(self.type, tau)
                self.theta = self.theta.map(lambda old, d, by=tau * weight: old + by * d, delta)
            self.steps += 1
            self.summed = self.summed.map(np.add, self.theta)
        return total

    def is_clear(self, s: int) -> bool:
        """Whether the best path is so by more than rounding, or is an exact tie of a fresh θ."""
        scores, trans = sentence_scores(self.problem, s, self.theta), sentence_transitions(self.problem, s, self.theta)
        if not len(scores) or not np.any(self.theta.flat()):
            return True
        chosen, best = best_path(scores, trans), best_score(scores, trans)
        second = -np.inf
        for t, y in enumerate(chosen):  # the best path that differs at t
            other = scores.copy()
            other[t, y] = -np.inf
            second = max(second, best_score(other, trans))
        return bool(best - second > 1e-4 * max(1.0, abs(best)))

    def average(self) -> Dense:
        return self.summed.map(lambda x: x / self.steps)


def best_path(scores: np.ndarray, trans: np.ndarray) -> list[int]:
    """Of equal paths the one whose last label is lower, then the one before, and so on."""
    best, back = [scores[0]], []
    for t in range(1, len(scores)):
        ways = best[-1][:, None] + into(trans, t)
        back.append(ways.argmax(axis=0))
        best.append(ways.max(axis=0) + scores[t])
    path = [int(best[-1].argmax())]
    for choice in reversed(back):
        path.append(int(choice[path[-1]]))
    return path[::-1]
