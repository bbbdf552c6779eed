"""The objective of L-BFGS and its gradient: against the naive twin, against differences, and on several threads."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from tagfield.data.encode import Encoded, encode_sequences
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.train import Settings, train
from tagfield.train.trainers.objective import CorpusGradient, Objective, Packing
from tagfield.weights.features import feature_set
from tagfield.weights.layout import FeatureSet, absent
from tests.support.naive import Dense, Problem, difference, nll
from tests.support.strategies import dense_weights, encode, from_dense, present, problems, to_dense
from tests.support.tolerances import ALGEBRA, NUMERIC, OPTIMUM
from tests.support.trainers import pose

NO_EDGES = np.zeros(1, np.int64), np.zeros(0, np.int64)
LABELS = (1, 2, 3, 4, 8, 9, 17, 33, 40)  # beyond 32 the observed set is in sparse rows


def rows_of_every_kind(problem: Problem, corpus: kernels.Corpus) -> list[FeatureSet]:
    """all, observed, and observed in sparse rows also where full ones would be chosen."""
    sets = [
        feature_set(corpus, problem.attributes, problem.labels, kind, minimum, edge_attributes=problem.edge_attributes)
        for kind, minimum in (("all", 1), ("observed", 1), ("observed", 2))
    ]
    return sets + [features.compact(features.zero)[0] for features in sets[1:]]


def gradient(encoded: Encoded, features: FeatureSet, theta: Dense, threads: int = 1) -> tuple[float, Dense]:
    objective = Objective(pose(encoded, Settings("lbfgs", c2=0.0, threads=threads), features))
    at = from_dense(features, theta)
    loss, found = objective(objective.pack(at))
    arrays, done = [], 0
    for array, zero in zip(at.arrays(), features.zero.arrays(), strict=True):
        there = np.flatnonzero(~absent(zero))
        arrays.append(np.zeros(array.shape))
        arrays[-1].reshape(-1)[there] = found[done : done + len(there)]
        done += len(there)
    assert done == len(found)
    return loss, to_dense(features, *arrays)


@settings(max_examples=60, deadline=None)
@given(problems(labels=LABELS, edges=True), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1.0, 5.0, 200.0]))
def test_the_gradient_of_every_kind_of_rows_follows_the_definition(problem: Problem, seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    encoded = encode(problem)
    for features in rows_of_every_kind(problem, open_corpus(encoded.dataset)):
        mask = present(features)
        theta = mask.map(lambda m: np.where(m, rng.uniform(-size, size, m.shape), 0.0))
        loss, found = gradient(encoded, features, theta)
        expected_loss, expected = 0.0, mask.map(lambda m: np.zeros(m.shape))
        for s, weight in enumerate(problem.weights):
            if problem.sentences[s]:
                part, u = difference(problem, s, theta)
                expected_loss += weight * part
                expected = expected.map(lambda sum, x, weight=weight: sum + weight * x, u)
        assert loss == pytest.approx(expected_loss, rel=ALGEBRA, abs=ALGEBRA * max(1, size))
        m = mask.flat().astype(bool)
        np.testing.assert_allclose(found.flat()[m], expected.flat()[m], atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(problems(labels=(2, 3, 33), empty=False, edges=True), st.integers(0, 2**32 - 1))
def test_the_gradient_is_the_slope_of_the_objective(problem: Problem, seed: int) -> None:
    """Along drawn directions, by fourth-order differences of the kernel's own value and of the naive one."""
    rng = np.random.default_rng(seed)
    encoded = encode(problem)
    for features in rows_of_every_kind(problem, open_corpus(encoded.dataset)):
        mask = present(features)
        theta, way = (mask.map(lambda m: np.where(m, rng.standard_normal(m.shape), 0.0)) for _ in range(2))
        _, slope = gradient(encoded, features, theta)
        along = float(slope.flat() @ way.flat())
        for value in (lambda x, f=features: gradient(encoded, f, x)[0], lambda x: nll(problem, x)):
            at = {k: value(theta.map(lambda x, d, k=k: x + k * 1e-3 * d, way)) for k in (-2, -1, 1, 2)}
            difference = (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / 12e-3
            assert along == pytest.approx(difference, rel=NUMERIC, abs=NUMERIC)


def many(problem: Problem, times: int) -> Problem:
    """The same sentences over and over: so many that there are several chunks and blocks."""
    return replace(
        problem,
        sentences=problem.sentences * times,
        gold=problem.gold * times,
        weights=problem.weights * times,
        edges=problem.edges * times,
    )


@settings(max_examples=20, deadline=None)
@given(problems(labels=(3, 9, 33), empty=False, edges=True), st.integers(0, 2**32 - 1))
def test_any_number_of_threads_gives_the_same_bits(problem: Problem, seed: int) -> None:
    rng = np.random.default_rng(seed)
    encoded = encode(many(problem, 40))
    for features in rows_of_every_kind(problem, open_corpus(encoded.dataset)):
        theta = present(features).map(lambda m: np.where(m, rng.standard_normal(m.shape), 0.0))
        loss, found = gradient(encoded, features, theta)
        for threads in (2, 3, 8):
            again, other = gradient(encoded, features, theta, threads)
            assert again == loss
            assert other.flat().tobytes() == found.flat().tobytes()


@settings(max_examples=20, deadline=None)
@given(problems(labels=(2, 9, 33), edges=True), st.integers(0, 2**32 - 1), st.data())
def test_parts_of_whole_blocks_give_the_bits_of_the_whole(problem: Problem, seed: int, data: st.DataObject) -> None:
    """And any other parts give the same but for rounding."""
    rng = np.random.default_rng(seed)
    encoded = encode(many(problem, 20))
    corpus = open_corpus(encoded.dataset)
    for features in rows_of_every_kind(problem, corpus):
        packing = Packing(features)
        x, whole = rng.standard_normal(packing.size), np.zeros(packing.size)
        loss = CorpusGradient(packing, corpus).add(x, whole, 0.5)
        for unit in (CorpusGradient.ALIGNMENT, 1):
            cuts = data.draw(st.lists(st.integers(0, len(encoded) // unit), max_size=3))
            bounds = sorted({0, len(encoded), *[unit * cut for cut in cuts]})
            total, sum_of_parts = 0.5, np.zeros(packing.size)
            for first, last in pairwise(bounds):
                part = CorpusGradient(packing, open_corpus(encoded.dataset.take(np.arange(first, last))), threads=2)
                total = part.add(x, sum_of_parts, total)
            if unit > 1:
                assert total == loss
                assert sum_of_parts.tobytes() == whole.tobytes()
            assert total == pytest.approx(loss, rel=1e-12)
            scale = max(1.0, float(np.abs(whole).max(initial=0)))
            np.testing.assert_allclose(sum_of_parts, whole, rtol=1e-12, atol=1e-12 * scale)


@pytest.mark.parametrize("kind", ["all", "observed"])
def test_a_corpus_of_several_chunks_gives_the_bits_of_one(kind: str) -> None:
    """One block after another, each a chunk of its own, gives the same bits; the blocks are checked above."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(0, 21, 600)
    X = [[[f"w{rng.zipf(1.4) % 500}", f"v{rng.integers(9)}"] for _ in range(n)] for n in sizes]
    encoded = encode_sequences(X, [[f"L{rng.integers(35)}" for _ in x] for x in X], weights=rng.uniform(0.5, 2, 600))
    corpus = open_corpus(encoded.dataset)
    packing = Packing(feature_set(corpus, len(encoded.attributes), 35, kind))
    x, block = rng.standard_normal(packing.size), CorpusGradient.ALIGNMENT
    loss, found = 0.0, np.zeros(packing.size)
    for first in range(0, len(encoded), block):
        part = encoded.dataset.take(np.arange(first, min(first + block, len(encoded))))
        loss = CorpusGradient(packing, open_corpus(part)).add(x, found, loss)
    for threads in (1, 2, 8):
        whole = np.zeros(packing.size)
        assert CorpusGradient(packing, corpus, threads=threads).add(x, whole) == loss
        assert whole.tobytes() == found.tobytes()


def test_the_gradient_adds_to_what_is_there() -> None:
    problem = Problem([[[(0, 1.0)], [(1, 1.0)]]], [[0, 1]], [1.0], 2, 2)
    corpus = open_corpus(encode(problem).dataset)
    rows = np.array([0, 2, 4]), np.array([0, 1, 0, 1], np.int32)
    gradient, trans = np.full(4, 7.0), np.full((2, 8), 7.0)
    none = np.zeros(0)
    packed = kernels.Packed(corpus, kernels.FeatureRows(2, *rows, *NO_EDGES))
    loss = packed.add(np.zeros(4), np.zeros((2, 8)), none, gradient, trans, none, loss=3.0)
    assert loss == pytest.approx(3.0 + 2 * np.log(2))
    np.testing.assert_allclose(gradient, [6.5, 7.5, 7.5, 6.5])
    np.testing.assert_allclose(trans[:, :2], [[7.25, 6.25], [7.25, 7.25]])


@pytest.mark.parametrize(
    ("labels", "first", "label", "message"),
    [
        (2, [0, 2, 5], [0, 1, 0, 1], "do not span"),
        (2, [0, 3, 2, 4], [0, 1, 0, 1], "not ascending"),
        (2, [-1, 2, 4], [0, 1, 0, 1], "do not span"),
        (2, [0, 2, 4], [1, 0, 0, 1], "labels of a row"),
        (2, [0, 2, 4], [0, 2, 0, 1], "labels of a row"),
        (2, [0, 2, 4], [0, -1, 0, 1], "labels of a row"),
        (2, [0, 4], [0, 1, 0, 1], "labels of a row|do not fit the attributes"),
        (1, [0, 1, 2], [0, 0], "labels do not fit"),
        (0, [0, 0, 0], [], "labels do not fit"),
    ],
)
def test_rows_that_do_not_fit_are_refused(labels, first, label, message) -> None:  # type: ignore[no-untyped-def]
    problem = Problem([[[(0, 1.0)], [(1, 1.0)]]], [[0, 1]], [1.0], 2, 2)
    corpus = open_corpus(encode(problem).dataset)
    with pytest.raises(ValueError, match=message):
        kernels.Packed(corpus, kernels.FeatureRows(labels, np.array(first), np.array(label, np.int32), *NO_EDGES))


@pytest.mark.parametrize(
    ("first", "cell", "message"),
    [
        ([], [], "do not span"),
        ([0], [], "do not fit the edge attributes"),
        ([0, 1], [], "do not fit the edge attributes"),
        ([1, 2], [0, 1], "do not fit the edge attributes"),
        ([0, 3, 2], [0, 1], "not ascending"),
        ([0, 2], [1, 0], "cells of an edge attribute"),
        ([0, 2], [1, 1], "cells of an edge attribute"),
        ([0, 1], [-1], "cells of an edge attribute"),
        ([0, 1], [2], "cells of an edge attribute"),
        ([0, 1], [16], "cells of an edge attribute"),
    ],
)
def test_edge_features_that_do_not_fit_are_refused(first, cell, message) -> None:  # type: ignore[no-untyped-def]
    problem = Problem([[[(0, 1.0)], [(0, 1.0)]]], [[0, 1]], [1.0], 1, 2, [[[], [(0, 1.0)]]], 1)
    corpus = open_corpus(encode(problem).dataset)
    rows = np.array([0, 2]), np.array([0, 1], np.int32)
    with pytest.raises(ValueError, match=message):
        kernels.Packed(corpus, kernels.FeatureRows(2, *rows, np.array(first, np.int64), np.array(cell, np.int64)))


def test_arrays_that_do_not_fit_are_refused() -> None:
    problem = Problem([[[(0, 1.0)], [(1, 1.0)]]], [[0, 1]], [1.0], 2, 2)
    corpus = open_corpus(encode(problem).dataset)
    rows = kernels.FeatureRows(2, np.array([0, 2, 4]), np.array([0, 1, 0, 1], np.int32), *NO_EDGES)
    packed = kernels.Packed(corpus, rows)
    good = np.zeros(4), np.zeros((2, 8)), np.zeros(0), np.zeros(4), np.zeros((2, 8)), np.zeros(0)
    for wrong, shape in ((0, 3), (1, (2, 7)), (1, (3, 8)), (2, 1), (3, 5), (4, (1, 8)), (5, 1)):
        arrays = [np.zeros(shape) if i == wrong else array for i, array in enumerate(good)]
        with pytest.raises(ValueError, match="do not fit"):
            packed.add(*arrays)
    with pytest.raises(ValueError, match="thread"):
        packed.add(*good, threads=0)
    with pytest.raises(ValueError, match="the limits do not fit"):
        packed.add(*good, kernels.Limits(np.ones((3, 2), np.uint8)))
    for wrong, other in ((3, np.zeros(4, np.float32)), (3, np.zeros(8)[::2]), (4, np.zeros((2, 8), np.int64))):
        arrays = [other if i == wrong else array for i, array in enumerate(good)]
        with pytest.raises(TypeError):  # a copy would take the gradient with it
            packed.add(*arrays)


@settings(max_examples=8, deadline=None)
@given(problems(labels=(2, 3), empty=False), st.sampled_from(["all", "observed"]), st.sampled_from([0.1, 1.0]))
def test_lbfgs_ends_at_the_optimum(problem: Problem, kind: str, c2: float) -> None:
    encoded = encode(problem)
    trained = train(encoded, Settings(recipe="lbfgs", features=kind, c2=c2, epochs=500, delta=1e-12))
    mask = present(trained.features)
    flat = mask.flat()
    if not trained.history:  # nothing to learn: the gradient is 0 where it starts
        assert not np.any(dense_weights(trained.features, trained.weights).flat())
        return

    def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
        full = np.zeros(len(flat))
        full[flat] = x
        split = problem.attributes * problem.labels
        theta = Dense(full[:split].reshape(problem.attributes, -1), full[split:].reshape(problem.labels, -1))
        slope = sum(w * difference(problem, s, theta)[1].flat() for s, w in enumerate(problem.weights))
        return nll(problem, theta) + c2 * float(x @ x), slope[flat] + 2 * c2 * x

    best = minimize(objective, np.zeros(int(flat.sum())), jac=True, method="BFGS", options={"gtol": 1e-9})
    assert trained.history[-1].objective == pytest.approx(best.fun, rel=OPTIMUM, abs=OPTIMUM)
    found = dense_weights(trained.features, trained.weights).flat()[flat]
    assert objective(found.astype(float))[0] == pytest.approx(best.fun, rel=OPTIMUM, abs=OPTIMUM)


@pytest.mark.parametrize("kind", ["all", "observed"])
def test_the_objective_leaves_out_what_is_no_feature(kind: str) -> None:
    problem = Problem([[[(0, 1.0)], [(1, 1.0)]], [[(0, 1.0)]]], [[0, 1], [0]], [1.0, 2.0], 2, 2)
    encoded = encode(problem)
    corpus = open_corpus(encoded.dataset)
    features = feature_set(corpus, 2, 2, kind)
    objective = Objective(pose(encoded, Settings("lbfgs"), features))
    assert objective.size == {"all": 8, "observed": 3}[kind] == sum(features.counts)
    weights = objective.weights(np.zeros(objective.size))
    assert weights.state.tobytes() == features.zero.state.tobytes()
    assert weights.trans.tobytes() == features.zero.trans.tobytes()
