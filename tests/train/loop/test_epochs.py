"""The loop over epochs: the weights it keeps, when it stops, and runs that go wrong."""

from dataclasses import replace

import numpy as np
import pytest

from tagfield.data.encode import encode_sequences
from tagfield.demo import addresses
from tagfield.errors import TrainingError
from tagfield.model.model import Model
from tagfield.train import Settings, train
from tests.support.naive import Problem
from tests.support.strategies import encode, noisy
from tests.train.recipes.test_default import encode as encode_words

X, Y = [[["a"], ["b"]], [["b"], ["c"]]], [["B-X", "O"], ["O", "O"]]
BOTH = pytest.mark.parametrize("features", ["observed", "all"])


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


def test_the_best_weights_are_kept_when_the_last_are_worse() -> None:
    encoded = encode(noisy())
    settings = Settings.of(recipe="sgd", features="all", rate=0.7, c2=0.1, epochs=12, seed=0)  # too fast
    worse = 0
    for seed in range(6):
        settings = replace(settings, seed=seed)
        trained = train(encoded, settings)
        objectives = [epoch.objective for epoch in trained.history]
        best = int(np.argmin(objectives)) + 1
        assert trained.best.number == best
        again = train(encoded, replace(settings, epochs=best))  # the same way, ended there
        assert again.history[-1].objective == trained.best.objective
        assert again.weights.state.tobytes() == trained.weights.state.tobytes()
        assert again.weights.trans.tobytes() == trained.weights.trans.tobytes()
        worse += best < len(objectives)
    assert worse > 0


def test_the_stopping_rule_compares_with_some_epochs_earlier() -> None:
    encoded = encode(noisy())
    settings = Settings.of(recipe="sgd", rate=0.1, epochs=1000, period=3, delta=1e-2)
    trained = train(encoded, settings)
    objectives = [epoch.objective for epoch in trained.history]
    falls = [i >= 3 and objectives[i - 3] - objectives[i] < 1e-2 * abs(objectives[i]) for i in range(len(objectives))]
    assert falls == [False] * (len(falls) - 1) + [True]
    assert trained.converged
    assert trained.stop_reason == "the objective has settled over 3 epochs"
    assert not train(encoded, replace(settings, epochs=len(objectives) - 1)).converged


@BOTH
def test_a_run_that_leaves_the_numbers_names_the_epoch(features: str) -> None:
    huge = Problem([[[(0, 3e38)], [(1, -3e38)]], [[(1, 3e38)], [(0, 3e38)]]], [[0, 1], [1, 0]], [1.0, 1.0], 2, 2)
    returned: list[object] = []
    with pytest.raises(TrainingError, match=r"epoch [12]: the weights left the range of numbers.*nothing was saved"):
        returned.append(train(encode(huge), Settings.of(recipe="sgd", features=features, rate=0.1, epochs=5)))
    assert not returned
    with pytest.raises(TrainingError):  # and so does the search for a rate
        train(encode(huge), Settings(recipe="sgd", features=features, epochs=5))


@pytest.mark.parametrize("recipe", ["default", "sgd", "pa", "lbfgs"])
def test_with_held_out_data_the_best_epoch_is_kept(recipe: str) -> None:
    """The scores of the weights that come out are the best of the history; without keep_best, those of the last."""
    corpus = addresses(seed=1, train=60, test=60)
    known = encode_words(corpus.train)
    dev = encode_words(corpus.test, known)
    kept = train(known, Settings.of(recipe, epochs=8, max_dev_rise=None, prune=0), dev=dev)
    scores = [epoch.scores.f1 for epoch in kept.history if epoch.scores is not None]
    assert len(set(scores)) > 1
    assert kept.best.number == max(k for k, score in enumerate(scores, 1) if score == max(scores))
    model = Model.of(known, kept)
    assert model.evaluate(dev).f1 == max(scores)
    last = train(known, Settings.of(recipe, epochs=8, max_dev_rise=None, keep_best=False, prune=0), dev=dev)
    assert [epoch.scores for epoch in last.history] == [epoch.scores for epoch in kept.history]
    if recipe in ("pa", "lbfgs"):  # those that do not keep the lowest objective themselves
        assert last.best.number == len(last.history)


def test_of_epochs_with_equal_scores_the_last_is_kept() -> None:
    """Held-out data without a chunk has F1 0 after every epoch, which says nothing for the first one."""
    known = encode_sequences(X, Y)
    dev = encode_sequences(X[1:], Y[1:], attributes=known.attributes, labels=known.labels)
    trained = train(known, Settings(epochs=4), dev=dev)
    assert trained.best.number == 4
