"""Natural gradient descent with any loss and generator: stochastic, full batch, chosen from the data, gone wrong."""

import io
import logging
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

from tagfield import CRF, Model
from tagfield.bregman import Generator
from tagfield.bregman.losses import Loss
from tagfield.data.dataset import Dataset
from tagfield.data.encode import encode_files, encode_sequences
from tagfield.data.text.sources import Source
from tagfield.demo import addresses, mentions, write_columns
from tagfield.errors import InputError
from tagfield.train import Settings, train
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.trainers.update_search import RUNGS, Candidate, _best, family, search_update

COST = 4.0  # epochs that the whole choice may take, scoring included
SCORING = 0.5  # of what training on a sentence costs; it is less


def encode(sentences, **known):
    file = io.StringIO()
    write_columns(sentences, file)
    return encode_files([Source("built-in", file.getvalue().encode())], **known)


@pytest.fixture(scope="module")
def skewed():
    corpus = mentions(seed=0, train=600, test=300)
    known = encode(corpus.train)
    return known, encode(corpus.test, attributes=known.attributes, labels=known.labels)


@pytest.mark.parametrize(
    ("loss", "gamma"), [("B1", 0.0), ("B2", 0.0), ("B3", 0.5), ("B4", 0.0), ("U4", 0.0), ("U6", 0.0)]
)
@pytest.mark.parametrize("batch", [False, True])
def test_every_loss_trains(skewed, loss, gamma, batch):
    known, held_out = skewed
    settings = Settings.of(
        recipe="ngd", loss=loss, gamma=gamma, generator="arctan:1", epochs=12 if batch else 3, batch=batch, c2=0.1
    )
    trained = train(known, settings, dev=held_out)
    assert trained.best.scores.accuracy > 0.86  # the share of O is 0.85


def test_the_quadratic_generator_is_plain_gradient_descent(skewed):
    known, _ = skewed
    plain = train(known, Settings.of(recipe="sgd", epochs=2, rate=0.1))
    for loss in ("U1", "U2", "U6"):
        other = train(known, Settings.of(recipe="ngd", loss=loss, generator="linear", epochs=2, rate=0.1))
        np.testing.assert_array_equal(plain.weights.state, other.weights.state)
        np.testing.assert_array_equal(plain.weights.trans, other.weights.trans)


def test_entropy_needs_the_whole_corpus_and_says_so(skewed):
    known, _ = skewed
    with pytest.raises(InputError, match="entropy"):
        train(known, Settings.of(recipe="ngd", loss="U6", generator="entropy", epochs=1))
    trained = train(known, Settings.of(recipe="ngd", loss="U6", generator="entropy", epochs=3, batch=True, rate=0.05))
    assert trained.history[-1].objective < trained.history[0].objective


def test_an_annealed_response_ends_as_plain_gradient_descent(skewed):
    known, _ = skewed
    settings = Settings.of(recipe="u2.g1", epochs=6, anneal=3.0, period=0, rate=0.05)
    annealed = train(known, settings)
    plain = train(known, Settings.of(recipe="u2.g1", epochs=6, period=0, rate=0.05))
    assert annealed.best.objective < plain.best.objective


def test_a_run_that_goes_wrong_is_noticed_and_the_best_weights_are_kept(skewed):
    known, held_out = skewed
    settings = Settings.of(recipe="u2.g1p", features="all", epochs=30, rate=30.0, c2=1e-6, period=0)
    trained = train(known, settings, dev=held_out)
    assert len(trained.history) < 30
    assert "the weights of this epoch are kept" in trained.stop_reason  # they label better than none
    assert trained.weights.finite()
    accuracies = [epoch.scores.accuracy for epoch in trained.history]
    assert trained.best.scores.accuracy == max(accuracies)
    assert len(accuracies) == 1  # within an epoch


def test_weights_that_leave_the_range_of_numbers_do_not_take_the_good_ones_along():
    """The seventh value is one that only later weights cannot bear."""
    X = [[{"a": 1.0}, {"b": 1.0}]] * 6 + [[{"a": 3e37, "b": -3e37}, {"b": 3e37}]]
    encoded = encode_sequences(X, [["P", "Q"]] * 7, weights=[1.0] * 6 + [1e-30])
    settings = Settings.of(recipe="sgd", features="all", rate=1.0, c2=0.0, epochs=50, period=0)
    trained = train(encoded, settings)
    assert trained.weights.finite()
    assert len(trained.history) < 50
    assert "best weights so far are kept" in trained.stop_reason


@pytest.mark.parametrize("generator", ["quadratic", "arctan:0.1"])
def test_the_whole_corpus_at_once_with_much_regularisation(generator):
    encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]] * 5, [["X", "Y"], ["Y", "X"]] * 5)
    settings = Settings.of(recipe="ngd", generator=generator, batch=True, features="all", c2=100.0, epochs=500)
    trained = train(encoded, settings)
    if generator == "quadratic":
        best = train(encoded, Settings(recipe="lbfgs", features="all", c2=100.0, epochs=500)).best.objective
        assert trained.best.objective == pytest.approx(best, rel=1e-4)
    nll = trained.history[-1].objective - 100.0 * trained.history[-1].norm ** 2
    assert nll < 20 * np.log(2)  # what zero weights give for the 20 tokens


