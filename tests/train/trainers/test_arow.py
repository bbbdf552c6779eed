"""AROW against its naive twin: loss, weights and norm after every epoch."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tagfield.errors import TrainingError
from tagfield.inference.lattice import open_corpus
from tagfield.train import Settings, train
from tagfield.train.loop.trained import Trained
from tagfield.weights.features import feature_set
from tagfield.weights.layout import FeatureSet, Weights, absent
from tests.support.naive import Dense, Problem
from tests.support.naive_arow import Arow
from tests.support.strategies import dense_weights, encode, from_dense, learnable, present, problems
from tests.support.tolerances import PASSES
from tests.support.trainers import made


def orders(sentences: int, epochs: int, seed: int) -> list[list[int]]:
    """The shuffles that a seed gives."""
    rng = np.random.default_rng(seed)
    return [rng.permutation(sentences).tolist() for _ in range(epochs)]


def started(problem: Problem, kind: str, seed: int, size: float) -> tuple[FeatureSet, Weights]:
    """A feature set and weights to start from: without them most paths tie."""
    corpus = open_corpus(encode(problem).dataset)
    features = feature_set(corpus, problem.attributes, problem.labels, kind, edge_attributes=problem.edge_attributes)
    rng = np.random.default_rng(seed)
    drawn = from_dense(features, present(features).map(lambda m: rng.uniform(-size, size, m.shape)))
    return features, features.zero.map(lambda zero, w: np.where(absent(zero), zero, w.astype(np.float32)), drawn)


def scaled(problem: Problem, by: float) -> Problem:
    """Every value times a power of two, which rounds nothing."""
    sentences, edges = (
        [[[(a, by * v) for a, v in t] for t in s] for s in x] for x in (problem.sentences, problem.edges)
    )
    return replace(problem, sentences=sentences, edges=edges)


def run(
    problem: Problem, start: tuple[FeatureSet, Weights], variance: float, gamma: float, epochs: int, seed: int
) -> Trained:
    """What `train` makes of it."""
    chosen = Settings.of(
        "arow", features=start[0].kind, arow_variance=variance, arow_gamma=gamma, epochs=epochs, seed=seed
    )
    return train(encode(problem), chosen, start=start)


def close(found: Dense, expected: Dense) -> None:
    size = max(1.0, float(np.abs(expected.flat()).max()))
    np.testing.assert_allclose(found.flat(), expected.flat(), atol=PASSES * size)


@settings(max_examples=120, deadline=None)
@given(
    problems(labels=(2, 3, 8, 9, 17, 33, 40), edges=True),
    st.sampled_from(["all", "observed"]),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1 / 64, 1.0, 64.0, 4096.0]),
    st.sampled_from([0.1, 1.0, 10.0]),
    st.sampled_from([0.01, 1.0, 100.0]),
    st.sampled_from([0.01, 1.0, 100.0]),
    st.integers(1, 4),
)
def test_epochs_follow_the_twin(
    problem: Problem, kind: str, seed: int, scale: float, size: float, variance: float, gamma: float, epochs: int
) -> None:
    assume(any(problem.sentences))
    problem = scaled(problem, scale)
    start = started(problem, kind, seed, size)
    twin = Arow(problem, present(start[0]), dense_weights(*start), variance, gamma)
    losses: list[float] = []
    expected = twin.mean
    for order in orders(len(problem.sentences), epochs, seed):
        loss = 0.0
        for s in order:
            if not twin.is_clear(s):  # in float32 another path may be the best one
                break
            loss += twin.run([s])
        else:
            losses.append(loss)
            expected = twin.mean
            if loss:
                continue
        break
    assume(losses)
    trained = run(problem, start, variance, gamma, len(losses), seed)
    found = [epoch.objective for epoch in trained.history]
    np.testing.assert_allclose(found, losses, rtol=PASSES, atol=PASSES * max(1.0, size * scale))
    assert trained.history[-1].norm == pytest.approx(np.linalg.norm(expected.flat()), rel=PASSES, abs=PASSES)
    close(dense_weights(trained.features, trained.weights), expected)
    for array, zero in zip(trained.weights.arrays(), trained.features.zero.arrays(), strict=True):
        assert (absent(array) == absent(zero)).all()


def test_a_first_pass_by_hand() -> None:
    """At θ = 0 the guess is label 0 everywhere: δ is (−1, 1) for the one attribute, so α = 1/(γ + 2·variance)."""
    problem = Problem([[[(0, 1.0)]]], [[1]], [1.0], 1, 2)
    trained = train(encode(problem), Settings.of("arow", features="all", arow_variance=4.0, arow_gamma=2.0, epochs=1))
    assert trained.history[0].objective == 1.0
    np.testing.assert_allclose(dense_weights(trained.features, trained.weights).state, [[-0.4, 0.4]], rtol=1e-6)


def test_a_sentence_of_weight_0_changes_neither_weights_nor_variances() -> None:
    """It comes first, is mislabelled, and has the attribute of the next one."""
    token = [(0, 1.0)]
    settings = Settings.of("arow", features="all", epochs=1)
    with_it = made(encode(Problem([[token], [token]], [[1], [1]], [0.0, 1.0], 1, 2)), settings)
    without = made(encode(Problem([[token]], [[1]], [1.0], 1, 2)), settings)
    assert with_it.run(np.array([0, 1])) == without.run(np.array([0]))
    for name, array in without.state().arrays.items():
        np.testing.assert_array_equal(with_it.state().arrays[name], array)


def test_what_can_be_separated_is_separated() -> None:
    encoded = encode(learnable(40))
    trained = train(encoded, Settings("arow", features="all", epochs=100), dev=encoded)
    assert trained.stop_reason == "every sequence is labelled right"
    assert trained.history[-1].objective == 0
    assert trained.best.scores is not None
    assert trained.best.scores.accuracy == 1


def test_scores_that_leave_the_numbers_are_an_error() -> None:
    problem = Problem([[[(0, 3e38)], [(1, 3e38)]]] * 2, [[1, 0]] * 2, [1.0, 1.0], 2, 2)
    with pytest.raises(TrainingError, match=r"epoch \d: .*\(arow\)"):
        train(encode(problem), Settings("arow", features="all", epochs=3))
