"""The recipes: one table, a line each. To add a recipe, add its line.

The record has the options of the recipe and names its trainer (recipe.py); tagfield.bregman has the mathematics. The
paper folds the constant 1/√ε of its G1 into the learning rate; `scale` undoes such constants, so that each response is
the function that the paper prints.
"""

import math
from dataclasses import replace

from tagfield.bregman.generators import arctan, erf, gd, quadratic
from tagfield.bregman.losses import update
from tagfield.bregman.responses import Response
from tagfield.errors import InputError, did_you_mean
from tagfield.train.recipes.crfsuite_recipes import Arow, Margin, Perceptron, QuasiNewton
from tagfield.train.recipes.preconditioners import AdaGrad, MetaDescent, Newton, SgdQn
from tagfield.train.recipes.recipe import Recipe
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.recipes.updates import Divergence

U1, U2 = update("U1"), update("U2")
LINEAR = Response(U2, quadratic(), name="sgd")

RECIPES: dict[str, Recipe] = {
    "sgd": Stochastic(LINEAR, about="u: plain stochastic gradient descent"),
    "u1.g1": Stochastic(Response(U1, arctan(0.1), name="u1.g1"), about="u/(u² + 0.1): the paper's U1*.G1"),
    "u2.g1": Stochastic(Response(U2, arctan(0.1), math.sqrt(0.1), "u2.g1"), about="arctan(u/√0.1): the paper's U2*.G1"),
    "u2.g1p": Stochastic(Response(U2, arctan(0.01), 0.1, "u2.g1p"), about="arctan(10u): the paper's U2*.G1′"),
    "u2.g2": Stochastic(Response(U2, erf(), name="u2.g2"), about="erf(5√π·u): the paper's U2*.G2"),
    "u2.g3": Stochastic(Response(U2, gd(10.0), name="u2.g3"), about="gd(10u): the paper's U2*.G3"),
    "adaptive": Stochastic(LINEAR, AdaGrad(), about="u/(√Σu² + δ): plain gradients with AdaGrad's step sizes"),
    "newton": Stochastic(LINEAR, Newton(), about="u/(Σu² + δ): plain gradients with a diagonal online Newton step"),
    "sgdqn": Stochastic(LINEAR, SgdQn(), about="u/(1 + λQ): SGD-QN, step sizes by the curvature that steps have seen"),
    "smd": Stochastic(LINEAR, MetaDescent(), about="p·u: stochastic meta-descent, gains p that are learned on the way"),
    "ngd": Stochastic(Divergence(), about="any loss and generator: see loss, gamma and generator"),
    "pa": Margin(about="passive–aggressive, averaged"),
    "ap": Perceptron(about="averaged perceptron"),
    "arow": Arow(about="adaptive regularisation of weights"),
    "lbfgs": QuasiNewton(about="L-BFGS on the whole corpus; with c1, OWL-QN"),
}
RECIPES = {name: replace(recipe, name=name) for name, recipe in RECIPES.items()}


def find_recipe(name: str) -> Recipe:
    """The recipe of that name.

    >>> find_recipe("u2.g2").family
    'stochastic recipes'
    >>> find_recipe("u2g2")
    Traceback (most recent call last):
    tagfield.errors.InputError: no algorithm named 'u2g2'; did you mean 'u2.g2'?
    """
    if name in RECIPES:
        return RECIPES[name]
    raise InputError(f"no algorithm named {name!r}; {did_you_mean(name, RECIPES, len(RECIPES))}")
