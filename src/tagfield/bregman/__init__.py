"""The paper's section 3 as code: convex functions, Bregman losses, and the updates that follow from them.

    generators.py   G, g = ∇G, h = ∇²G by name; convex.py makes your own from a gradient
         │
    losses.py       B1–B4 for any γ as four numbers; divergence and natural gradient by one formula
         │          reduction.py: which of the updates U1–U6 coincide
    responses.py    the scalar direction f(u), the paper's recipes
         │
    tables.py       f as a table that the kernels read; sampling.py measures its error

A generator of your own, in three lines:

    >>> import numpy as np
    >>> G = Generator.from_gradient(lambda u: u / np.sqrt(1 + 4 * u * u), name="soft clip")
    >>> response = Response(update("U2"), G)
    >>> response.table().evaluate([0.1, 10.0]).round(4)
    array([0.0981, 0.4994], dtype=float32)
"""

from tagfield.bregman.convex import Generator
from tagfield.bregman.drawing import asked_for, figure_one, normalised
from tagfield.bregman.generators import (
    arctan,
    entropy,
    erf,
    gd,
    parse_generator,
    pnorm,
    quadratic,
    softplus,
)
from tagfield.bregman.losses import UPDATES, Loss, divergence, named_loss, natural_gradient, update
from tagfield.bregman.reduction import Reduction, reduce
from tagfield.bregman.responses import RECIPES, Response, recipe
from tagfield.bregman.tables import ResponseTable

__all__ = [
    "RECIPES",
    "UPDATES",
    "Generator",
    "Loss",
    "Reduction",
    "Response",
    "ResponseTable",
    "arctan",
    "asked_for",
    "divergence",
    "entropy",
    "erf",
    "figure_one",
    "gd",
    "named_loss",
    "natural_gradient",
    "normalised",
    "parse_generator",
    "pnorm",
    "quadratic",
    "recipe",
    "reduce",
    "softplus",
    "update",
]
