"""What every recipe is: a checked record that names its trainer and counts its arrays."""

from tagfield.train import RECIPES, Settings
from tagfield.train.recipes.recipe import Copies, Recipe
from tagfield.train.recipes.variants import WholeCorpus


def test_a_recipe_that_does_not_count_its_arrays_is_counted_as_a_plain_one() -> None:
    assert Recipe(name="own").copies() == Copies(4)
    assert Recipe(name="own").copies(scored=True) == Copies(6)


def test_every_recipe_says_what_it_holds() -> None:
    for recipe in RECIPES.values():
        assert recipe.copies().single >= 1
        assert recipe.copies(threads=3).bytes(8, 1) >= recipe.copies().bytes(8, 1)
    assert isinstance(Settings.of("ngd", batch=True).recipe, WholeCorpus)
