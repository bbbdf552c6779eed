"""Settings: what each recipe takes and refuses, there and back through plain values, pickles and repr."""

import copy
import pickle
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tagfield.bregman import Generator, Loss
from tagfield.errors import InputError
from tagfield.train import DEFAULT, RECIPES, Settings
from tagfield.train.recipes.catalogue import all_options
from tagfield.train.recipes.crfsuite_recipes import Margin, QuasiNewton
from tagfield.train.recipes.preconditioners import AdaGrad
from tagfield.train.recipes.recipe import Recipe
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.recipes.updates import Calibration, Divergence
from tagfield.train.recipes.variants import Auto, WholeCorpus

CALIBRATION = {f"calibration_{name}" for name in ("eta", "rate", "samples", "candidates", "max_trials")}
ANY = {
    "features",
    "transitions",
    "min_count",
    "epochs",
    "seed",
    "threads",
    "patience",
    "keep_best",
    "calibrate",
    "prune",
    "monitor",
    "max_dev_rise",
}
LIKELIHOOD = {"c2", "period", "delta"}
STEPS = {
    "metric",
    "respond",
    "generators",
    "average",
    "anneal",
    "cost",
    "rate",
    "rate_by",
    "block",
    "minibatch",
    "minibatch_mean",
    "batch",
}
STOCHASTIC = ANY | LIKELIHOOD | CALIBRATION | STEPS
TOGETHER = {"batch", "block", "minibatch", "generators"}  # not for steps on one sequence after the other
TAKES = {  # by recipe, or by a recipe and an option that makes another of it
    **dict.fromkeys(("sgd", "u1.g1", "u2.g1", "u2.g1p", "u2.g2", "u2.g3"), STOCHASTIC),
    "adaptive": STOCHASTIC - {"batch"} | {"adagrad_delta"},
    "newton": STOCHASTIC - {"batch"} | {"newton_delta"},
    "sgdqn": STOCHASTIC - TOGETHER | {"qn_skip", "qn_bound"},
    "smd": STOCHASTIC - TOGETHER | {"smd_mu", "smd_lambda"},
    "ngd": STOCHASTIC | {"loss", "gamma", "generator"},
    "pa": ANY | {"pa_type", "pa_c", "pa_cost_sensitive", "pa_average", "epsilon"},
    "ap": ANY | {"epsilon"},
    "arow": ANY | {"arow_variance", "arow_gamma", "epsilon"},
    "lbfgs": ANY | LIKELIHOOD | {"c1", "num_memories", "linesearch", "max_linesearch", "epsilon"},
}
ALSO = {
    ("u2.g1", "metric", "adaptive"): TAKES["u2.g1"] - {"batch"} | {"adagrad_delta"},
    ("u2.g1", "metric", "newton"): TAKES["u2.g1"] - {"batch"} | {"newton_delta"},
    ("u2.g1", "metric", "sgdqn"): TAKES["u2.g1"] - TOGETHER | {"qn_skip", "qn_bound"},
    ("u2.g1", "metric", "smd"): TAKES["u2.g1"] - TOGETHER | {"smd_mu", "smd_lambda"},
    ("adaptive", "metric", "flat"): TAKES["adaptive"] - {"adagrad_delta"},
    ("u2.g1", "batch", True): ANY | LIKELIHOOD | {"rate", "batch"},
    ("ngd", "batch", True): ANY | LIKELIHOOD | {"rate", "batch", "loss", "gamma", "generator"},
    ("ngd", "generator", "auto"): ANY | LIKELIHOOD | {"rate", "average", "block", "generator"},
}
CHANGED: dict[str, Any] = {
    "features": "all", "transitions": "all", "min_count": 2, "c1": 0.5, "c2": 0.25, "epochs": 7, "seed": 3,
    "threads": 2, "period": 4, "delta": 1e-3, "patience": 2, "keep_best": False, "monitor": "f1", "max_dev_rise": 0.5,
    "calibrate": True, "prune": 0.25,
    "metric": "adaptive", "adagrad_delta": 0.5, "newton_delta": 0.5, "qn_skip": 3, "qn_bound": 9.0,
    "smd_mu": 0.25, "smd_lambda": 0.5, "respond": "states", "average": True, "anneal": 0.5, "cost": 0.5,
    "rate": 0.125, "rate_by": "attributes", "block": 4, "minibatch": 16, "minibatch_mean": True,
    "generators": "states=erf:5",
    "calibration_eta": 0.2, "calibration_rate": 3.0, "calibration_samples": 10,
    "calibration_candidates": 5,
    "calibration_max_trials": 9, "loss": "B1", "gamma": 0.5, "generator": "gd:2", "batch": True, "pa_type": 2,
    "pa_c": 0.5, "pa_cost_sensitive": False, "pa_average": False, "arow_variance": 2.0, "arow_gamma": 3.0,
    "epsilon": 1e-3, "num_memories": 3, "linesearch": "Backtracking", "max_linesearch": 9,
}  # fmt: skip
ONLY = {
    **dict.fromkeys(CALIBRATION | STEPS, "stochastic recipes"),
    **dict.fromkeys(LIKELIHOOD, "stochastic recipes and lbfgs"),
    **dict.fromkeys(("loss", "gamma", "generator"), "ngd"),
    **dict.fromkeys(("pa_type", "pa_c", "pa_cost_sensitive", "pa_average"), "pa"),
    **dict.fromkeys(("arow_variance", "arow_gamma"), "arow"),
    **dict.fromkeys(("c1", "num_memories", "linesearch", "max_linesearch"), "lbfgs"),
    "adagrad_delta": "AdaGrad (metric adaptive)",
    "newton_delta": "online Newton (metric newton)",
    **dict.fromkeys(("qn_skip", "qn_bound"), "SGD-QN (metric sgdqn)"),
    **dict.fromkeys(("smd_mu", "smd_lambda"), "stochastic meta-descent (metric smd)"),
    "epsilon": "pa, ap, arow and lbfgs",
}


