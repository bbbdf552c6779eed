"""The table of recipes: its names, what each trains with, and that a run's own settings train the same again."""

import pickle
import re
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from tagfield.errors import InputError
from tagfield.model.model import Model
from tagfield.train import DEFAULT, RECIPES, Settings, Trained, train
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.crfsuite_recipes import Arow, Margin, Perceptron, QuasiNewton
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.recipes.table import find_recipe
from tagfield.train.trainers.arow import ArowTrainer
from tagfield.train.trainers.margin import MarginTrainer
from tagfield.train.trainers.quasi_newton import QuasiNewtonTrainer
from tagfield.train.trainers.stochastic import StochasticTrainer
from tagfield.train.trainers.whole_corpus import WholeCorpusTrainer
from tests.support.strategies import encode, learnable

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
    (name, True) for name in KINDS[Stochastic] if RECIPES[name].preconditioner is None
]


def same(one: Trained, two: Trained) -> bool:
    return (
        one.weights.state.tobytes() == two.weights.state.tobytes()
        and one.weights.trans.tobytes() == two.weights.trans.tobytes()
        and [epoch.objective for epoch in one.history] == [epoch.objective for epoch in two.history]
    )


def test_the_table_has_these_names_and_kinds() -> None:
    assert [(type(recipe), name) for name, recipe in RECIPES.items()] == [
        (kind, name) for kind, names in KINDS.items() for name in names
    ]
    assert DEFAULT["recipe"] in RECIPES


@EVERY
def test_a_named_recipe_is_frozen_and_makes_its_trainer(name: str) -> None:
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
def test_a_name_that_is_not_there_is_refused_with_the_nearest_one(wrong: str, meant: str | None) -> None:
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
