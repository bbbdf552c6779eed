"""Decoding with many labels, of whose pairs few have a weight or all, against the recursions in logarithms."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.dataset import Dataset
from tagfield.data.encode import encode_sequences
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.weights.layout import FeatureSet
from tests.support.naive import Chain, best_path, chain_in_logs, k_best_scores, path_score
from tests.support.tolerances import SINGLE

L = 40
NO = -np.inf


class Case:
    """A corpus and a model drawn at random, and what limits leave of its scores."""

    def __init__(self, seed: int, listed: float, size: float, masked: bool, ruled: bool, dtype: type) -> None:
        rng = np.random.default_rng(seed)
        X = [[[f"w{rng.integers(9)}", f"v{rng.integers(5)}"] for _ in range(rng.integers(1, 8))] for _ in range(11)]
        X[5] = []
        names = [f"L{j:02}" for j in range(L)]
        gold = [[names[rng.integers(L)] for _ in x] for x in X]
        encoded = encode_sequences([[[f"a{j}"] for j in range(L)], *X], [names, *gold])  # every label gets its id
        A = len(encoded.attributes)
        pairs = [(i, j) for i in range(L) for j in range(L) if rng.random() < listed] or [(0, 1)]
        self.state = rng.normal(size=(A, L)).astype(dtype) * size
        weights = (rng.normal(size=len(pairs)) * size).astype(dtype)
        before, after = (np.array(ids) for ids in zip(*pairs, strict=True))
        self.trans = np.full((L, L), -0.0, dtype)
        self.trans[before, after] = weights
        states = (np.repeat(np.arange(A), L), np.tile(np.arange(L), A), self.state.ravel())
        features, held = FeatureSet.from_triples(A, L, states, (before, after, weights), dtype=dtype)
        self.dataset: Dataset = encoded.dataset
        self.corpus, self.field = open_corpus(self.dataset), features.field(held)
        T = len(self.dataset.labels)
        self.labels = (rng.random((T, L)) < 0.8).astype(np.uint8) if masked else None
        self.follow = (rng.random((L, L)) < 0.95).astype(np.uint8) if ruled else None
        self.limits = kernels.Limits(self.labels, self.follow) if masked or ruled else None

    def chains(self) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
        """Sentence, first token, and its scores and transitions without what limits forbid."""
        raw = kernels.scores(self.corpus, self.field)
        tau = self.trans + 0 if self.follow is None else np.where(self.follow, self.trans, NO)
        for s in range(len(self.dataset)):
            start, end = self.dataset.tokens[s : s + 2]
            scores = raw[start:end]
            if self.labels is not None:
                scores = np.where(self.labels[start:end], scores, NO)
            yield s, int(start), scores, tau


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.0, 0.03, 0.1, 1.0]),
    st.sampled_from([0.3, 3.0, 40.0]),
    st.booleans(),
    st.booleans(),
)
def test_every_answer_is_that_of_the_chain(
    dtype: type, seed: int, listed: float, size: float, masked: bool, ruled: bool
) -> None:
    case = Case(seed, listed, size, masked, ruled, dtype)
    ids, best = kernels.tag(case.corpus, case.field, case.limits, 2)
    node, log_z, _ = kernels.marginals(case.corpus, case.field, case.limits)
    _, alone, score = kernels.marginals(case.corpus, case.field, case.limits, nodes=False, threads=2)
    paths, found, counts = kernels.nbest(case.corpus, case.field, 3, case.limits, 2)
    at = rank = 0
    with np.errstate(invalid="ignore"):
        for s, start, scores, tau in case.chains():
            n = len(scores)
            if not n:
                continue
            size_of = 1 + float(np.abs(np.where(scores > NO, scores, 0)).sum())
            exact = (1e-9 if dtype is np.float64 else 10 * SINGLE) * size_of
            expected: Chain = chain_in_logs(scores.astype(float), tau.astype(float))
            if expected.log_z == NO:
                assert best[s] == log_z[s] == NO
                continue
            found_path = ids[start : start + n].tolist()
            assert found_path == best_path(scores, tau.astype(dtype))
            assert best[s] == pytest.approx(path_score(scores, tau.astype(dtype), tuple(found_path)), rel=1e-6)
            assert log_z[s] == pytest.approx(expected.log_z, abs=exact)
            assert alone[s] == pytest.approx(log_z[s], abs=exact)
            np.testing.assert_allclose(node[start : start + n], expected.node, atol=exact)
            assert not node[start : start + n][scores == NO].any()
            gold = case.dataset.labels[start : start + n].tolist()
            assert score[s] == pytest.approx(
                path_score(scores.astype(float), tau.astype(float), tuple(gold)), abs=exact
            )
            ranked = k_best_scores(scores.astype(float), tau.astype(float), 3)
            assert counts[s] == len(ranked)
            for k, value in enumerate(ranked):
                path = tuple(paths[at : at + n].tolist())
                assert found[rank] == pytest.approx(value, abs=exact)
                assert path_score(scores.astype(float), tau.astype(float), path) == pytest.approx(value, abs=exact)
                assert k or list(path) == found_path
                at, rank = at + n, rank + 1


def test_threads_and_neighbours_change_no_bit() -> None:
    case = Case(1, 0.05, 2.0, False, False, np.float32)
    answers = [kernels.marginals(case.corpus, case.field, threads=threads) for threads in (1, 2, 5)]
    for answer in answers[1:]:
        for one, other in zip(answers[0], answer, strict=True):
            np.testing.assert_array_equal(one, other)