TITLES = {
    "adaptive": "AdaGrad",
    "newton": "the online Newton step",
    "sgdqn": "SGD-QN",
    "smd": "stochastic meta-descent",
}
GENERATOR = "generator must be a name, such as 'arctan:0.1', or a Generator, got 7"


def every() -> list[Settings]:
    """Every recipe, alone and with each option that it takes."""
    made = [Settings(), Settings.of(c2=0.5, anneal=2.0), *(Settings(name) for name in RECIPES)]
    made += [Settings.of(n, **{o: CHANGED[o]}) for n, takes in TAKES.items() for o in takes]
    for (name, option, value), takes in ALSO.items():
        rest = takes - {option} - ({"generator"} if value == "auto" else set())
        made += [Settings.of(name, **{option: value}, **{each: CHANGED[each]}) for each in rest if each != "batch"]
    return made


def test_the_tables_know_every_recipe_and_option() -> None:
    assert set(TAKES) == set(RECIPES)
    assert set(CHANGED) == set(all_options())
    assert set(ONLY) == set(CHANGED) - ANY


@pytest.mark.parametrize("name", list(TAKES))
def test_what_a_recipe_takes_and_what_it_refuses(name: str) -> None:
    for option, value in CHANGED.items():
        if option in TAKES[name]:
            found = Settings.of(name, **{option: value})
            assert found.to_dict()[option] == value
            assert (found == Settings(name)) == ((name, option) == ("adaptive", "metric"))
            continue
        if option == "batch" and name in TITLES:
            message = f"batch does not apply to {name}: {TITLES[name]} steps on one sentence at a time"
        elif option == "block" and name in TITLES:
            with pytest.raises(InputError, match=f"^block must be 1 with metric {name}, got {value}: each step"):
                Settings.of(name, block=value)
            continue
        elif option in TOGETHER and name in TITLES:
            with pytest.raises(InputError, match=f"^{option} does not apply with metric {name}, whose steps"):
                Settings.of(name, **{option: value})
            continue
        else:
            message = f"{option} applies only to {ONLY[option]}, not to {name}"
        for given in (value, all_options()[option].value):  # the default too: it would say nothing
            if option != "batch" or given:
                with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
                    Settings.of(name, **{option: given})


