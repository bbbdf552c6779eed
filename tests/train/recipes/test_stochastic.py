"""Stochastic recipes: annealed responses, and what cannot go together."""

import numpy as np
import pytest

from tagfield.errors import InputError
from tagfield.train import Settings, train


def test_an_annealed_response_ends_as_plain_gradient_descent(skewed):
    known, _ = skewed
    settings = Settings.of(recipe="u2.g1", epochs=6, anneal=3.0, period=0, rate=0.05)
    annealed = train(known, settings)
    plain = train(known, Settings.of(recipe="u2.g1", epochs=6, period=0, rate=0.05))
    assert annealed.best.objective < plain.best.objective


@pytest.mark.parametrize("generator", ["arctan:4", "arctan:0.01", "softplus:3"])
def test_annealing_ends_at_u_whatever_the_slope_was(generator):
    recipe = Settings.of("ngd", loss="U2", generator=generator, anneal=1.0).recipe
    u = np.array([-0.5, 1e-3, 0.5])
    np.testing.assert_allclose(recipe.response_at(10**7).f(u), u, rtol=1e-4)


def test_annealing_needs_a_slope() -> None:
    for option, what in (({"anneal": 1.0}, "anneal"), ({"respond": "states"}, "respond='states'")):
        with pytest.raises(InputError, match=f"^{what} needs a response with a slope at 0, .* is 0$"):
            Settings.of("ngd", generator="pnorm:4", **option)
