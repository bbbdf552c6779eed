"""Decoding by its definition on every path, for float32 and float64 weights, edge attributes and limits."""

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.encode import encode_sequences
from tagfield.errors import InputError
from tagfield.inference.decoder import Decoder
from tagfield.inference.lattice import open_corpus
from tagfield.inference.spans import SpanFinder
from tagfield.native import kernels
from tagfield.weights.layout import FeatureSet, Weights
from tests.support.edge_data import EdgeProblem, edge_problems, with_edges
from tests.support.naive_edges import edge_paths
from tests.support.tolerances import SINGLE

BOTH = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@BOTH
@settings(max_examples=60, deadline=None)
@given(
    drawn=edge_problems(),
    seed=st.integers(0, 2**32 - 1),
    masked=st.booleans(),
    ruled=st.booleans(),
    sparse=st.booleans(),
)
def test_every_answer_is_that_of_all_paths(
    dtype: type, drawn: EdgeProblem, seed: int, masked: bool, ruled: bool, sparse: bool
) -> None:
    rng, L, exact = np.random.default_rng(seed), drawn.problem.labels, 1e-9 if dtype is np.float64 else 10 * SINGLE
    dataset = drawn.encoded().dataset
    corpus = open_corpus(dataset)
    features, weights = drawn.packed(dtype, sparse)
    assert weights.state.dtype == dtype
    labels = (rng.random((len(dataset.labels), L)) < 0.7).astype(np.uint8) if masked else None
    follow = (rng.random((L, L)) < 0.7).astype(np.uint8) if ruled else None
    field, limits = features.field(weights), kernels.Limits(labels, follow) if masked or ruled else None
    ids, best = kernels.tag(corpus, field, limits, 2)
    node, log_z, score = kernels.marginals(corpus, field, limits)
    nothing, alone, _ = kernels.marginals(corpus, field, limits, nodes=False, threads=2)
    paths, found, counts = kernels.nbest(corpus, field, 4, limits)
    assert node.dtype == dtype
    assert nothing.shape == (0, L)
    at = rank = 0
    for s, gold in enumerate(drawn.problem.gold):
        start, n = int(dataset.tokens[s]), len(gold)
        s_, tau = drawn.chain(s)
        np.testing.assert_allclose(kernels.transitions(corpus, field, s), tau, rtol=1e-6, atol=1e-5)
        if not n:
            assert (best[s], log_z[s], score[s], counts[s]) == (0, 0, 0, 0)
            continue
        size = 1 + np.abs(s_).sum() + np.abs(tau).max(axis=(1, 2)).sum()  # float32 rounds sums of this size

        def allowed(path: tuple[int, ...], start: int = start) -> bool:
            fits = labels is None or all(labels[start + t, y] for t, y in enumerate(path))
            return fits and (follow is None or all(follow[pair] for pair in pairwise(path)))

        every = {path: v for path, v in edge_paths(s_, tau).items() if allowed(path)}
        if not every:
            assert best[s] == log_z[s] == alone[s] == score[s] == -np.inf
            assert counts[s] == 0
            assert not node[start : start + n].any()
            continue
        near = exact * size
        top = max(every.values())
        expected = top + np.log(sum(np.exp(v - top) for v in every.values()))
        assert best[s] == pytest.approx(top, abs=near)
        assert every[tuple(ids[start : start + n].tolist())] == pytest.approx(top, abs=near)
        assert log_z[s] == pytest.approx(expected, abs=near)
        assert alone[s] == pytest.approx(log_z[s], abs=near)
        assert score[s] == pytest.approx(every.get(tuple(gold), -np.inf), abs=near)
        for t, y in product(range(n), range(L)):
            p = sum(np.exp(v - expected) for path, v in every.items() if path[t] == y)
            assert node[start + t, y] == pytest.approx(p, abs=near)
            if labels is not None and not labels[start + t, y]:
                assert node[start + t, y] == 0
        ranked = sorted(every.values(), reverse=True)
        assert counts[s] == min(4, len(every))
        for k in range(int(counts[s])):
            path = tuple(paths[at : at + n].tolist())
            assert found[rank] == pytest.approx(ranked[k], abs=near)
            assert every[path] == pytest.approx(found[rank], abs=near)
            at, rank = at + n, rank + 1


