"""See the Fisher matrix M that the natural gradient cancels, on a sentence small enough to compute it.

Usage: fisher_matrix.py [FIGURE.png]. It prints its findings, and draws them if you give a file name (needs matplotlib).

A CRF with 3 labels on a sentence of 3 words has 27 labellings, so E, M and every probability can be summed up path by
path. The paper's formula (*) solves M·x = ∇B without forming M. But M is singular: adding a constant to the scores of
all labels of a word changes no probability. So there are many solutions, and (*) is not the shortest, M⁺∇B. Both change
the probabilities of this sentence in the same way. They do not for a second sentence, which M knows nothing about.
"""

import sys
from itertools import pairwise, product

import numpy as np

from tagfield.bregman import arctan, divergence, natural_gradient, update

WORDS, OTHER_WORDS = ((0,), (0, 1), (1,)), ((1,), (0,))  # the attributes of each word, of two sentences
LABELS = 3
G, U2, RATE, STEPS = arctan(0.1), update("U2"), 0.02, 300


def features(words: tuple[tuple[int, ...], ...], path: tuple[int, ...]) -> np.ndarray:
    """Φ(x, y): how often each pair of attribute and label, and each transition, occurs on a path."""
    states, transitions = np.zeros((2, LABELS)), np.zeros((LABELS, LABELS))
    for word, label in zip(words, path, strict=True):
        states[list(word), label] += 1
    for before, after in pairwise(path):
        transitions[before, after] += 1
    return np.concatenate([states.ravel(), transitions.ravel()])


PATHS = list(product(range(LABELS), repeat=len(WORDS)))
PHI = np.array([features(WORDS, path) for path in PATHS])  # [paths, weights]
OTHER_PHI = np.array([features(OTHER_WORDS, path) for path in product(range(LABELS), repeat=len(OTHER_WORDS))])
GOLD = PHI[PATHS.index((0, 1, 2))]  # Ẽ


def probabilities(theta: np.ndarray, phi: np.ndarray = PHI) -> np.ndarray:
    scores = phi @ theta
    p = np.exp(scores - scores.max())
    return p / p.sum()


def fisher(theta: np.ndarray) -> np.ndarray:
    """M: the covariance of Φ under the model, which is also ∂E/∂θ."""
    p = probabilities(theta)
    apart = PHI - p @ PHI
    return (apart * p[:, None]).T @ apart


def closed_form(theta: np.ndarray) -> np.ndarray:
    """The paper's (*): ∇G(0) − ∇G(Ẽ − E) for U2, coordinate by coordinate. No matrix."""
    return natural_gradient(G, U2, probabilities(theta) @ PHI, GOLD)


def gradient(theta: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """∇B by central differences."""
    B = lambda t: divergence(G, U2, probabilities(t) @ PHI, GOLD)  # noqa: E731
    return np.array([(B(theta + step * e) - B(theta - step * e)) / (2 * step) for e in np.eye(len(theta))])


def shortest(theta: np.ndarray) -> np.ndarray:
    """M⁺∇B: what (*) is without its part in the null space."""
    return np.linalg.pinv(fisher(theta), rcond=1e-10, hermitian=True) @ gradient(theta)


def walk(direction) -> np.ndarray:
    """The weights along a descent, [steps, weights]."""
    path = [np.zeros(PHI.shape[1])]
    for _ in range(STEPS):
        path.append(path[-1] - RATE * direction(path[-1]))
    return np.array(path)


def main(figure: str | None = None) -> None:
    theta = np.zeros(PHI.shape[1])
    M, x = fisher(theta), closed_form(theta)
    values = np.linalg.eigvalsh(M)[::-1]
    rank = int((values > 1e-10 * values[0]).sum())
    print(f"M is {M.shape[0]} × {M.shape[1]} and has rank {rank}: {M.shape[0] - rank} directions change no probability")
    print(f"M·(*) differs from the numerical ∇B by {np.abs(M @ x - gradient(theta)).max():.1e}")
    least = shortest(theta)
    print(f"‖(*)‖ = {np.linalg.norm(x):.3f}, ‖M⁺∇B‖ = {np.linalg.norm(least):.3f}")
    print(f"M·((*) − M⁺∇B) = {np.abs(M @ (x - least)).max():.1e}: they differ by a vector of the null space")
    ours, theirs = walk(closed_form), walk(shortest)
    apart = np.linalg.norm(ours - theirs, axis=1)[-1]
    p, q = (np.array([probabilities(t) for t in path]) for path in (ours, theirs))
    print(f"after {STEPS} steps the weights are {apart:.3f} apart, the probabilities {np.abs(p - q).max():.1e}")
    other = np.abs(probabilities(ours[-1], OTHER_PHI) - probabilities(theirs[-1], OTHER_PHI)).max()
    print(f"the probabilities of a second sentence are {other:.3f} apart")
    print(f"p(gold) went from {p[0].max():.3f} to {p[-1, PATHS.index((0, 1, 2))]:.3f}")
    if figure is not None:
        draw(figure, values, ours, theirs, p, q)


def draw(figure: str, values: np.ndarray, ours: np.ndarray, theirs: np.ndarray, p: np.ndarray, q: np.ndarray) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    blue, orange = "#0072B2", "#E69F00"
    fig, (left, middle, right) = plt.subplots(1, 3, figsize=(9.6, 3.1), layout="constrained")
    shown = np.maximum(values, 1e-17)
    left.semilogy(range(1, len(values) + 1), shown, "o", color=blue, markersize=4)
    left.axhspan(1e-18, 1e-12, color="#EEEEEE")
    left.text(1, 3e-18, "null space", va="bottom", fontsize=8, color="#555555")
    left.set(title="eigenvalues of M", xlabel="number", ylim=(1e-18, 10))
    basis = np.linalg.svd(np.vstack([ours, theirs]) - ours[0])[2][:2]  # where the two paths spread most
    for path, label, colour, dashes in ((ours, "(*), no matrix", blue, "-"), (theirs, "M⁺∇B", orange, "--")):
        flat = (path - ours[0]) @ basis.T
        middle.plot(*flat.T, dashes, color=colour, label=label)
        middle.plot(*flat[-1], "o", color=colour, markersize=4)
    middle.set(title="path of the weights θ", xlabel="1st principal direction", ylabel="2nd")
    middle.legend(frameon=False, fontsize=8)
    gold, other = PATHS.index((0, 1, 2)), PATHS.index((0, 0, 0))
    right.plot(p[:, gold], p[:, other], color=blue, linewidth=3, alpha=0.5, label="(*), no matrix")
    right.plot(q[:, gold], q[:, other], "--", color=orange, label="M⁺∇B")
    right.set(title="path of the probabilities", xlabel="p(gold labels)", ylabel="p(first label throughout)")
    right.legend(frameon=False, fontsize=8)
    for axes in (left, middle, right):
        axes.spines[["top", "right"]].set_visible(False)
    fig.savefig(figure, dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main(*sys.argv[1:2])
