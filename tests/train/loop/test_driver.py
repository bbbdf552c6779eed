"""The training driver: every recipe, the same bits, the stopping rule, the best weights, and sizes at the edge."""

from dataclasses import replace

import numpy as np
import pytest

from tagfield.data.encode import encode_sequences
from tagfield.model.model import Model
from tagfield.train import RECIPES, Epoch, Settings, train
from tagfield.train.recipes.crfsuite_recipes import QuasiNewton
from tagfield.train.recipes.stochastic import Stochastic
from tests.support.naive import Problem
from tests.support.strategies import dense_weights, encode, learnable, noisy
from tests.support.tolerances import OPTIMUM

EVERY = pytest.mark.parametrize("recipe", list(RECIPES))
BOTH = pytest.mark.parametrize("features", ["observed", "all"])


def bits(encoded, settings: Settings) -> bytes:
    weights = train(encoded, settings).weights
    return weights.state.tobytes() + weights.trans.tobytes()


@EVERY
@BOTH
def test_the_same_seed_gives_the_same_bits(recipe: str, features: str) -> None:
    encoded = encode(noisy())
    settings = Settings(recipe=recipe, features=features, epochs=3, seed=11)
    first = bits(encoded, settings)
    assert bits(encoded, settings) == first
    assert (bits(encoded, replace(settings, seed=12)) == first) == isinstance(RECIPES[recipe], QuasiNewton)


@EVERY
@BOTH
def test_every_recipe_learns(recipe: str, features: str) -> None:
    encoded = encode(learnable(60))
    model = Model.train(encoded, Settings(recipe=recipe, features=features, epochs=15, c2=0.1))
    assert model.evaluate(encoded).accuracy > 0.97
    assert model.weights.finite()


@EVERY
@BOTH
def test_one_sequence_with_two_labels_is_learned(recipe: str, features: str) -> None:
    X, y = [[["a"], ["b"]]], [["X", "Y"]]
    model = Model.train(encode_sequences(X, y), Settings(recipe=recipe, features=features, epochs=20, c2=0.01))
    assert model.tag(X) == y


@EVERY
def test_one_label_and_one_token_are_enough(recipe: str) -> None:
    model = Model.train(encode_sequences([[["a"]], []], [["X"], []]), Settings(recipe=recipe, epochs=3))
    assert model.tag([[["a"], ["b"]], [], [[]]]) == [["X", "X"], [], ["X"]]


@BOTH
def test_weights_of_sequences_are_repetitions(features: str) -> None:
    """A weight of 2 is the sequence twice, 0 is not at all: for the batch objective to the last digits."""
    problem = noisy(6)
    problem.sentences[1], problem.gold[1] = problem.sentences[0], problem.gold[0]  # observed all the same
    weighted = replace(problem, weights=[2.0, 0.0, 1.0, 1.0, 3.0, 1.0])
    chosen = [0, 0, 2, 3, 4, 4, 4, 5]
    repeated = Problem([problem.sentences[i] for i in chosen], [problem.gold[i] for i in chosen], [1.0] * 8, 15, 3)
    settings = Settings(recipe="lbfgs", features=features, epochs=300, delta=1e-12)
    one, two = train(encode(weighted), settings), train(encode(repeated), settings)
    assert one.features.counts == two.features.counts
    assert one.history[-1].objective == pytest.approx(two.history[-1].objective, rel=OPTIMUM)
    np.testing.assert_allclose(
        dense_weights(one.features, one.weights).flat(), dense_weights(two.features, two.weights).flat(), atol=1e-3
    )


@EVERY
def test_a_callback_sees_every_epoch_and_can_end_it(recipe: str) -> None:
    seen: list[Epoch] = []

    def stop_at_two(epoch: Epoch) -> bool:
        seen.append(epoch)
        return epoch.number == 2

    encoded = encode(noisy())
    trained = train(encoded, Settings(recipe=recipe, epochs=9), on_epoch=stop_at_two, dev=encoded)
    assert [epoch.number for epoch in seen] == [1, 2]
    assert trained.history == seen
    assert trained.stop_reason == "a callback asked it to stop"
    assert not trained.converged
    assert all(np.isfinite([epoch.objective, epoch.norm]).all() and epoch.scores is not None for epoch in seen)


@pytest.mark.parametrize("min_count", [1, 3])
@BOTH
def test_scores_along_the_way_are_those_of_the_model(features: str, min_count: int) -> None:
    encoded, held_out = encode(noisy(12)), encode(learnable(20, seed=3))
    settings = Settings.of(recipe="sgd", features=features, min_count=min_count, epochs=1, rate=0.1)
    trained = train(encoded, settings, dev=held_out, watch={"train": encoded})
    model = Model.of(encoded, trained)
    sequences = list(held_out.sequences())
    X = [[dict(token) for token in sequence.tokens] for sequence in sequences]
    scores = model.evaluate(model.encode(X, held_out.gold_labels()))
    assert trained.history[0].scores == scores
    assert set(trained.history[0].watched) == {"train"}


@pytest.mark.parametrize(("recipe", "rate"), [("sgd", 1e-4), ("u2.g1", 0.1), ("pa", None), ("lbfgs", None)])
def test_a_sequence_of_twenty_thousand_positions_is_learned(recipe: str, rate: float | None) -> None:
    rng = np.random.default_rng(0)
    words = rng.integers(50, size=20_000).tolist()
    X, y = [[[f"w{w}"] for w in words]], [[f"y{w % 4}" for w in words]]  # so u is a sum over 400 positions
    told = replace(RECIPES[recipe], rate=rate) if rate else recipe
    model = Model.train(encode_sequences(X, y), Settings(told, epochs=30, c2=0.01))
    tags = model.tag(X)[0]
    assert np.mean([a == b for a, b in zip(tags, y[0], strict=True)]) > 0.95
    p = model.marginals(X)[0]
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-4)


@pytest.mark.parametrize("recipe", ["sgd", "u2.g1", "pa", "lbfgs"])
@BOTH
def test_five_hundred_labels_are_learned(recipe: str, features: str) -> None:
    X = [[[f"w{i}"], [f"w{499 - i}"]] for i in range(250)]
    y = [[f"y{i}", f"y{499 - i}"] for i in range(250)]
    encoded = encode_sequences(X, y)
    assert len(encoded.labels) == 500
    told = RECIPES[recipe]
    told = replace(told, rate=0.5) if isinstance(told, Stochastic) else told
    model = Model.train(encoded, Settings(told, features=features, epochs=3, c2=1e-3))
    assert model.evaluate(encoded).accuracy > 0.99
    np.testing.assert_allclose(np.concatenate(model.marginals(X[:50])).sum(axis=1), 1, atol=1e-4)