@BOTH
@settings(max_examples=40, deadline=None)
@given(drawn=edge_problems(labels=(3,)), ruled=st.booleans())
def test_the_probability_of_a_chunk_is_that_of_its_paths(dtype: type, drawn: EdgeProblem, ruled: bool) -> None:
    names = ["O", "B-X", "I-X"]
    follow = np.array([[1, 1, 0], [1, 1, 1], [1, 1, 1]], np.uint8)
    limits = kernels.Limits(None, follow) if ruled else None
    features, weights = drawn.packed(dtype)
    decoder, finder = Decoder(features.field(weights), drawn.encoded(), limits), SpanFinder(names)
    for s, spans in enumerate(decoder.spans(names)):
        s_, tau = drawn.chain(s)
        if not len(s_):
            assert spans == []
            continue
        every = {p: v for p, v in edge_paths(s_, tau).items() if not ruled or all(follow[pair] for pair in pairwise(p))}
        top = max(every.values())
        odds = {path: np.exp(v - top) for path, v in every.items()}
        for span in spans:
            share = sum(odd for p, odd in odds.items() if (span.type, span.start, span.end) in finder.chunks(p))
            assert span.probability == pytest.approx(
                share / sum(odds.values()), abs=1e-3 if dtype is np.float32 else 1e-9
            )


def test_doubles_are_read_to_their_last_digits() -> None:
    """A difference that float32 cannot hold decides the label, and its probability is right to 1e-15."""
    features, weights = FeatureSet.from_triples(
        1, 2, ([0, 0], [0, 1], [7.0, 7.0 + 1e-12]), ([0], [1], [1 / 3]), dtype=np.float64
    )
    encoded = encode_sequences([[["a"]]], [["X"]], labels=None)
    decoder = Decoder(features.field(weights), encoded)
    assert decoder.best().tolist() == [1]
    assert decoder.marginals()[0, 1] == pytest.approx(0.5 + 0.25e-12, abs=1e-15)
    single = Decoder(features.field(weights.single()), encoded)
    assert single.best().tolist() == [0]


def test_no_pass_changes_doubles() -> None:
    features, weights = FeatureSet.from_triples(1, 2, ([0], [0], [1.0]), ([], [], []), dtype=np.float64)
    corpus = open_corpus(encode_sequences([[["a"]]], [["X"]]).dataset)
    with pytest.raises(ValueError, match=r"float64, which is for reading.*give it weights.single\(\)"):
        kernels.Pass().run(corpus, features.field(weights), None, None, np.array([0]))


def test_weights_of_two_types_are_no_field() -> None:
    features, weights = FeatureSet.from_triples(1, 2, ([0], [0], [1.0]), ([], [], []), dtype=np.float64)
    with pytest.raises(InputError, match="they must be float32, or all float64"):
        features.field(Weights(weights.state, weights.single().trans))


def test_weights_beyond_float32_are_not_trained_on() -> None:
    features, weights = FeatureSet.from_triples(1, 2, ([0], [0], [1e39]), ([], [], []), dtype=np.float64)
    with pytest.raises(InputError, match="beyond the range of float32"):
        weights.single()
    assert features.counts == (1, 0)


@BOTH
@pytest.mark.parametrize("size", [1.1e9, 1e31])
def test_transitions_beyond_a_billion_are_refused_by_name(dtype: type, size: float) -> None:
    """Where probabilities would be wrong; the sequence is named, and best paths without limits still work."""
    features, weights = FeatureSet.from_triples(
        1, 2, ([0], [0], [1.0]), ([], [], []), edge_attributes=1, edge_weights=([0], [1], [1], [size]), dtype=dtype
    )
    encoded = encode_sequences([[["a"], ["a"]], [["a"], ["a"]]], [["X", "Y"], ["Y", "Y"]])
    edges = [[[], []], [[], [(0, 1.0)]]]
    encoded = replace(encoded, dataset=with_edges(encoded.dataset, edges))
    decoder = Decoder(features.field(weights), encoded)
    for ask in (decoder.marginals, decoder.log_probability, lambda: decoder.n_best(1)):
        with pytest.raises(InputError, match=r"1.*a score is beyond ±1e9"):
            ask()
    assert decoder.best().tolist() == [0, 0, 1, 1]
    with pytest.raises(InputError, match="a score is beyond ±1e9"):
        Decoder(features.field(weights), encoded, kernels.Limits(None, np.ones((2, 2), np.uint8))).best()
    follow = np.array([[1, 1], [1, 0]], np.uint8)  # what is forbidden may be of any size
    assert Decoder(features.field(weights), encoded, kernels.Limits(None, follow)).best().tolist() == [0, 0, 0, 0]


def test_edge_attributes_that_the_layout_does_not_have() -> None:
    features, weights = FeatureSet.from_triples(1, 2, ([0], [0], [1.0]), ([], [], []))
    dataset = encode_sequences([[["a"], ["a"]]], [["X", "Y"]]).dataset
    with pytest.raises(ValueError, match="edge attributes that the layout does not have"):
        kernels.tag(open_corpus(with_edges(dataset, [[[], [(0, 1.0)]]])), features.field(weights))
    with pytest.raises(ValueError, match="no such sequence"):
        kernels.transitions(open_corpus(dataset), features.field(weights), 1)
