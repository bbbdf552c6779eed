"""L-BFGS on the whole corpus, in float64, on all cores.

    x [K] ─▶ blocks ─▶ Σ NLL and E − Ẽ (native/kernel/batch.hpp) ─▶ + c2·‖x‖² ─▶ scipy's L-BFGS ─▶ x

One thread gives the same bits every time; several may differ in the last digits, since their sums are added in
another order.
"""

import math
from collections.abc import Callable

import numpy as np

from tagfield.dataset import Doubles
from tagfield.errors import TrainingError
from tagfield.features import FeatureSet, Weights, absent
from tagfield.native import kernels


class Objective:
    """Σ NLL + c2·‖x‖² and its gradient, as functions of the K weights that exist."""

    def __init__(self, corpus: kernels.Corpus, features: FeatureSet, *, c2: float, threads: int) -> None:
        self.corpus = corpus
        self.features = features
        self.c2 = c2
        self.threads = threads
        # Inside, sparse rows: a third of the memory to walk through for the observed set. The features are in the same
        # order in both layouts, so x is the same.
        self._inner, zero = features.compact(features.zero)
        self._states = np.flatnonzero(~absent(features.zero.state))
        self._packed = np.flatnonzero(~absent(zero.state))
        self._edges = np.flatnonzero(~absent(zero.trans))
        self._state = np.zeros(zero.state.shape)
        self._trans = np.zeros(zero.trans.shape)
        self._grad_state = np.zeros(zero.state.shape)
        self._grad_trans = np.zeros(zero.trans.shape)

    @property
    def size(self) -> int:
        return len(self._states) + len(self._edges)

    def __call__(self, x: Doubles) -> tuple[float, Doubles]:
        self._unpack(x)
        self._grad_state.fill(0)
        self._grad_trans.fill(0)
        nll = kernels.nll_gradient(
            self.corpus,
            self._inner.layout,
            self._state,
            self._trans,
            self._grad_state,
            self._grad_trans,
            self.threads,
        )
        gradient = np.empty(self.size)
        n = len(self._states)
        np.take(self._grad_state.reshape(-1), self._packed, out=gradient[:n])
        np.take(self._grad_trans.reshape(-1), self._edges, out=gradient[n:])
        gradient += (2 * self.c2) * x
        return nll + self.c2 * float(x @ x), gradient

    def _unpack(self, x: Doubles) -> None:
        n = len(self._states)
        self._state.reshape(-1)[self._packed] = x[:n]
        self._trans.reshape(-1)[self._edges] = x[n:]

    def pack(self, weights: Weights) -> Doubles:
        """The weights that exist, as x."""
        parts = (weights.state.reshape(-1)[self._states], weights.trans.reshape(-1)[self._edges])
        return np.concatenate(parts).astype(np.float64)

    def weights(self, x: Doubles) -> Weights:
        """x in its blocks, as float32; what is no feature stays marked."""
        found = self.features.zeros()
        n = len(self._states)
        found.state.reshape(-1)[self._states] = x[:n] + 0.0
        found.trans.reshape(-1)[self._edges] = x[n:] + 0.0
        return found


def minimise(
    objective: Objective,
    report: Callable[[float, Doubles], bool],
    *,
    iterations: int,
    start: Doubles | None = None,
    memory: int = 6,
    epsilon: float = 1e-5,
    line_search: int = 20,
) -> tuple[Doubles, bool, str]:
    """Runs L-BFGS until ‖gradient‖ < epsilon·max(1, ‖x‖), `report(value, x)` says stop, or `iterations` are done.

    Returns x, whether it converged, and why it stopped.
    """
    from scipy.optimize import minimize  # two thirds of a second to import, which tagging need not pay

    reason = ""
    last = np.empty(0)

    def after(intermediate_result: object) -> None:
        nonlocal reason
        x: Doubles = intermediate_result.x  # type: ignore[attr-defined]
        value = float(intermediate_result.fun)  # type: ignore[attr-defined]
        if not math.isfinite(value):
            raise TrainingError(
                "lbfgs: the objective left the range of numbers; nothing was saved. Give a larger c2, or scale "
                "large values down"
            )
        if report(value, x):
            reason = "the objective no longer falls"
            raise StopIteration
        if last.size and np.linalg.norm(last) < epsilon * max(1.0, float(np.linalg.norm(x))):
            reason = f"the gradient is below {epsilon:g} of the weights"
            raise StopIteration

    def value_and_gradient(x: Doubles) -> tuple[float, Doubles]:
        nonlocal last
        value, last = objective(x)
        return value, last

    options = {
        "maxiter": iterations,
        "maxfun": 10 * iterations + 100,
        "maxcor": memory,
        "maxls": line_search,
        "ftol": 0.0,
        "gtol": 0.0,
    }
    result = minimize(
        value_and_gradient,
        np.zeros(objective.size) if start is None else start,
        jac=True,
        method="L-BFGS-B",
        callback=after,
        options=options,
    )
    if reason:
        return result.x, True, reason
    done = result.nit >= iterations
    return result.x, not done, "the given number of iterations is done" if done else str(result.message)