def test_ones_own_loss_and_generator_through_the_front_door():
    own = Generator.from_gradient(np.arcsinh, name="arcsinh")
    encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]] * 5, [["X", "Y"], ["Y", "X"]] * 5)
    settings = Settings.of("ngd", generator=own, loss=Loss(-1, -1, 0, 0, "mine"), rate=0.2, epochs=5)
    model = Model.train(encoded, settings)
    assert model.tag([[["a"], ["b"]]]) == [["X", "Y"]]
    assert model.info["settings"]["generator"] == "arcsinh"
    assert model.info["settings"]["loss"] == "mine"
    same = Model.train(encoded, Settings.of("ngd", generator=own, loss="U2", rate=0.2, epochs=5))
    assert model.weights.state.tobytes() == same.weights.state.tobytes()
    crf = CRF("ngd", generator=own, max_iterations=5).fit([[["a"], ["b"]]] * 5, [["X", "Y"]] * 5)
    assert clone(crf).generator.name == "arcsinh"
    assert crf.predict([[["a"], ["b"]]]) == [["X", "Y"]]


def test_the_choice_is_among_the_family_costs_what_it_may_and_is_no_worse_than_plain_gradients(skewed, caplog):
    known, held_out = skewed
    problem = Problem.of(known, Settings(features="all"))
    with caplog.at_level(logging.INFO, logger="tagfield.train.trainers.update_search"):
        chosen = search_update(problem, np.random.default_rng(0))
    tried = [record.args for record in caplog.records if len(record.args) == 3]
    assert str(chosen) in caplog.text.splitlines()[-1]
    assert len(tried) > len(family(True))
    rungs = {rung.passes * round(rung.trained * len(known)): rung for rung in RUNGS}
    done = [rungs[sentences] for *_, sentences in tried]
    assert sum(rung.passes * rung.trained + SCORING * rung.scored for rung in done) <= COST
    assert Candidate(chosen).kind != "curved"  # one label dominates here
    auto = train(known, Settings.of(recipe="ngd", generator="auto", features="all", epochs=10), dev=held_out)
    sgd = train(known, Settings.of(recipe="sgd", features="all", epochs=10, average=True), dev=held_out)
    assert auto.best.scores.accuracy >= sgd.best.scores.accuracy - 0.001
    used = auto.settings.recipe
    assert isinstance(used, Stochastic)
    assert used.average
    assert used.rate > 0
    assert used.about == "chosen by ngd with generator auto"


def test_after_a_choice_the_shuffles_are_those_of_a_calibrated_recipe(skewed):
    known, _ = skewed
    after = []
    for options in ({"recipe": "ngd", "generator": "auto"}, {"recipe": "sgd"}, {"recipe": "adaptive"}):
        rng = np.random.default_rng(5)
        problem = Problem.of(known, Settings.of(seed=5, **options))
        problem.settings.recipe.trainer(problem, rng)
        after.append(rng.permutation(len(known)).tolist())
    assert after[0] == after[1] == after[2]


def test_a_favourite_yields_only_to_what_is_better_by_more_than_noise():
    recipe = family(True)[0].recipe

    def candidate(rate, right):
        return Candidate(replace(recipe, rate=rate), float(np.mean(right)), right=np.array(right, float))

    favourite = candidate(1, [5] * 20)
    lucky = candidate(2, [6] * 5 + [4] * 3 + [5] * 12)
    better = candidate(3, [6] * 10 + [5] * 10)
    best = candidate(4, [6] * 20)
    assert _best([favourite, lucky]) is favourite
    assert _best([favourite, lucky, better]) is better
    assert _best([favourite, best, better]) is best


def test_without_a_dominating_label_the_favourite_is_curved():
    corpus = addresses(seed=0, train=300, test=0)
    problem = Problem.of(encode(corpus.train), Settings("ngd"))
    assert Candidate(search_update(problem, np.random.default_rng(0))).kind == "curved"


def test_a_subset_is_the_sentences_encoded_alone():
    X = [[["a", "b"], ["a"]], [["c"]], [["b"], ["a", "c"]]]
    y = [["P", "Q"], ["P"], ["Q", "Q"]]
    whole = encode_sequences(X, y)
    part = whole.dataset.take(np.array([2, 0]))
    alone = encode_sequences([X[2], X[0]], [y[2], y[0]], attributes=whole.attributes, labels=whole.labels).dataset
    for name in Dataset.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(part, name), getattr(alone, name))


@pytest.mark.parametrize("generator", ["arctan:4", "arctan:0.01", "softplus:3"])
def test_annealing_ends_at_u_whatever_the_slope_was(generator):
    recipe = Settings.of("ngd", loss="U2", generator=generator, anneal=1.0).recipe
    u = np.array([-0.5, 1e-3, 0.5])
    np.testing.assert_allclose(recipe.response_at(10**7).f(u), u, rtol=1e-4)
