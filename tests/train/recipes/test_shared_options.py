"""Options that belong to no recipe: what their help says of defaults and recipes is what Settings do."""

import pytest

from tagfield.errors import InputError
from tagfield.evaluate import evaluate
from tagfield.train import RECIPES, Settings
from tagfield.train.recipes.fields import options_of
from tagfield.train.recipes.shared_options import SharedOptions

OPTIONS = options_of(SharedOptions)


@pytest.mark.parametrize("name", ["features", "c2"])
def test_the_default_in_help_is_that_of_settings_and_of_named_recipes(name: str) -> None:
    values = [settings.to_dict()[name] for settings in (Settings(), Settings("sgd"))]
    shown = [f"{value:g}" if isinstance(value, float) else value for value in values]
    assert OPTIONS[name].option.usual == f"{shown[0]}; {shown[1]} for a named recipe"


def test_the_epochs_in_help_are_those_of_settings() -> None:
    default, named, lbfgs = (Settings(*name).max_epochs for name in ((), ("u2.g1",), ("lbfgs",)))
    assert OPTIONS["epochs"].option.usual == f"{default}; {named} for a named recipe, {lbfgs} for lbfgs"


def test_the_delta_in_help_is_that_of_settings() -> None:
    runs = (Settings("sgd"), Settings("lbfgs"), Settings.of("sgd", batch=True))
    found = [settings.min_improvement for settings in runs]
    assert OPTIONS["delta"].option.usual == f"{found[0]:g}; {found[1]:g} for lbfgs and batch".replace("e-0", "e-")
    assert found[1] == found[2]


def test_options_for_some_recipes_name_families_that_exist() -> None:
    families = {recipe.family for recipe in RECIPES.values()}
    limited = {name: set(found.option.applies) for name, found in OPTIONS.items() if found.option.applies}
    assert set(limited) == {"c1", "c2", "period", "delta"}
    assert set().union(*limited.values()) <= families


def test_every_score_that_can_be_monitored_is_a_figure_of_scores() -> None:
    scores = evaluate([["B-X", "O"]], [["B-X", "O"]])
    names = set(OPTIONS["monitor"].option.choices or ()) - {"auto"}
    assert names
    assert all(getattr(scores, name) == 1.0 for name in names)


def test_values_are_checked_by_settings_and_not_before() -> None:
    assert SharedOptions(min_count=0).min_count == 0
    with pytest.raises(InputError, match=r"^min_count must be at least 1, got 0$"):
        Settings(min_count=0)
