"""Decoder: every answer about a corpus agrees with the others and with enumeration; impossible requests are named."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.encode import Encoded, encode_sequences
from tagfield.errors import InputError
from tagfield.inference.decoder import TOKENS_PER_THREAD, Decoder, check_threads
from tagfield.native import kernels
from tagfield.weights.layout import FeatureSet
from tests.support.tolerances import SINGLE

L = 3


def decoder_of(seed: int, lengths: list[int], **how: object) -> tuple[Decoder, np.ndarray, np.ndarray, Encoded]:
    random = np.random.default_rng(seed)
    X = [[[f"a{random.integers(4)}"] for _ in range(n)] for n in lengths]
    encoded = encode_sequences(X, [[f"L{random.integers(L)}" for _ in range(n)] for n in lengths])
    A = len(encoded.attributes)
    state, trans = random.normal(0, 2, (A, L)).astype(np.float32), random.normal(0, 2, (L, L)).astype(np.float32)
    every = np.indices((A, L)).reshape(2, -1), np.indices((L, L)).reshape(2, -1)
    features, weights = FeatureSet.from_triples(A, L, (*every[0], state.ravel()), (*every[1], trans.ravel()))
    ids = [[encoded.attributes.strings().index(token[0]) for token in x] for x in X]
    scores = [state[each] for each in ids]
    return Decoder(features.field(weights), encoded, **how), scores, trans, encoded


def paths(scores: np.ndarray, trans: np.ndarray) -> list[tuple[float, tuple[int, ...]]]:
    """Every path with its probability, the best first."""
    found = []
    for y in itertools.product(range(L), repeat=len(scores)):
        steps = sum(float(trans[i, j]) for i, j in itertools.pairwise(y))
        found.append((sum(float(scores[t, label]) for t, label in enumerate(y)) + steps, y))
    z = np.logaddexp.reduce([score for score, _ in found])
    return sorted(((float(np.exp(score - z)), y) for score, y in found), reverse=True)


@given(seed=st.integers(0, 2**32 - 1), lengths=st.lists(st.integers(1, 5), min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_every_answer_agrees_with_enumeration(seed: int, lengths: list[int]) -> None:
    decoder, scores, trans, encoded = decoder_of(seed, lengths)
    if len(encoded.labels) < L:
        return
    best, marginals, n_best = decoder.best_with_probabilities(), decoder.marginals(), decoder.n_best(4)
    log_p = decoder.log_probability()
    for s, each in enumerate(scores):
        own, every = slice(*decoder.tokens[s : s + 2].tolist()), paths(each, trans)
        assert tuple(best.labels[own].tolist()) == every[0][1]
        assert best.path[s] == pytest.approx(every[0][0], rel=SINGLE, abs=SINGLE)
        node = np.zeros((len(each), L))
        for p, y in every:
            node[range(len(y)), y] += p
        np.testing.assert_allclose(marginals[own], node, atol=SINGLE)
        assert next(tuple(y) for y, _ in n_best[s]) == every[0][1]
        np.testing.assert_allclose([p for _, p in n_best[s]], [p for p, _ in every[:4]], atol=SINGLE)
        gold = tuple(encoded.gold[own].tolist())
        assert np.exp(log_p[s]) == pytest.approx({y: p for p, y in every}[gold], rel=SINGLE, abs=SINGLE)


def test_threads_change_nothing() -> None:
    lengths = [7] * (TOKENS_PER_THREAD // 3)
    one, two = (decoder_of(1, lengths, threads=threads)[0] for threads in (1, 2))
    np.testing.assert_array_equal(one.best(), two.best())
    np.testing.assert_array_equal(one.marginals(), two.marginals())


def test_an_empty_sequence_has_one_empty_path() -> None:
    decoder, *_ = decoder_of(2, [3, 0, 2, 9, 9])
    assert decoder.n_best(2)[1] == [([], 1.0)]
    assert decoder.best_with_probabilities().path[1] == 1.0


def test_limits_that_allow_no_path_name_the_sequence() -> None:
    decoder, _, _, encoded = decoder_of(3, [2, 2, 9])
    allowed = np.ones((len(encoded.dataset.labels), L), np.uint8)
    allowed[3] = 0
    limited = Decoder(decoder._field, encoded, kernels.Limits(allowed, None))
    for ask in (limited.best, limited.marginals, lambda: limited.n_best(2)):
        with pytest.raises(InputError, match=r"sequence 1: .* together allow no path; relax one of them"):
            ask()


@pytest.mark.parametrize("threads", [0, -1, 4097, 1.5])
def test_a_number_of_threads_that_cannot_be_is_refused(threads: float) -> None:
    with pytest.raises(InputError, match="threads must be"):
        check_threads(threads)


@pytest.mark.parametrize("count", [0, -3, 2**31])
def test_a_number_of_paths_that_cannot_be_is_refused(count: int) -> None:
    with pytest.raises(InputError, match="the number of paths must be at least 1"):
        decoder_of(4, [3, 9])[0].n_best(count)


def test_data_of_another_model_is_refused() -> None:
    decoder, *_ = decoder_of(5, [9])
    other = encode_sequences([[[f"b{i}"] for i in range(50)]])
    with pytest.raises(InputError, match=r"the data does not fit the model: .*; encode it with model\.encode"):
        Decoder(decoder._field, other).best()