@pytest.mark.parametrize("case", list(ALSO), ids=str)
def test_an_option_that_makes_another_recipe_changes_what_it_takes(case: tuple[str, str, Any]) -> None:
    name, option, value = case
    suffix = {"batch": " with batch", "generator": " with generator auto"}.get(option, "")
    for other, changed in CHANGED.items():
        if other == option or (option == "metric" and (other == "batch" or (other in TOGETHER and value in TITLES))):
            continue
        given = {option: value, other: changed}
        if other in ALSO[case]:
            assert Settings.of(name, **given).to_dict() | given == Settings.of(name, **given).to_dict()
        elif suffix:
            with pytest.raises(InputError, match=f"^{other} does not apply to {name}{suffix}$"):
                Settings.of(name, **given)
        else:
            message = f"{other} applies only to {ONLY[other]}, not to {name}"
            with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
                Settings.of(name, **given)


def test_options_decide_the_record_and_its_parts() -> None:
    kinds = {
        "u2.g1": Stochastic, "adaptive": Stochastic, "ngd": Stochastic, "pa": Margin, "lbfgs": QuasiNewton
    }  # fmt: skip
    assert {name: type(Settings(name).recipe) for name in kinds} == kinds
    assert isinstance(Settings.of("u2.g1", batch=True).recipe, WholeCorpus)
    assert isinstance(Settings.of("ngd", generator="auto").recipe, Auto)
    assert isinstance(Settings.of("u2.g1", batch=False).recipe, Stochastic)
    assert Settings.of("u2.g1", metric="adaptive", adagrad_delta=0.5).recipe.preconditioner == AdaGrad(0.5)
    assert Settings.of("u2.g1", adagrad_delta=0.5, metric="adaptive").recipe.preconditioner == AdaGrad(0.5)
    assert Settings.of("u2.g1", metric=AdaGrad(0.5)).recipe.preconditioner == AdaGrad(0.5)
    assert Settings.of("u2.g1", calibration_samples=9).recipe.calibration == Calibration(samples=9)
    assert Settings.of("ngd", loss="U1", generator="gd:5").recipe.response == Divergence("U1", generator="gd:5")
    assert Settings.of(QuasiNewton(3), max_linesearch=9).recipe == QuasiNewton(3, max_linesearch=9)


