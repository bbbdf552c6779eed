"""The passes over the vectors of L-BFGS: against their twins, and the same bits on any number of threads."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.dataset import Doubles
from tagfield.native import kernels
from tests.support import naive_vectors as naive
from tests.support.naive_vectors import dot
from tests.support.tolerances import ALGEBRA

SIZES = st.one_of(
    st.integers(0, 70), st.sampled_from([32767, 32768, 32769, 100_003])
)  # runs and pieces, and their ends
C1 = st.sampled_from([0.0, 0.5])


class Drawn:
    """Vectors of one length: some entries are 0, some gradients are ±c1 exactly."""

    def __init__(self, size: int, seed: int, c1: float, pairs: int) -> None:
        self._rng, self._size = np.random.default_rng(seed), size
        self.x, self.x_new, self.direction = self.vector(), self.vector(), self.vector()
        self.gradient, self.gradient_new = self.vector(c1), self.vector(c1)
        self.pairs = [(self.vector(), self.vector()) for _ in range(pairs)]

    def vector(self, tie: float = 0.0) -> Doubles:
        found = self._rng.standard_normal(self._size)
        found[self._rng.random(self._size) < 0.3] = tie
        found[self._rng.random(self._size) < 0.1] = -tie
        return found


def close(found: list[float], expected: list[float], size: int) -> None:
    np.testing.assert_allclose(found, expected, rtol=ALGEBRA, atol=ALGEBRA * (1 + size))


def same_on_threads(call: Callable[[int], tuple[list[float] | float, list[Doubles]]]) -> None:
    """A call that returns its numbers and the arrays that it wrote."""
    numbers, arrays = call(1)
    for threads in (2, 3, 8):
        again, others = call(threads)
        assert again == numbers
        assert [a.tobytes() for a in others] == [a.tobytes() for a in arrays]


@settings(max_examples=30, deadline=None)
@given(SIZES, st.integers(0, 2**32 - 1), C1, st.integers(0, 4))
def test_the_products_are_those_of_the_twins(size: int, seed: int, c1: float, pairs: int) -> None:
    of = Drawn(size, seed, c1, pairs)
    close([kernels.inner(of.x, of.gradient)], [dot(of.x, of.gradient)], size)
    found = kernels.point_products(of.x, of.gradient, c1, of.pairs)
    close(found, naive.point_products(of.x, of.gradient, c1, of.pairs), size)
    s, y, products = naive.make_pair(of.x, of.x_new, of.gradient, of.gradient_new, c1, of.pairs)

    def make(threads: int) -> tuple[list[float], list[Doubles]]:
        x, gradient = of.x.copy(), of.gradient.copy()
        return kernels.make_pair(x, of.x_new, gradient, of.gradient_new, c1, of.pairs, threads), [x, gradient]

    found, (x, gradient) = make(1)
    close(found, products, size)
    assert x.tobytes() == s.tobytes()
    assert gradient.tobytes() == y.tobytes()
    same_on_threads(make)
    same_on_threads(lambda threads: (kernels.point_products(of.x, of.gradient, c1, of.pairs, threads), []))
    same_on_threads(lambda threads: (kernels.inner(of.x, of.gradient, threads), []))


@settings(max_examples=30, deadline=None)
@given(SIZES, st.integers(0, 2**32 - 1), C1, st.integers(0, 4), st.sampled_from([0.1, 1.0, 30.0]))
def test_the_points_are_those_of_the_twins(size: int, seed: int, c1: float, pairs: int, step: float) -> None:
    of = Drawn(size, seed, c1, pairs)
    v = naive.pseudo_gradient(of.x, of.gradient, c1)
    of_slope, of_s, of_y = -0.5, np.linspace(1, 2, pairs), np.linspace(-1, 1, pairs)
    expected = of_slope * v + sum(
        (a * s + b * y for a, b, (s, y) in zip(of_s, of_y, of.pairs, strict=True)), np.zeros(size)
    )
    unsure = np.abs(expected) < 1e-12  # rounding says whether these descend
    if c1:
        expected = np.where(expected * v >= 0, 0.0, expected)

    def direct(threads: int) -> tuple[list[float], list[Doubles]]:
        out = np.full(size, np.nan)
        return kernels.direction(of.x, of.gradient, c1, of.pairs, of_slope, of_s, of_y, out, threads), [out]

    found, (out,) = direct(1)
    np.testing.assert_allclose(out[~unsure], expected[~unsure], rtol=ALGEBRA, atol=ALGEBRA)
    close(found, [dot(expected, v), dot(expected, expected)], size)
    same_on_threads(direct)

    def go(threads: int) -> tuple[list[float], list[Doubles]]:
        out = np.full(size, np.nan)
        return kernels.along(of.x, of.gradient, of.direction, step, c1, out, threads), [out]

    there, numbers = naive.along(of.x, of.gradient, of.direction, step, c1)
    found, (out,) = go(1)
    np.testing.assert_allclose(out, there, rtol=ALGEBRA, atol=1e-15)
    assert not c1 or not np.signbit(out[out == 0]).any()  # −0 would be another orthant
    close(found, numbers, size)
    same_on_threads(go)

    def scale(threads: int) -> tuple[float, list[Doubles]]:
        out = np.full(size, np.nan)
        return kernels.scaled(of.x, 0.2, out, threads), [out]

    square, (out,) = scale(1)
    close([square], [dot(of.x, of.x)], size)
    assert out.tobytes() == (0.2 * of.x).tobytes()
    same_on_threads(scale)


@pytest.mark.parametrize("offset", [0, 1, 2, 3])
def test_any_alignment_will_do(offset: int) -> None:
    whole, out = np.arange(100.0), np.full(100, np.nan)
    for write in (out[offset:-8], np.frombuffer(bytearray(8 * 92 + 1), np.uint8)[1:].view(np.float64)):
        x = whole[: len(write)]
        kernels.scaled(x, 2.0, write)
        assert write.tolist() == (2 * x).tolist()


def test_a_number_that_is_none_stays_none() -> None:
    x, gradient, out = np.array([0.0, 1.0]), np.array([np.nan, 1.0]), np.empty(2)
    assert np.isnan(kernels.point_products(x, gradient, 0.5, [])[1])
    kernels.along(x, np.array([1.0, 1.0]), np.array([np.nan, np.nan]), 1.0, 0.5, out)
    assert np.isnan(out).all()


def test_vectors_that_do_not_fit_are_refused() -> None:
    two, three = np.zeros(2), np.zeros(3)
    for call in (
        lambda: kernels.inner(two, three),
        lambda: kernels.scaled(two, 1.0, three),
        lambda: kernels.point_products(two, three, 0.0, []),
        lambda: kernels.point_products(two, two, 0.0, [(two, three)]),
        lambda: kernels.make_pair(two, two, two, three, 0.0, []),
        lambda: kernels.make_pair(two, two, two, two, 0.0, [(three, two)]),
        lambda: kernels.direction(two, two, 0.0, [(two, two)], 1.0, np.zeros(1), np.zeros(2), np.zeros(2)),
        lambda: kernels.direction(two, two, 0.0, [], 1.0, np.zeros(0), np.zeros(0), three),
        lambda: kernels.along(two, two, two, 1.0, 0.0, three),
    ):
        with pytest.raises(ValueError, match=r"do not fit|differ in length"):
            call()
