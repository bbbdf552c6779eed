"""The recipes: one table, a line each.

A recipe is data: which family of trainer runs it, and with which response. The mathematics of the responses is in
tagfield.bregman.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tagfield.errors import InputError

Family: TypeAlias = Literal["stochastic", "margin", "batch"]


@dataclass(frozen=True)
class Recipe:
    """A way to train, by name."""

    name: str
    family: Family
    about: str  # the update, in a few words


RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe("sgd", "stochastic", "u: plain stochastic gradient descent"),
        Recipe("u1.g1", "stochastic", "u/(u² + 0.1): the paper's U1*.G1"),
        Recipe("u2.g1", "stochastic", "arctan(u/√0.1): the paper's U2*.G1"),
        Recipe("u2.g1p", "stochastic", "arctan(10u): the paper's U2*.G1′"),
        Recipe("u2.g2", "stochastic", "erf(5√π·u): the paper's U2*.G2"),
        Recipe("u2.g3", "stochastic", "gd(10u): the paper's U2*.G3"),
        Recipe("adaptive", "stochastic", "u/(√Σu² + 0.001): plain gradients in an adaptive diagonal metric"),
        Recipe("ngd", "stochastic", "any loss and generator: see loss, gamma and generator"),
        Recipe("pa", "margin", "passive–aggressive, averaged"),
        Recipe("ap", "margin", "averaged perceptron"),
        Recipe("arow", "margin", "adaptive regularisation of weights"),
        Recipe("lbfgs", "batch", "L-BFGS on the whole corpus"),
    )
}
DEFAULT = "u2.g1"
# What `tagfield train` takes instead where one label dominates, by the feature set: docs/results.md has the evidence.
SKEWED = {"observed": "sgd", "all": "adaptive"}


def find_recipe(name: str) -> Recipe:
    """The recipe of that name.

    >>> find_recipe("u2.g1").family
    'stochastic'
    """
    if name not in RECIPES:
        raise InputError(f"there is no algorithm {name!r}; choose one of {', '.join(RECIPES)}")
    return RECIPES[name]
