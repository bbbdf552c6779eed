"""The named generators: the paper's G1, G2 and G3, and others.

    name            G                                          g               h                  parameter
    quadratic       u²/2                                       u               1
    arctan  (G1)    x·arctan x − ½·log(1+x²), x = u/√ε         arctan(x)/√ε    1/(u²+ε)           ε = 0.1
    erf     (G2)    u·erf(αu) + (exp(−α²u²) − 1)/(α√π)         erf(αu)         2α/√π·exp(−α²u²)   α = 5√π
    gd      (G3)    (π|x|/2 − 2K + 2·Ti₂(e^−|x|))/β, x = βu    gd(βu)          β·sech(βu)         β = 10
    pnorm           |u|ᵖ/p                                     sign(u)|u|ᵖ⁻¹   (p−1)|u|ᵖ⁻²        p ≥ 1
    entropy         u·log u                                    log u + 1       1/u                needs u > 0
    softplus        −Li₂(−e^κu)/κ²                             log(1+e^κu)/κ   1/(1+e^−κu)        κ = 1

The paper gives no closed form of G2 and G3. Ti₂ is the inverse tangent integral, K = Ti₂(1) is Catalan's constant.
`softplus` is asymmetric: as U5 it responds more to an expectation that is too large than to one that is too small.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tagfield.bregman.calculus import mean_between
from tagfield.bregman.convex import Generator
from tagfield.errors import InputError
from tagfield.system.arrays import Doubles

_CATALAN = 0.915965594177219015


def _special() -> Any:
    """scipy.special, imported by the first generator that computes with it: it takes 20 MB, and few recipes need it."""
    import scipy.special

    return scipy.special


def _positive(name: str, symbol: str, parameter: float) -> None:
    if not (parameter > 0 and math.isfinite(parameter)):
        raise InputError(f"{symbol} of the generator {name} must be > 0 and finite, got {parameter:g}")


def quadratic() -> Generator:
    """G = u²/2, with divergence ½‖p−q‖²; every update is plain gradient descent.

    >>> quadratic().gradient(np.array([3.0]))
    array([3.])
    """
    return Generator("quadratic", lambda u: u * u / 2, lambda u: u + 0.0, np.ones_like, linear=True)


def arctan(epsilon: float = 0.1) -> Generator:
    """The paper's G1: g = arctan(u/√ε)/√ε, h = 1/(u²+ε).

    >>> arctan(0.01).hessian(np.array([0.0]))
    array([100.])
    """
    _positive("arctan", "ε", epsilon)
    root = math.sqrt(epsilon)

    def value(u: Doubles) -> Doubles:
        x = u / root
        return x * np.arctan(x) - np.log1p(x * x) / 2

    return Generator(
        "arctan", value, lambda u: np.arctan(u / root) / root, lambda u: 1 / (u * u + epsilon), parameter=epsilon
    )


def erf(alpha: float = 5 * math.sqrt(math.pi)) -> Generator:
    """The paper's G2: g = erf(αu), with the factor 2/√π (the paper prints 2/π).

    >>> erf().hessian(np.array([0.0])).round(12)  # the slope of u/(u²+0.1)
    array([10.])
    """
    _positive("erf", "α", alpha)
    peak = 2 * alpha / math.sqrt(math.pi)
    return Generator(
        "erf",
        lambda u: u * _special().erf(alpha * u) + np.expm1(-((alpha * u) ** 2)) / (alpha * math.sqrt(math.pi)),
        lambda u: np.asarray(_special().erf(alpha * u)),
        lambda u: peak * np.exp(-((alpha * u) ** 2)),
        parameter=alpha,
        trusted=True,  # checking would import SciPy
    )


def gd(beta: float = 10.0) -> Generator:
    """The paper's G3: g = gd(βu) = 2·arctan(e^βu) − π/2, the Gudermannian function.

    The code computes 2·arctan(tanh(βu/2)), which neither overflows nor loses digits.

    >>> gd(1.0).gradient(np.array([-1e6, 0.0, 1e6])).round(6)
    array([-1.570796,  0.      ,  1.570796])
    """
    _positive("gd", "β", beta)

    def gradient(u: Doubles) -> Doubles:
        return 2 * np.arctan(np.tanh(beta * u / 2))

    def hessian(u: Doubles) -> Doubles:
        decay: Doubles = np.exp(-np.abs(beta * u))
        return 2 * beta * decay / (1 + decay * decay)

    def value(u: Doubles) -> Doubles:
        x = np.abs(beta * np.asarray(u, np.float64))
        far = math.pi * x / 2 - 2 * (_CATALAN - _special().spence(1 - 1j * np.exp(-x)).imag)  # Ti₂(y) = Im Li₂(iy)
        short = np.minimum(x, 1.0)  # where `far` would lose digits
        near = short * mean_between(lambda t: 2 * np.arctan(np.tanh(t / 2)), np.zeros_like(x), short)
        return np.asarray(np.where(x < 1, near, far) / beta)

    return Generator("gd", value, gradient, hessian, parameter=beta, trusted=True)


def pnorm(p: float = 2.0) -> Generator:
    """G = |u|ᵖ/p with p ≥ 1; for p = 1 the update is the sign of u, p = 2 is the quadratic.

    >>> pnorm(3.0).gradient(np.array([-2.0, 2.0]))
    array([-4.,  4.])
    """
    if not (p >= 1 and math.isfinite(p)):
        raise InputError(f"p of the generator pnorm must be at least 1 and finite, got {p:g}; below 1 it is not convex")

    def hessian(u: Doubles) -> Doubles:
        if p == 1:
            return np.zeros_like(u)
        with np.errstate(divide="ignore"):  # infinite at 0 for p < 2
            return (p - 1) * np.abs(u) ** (p - 2)

    return Generator(
        "pnorm",
        lambda u: np.abs(u) ** p / p,
        lambda u: np.sign(u) * np.abs(u) ** (p - 1),
        hessian,
        parameter=p,
        linear=p == 2,
    )


def entropy() -> Generator:
    """The negative entropy, for u > 0; its divergence Σ p·log(p/q) − p + q is the Kullback–Leibler divergence.

    >>> entropy().gradient(np.array([1.0]))
    array([1.])
    """
    return Generator(
        "entropy",
        lambda u: np.asarray(_special().xlogy(u, u)),
        lambda u: np.log(u) + 1,
        lambda u: 1 / u,
        domain=(0.0, math.inf),
        symmetric=False,
    )


def softplus(kappa: float = 1.0) -> Generator:
    """An asymmetric generator: g = log(1+e^κu)/κ grows like u for u > 0 and goes to 0 for u < 0.

    >>> softplus().hessian(np.array([-50.0, 0.0, 50.0])).round(6)
    array([0. , 0.5, 1. ])
    """
    _positive("softplus", "κ", kappa)

    def value(u: Doubles) -> Doubles:
        x = kappa * np.asarray(u, np.float64)
        tail = -_special().spence(1 + np.exp(-np.abs(x)))  # −Li₂(−e^−|x|)
        return np.asarray(np.where(x > 0, math.pi**2 / 6 + x * x / 2 - tail, tail) / kappa**2)

    return Generator(
        "softplus",
        value,
        lambda u: np.logaddexp(0.0, kappa * u) / kappa,
        lambda u: np.asarray(_special().expit(kappa * u)),
        parameter=kappa,
        symmetric=False,
        trusted=True,
    )


_NAMED: dict[str, tuple[Callable[..., Generator], bool]] = {  # name → function, whether it takes a parameter
    "linear": (quadratic, False),
    "quadratic": (quadratic, False),
    "arctan": (arctan, True),
    "erf": (erf, True),
    "gd": (gd, True),
    "pnorm": (pnorm, True),
    "entropy": (entropy, False),
    "softplus": (softplus, True),
}


def parse_generator(text: str) -> Generator:
    """The generator written as NAME or NAME:PARAMETER.

    >>> str(parse_generator("arctan:0.01")), str(parse_generator("gd")), str(parse_generator("linear"))
    ('arctan:0.01', 'gd:10', 'quadratic')
    """
    name, colon, number = text.strip().partition(":")
    if name not in _NAMED:
        raise InputError(f"no generator named {name!r}; choose one of {', '.join(_NAMED)}")
    make, takes_parameter = _NAMED[name]
    if not colon:
        return make()
    if not takes_parameter:
        raise InputError(f"the generator {name} takes no parameter, got {text!r}")
    try:
        parameter = float(number)
    except ValueError:
        raise InputError(f"the parameter in {text!r} must be a number, such as {name}:0.5") from None
    return make(parameter)
