"""Generators of all coordinates together: their derivatives, the natural gradient by its definition, and training."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import Model
from tagfield.bregman import Joint, Response, divergence, named_loss, natural_gradient, quadratic, squared_norm, update
from tagfield.data.encode import encode_sequences
from tagfield.errors import InputError
from tagfield.train import Settings, train
from tests.support.naive_chain import Chains, gradient_by_differences

TWO = Chains.of([[[0], [0, 1], [1]], [[1], [0]]], 2, 2)


@given(st.floats(2, 8), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_the_derivatives_of_the_squared_norm(p: float, seed: int) -> None:
    G = squared_norm(p)
    G.check(seed=seed)
    u = np.random.default_rng(seed).normal(0, 1, 6)
    assert G.value(u) == pytest.approx(np.linalg.norm(u, p) ** 2 / 2)
    dual = p / (p - 1)  # the link functions of conjugate norms are inverse to each other
    link = G.gradient(u)
    size = np.linalg.norm(link, dual)
    back = size * np.sign(link) * np.abs(link / size) ** (dual - 1)
    np.testing.assert_allclose(back, u, rtol=1e-9, atol=1e-12)


@given(st.sampled_from(["B1", "B2", "B3", "B4"]), st.sampled_from([0.0, 0.4, 1.0]), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_the_formula_is_the_natural_gradient_without_a_sum_over_coordinates(name: str, gamma: float, seed: int) -> None:
    rng, loss = np.random.default_rng(seed), named_loss(name, gamma)
    theta, gold = rng.normal(0, 1, TWO.size), TWO.counts[0][3] + TWO.counts[1][1]
    for G in (squared_norm(3.0), bowl(TWO.size, seed)):
        x = natural_gradient(G, loss, TWO.expectation(theta), gold)
        found = gradient_by_differences(lambda t, G=G: divergence(G, loss, TWO.expectation(t), gold), theta)
        np.testing.assert_allclose(TWO.fisher(theta) @ x, found, rtol=1e-4, atol=1e-5)


def bowl(size: int, seed: int = 0) -> Joint:
    root = np.random.default_rng(seed).normal(0, 1, (size, size))
    A = root @ root.T / size + np.eye(size)
    return Joint("a bowl", lambda u: u @ A @ u / 2, lambda u: A @ u, np.ones_like, product=lambda q, v: A @ v)


def test_the_squared_2_norm_is_plain_gradient_descent() -> None:
    encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]], [["c"]]] * 4, [["X", "Y"], ["Y", "X"], ["X"]] * 4)
    plain, joint = (
        train(encoded, Settings.of("ngd", batch=True, generator=G, loss="U2", c2=0.5, features="all", epochs=30))
        for G in (quadratic(), squared_norm(2.0))
    )
    np.testing.assert_allclose(joint.weights.state, plain.weights.state, rtol=1e-5, atol=1e-6)


def test_a_joint_generator_trains_a_model_on_the_whole_corpus() -> None:
    X, Y = [[["a"], ["b", "c"]], [["b"], ["a"]], [["c"]]] * 4, [["X", "Y"], ["Y", "X"], ["X"]] * 4
    encoded = encode_sequences(X, Y)
    chosen = Settings.of("ngd", batch=True, generator=squared_norm(3.0), features="all", c2=0.01, epochs=800)
    model = Model.train(encoded, chosen)
    assert model.evaluate(encoded).accuracy == 1.0


def test_what_it_cannot_do_says_so() -> None:
    encoded = encode_sequences([[["a"], ["b"]]] * 3, [["X", "Y"]] * 3)
    with pytest.raises(InputError, match=r"squared_norm:4 couples all features.*give batch as well"):
        train(encoded, Settings.of("ngd", generator=squared_norm(4.0)))
    response = Response(update("U2"), squared_norm(4.0))
    with pytest.raises(InputError, match="so it has no table of one"):
        response.table()
    with pytest.raises(InputError, match="cannot be annealed"):
        response.annealed(0.5)
    with pytest.raises(InputError, match="must be at least 2"):
        squared_norm(1.5)


@pytest.mark.parametrize(
    ("value", "gradient", "product", "message"),
    [
        (lambda u: u @ u, lambda u: u, lambda q, v: v, "the gradient is not the derivative of the value"),
        (lambda u: u @ u / 2, lambda u: u, lambda q, v: 2 * v, "the product is not the derivative of the gradient"),
        (lambda u: -u @ u / 2, lambda u: -u, lambda q, v: -v, "is not convex"),
        (lambda u: u @ u / 2, lambda u: u[:2], lambda q, v: v, "must give a number"),
        (lambda u: u, lambda u: u, lambda q, v: v, "must give a number"),
    ],
    ids=["gradient", "product", "convex", "shape", "value"],
)
def test_functions_that_do_not_belong_together(value, gradient, product, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Joint.of(value, gradient, product)
