"""What L-BFGS remembers: −H·◇ against H as a matrix, the memory that ends, and going on from a state."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.dataset import Doubles
from tagfield.train.trainers.curvature import Curvature
from tests.support.naive_vectors import Pairs, inverse_hessian, pseudo_gradient


def walk(at: Curvature, points: list[tuple[Doubles, Doubles]]) -> Pairs:
    """Adds the steps between points and their gradients; returns the pairs."""
    at.measure(*points[0])
    pairs = []
    for (x, gradient), (x_new, gradient_new) in pairwise(points):
        pairs.append((x_new - x, gradient_new - gradient))
        at.add(x.copy(), x_new, gradient.copy(), gradient_new)
    return pairs


def bowl(size: int, steps: int, seed: int) -> list[tuple[Doubles, Doubles]]:
    """Points on a convex function and their gradients."""
    rng = np.random.default_rng(seed)
    shape = rng.standard_normal((size, size))
    A = shape @ shape.T + np.eye(size)
    return [(x, A @ x) for x in rng.standard_normal((steps + 1, size))]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.integers(0, 8), st.integers(1, 6), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 2.0]))
def test_it_multiplies_by_the_inverse_hessian(size: int, steps: int, memory: int, seed: int, c1: float) -> None:
    points = bowl(size, steps, seed)
    at = Curvature(memory, c1)
    pairs = walk(at, points)[-memory:]
    assert len(at.pairs) == len(pairs)
    x, gradient = points[-1]
    v = pseudo_gradient(x, gradient, c1)
    expected = -inverse_hessian(v, pairs)
    if c1:
        expected[expected * v >= 0] = 0
    out = np.empty(size)
    along, square = at.direction(x, gradient, out)
    scale = 1e-7 * max(1.0, float(np.abs(expected).max()))
    unsure = np.abs(expected) < scale if c1 else np.zeros(size, bool)
    np.testing.assert_allclose(out[~unsure], expected[~unsure], rtol=1e-7, atol=scale)
    np.testing.assert_allclose([along, square], [out @ v, out @ out], rtol=1e-9)
    np.testing.assert_allclose([at.norm, at.slope_norm], [np.linalg.norm(x), np.linalg.norm(v)], rtol=1e-12)
    assert at.active == np.count_nonzero(x)


def test_a_pair_without_positive_curvature_is_left_out() -> None:
    points = bowl(3, 2, 0)
    at = Curvature(2)
    walk(at, points)
    x, gradient = points[-1]
    before, out, again = at.products(), np.empty(3), np.empty(3)
    at.direction(x, gradient, out)
    free = at.add(x.copy(), x + 1.0, gradient.copy(), gradient - 1.0)
    assert len(free) == 2
    assert len(at.pairs) == 2
    at.add((x + 1.0).copy(), x, (gradient - 1.0).copy(), gradient)  # back: the same curvature
    assert len(at.pairs) == 2
    np.testing.assert_array_equal(at.products(), before)
    at.direction(x, gradient, again)
    assert again.tobytes() == out.tobytes()


def test_the_oldest_pair_makes_room() -> None:
    points = bowl(4, 3, 1)
    at = Curvature(2)
    at.measure(*points[0])
    freed = [at.add(x.copy(), *after, g.copy(), h) for (x, g), (*after, h) in pairwise(points)]
    assert [len(free) for free in freed] == [0, 0, 2]
    assert freed[2][0].tolist() == (points[1][0] - points[0][0]).tolist()


def test_it_goes_on_from_a_state() -> None:
    points = bowl(5, 4, 2)
    one, two = Curvature(3), Curvature(3)
    walk(one, points[:4])
    two.resume([(s.copy(), y.copy()) for s, y in one.pairs], one.products())
    outs = []
    for at in (one, two):
        (x, gradient), (x_new, gradient_new) = points[3:]
        at.add(x.copy(), x_new, gradient.copy(), gradient_new)
        at.direction(x_new, gradient_new, out := np.empty(5))
        outs.append(out.tobytes())
    assert outs[0] == outs[1]
