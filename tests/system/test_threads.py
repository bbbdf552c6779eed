"""Threads that cannot start: those that did start do the work."""

import subprocess
import sys

import numpy as np
import pytest

from tagfield import CRF, Model, Settings, encode_sequences
from tagfield.errors import InputError
from tests.support.chains import tagged

X, Y = tagged(200)

STARVED = """
import resource, sys
from tagfield import Model, Settings, encode_sequences
from tests.support.chains import tagged
X, Y = tagged(200)
encoded = encode_sequences(X, Y)
model = Model.train(encoded, Settings("lbfgs", epochs=20))
one = model.tag(X)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (100 << 20), used + (100 << 20)))  # room for a dozen stacks of 8 MB
assert model.tag(X, threads=400) == one
again = Model.train(encoded, Settings("lbfgs", epochs=20, threads=400))
assert again.tag(X) == one
print("as before")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the size of the process from /proc")
def test_a_process_that_may_not_start_more_threads_goes_on_with_those_it_has() -> None:
    done = subprocess.run([sys.executable, "-c", STARVED], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "as before\n"), done.stderr


def test_more_threads_than_sentences() -> None:
    model = Model.train(encode_sequences(X, Y), Settings("lbfgs", epochs=20, threads=4000))
    assert model.tag(X, threads=4000) == model.tag(X)
    for many, one in zip(model.marginals(X, threads=300), model.marginals(X), strict=True):
        np.testing.assert_array_equal(many, one)


@pytest.mark.parametrize("threads", [2**40, 4097])
def test_absurd_numbers_of_threads_are_refused_by_name(threads: int) -> None:
    with pytest.raises(InputError, match="threads must be at most 4096"):
        Settings(threads=threads)
    with pytest.raises(InputError, match="n_jobs must be at most 4096"):
        CRF(n_jobs=threads).fit(X, Y)
