"""The loss per token: it is −log p per token of the weights that would be kept, and it falls while a model improves."""

import math

import numpy as np
import pytest

from tagfield.data.encode import Encoded, encode_sequences
from tagfield.demo import addresses
from tagfield.model.model import Model
from tagfield.train import RECIPES, Epoch, Settings, train
from tagfield.train.loop.loss import LossMeter
from tagfield.train.problem.problem import Problem
from tests.support.strategies import encode, learnable
from tests.support.tolerances import NUMERIC


def demo(count: int = 150) -> tuple[Encoded, Encoded]:
    made = addresses(train=count, test=60)
    sides = []
    for sentences in (made.train, made.test):
        X = [[[f"w={token[0]}", f"s={token[1]}"] for token in sentence] for sentence in sentences]
        sides.append((X, [[token[-1] for token in sentence] for sentence in sentences]))
    encoded = encode_sequences(*sides[0])
    return encoded, encode_sequences(*sides[1], attributes=encoded.attributes, labels=encoded.labels)


def naive(model: Model, encoded: Encoded, weight: np.ndarray | None = None) -> float:
    """By the model's own probabilities, sentence by sentence; those of unknown labels have none."""
    p = model.log_probability(encoded, encoded.gold_labels())
    weight = np.ones(len(encoded)) if weight is None else weight
    lengths = np.diff(encoded.dataset.tokens)
    possible = np.isfinite(p)
    return float(-(weight * p)[possible].sum() / (weight * lengths)[possible].sum())


@pytest.mark.parametrize("recipe", [name for name, each in RECIPES.items() if each.settles])
@pytest.mark.parametrize("average", [False, True])
def test_it_is_that_of_the_model_that_would_be_kept(recipe: str, average: bool) -> None:
    if average and not hasattr(RECIPES[recipe], "average"):
        pytest.skip("only stochastic recipes average")
    encoded = encode(learnable(30))  # fewer than a sample takes
    options: dict[str, object] = {"average": True} if average else {}
    options |= {"rate": 0.1} if recipe in ("newton", "sgdqn") else {}  # calibrated on 30, their loss rises in epoch 3
    for epochs in (1, 2, 4):
        trained = train(encoded, Settings.of(recipe, epochs=epochs, c2=0.1, **options))
        last = trained.history[-1]
        assert last.best
        assert last.loss == pytest.approx(naive(Model.of(encoded, trained), encoded), rel=NUMERIC * 100, abs=1e-6)
        assert last.to_dict()["loss"] == last.loss


def test_held_out_data_is_measured_if_there_is_any_without_what_cannot_be_known() -> None:
    encoded, dev = demo()
    names = dev.gold_labels()
    names[0][0] = "B-NEVER"
    X = [[[name for name, _ in token] for token in s.tokens] for s in dev.sequences()]
    dev = encode_sequences(X, names, attributes=encoded.attributes, labels=encoded.labels)
    trained = train(encoded, Settings.of("adaptive", average=True, epochs=3), dev=dev)
    assert trained.best.loss == pytest.approx(naive(Model.of(encoded, trained), dev), rel=1e-4)


def test_sentences_count_by_their_weight_and_unknown_labels_are_summed_over() -> None:
    X, y = [[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]]
    weight = np.array([3.0, 0.5])
    encoded = encode_sequences(X, y, weights=weight)
    trained = train(encoded, Settings.of("u2.g1", epochs=2, rate=0.1))
    assert trained.history[-1].loss == pytest.approx(naive(Model.of(encoded, trained), encoded, weight), rel=1e-4)

    partial = encode_sequences(X, [["X", None], ["Y", "X"]])
    trained = train(partial, Settings.of("u2.g1", epochs=2, rate=0.1))
    node = Model.of(partial, trained).marginals(X)[0][0, partial.labels.find("X")]  # P(X ?) of the first sentence
    whole = float(Model.of(partial, trained).log_probability(X[1:], y[1:])[0])
    assert trained.history[-1].loss == pytest.approx(-(math.log(node) + whole) / 3, rel=1e-4)


def test_it_falls_where_the_objective_rises() -> None:
    encoded, _ = demo(300)
    trained = train(encoded, Settings.of("adaptive", average=True, features="all", rate=0.1, epochs=6))
    losses, objectives = ([getattr(epoch, name) for epoch in trained.history] for name in ("loss", "objective"))
    assert objectives[-1] > objectives[1]
    assert losses == sorted(losses, reverse=True)


def test_the_stopping_rule_watches_it_for_averaged_and_transformed_recipes() -> None:
    encoded, _ = demo()
    for recipe, options in (("sgd", {"average": True}), ("u2.g1", {}), ("adaptive", {})):
        settings = Settings.of(recipe, rate=0.1, epochs=60, period=2, delta=0.1, **options)
        trained = train(encoded, settings)
        losses = [epoch.loss for epoch in trained.history]
        assert trained.stop_reason == "the loss has settled over 2 epochs"
        settled = [i >= 2 and losses[i - 2] - losses[i] < 0.1 * losses[i] for i in range(len(losses))]
        assert settled == [False] * (len(losses) - 1) + [True]
    plain = train(encoded, Settings.of("sgd", rate=0.1, epochs=60, period=2, delta=0.1))
    assert plain.stop_reason == "the objective has settled over 2 epochs"


@pytest.mark.parametrize("recipe", ["pa", "ap", "arow"])
def test_recipes_without_probabilities_have_none(recipe: str) -> None:
    seen: list[Epoch] = []
    encoded = encode(learnable(20))
    train(encoded, Settings(recipe, epochs=2), on_epoch=seen.append, dev=encoded)
    assert [epoch.loss for epoch in seen] == [None] * len(seen)
    assert "loss" not in seen[0].to_dict()


def test_a_sample_of_a_large_corpus_and_weights_beyond_all_numbers() -> None:
    encoded = encode_sequences([[["a"], [f"b{i}"]] for i in range(5000)], [["X", "Y"]] * 5000)
    problem = Problem.of(encoded, Settings("sgd"))
    meter = LossMeter(problem)
    assert meter(problem.start) == pytest.approx(math.log(2))
    wild = problem.start.copy()
    wild.state[:] = np.nan
    assert meter(wild) == math.inf
    assert "loss" not in Epoch(1, 1.0, 1.0, loss=math.inf).to_dict()
