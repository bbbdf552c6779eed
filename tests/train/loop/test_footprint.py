"""What trainers hold: no more than their recipe says, and not much less."""

import gc
import tracemalloc

import numpy as np
import pytest

from tagfield.data.encode import Encoded, encode_sequences
from tagfield.train import Settings, train


def wide(labels: int, attributes: int = 3000) -> Encoded:
    """Many attributes that occur once, so that the arrays of weights are by far the largest."""
    rng = np.random.default_rng(0)
    X = [[[f"a{s}.{t}.{k}" for k in range(10)] for t in range(5)] for s in range(attributes // 50)]
    return encode_sequences(X, [[f"L{rng.integers(labels)}" for _ in x] for x in X])


CASES = [
    ("lbfgs", {}),
    ("lbfgs", {"c1": 0.05, "c2": 0.1}),
    ("lbfgs", {"num_memories": 12}),
    ("sgd", {"rate": 0.1}),
    ("sgd", {"rate": 0.1, "average": True}),
    ("adaptive", {"rate": 0.1, "average": True}),
    ("newton", {"rate": 0.1}),
    ("sgdqn", {"rate": 0.1}),
    ("smd", {"rate": 0.1}),
    ("smd", {"rate": 0.1, "average": True}),
    ("pa", {}),
    ("ap", {}),
    ("arow", {}),
    ("ngd", {"batch": True, "generator": "quadratic"}),
]


@pytest.mark.parametrize("scored", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_the_peak_is_that_of_the_recipe(name: str, options: dict, scored: bool) -> None:
    encoded = wide(40)
    settings = Settings.of(name, features="all", epochs=20, **options)
    train(encoded, settings, dev=encoded if scored else None)  # what is imported and cached stays out of the figure
    gc.collect()  # and so does what tests before this one left to be closed
    tracemalloc.start()
    try:
        trained = train(encoded, settings, dev=encoded if scored else None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    places, features = trained.weights.state.size, sum(trained.features.counts)
    said = settings.recipe.copies(c1=settings.c1, scored=scored).bytes(places, features)
    assert peak <= 1.05 * said + 3e5  # a little is not weights
    assert peak >= 0.6 * said
