"""Small corpora with edge attributes, and their weights: what the package packs, as plain lists and arrays."""

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from tagfield.data.dataset import Dataset
from tagfield.data.encode import Encoded, Vocabulary
from tagfield.weights.layout import FeatureSet, Weights
from tests.support.naive import Dense, Problem, sentence_scores
from tests.support.strategies import edge_slots, encode, problems

Edges = list[list[list[tuple[int, float]]]]  # for each sentence and position: edge attributes with their values


@dataclass(frozen=True)
class EdgeProblem:
    """A corpus with edge attributes, and dense weights for it."""

    problem: Problem
    edges: Edges
    size: int  # E
    theta: Dense  # state [A, L], trans [L, L]
    edge: np.ndarray  # [E, L, L]
    present: np.ndarray  # [E, L, L] the edge features that exist

    def encoded(self) -> Encoded:
        found = encode(self.problem)
        return replace(found, dataset=with_edges(found.dataset, self.edges), edges=names(self.size))

    def packed(self, dtype: type = np.float32, sparse: bool | None = None) -> tuple[FeatureSet, Weights]:
        A, L = self.problem.attributes, self.problem.labels
        a, y = np.divmod(np.arange(A * L), L)
        before, after = np.divmod(np.arange(L * L), L)
        which = np.nonzero(self.present)
        return FeatureSet.from_triples(
            A,
            L,
            (a, y, self.theta.state.reshape(-1)),
            (before, after, self.theta.trans.reshape(-1)),
            sparse=sparse,
            edge_attributes=self.size,
            edge_weights=(*which, self.edge[which]),
            dtype=dtype,
        )

    def chain(self, s: int) -> tuple[np.ndarray, np.ndarray]:
        """The scores [n, L] and the transitions into each position [n, L, L] of a sentence."""
        tau = np.repeat(self.theta.trans[None], len(self.edges[s]), axis=0)
        for t, found in enumerate(self.edges[s]):
            for e, value in found:
                tau[t] += value * np.where(self.present[e], self.edge[e], 0) * (t > 0)
        return sentence_scores(self.problem, s, self.theta), tau


def names(size: int) -> Vocabulary:
    return Vocabulary(f"e:{e}" for e in range(size))


def with_edges(dataset: Dataset, edges: Edges) -> Dataset:
    """The dataset with slots for edge attributes; those of position 0 are left out."""
    return replace(dataset, edge_slots=edge_slots(edges))


@st.composite
def edge_problems(draw: st.DrawFn, labels: tuple[int, ...] = (1, 2, 3, 9), most: int = 3) -> EdgeProblem:
    """Corpora of short sentences; some positions have no edge attribute, and some of those no weight."""
    problem = draw(problems(labels=labels, weighted=False))
    problem.sentences[:] = [sentence[:most] for sentence in problem.sentences]
    problem.gold[:] = [gold[:most] for gold in problem.gold]
    L, E = problem.labels, draw(st.integers(1, 4))
    value = st.integers(-128, 128).map(lambda k: k / 64) if draw(st.booleans()) else st.just(1.0)
    found = st.lists(st.tuples(st.integers(0, E - 1), value), max_size=3)
    some = [draw(st.booleans()) for _ in problem.sentences]
    edges = [
        [draw(found) if has else [] for _ in sentence] for sentence, has in zip(problem.sentences, some, strict=True)
    ]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = draw(st.sampled_from([1.0, 20.0]))

    def weights(*shape: int) -> np.ndarray:
        return (rng.normal(0, size, shape)).astype(np.float32).astype(np.float64)

    present = rng.random((E, L, L)) < draw(st.sampled_from([0.2, 1.0]))
    return EdgeProblem(
        problem, edges, E, Dense(weights(problem.attributes, L), weights(L, L)), weights(E, L, L), present
    )
