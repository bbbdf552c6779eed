"""Native passes that a test drives by hand, and their comparison with a naive twin."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.train.trainers.response_tables import set_response
from tagfield.weights.features import feature_set
from tagfield.weights.layout import FeatureSet, Weights, absent
from tests.support.bregman_table import EXACT_RECIPES, recipe
from tests.support.naive import Dense, Problem, Stochastic
from tests.support.strategies import encode, present, to_dense
from tests.support.tolerances import PASSES

PAPER = list(EXACT_RECIPES)
LABELS = (1, 2, 3, 8, 9, 33)
RATE = 0.1


def naive_f(name: str) -> Any:
    return np.vectorize(EXACT_RECIPES[name], otypes=[float])


def drawn_features(data: st.DataObject, problem: Problem, corpus: kernels.Corpus) -> FeatureSet:
    kind, minimum, sparse = data.draw(
        st.sampled_from([("all", 1, False), ("observed", 1, False), ("observed", 2, False), ("observed", 1, True)])
    )
    features = feature_set(
        corpus, problem.attributes, problem.labels, kind, minimum, edge_attributes=problem.edge_attributes
    )
    return features.compact(features.zero)[0] if sparse else features


def close(features: FeatureSet, found: Weights, expected: Dense, tolerance: float = PASSES) -> None:
    dense = to_dense(features, *found.arrays())
    size = max(1.0, float(np.abs(expected.flat()).max(initial=0.0)))
    np.testing.assert_allclose(dense.flat(), expected.flat(), rtol=tolerance, atol=tolerance * size)


def run_pass(
    features: FeatureSet, corpus: kernels.Corpus, orders: list[list[int]], name: str, **told: Any
) -> tuple[kernels.Pass, Weights, Weights]:
    """The native pass over some orders, with the response of a recipe; returns it with θ̄ and R."""
    native = kernels.Pass()
    for key, value in told.items():
        setattr(native, key, value)
    set_response(native, recipe(name))
    theta = features.zeros()
    squares, rest, velocity = (theta.map(np.zeros_like) for _ in range(3))
    if native.preconditioner == "smd":
        squares = squares.map(np.ones_like)
    for order in orders:
        fields = [features.field(w) for w in (theta, squares, rest)]
        native.run(corpus, *fields, np.array(order, np.int64), features.field(velocity))
        assert native.failed == -1
    return native, theta, rest


def check_against_twin(
    problem: Problem,
    data: st.DataObject,
    name: str,
    make: Callable[..., Stochastic],
    tolerance: float = PASSES,
    **told: Any,
) -> None:
    """Three passes on drawn features in drawn orders: θ, its average and the marks of features are the twin's.

    make: the twin of a problem, the features that are there, f, the rate and the decay
    told: what the native pass is told beside the rate
    """
    corpus = open_corpus(encode(problem).dataset)
    features = drawn_features(data, problem, corpus)
    orders = [data.draw(st.permutations(range(len(problem.sentences)))) for _ in range(3)]
    native, theta, rest = run_pass(features, corpus, orders, name, rate=RATE, **told)
    twin, *nudged = (make(problem, present(features), naive_f(name), RATE, told["decay"]) for _ in range(3))
    for each, size in zip(nudged, (1e-9, -1e-9), strict=True):  # each weight by another number, to move probabilities
        each.theta = present(features).map(lambda m, by=size: m * by * np.cos(np.arange(m.size)).reshape(m.shape))
    for order in orders:
        for each in (twin, *nudged):
            each.run(order)
    # Where a step shoots far over its aim, three of them make anything of a rounding error. So does a curvature that is
    # measured along a step of almost 0. There is nothing to compare there.
    off = max(np.abs(each.theta.flat() - twin.theta.flat()).max(initial=0.0) for each in nudged)
    assume(native.preconditioner == "flat" or off < 1e-7)
    assert native.t == twin.t
    close(features, theta.map(lambda array: array * np.float32(native.scale)), twin.theta, tolerance)
    if native.averaging and twin.t:
        assert native.averaged == twin.t
        mean = theta.map(lambda w, r: (native.summed_scale * w - r) / native.averaged, rest)
        close(features, mean, twin.average(), tolerance)
    for array, zero in zip(theta.arrays(), features.zero.arrays(), strict=True):
        assert (absent(array) == absent(zero)).all()
