"""The table of generators, losses and responses that the tests in tests/bregman run over."""

import math

import numpy as np

from tagfield import RECIPES
from tagfield.bregman import (
    Generator,
    Response,
    arctan,
    entropy,
    erf,
    gd,
    named_loss,
    pnorm,
    quadratic,
    softplus,
    update,
)

# User-defined: with h, without h, with a g that loses its digits near 0, and asymmetric.
OWN = [
    Generator.from_gradient(np.arcsinh, lambda u: 1 / np.sqrt(1 + u * u), name="own arcsinh"),
    Generator.from_gradient(lambda u: u / np.sqrt(1 + 4 * u * u), name="own soft clip"),
    Generator.from_gradient(lambda u: 1 / (1 + np.exp(-np.clip(u, -700, 700))), name="own logistic"),
    Generator.from_gradient(lambda u: np.where(u > 0, np.arctan(u), np.tanh(u)), name="own skew"),
]

SMOOTH = [  # three times differentiable everywhere, defined everywhere
    quadratic(),
    arctan(0.1),
    arctan(0.01),
    erf(),
    erf(1.0),
    gd(),
    gd(1.0),
    pnorm(2.0),
    pnorm(4.0),
    softplus(),  # asymmetric
    softplus(5.0),
    *OWN[:3],
]
EVERYWHERE = [*SMOOTH, pnorm(1.0), pnorm(1.5), pnorm(3.0), OWN[3]]  # defined everywhere; some bend sharply at 0
ALL = [*EVERYWHERE, entropy()]

GAMMAS = [-1.0, 0.0, 0.3, 0.5, 1.0, 2.0]
LOSSES = [named_loss(name, gamma) for name in ("B1", "B2", "B3", "B4") for gamma in GAMMAS]

PAPER = ("sgd", "u1.g1", "u2.g1", "u2.g1p", "u2.g2", "u2.g3")


def recipe(name: str) -> Response:
    """The response of one of the paper's recipes."""
    return RECIPES[name].response


FUNCTIONS_OF_U = [recipe(name) for name in PAPER] + [
    Response(update(name), generator) for name in ("U1", "U2", "U3", "U5") for generator in EVERYWHERE
]

EXACT_RECIPES = {  # the paper's formulas, with the standard library
    "sgd": lambda u: u,
    "u1.g1": lambda u: u / (u * u + 0.1),
    "u2.g1": lambda u: math.atan(u / math.sqrt(0.1)),
    "u2.g1p": lambda u: math.atan(10 * u),
    "u2.g2": lambda u: math.erf(5 * math.sqrt(math.pi) * u),
    "u2.g3": lambda u: math.copysign(2 * math.atan(math.tanh(min(abs(5 * u), 300))), u),
}
