"""A chain whose transitions differ from position to position, by enumeration and by recursions with logarithms.

tau[t] [L, L] leads into position t; tau[0] leads into nothing and counts for nothing. −inf forbids.
"""

from dataclasses import dataclass

import numpy as np

from tests.support.naive import all_paths as edge_paths
from tests.support.naive import path_score as edge_score

__all__ = ["EdgeChain", "edge_best_path", "edge_chain_by_paths", "edge_chain_in_logs", "edge_paths", "edge_score"]


@dataclass(frozen=True)
class EdgeChain:
    log_z: float
    node: np.ndarray  # [n, L]  P(y_t = y)
    pair: np.ndarray  # [n, L, L]  P(y_{t−1} = i, y_t = j); pair[0] is 0


def edge_chain_by_paths(scores: np.ndarray, tau: np.ndarray) -> EdgeChain:
    """Every path, one by one."""
    paths = edge_paths(scores, tau)
    top = max(paths.values())
    node, pair = np.zeros(scores.shape), np.zeros(tau.shape)
    if top == -np.inf:
        return EdgeChain(-np.inf, node, pair)
    total = sum(np.exp(score - top) for score in paths.values())
    for path, score in paths.items():
        p = np.exp(score - top) / total
        for t, y in enumerate(path):
            node[t, y] += p
            if t:
                pair[t, path[t - 1], y] += p
    return EdgeChain(float(top + np.log(total)), node, pair)


def edge_chain_in_logs(scores: np.ndarray, tau: np.ndarray) -> EdgeChain:
    """The recursions with logarithms, for chains whose paths are too many; held against `edge_chain_by_paths`."""
    alpha, beta, pair = np.array(scores, float), np.zeros(scores.shape), np.zeros(tau.shape)
    for t in range(1, len(scores)):
        alpha[t] += np.logaddexp.reduce(alpha[t - 1][:, None] + tau[t], axis=0)
    log_z = np.logaddexp.reduce(alpha[-1])
    if log_z == -np.inf:
        return EdgeChain(-np.inf, np.zeros(scores.shape), pair)
    for t in reversed(range(len(scores) - 1)):
        beta[t] = np.logaddexp.reduce(tau[t + 1] + scores[t + 1] + beta[t + 1], axis=1)
    for t in range(1, len(scores)):
        pair[t] = np.exp(alpha[t - 1][:, None] + tau[t] + scores[t] + beta[t] - log_z)
    return EdgeChain(float(log_z), np.exp(alpha + beta - log_z), pair)


def edge_best_path(scores: np.ndarray, tau: np.ndarray) -> tuple[float, list[int]]:
    """Viterbi; ties go to the lower label, from the end."""
    best = [scores[0]]
    for t in range(1, len(scores)):
        best.append((best[-1][:, None] + tau[t]).max(axis=0) + scores[t])
    path = [int(best[-1].argmax())]
    for t in reversed(range(1, len(scores))):
        path.insert(0, int((best[t - 1] + tau[t][:, path[0]]).argmax()))
    return float(best[-1].max()), path
