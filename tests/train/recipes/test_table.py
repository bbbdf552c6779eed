"""The table of recipes: its names, what each trains with, and that a run's own settings train the same again."""

import pickle
import re
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from tagfield.data.encode import Encoded
from tagfield.demo import addresses, mentions
from tagfield.errors import InputError
from tagfield.model.model import Model
from tagfield.train import DEFAULT, RECIPES, Settings, Trained, train
from tagfield.train.loop.streaming import Stream
from tagfield.train.recipes.classic import Arow, Margin, Perceptron, QuasiNewton
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.recipes.table import find_recipe
from tagfield.train.trainers.arow import ArowTrainer
from tagfield.train.trainers.choose import family
from tagfield.train.trainers.margin import MarginTrainer
from tagfield.train.trainers.problem import Problem
from tagfield.train.trainers.quasi_newton import QuasiNewtonTrainer
from tagfield.train.trainers.stochastic import StochasticTrainer
from tagfield.train.trainers.whole_corpus import WholeCorpusTrainer
from tests.support.strategies import encode, learnable
from tests.train.test_ngd import encode as encode_sentences

KINDS = {
    Stochastic: ("sgd", "u1.g1", "u2.g1", "u2.g1p", "u2.g2", "u2.g3", "adaptive", "newton", "sgdqn", "smd", "ngd"),
    Margin: ("pa",),
    Perceptron: ("ap",),
    Arow: ("arow",),
    QuasiNewton: ("lbfgs",),
}
TRAINERS = {
    Stochastic: StochasticTrainer,
    Margin: MarginTrainer,
    Perceptron: MarginTrainer,
    Arow: ArowTrainer,
    QuasiNewton: QuasiNewtonTrainer,
}
EVERY = pytest.mark.parametrize("name", list(RECIPES))
RUNS = [(name, False) for name in RECIPES] + [
    (name, True) for name in KINDS[Stochastic] if RECIPES[name].metric is None
]


@pytest.fixture(scope="module")
def corpora() -> dict[str, Encoded]:
    """For each, the choice of generator auto is another one: where one label dominates, and where none does."""
    found = {
        "mentions": encode_sentences(mentions(seed=0, train=300, test=0).train),
        "addresses": encode_sentences(addresses(seed=0, train=150, test=0).train),
    }
    return found | {"learnable": encode(learnable(200))}


def same(one: Trained, two: Trained) -> bool:
    return (
        one.weights.state.tobytes() == two.weights.state.tobytes()
        and one.weights.trans.tobytes() == two.weights.trans.tobytes()
        and [epoch.objective for epoch in one.history] == [epoch.objective for epoch in two.history]
    )


def test_the_names_and_kinds() -> None:
    assert [(type(recipe), name) for name, recipe in RECIPES.items()] == [
        (kind, name) for kind, names in KINDS.items() for name in names
    ]
    assert DEFAULT["recipe"] in RECIPES


@EVERY
def test_a_line_of_the_table(name: str) -> None:
    recipe = RECIPES[name]
    assert recipe.name == name
    assert recipe.about
    assert not recipe.about.endswith(".")
    assert find_recipe(name) is recipe is Settings(name).recipe
    assert str(recipe)
    with pytest.raises(FrozenInstanceError):
        recipe.name = "other"  # type: ignore[misc]
    problem = Problem.of(encode(learnable(5)), Settings(name))
    trainer = recipe.trainer(problem, np.random.default_rng(0))
    assert type(trainer) is TRAINERS[type(recipe)]
    assert trainer.problem is problem
    assert trainer.recipe == (replace(recipe, rate=trainer.recipe.rate) if isinstance(recipe, Stochastic) else recipe)


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("u2g1", "u2.g1"), ("sdg", "sgd"), ("LBFGS", "lbfgs"), ("l-bfgs", "lbfgs"), ("adaptiv", "adaptive"), ("", None)],
)
def test_a_name_that_is_not_there(wrong: str, meant: str | None) -> None:
    hint = f"did you mean '{meant}'?" if meant else f"choose one of {', '.join(RECIPES)}"
    with pytest.raises(InputError, match=f"^{re.escape(f'no algorithm named {wrong!r}; {hint}')}$"):
        find_recipe(wrong)


@pytest.mark.parametrize(("name", "batch"), RUNS)
def test_every_recipe_trains_and_its_settings_train_the_same_again(name: str, batch: bool) -> None:
    recipe = RECIPES[name]
    encoded = encode(learnable(60))
    made = Settings.of(name, epochs=40 if batch else 4, batch=batch)
    trained = train(encoded, made)
    assert Model.of(encoded, trained).tag([[["f:1"], ["f:2"]]]) == [["y1", "y2"]]
    if batch:
        kind = type(trained.settings.recipe.trainer(Problem.of(encoded, made), np.random.default_rng(0)))
        assert kind is WholeCorpusTrainer
    if isinstance(recipe, Stochastic) and not batch:
        assert trained.settings.recipe.rate > 0  # the one that was found
        assert made.recipe.rate is None
    for settings in (pickle.loads(pickle.dumps(trained.settings)), Settings.of(**trained.settings.to_dict())):
        assert settings == trained.settings
    # Without a calibration the shuffles are others; from the same rate they are the same again.
    again, third = (train(encoded, trained.settings), train(encoded, pickle.loads(pickle.dumps(trained.settings))))
    assert same(again, third)
    assert again.settings == trained.settings
    if not isinstance(recipe, Stochastic) or batch:
        assert same(again, trained)


@pytest.mark.parametrize("corpus", ["mentions", "addresses", "learnable"])
@pytest.mark.parametrize("features", ["observed", "all"])
def test_what_was_chosen_from_the_data_trains_again(corpora: dict[str, Encoded], corpus: str, features: str) -> None:
    encoded = corpora[corpus]
    trained = train(encoded, Settings.of("ngd", generator="auto", features=features, epochs=3))
    used = trained.settings.recipe
    assert isinstance(used, Stochastic)
    assert used.about == "chosen by ngd with generator auto"
    assert used.average
    tried = {(c.recipe.f.name, c.recipe.metric, c.recipe.respond, c.recipe.rate) for c in family(True)}
    assert (used.name, used.metric, used.respond, used.rate) in tried
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
