"""The kernel evaluates a table as its NumPy twin does, for every response and every float32."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.native import kernels
from tagfield.train.trainers.response_tables import set_response
from tests.support.bregman_table import FUNCTIONS_OF_U, PAPER, recipe
from tests.support.tolerances import TABLE

magnitude = st.floats(2.0**-99, 2.0**99, width=32) | st.floats(-99, 99).map(lambda e: float(np.float32(2.0**e)))


BENT = [response for response in FUNCTIONS_OF_U if not response.generator.linear]  # linear ones need no table


@pytest.mark.parametrize("response", BENT, ids=str)
def test_the_kernel_follows_the_table(response):
    table = response.table()
    kernel = kernels.Pass()
    set_response(kernel, response)

    @settings(max_examples=20, deadline=None)
    @given(st.lists(magnitude, min_size=1, max_size=50))
    def agrees(sizes):
        u = np.array([0.0, *sizes, *(-x for x in sizes)], np.float32)
        expected, found = table.evaluate(u), kernel.respond(u)
        finite = np.isfinite(expected)
        # the kernel may fuse a + b·|u|, and uses the slope alone where f is linear to 3e-6
        room = 4e-7 * np.abs(table.cells[..., 0]).max() if table.bits >= 8 and not table.logs else 0.0
        np.testing.assert_allclose(found[finite], expected[finite], rtol=8e-6, atol=room)
        assert (np.sign(found[~finite]) == np.sign(expected[~finite])).all()

    agrees()


@pytest.mark.parametrize("name", [name for name in PAPER if name != "sgd"])
def test_the_kernel_keeps_the_tables_promise_for_the_recipes(name):
    kernel = kernels.Pass()
    set_response(kernel, recipe(name))
    sizes = np.geomspace(1e-30, 1e30, 20_000).astype(np.float32)
    u = np.concatenate([sizes, -sizes])
    np.testing.assert_allclose(kernel.respond(u), recipe(name).f(u), rtol=TABLE)
