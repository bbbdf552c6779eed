"""Recipes that an option makes of a stochastic one: what they keep of it, their bounds and their arrays."""

import pytest

from tagfield.errors import InputError
from tagfield.train import RECIPES
from tagfield.train.recipes.recipe import Copies
from tagfield.train.recipes.updates import Divergence
from tagfield.train.recipes.variants import Auto, WholeCorpus

NGD = RECIPES["ngd"]


def test_generator_auto_keeps_the_name_of_the_recipe_and_averages() -> None:
    made = NGD.variant({"generator": "auto"})
    assert made == Auto(name="ngd")
    assert (made.average, made.about, str(made)) == (True, NGD.about, "ngd")


def test_generator_auto_changes_only_a_recipe_with_a_divergence() -> None:
    assert RECIPES["sgd"].variant({"generator": "auto"}) is RECIPES["sgd"]


def test_batch_keeps_the_response_and_says_that_it_takes_the_whole_corpus() -> None:
    made = NGD.variant({"batch": True})
    assert isinstance(made, WholeCorpus)
    assert made.response is NGD.response
    assert str(made) == f"{NGD}, on the whole corpus"
    assert made.f is NGD.f


@pytest.mark.parametrize("rate", [0.0, -1.0])
def test_a_rate_must_be_positive(rate: float) -> None:
    for make in (Auto, lambda rate: WholeCorpus(Divergence(), rate=rate)):
        with pytest.raises(InputError, match=f"^rate must be above 0, got {rate:g}$"):
            make(rate=rate)


@pytest.mark.parametrize("block", [0, 1025])
def test_a_block_of_auto_has_bounds(block: int) -> None:
    with pytest.raises(InputError, match=r"^block must be at (least 1|most 1024), got "):
        Auto(block=block)


def test_scoring_and_averaging_add_two_arrays_each() -> None:
    assert Auto(average=False).copies() == Copies(5)
    assert Auto(average=True).copies(scored=True) == Copies(9)
    assert WholeCorpus(Divergence()).copies(scored=True) == Copies(4, 13)
