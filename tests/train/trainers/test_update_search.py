"""The update that generator auto chooses from the data: from its family, at its cost, and trained again."""

import logging
import pickle
from dataclasses import replace

import numpy as np
import pytest

from tagfield.data.encode import Encoded
from tagfield.demo import addresses, mentions
from tagfield.errors import InputError
from tagfield.model.model import Model
from tagfield.train import RECIPES, Settings, Trained, train
from tagfield.train.loop.streaming import Stream
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.trainers.update_search import RUNGS, Candidate, _best, family, search_update
from tests.support.built_in import encode_columns
from tests.support.corpus import with_hidden
from tests.support.strategies import encode, learnable

COST = 4.0  # epochs that the whole choice may take, scoring included
SCORING = 0.5  # of what training on a sentence costs; it is less


@pytest.fixture(scope="module")
def corpora() -> dict[str, Encoded]:
    """For each, the choice of generator auto is another one: where one label dominates, and where none does."""
    found = {
        "mentions": encode_columns(mentions(seed=0, train=300, test=0).train),
        "addresses": encode_columns(addresses(seed=0, train=150, test=0).train),
    }
    return found | {"learnable": encode(learnable(200))}


def same(one: Trained, two: Trained) -> bool:
    return (
        one.weights.state.tobytes() == two.weights.state.tobytes()
        and one.weights.trans.tobytes() == two.weights.trans.tobytes()
        and [epoch.objective for epoch in one.history] == [epoch.objective for epoch in two.history]
    )


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
    problem = Problem.of(encode_columns(corpus.train), Settings("ngd"))
    assert Candidate(search_update(problem, np.random.default_rng(0))).kind == "curved"


@pytest.mark.parametrize("corpus", ["mentions", "addresses", "learnable"])
@pytest.mark.parametrize("features", ["observed", "all"])
def test_what_was_chosen_from_the_data_trains_again(corpora: dict[str, Encoded], corpus: str, features: str) -> None:
    encoded = corpora[corpus]
    trained = train(encoded, Settings.of("ngd", generator="auto", features=features, epochs=3))
    used = trained.settings.recipe
    assert isinstance(used, Stochastic)
    assert used.about == "chosen by ngd with generator auto"
    assert used.average
    tried = {(c.recipe.f.name, c.recipe.preconditioner, c.recipe.respond, c.recipe.rate) for c in family(True)}
    assert (used.name, used.preconditioner, used.respond, used.rate) in tried
    assert used.f.name == used.name
    again = train(encoded, trained.settings)
    assert again.settings == trained.settings
    assert same(again, train(encoded, trained.settings))
    if used.name in RECIPES:  # found again by its name, in a file or in another process
        for settings in (Settings.of(**trained.settings.to_dict()), pickle.loads(pickle.dumps(trained.settings))):
            assert settings == trained.settings
            assert same(train(encoded, settings), again)


@pytest.mark.parametrize("number", range(len(family(True))))
def test_whatever_could_be_chosen_trains_again(number: int) -> None:
    chosen = family(True)[number].recipe
    settings = Settings(replace(chosen, name=chosen.f.name, about="chosen"), epochs=2)
    encoded = encode(learnable(20))
    trained = train(encoded, settings)
    assert trained.settings.recipe == settings.recipe
    assert same(trained, train(encoded, trained.settings))
    assert Model.of(encoded, trained).info["settings"]["recipe"] == chosen.f.name
    if chosen.f.name in RECIPES:
        assert pickle.loads(pickle.dumps(trained.settings)) == trained.settings


def test_a_chosen_recipe_can_go_on_in_a_stream(corpora: dict[str, Encoded]) -> None:
    encoded = corpora["learnable"]
    settings = train(encoded, Settings.of("ngd", generator="auto", epochs=1)).settings
    stream = Stream(encoded.attributes, encoded.labels, settings)
    first = stream.learn(encoded, settings).objective
    assert stream.learn(encoded, settings).objective < first
    with pytest.raises(InputError, match="cannot learn from a stream; use a stochastic recipe"):
        stream.learn(encoded, Settings.of("ngd", generator="auto"))


def test_auto_keeps_the_last_weights_and_the_rate_if_told_to() -> None:
    encoded = encode(learnable(100))
    settings = Settings.of("ngd", generator="auto", average=False, rate=0.03, epochs=2)
    used = train(encoded, settings).settings.recipe
    assert (used.average, used.rate) == (False, 0.03)


def test_the_choice_counts_known_tokens_only(caplog: pytest.LogCaptureFixture) -> None:
    encoded = encode(learnable(200))
    encoded = with_hidden(encoded, np.s_[::2])
    with caplog.at_level("INFO", logger="tagfield.train.trainers.update_search"):
        trained = train(encoded, Settings.of("ngd", generator="auto", epochs=3))
    shares = [float(text.split(": ")[1].split(" %")[0]) for text in caplog.messages if " % after " in text]
    assert max(shares) > 90  # were unknown tokens counted as wrong, half would be the most
    assert trained.stop_reason == "it reached the maximum of 3 epochs"
