"""Natural gradient descent on the whole corpus: E and Ẽ of all sentences, on all cores.

    E, Ẽ (means over the sentences) ─▶ natural gradient (*) of the loss ─▶ θ ← (1 − Cλ) θ − λ · (*)

Here every loss and generator runs exactly, in float64, also those that need positive expectations: an observed
feature has Ẽ > 0. The rate grows by a tenth while the likelihood (for plain gradients, the objective) improves;
a step that makes it worse is taken back and tried again with half the rate.
"""

import math
from collections.abc import Callable

import numpy as np

from tagfield.bregman.responses import Response
from tagfield.dataset import Dataset, Doubles
from tagfield.errors import TrainingError
from tagfield.features import FeatureSet, Weights
from tagfield.train.batch import Objective
from tagfield.train.quasi_newton import dot

SMALLEST_RATE = 1e-12


def empirical(dataset: Dataset, features: FeatureSet) -> Weights:
    """Ẽ: how often each pair and transition occurs, weighted, in the layout of the weights; float64.

    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.features import feature_set
    >>> from tagfield.lattice import open_corpus
    >>> data = encode_sequences([[["a"], ["a", "b"]]], [["X", "X"]]).dataset
    >>> counts = empirical(data, feature_set(open_corpus(data), 2, 1, "all"))
    >>> counts.state[:, 0].tolist(), counts.trans[0, 0].item()
    ([2.0, 1.0], 1.0)
    """
    sentence = np.repeat(np.arange(len(dataset)), np.diff(dataset.occurrences))
    attribute = np.repeat(dataset.attribute, dataset.slot_sizes()).astype(np.int64)
    label = dataset.labels[dataset.tokens[sentence] + dataset.position].astype(np.int64)
    worth = dataset.weight[sentence] * (1.0 if dataset.value is None else dataset.value.astype(np.float64))
    place = features.find(attribute, label)
    known = place >= 0
    shape = features.zero.state.shape
    state = np.bincount(place[known], worth[known], features.zero.state.size).reshape(shape)
    inside = np.ones(len(dataset.labels), bool)
    inside[dataset.tokens[:-1][np.diff(dataset.tokens) > 0]] = False
    at = np.flatnonzero(inside)
    token_worth = np.repeat(dataset.weight, np.diff(dataset.tokens))
    width = features.zero.trans.shape[1]
    edge = dataset.labels[at - 1].astype(np.int64) * width + dataset.labels[at]
    trans = np.bincount(edge, token_worth[at], features.zero.trans.size).reshape(features.zero.trans.shape)
    return Weights(state, trans)  # type: ignore[arg-type]


def descend(
    objective: Objective,
    dataset: Dataset,
    response: Response,
    report: Callable[[float, Doubles], bool],
    *,
    iterations: int,
    start: Doubles,
    rate: float | None = None,
) -> tuple[Doubles, bool, str]:
    """Descends until `report(objective, x)` says stop, no step helps any more, or the iterations are done."""
    count = max(1, len(dataset))
    target = objective.pack(empirical(dataset, objective.features)) / count
    c2, decay = objective.c2, 2 * objective.c2 / count
    x, step = start, 1.0 if rate is None else rate
    nll, u = _expectations(objective, x, c2, count)
    # Plain gradients minimise the objective. A transformed one has another regulariser: it goes by the likelihood.
    merit = c2 if response.generator.linear else 0.0
    done = 0
    while done < iterations:
        expected = u + target
        if response.generator.domain[0] == 0:  # a positive E may come out of the difference as a rounded 0
            expected = np.maximum(expected, 1e-9 * target)
        direction = response.direction(expected, target)
        if not np.isfinite(direction).all():
            raise TrainingError(
                f"iteration {done + 1}: {response} is not finite where the model's expectation has become 0; give a "
                "larger c2, fewer iterations, or another generator"
            )
        tried = (1 - decay * step) * x - step * direction
        tried_nll, tried_u = _expectations(objective, tried, c2, count)
        if not tried_nll + merit * dot(tried, tried) < nll + merit * dot(x, x):
            step /= 2
            if step < SMALLEST_RATE:
                return x, True, f"no step makes the {'objective' if merit else 'likelihood'} better"
            continue
        x, nll, u, step, done = tried, tried_nll, tried_u, 1.1 * step, done + 1
        if report(nll + c2 * dot(x, x), x):
            return x, True, "the objective no longer falls"
    return x, False, "the given number of iterations is done"


def _expectations(objective: Objective, x: Doubles, c2: float, count: int) -> tuple[float, Doubles]:
    """NLL, and u = E − Ẽ as means over the sentences."""
    with np.errstate(over="ignore", invalid="ignore"):
        value, gradient = objective(x)
        nll = value - c2 * dot(x, x)
    return nll if math.isfinite(nll) else math.inf, (gradient - 2 * c2 * x) / count
