"""Inference on one chain from its scores; these functions check their input and call the kernels.

    p(y | x) = exp(Σ_t s_t(y_t) + Σ_t τ(y_{t−1}, y_t) − log Z)

    scores      [n, L]  s_t(y)        transitions [L, L]  τ(from, to), or [n, L, L]  τ_t(from, to)

Transitions that look at the input differ from position to position: transitions[t] lead into position t, and
transitions[0] lead to nothing.

The kernels use scaled arithmetic (native/kernel/lattice.hpp). Probabilities are right to 1e-6 for scores up to 1e9 in
size; larger ones are refused, for float64 rounds them by more than that.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tagfield.data.dataset import Dataset, Doubles, Ints
from tagfield.errors import InputError
from tagfield.native import kernels


def open_corpus(dataset: Dataset, class_weight: Doubles | None = None) -> kernels.Corpus:
    """The dataset in the form that the kernels read: sealed, with every bound checked once.

    class_weight: [L] what a token of each label weighs; only training gives one

    >>> from tagfield.data.encode import encode_sequences
    >>> open_corpus(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]).dataset).sentences
    1
    """
    try:
        dataset = dataset.seal()
        return kernels.Corpus(
            dataset.tokens,
            dataset.slots,
            dataset.occurrences,
            dataset.attribute,
            dataset.place,
            dataset.value,
            dataset.labels,
            dataset.weight,
            None if dataset.edge_slots is None else kernels.Slots(**dataset.edge_slots.arrays()),
            class_weight,
        )
    except (AttributeError, TypeError, ValueError) as error:
        if isinstance(error, ValueError):
            told = str(error)
        else:  # the kernels list every type that they take
            told = "an array is missing, or is not a NumPy array of its type and dimension"
        raise InputError(f"the dataset is inconsistent: {told}; create datasets with encode_sequences") from None


def _checked(scores: ArrayLike, transitions: ArrayLike) -> tuple[Doubles, Doubles]:
    s = np.ascontiguousarray(scores, dtype=np.float64)
    tau = np.ascontiguousarray(transitions, dtype=np.float64)
    if s.ndim != 2 or 0 in s.shape or tau.shape not in ((s.shape[1], s.shape[1]), (*s.shape, s.shape[1])):
        raise InputError(
            "scores must be [positions, labels] and transitions [labels, labels] or [positions, labels, labels], got "
            f"{s.shape} and {tau.shape}"
        )
    if tau.ndim == 3:
        tau = np.concatenate([tau[1:2] if len(tau) > 1 else np.zeros_like(tau), tau[1:]])  # nothing reads the first
    for name, array in (("scores", s), ("transitions", tau)):
        if not np.isfinite(array).all():
            at = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
            raise InputError(f"{name}{list(at)} is {array[at]}; scores must be finite")
    return s, tau


def _bounded(scores: ArrayLike, transitions: ArrayLike) -> tuple[Doubles, Doubles]:
    s, tau = _checked(scores, transitions)
    for name, array in (("scores", s), ("transitions", tau)):
        if (np.abs(array) > kernels.LARGEST).any():
            at = tuple(int(i) for i in np.argwhere(np.abs(array) > kernels.LARGEST)[0])
            raise InputError(f"{name}{list(at)} is {array[at]:g}; probabilities need scores between -1e9 and 1e9")
    return s, tau


def log_partition(scores: ArrayLike, transitions: ArrayLike) -> float:
    """log Z: the log of the sum of exp(score) over all paths.

    >>> round(log_partition([[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]), 6)  # log 4
    1.386294
    """
    s, tau = _bounded(scores, transitions)
    if tau.ndim == 3:
        return float(kernels.edge_forward_backward(s, tau, marginals=False)[0])
    return float(kernels.forward_backward(s, tau, False)[0])


def marginals(scores: ArrayLike, transitions: ArrayLike) -> tuple[Doubles, Doubles]:
    """P(y_t = y) as [n, L], and Σ_t P(y_{t−1} = i, y_t = j) as [L, L]; P(y_{t−1} = i, y_t = j) as [n, L, L] if the
    transitions are [n, L, L].

    >>> node, edge = marginals([[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
    >>> node.round(3).tolist(), float(edge.sum().round(6))
    ([[0.731, 0.269], [0.5, 0.5]], 1.0)
    >>> node, pairs = marginals([[0.0, 0.0], [0.0, 0.0]], [[[9.0, 9.0], [9.0, 9.0]], [[1.0, 0.0], [0.0, 0.0]]])
    >>> pairs[1].round(3).tolist(), pairs[0].any().item()
    ([[0.475, 0.175], [0.175, 0.175]], False)
    """
    s, tau = _bounded(scores, transitions)
    if tau.ndim == 3:
        _, node, _, pairs, _ = kernels.edge_forward_backward(s, tau, share=False)
        return node, pairs
    _, node, edge, _ = kernels.forward_backward(s, tau, True)
    return node, edge


def best_path(scores: ArrayLike, transitions: ArrayLike) -> tuple[float, Ints]:
    """The highest score and its path. Ties go to the path with the lower label ids, compared from the end.

    >>> score, path = best_path([[1.0, 0.0], [0.0, 0.5]], [[0.0, -1.0], [0.0, 0.0]])
    >>> score, path.tolist()
    (1.0, [0, 0])
    """
    s, tau = _checked(scores, transitions)
    if tau.ndim == 3:
        score, _, path = kernels.edge_best_path(s, tau)
        return float(score), path
    score, path = kernels.best_path(s, tau)
    return float(score), path


def path_score(scores: ArrayLike, transitions: ArrayLike, path: ArrayLike) -> float:
    """The score of one path; subtract `log_partition` to get its log-probability.

    >>> path_score([[1.0, 0.0], [0.0, 0.5]], [[0.0, -1.0], [0.0, 0.0]], [0, 1])
    0.5
    """
    s, tau = _checked(scores, transitions)
    y: Any = np.asarray(path)
    if y.shape != (len(s),) or not np.issubdtype(y.dtype, np.integer) or (y < 0).any() or (y >= s.shape[1]).any():
        raise InputError(f"path must be {len(s)} label ids, each between 0 and {s.shape[1] - 1}")
    steps = tau[np.arange(1, len(s)), y[:-1], y[1:]] if tau.ndim == 3 else tau[y[:-1], y[1:]]
    return float(s[np.arange(len(s)), y].sum() + steps.sum())