def test_the_default_is_the_default_recipe() -> None:
    assert Settings() == Settings.of() == Settings("default") == Settings.of(**DEFAULT)
    assert Settings() == Settings.of("default", epochs=None, c2=None, features=None)
    assert Settings("adaptive") == Settings(RECIPES["adaptive"]) == Settings.of("adaptive") != Settings()
    assert (Settings("u2.g1").max_epochs, Settings("lbfgs").max_epochs) == (50, 1000)
    assert (Settings("u2.g1").min_improvement, Settings("lbfgs").min_improvement) == (1e-6, 1e-5)
    assert Settings(epochs=3, delta=0.5).max_epochs == 3
    assert Settings(epochs=3, delta=0.5).min_improvement == 0.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Settings(7), "recipe must be a name or a recipe, got 7"),
        (lambda: Settings("u2g1"), "no algorithm named 'u2g1'; did you mean 'u2.g1'?"),
        (lambda: Settings("sgd", c1=1.0), "c1 applies only to lbfgs, not to sgd"),
        (lambda: Settings(Margin(), c1=1.0), "c1 applies only to lbfgs, not to pa"),
        (lambda: Settings.of(averge=True), "no option named 'averge'; did you mean 'average'?"),
        (lambda: Settings.of("pa", zzz=1), "no option named 'zzz'; docs/options.md lists the options"),
        (lambda: Settings.of("ngd", loss="U1", gamma=0.5), "gamma applies only to the losses B1 to B4, not to U1"),
        (lambda: Settings.of("ngd", loss=7), "loss must be a name, such as 'B2', or a Loss, got 7"),
        (lambda: Settings.of("ngd", generator=7), GENERATOR),
    ],
)  # fmt: skip
def test_recipes_and_options_that_do_not_exist_or_do_not_fit_are_refused(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        make()


def test_plain_values_make_the_same_settings() -> None:
    for settings in every():
        values = settings.to_dict()
        assert all(value is None or isinstance(value, bool | int | float | str) for value in values.values())
        assert Settings.of(**values) == settings, settings
        assert hash(Settings.of(**values)) == hash(settings)


def test_pickles_and_copies_are_equal() -> None:
    for settings in every():
        for again in (pickle.loads(pickle.dumps(settings)), copy.copy(settings), copy.deepcopy(settings)):
            assert again == settings, settings
    records: list[Recipe] = [Margin(pa_type=2), QuasiNewton(3), Stochastic(Divergence("U6"), average=True)]
    for record in records:  # without a name
        assert pickle.loads(pickle.dumps(Settings(record, c2=0.5))) == Settings(record, c2=0.5)
    ignored = Settings("pa", c2=0.5)  # pa has no penalty, but the settings are what they are
    assert pickle.loads(pickle.dumps(ignored)) == ignored


def test_repr_is_what_was_changed_and_makes_it_again() -> None:
    assert repr(Settings()) == "Settings.of()"
    assert repr(Settings.of(c2=0.5, anneal=1)) == "Settings.of(c2=0.5, anneal=1.0)"
    assert repr(Settings("adaptive")) == "Settings.of('adaptive')"
    assert repr(Settings("u2.g1")) == "Settings.of('u2.g1')"
    assert repr(Settings.of("lbfgs", c1=0.5, num_memories=3)) == "Settings.of('lbfgs', c1=0.5, num_memories=3)"
    for settings in every():
        text = repr(settings)
        assert eval(text, {"Settings": Settings}) == settings, text
    own = Settings(Margin(pa_type=2), seed=3)  # without a name, there is nothing that it was changed from
    assert repr(own).startswith("Settings.of('pa', seed=3, pa_type=2, pa_c=1.0, ")


def test_functions_of_ones_own_are_named() -> None:
    own = Generator.from_gradient(np.arcsinh, name="arcsinh")
    settings = Settings.of("ngd", generator=own, loss=Loss(-1, -1, 0, 0, "mine"), rate=0.5)
    values = settings.to_dict()
    assert (values["generator"], values["loss"], values["rate"]) == ("arcsinh", "mine", 0.5)
    assert repr(settings) == "Settings.of('ngd', loss='mine', generator='arcsinh', rate=0.5)"
    assert copy.copy(settings) == settings
    assert replace(settings, c2=2.0).recipe == settings.recipe
    with pytest.raises(InputError, match="no loss named 'mine'"):
        Settings.of(**values)


def test_describe_names_the_recipe_and_what_was_changed() -> None:
    for settings, words in (
        (Settings.of("u2.g1", average=True, rate=0.1), "u2.g1, averaged, rate 0.1, c2 1, seed 0"),
        (Settings("lbfgs", c1=0.5, min_count=2), "lbfgs, c1 0.5, c2 1, seed 0, minimum count 2"),
        (Settings.of("u2.g1", batch=True), "u2.g1, on the whole corpus, c2 1, seed 0"),
        (Settings.of("adaptive", anneal=2.0), "adaptive, annealed by 2, c2 1, seed 0"),
        (Settings.of("ngd", generator="gd:2"), "ngd: B2, γ = 0, of gd:2, c2 1, seed 0"),
    ):
        assert settings.describe() == f"{words} · {settings.recipe.about}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"recipe": "sdg"}, "no algorithm named 'sdg'; did you mean 'sgd'?"),
        ({"features": "some"}, "features must be one of observed, all, auto; got 'some'"),
        ({"c2": -1.0}, "c2 must be ≥ 0, got -1"),
        ({"c2": float("nan")}, "c2 must be ≥ 0, got nan"),
        ({"c2": float("inf")}, "c2 must be a finite number, got inf"),
        ({"epochs": 0}, "epochs must be at least 1, got 0"),
        ({"threads": 0}, "threads must be at least 1, got 0"),
        ({"rate": 0.0}, "rate must be above 0, got 0"),
        ({"rate": float("inf")}, "rate must be a finite number, got inf"),
    ],
)
def test_names_and_numbers_that_no_option_takes_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        Settings.of(**options)
