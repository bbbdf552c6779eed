"""The paper's section 3 as code: convex functions, Bregman losses, and the updates that follow from them.

    generators.py   G, g = ∇G, h = ∇²G by name; convex.py builds your own from a gradient
         │
    losses.py       B1–B4 for any γ as four numbers; divergence and natural gradient by one formula
         │          equivalence.py: which of the updates U1–U6 are the same
    responses.py    the scalar direction f(u), and the paper's recipes
         │
    tables.py       f as a lookup table for the kernels; sampling.py measures its error

Your own generator takes three lines:

    >>> import numpy as np
    >>> G = Generator.from_gradient(lambda u: u / np.sqrt(1 + 4 * u * u), name="soft clip")
    >>> response = Response(update("U2"), G)
    >>> response.table().evaluate([0.1, 10.0]).round(4)
    array([0.0981, 0.4994], dtype=float32)
"""

from tagfield.bregman.convex import Generator
from tagfield.bregman.equivalence import UpdateGroups, equivalent_updates
from tagfield.bregman.generators import arctan, entropy, erf, gd, parse_generator, pnorm, quadratic, softplus
from tagfield.bregman.joint import Joint, squared_norm
from tagfield.bregman.losses import UPDATES, Loss, divergence, named_loss, natural_gradient, update
from tagfield.bregman.responses import Response
from tagfield.bregman.tables import ResponseTable

__all__ = ["UPDATES", "Generator", "Joint", "Loss", "Response", "ResponseTable", "UpdateGroups", "arctan", "divergence"]
__all__ += ["entropy", "equivalent_updates", "erf", "gd", "named_loss", "natural_gradient", "parse_generator"]
__all__ += ["pnorm", "quadratic", "softplus", "squared_norm", "update"]
