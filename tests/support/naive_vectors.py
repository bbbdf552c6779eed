"""The passes over the vectors of L-BFGS, one formula each: the twins of native/kernel/gradient/vectors.hpp."""

import numpy as np

from tagfield.dataset import Doubles

Pairs = list[tuple[Doubles, Doubles]]


def dot(a: Doubles, b: Doubles) -> float:
    """a·b without BLAS, which would wake its threads."""
    return float((a * b).sum())


def pseudo_gradient(x: Doubles, gradient: Doubles, c1: float) -> Doubles:
    """◇: ∇ + c1·sign(x); at 0 the one-sided slope that descends, or 0."""
    at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - c1, 0)
    return np.where(x == 0, at_zero, gradient + c1 * np.sign(x))


def point_products(x: Doubles, gradient: Doubles, c1: float, pairs: Pairs) -> list[float]:
    v = pseudo_gradient(x, gradient, c1)
    return [dot(x, x), dot(v, v), np.count_nonzero(x), *[dot(v, each) for pair in pairs for each in pair]]


def make_pair(
    x: Doubles, x_new: Doubles, gradient: Doubles, gradient_new: Doubles, c1: float, pairs: Pairs
) -> tuple[Doubles, Doubles, list[float]]:
    s, y = x_new - x, gradient_new - gradient
    point = point_products(x_new, gradient_new, c1, [*pairs, (s, y)])
    others = [product for sj, yj in pairs for product in (dot(s, yj), dot(y, sj), dot(y, yj))]
    return s, y, [*point, dot(s, y), dot(y, y), *others]


def inverse_hessian(v: Doubles, pairs: Pairs) -> Doubles:
    """H·v with H as a matrix: H' = (I − s yᵀ/sᵀy) H (I − y sᵀ/sᵀy) + s sᵀ/sᵀy from the scaled identity."""
    if not pairs:
        return v
    eye = np.eye(len(v))
    s, y = pairs[-1]
    H = eye * (s @ y) / (y @ y)
    for s, y in pairs:
        left = eye - np.outer(s, y) / (s @ y)
        H = left @ H @ left.T + np.outer(s, s) / (s @ y)
    return H @ v


def along(x: Doubles, gradient: Doubles, direction: Doubles, step: float, c1: float) -> tuple[Doubles, list[float]]:
    there = x + step * direction
    if not c1:
        return there, [0.0, 0.0]
    v = pseudo_gradient(x, gradient, c1)
    orthant = np.where(x != 0, np.sign(x), -np.sign(v))
    out = np.where(np.sign(there) == orthant, there, 0.0)
    return out, [float(np.abs(out).sum()), dot(v, out - x)]
