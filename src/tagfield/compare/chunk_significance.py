"""Which differences in chunk F1 are significant: the tests of significance.py for a score that is not a sum.

    gold, predicted, correct chunks [seeds, 3, sentences] of two recipes ─▶ compare_chunks ─▶ ChunkDifference

F1 = 2·correct / (gold + predicted), over all sentences. The randomisation swaps the counts of whole sentences between
the recipes, and F1 is computed anew each time. Over seeds it is the paired t test, as for tokens.
"""

from dataclasses import dataclass

import numpy as np

from tagfield.compare.significance import RESAMPLED, ROUNDS, middle, paired_t, resampled
from tagfield.data.dataset import Doubles, Longs


@dataclass(frozen=True)
class ChunkDifference:
    """How much higher the chunk F1 of one recipe is than another's, in points, in the mean over seeds."""

    points: float
    low: float  # 95 % interval, over sentences and seeds
    high: float
    by_sentences: float  # p of the randomisation test
    by_seeds: float | None  # p of the t test; None with a single run on either side
    chunks: int  # in the gold labels

    @property
    def p(self) -> float:
        """The larger of the two p values."""
        return self.by_sentences if self.by_seeds is None else max(self.by_sentences, self.by_seeds)


def compare_chunks(one: Longs, other: Longs, rounds: int = ROUNDS, seed: int = 0) -> ChunkDifference:
    """`one` beside `other`, each [seeds, 3, sentences]: gold, predicted and correct chunks.

    >>> good = np.array([[[1] * 50, [1] * 50, [1] * 50]] * 2)
    >>> bad = np.array([[[1] * 50, [1] * 50, [1, 0] * 25]] * 2)
    >>> found = compare_chunks(good, bad)
    >>> found.points, found.by_sentences < 0.001, found.chunks
    (50.0, True, 50)
    """
    seeds = max(len(one), len(other))
    a, b = (np.broadcast_to(each, (seeds, *each.shape[1:])).astype(float) for each in (one, other))
    by_seed = f1(a.sum(axis=2)) - f1(b.sum(axis=2))
    rng = np.random.default_rng(seed)
    low, high = _interval(a, b, rng, min(rounds, RESAMPLED))
    return ChunkDifference(
        100 * float(by_seed.mean()),
        100 * low,
        100 * high,
        _randomisation(a.mean(axis=0), b.mean(axis=0), rng, rounds),
        paired_t(by_seed) if min(len(one), len(other)) > 1 else None,
        int(one[0, 0].sum()),
    )


def f1(counts: Doubles) -> Doubles:
    """F1 of gold, predicted and correct chunks [..., 3].

    >>> float(f1(np.array([4.0, 4.0, 3.0])))
    0.75
    """
    return 2 * counts[..., 2] / np.maximum(counts[..., 0] + counts[..., 1], 1e-12)


def _randomisation(a: Doubles, b: Doubles, rng: np.random.Generator, rounds: int) -> float:
    """p: how often swapping sentences at random gives a difference at least as far from 0 as the one seen."""
    sums, half = (a.sum(axis=1) + b.sum(axis=1)) / 2, (a - b) / 2  # [3], [3, sentences]
    half = half[:, (half != 0).any(axis=0)]
    seen = abs(float(f1(a.sum(axis=1)) - f1(b.sum(axis=1))))
    as_far = 0
    for start in range(0, rounds, 500):
        signs = rng.integers(0, 2, (min(500, rounds - start), half.shape[1]), np.int8) * 2.0 - 1.0
        moved = signs @ half.T  # [rounds, 3]
        as_far += int((np.abs(f1(sums + moved) - f1(sums - moved)) >= seen - 1e-12).sum())
    return (as_far + 1) / (rounds + 1)


def _interval(a: Doubles, b: Doubles, rng: np.random.Generator, rounds: int) -> tuple[float, float]:
    """The middle 95 % of the difference over resampled seeds and sentences."""
    seeds, _, sentences = a.shape
    found = []
    for share, weight in resampled(rng, rounds, seeds, sentences):
        one, other = (f1((each @ weight.T).transpose(0, 2, 1)) for each in (a, b))  # [seeds, n]
        found.append(((one - other) * share.T).sum(axis=0))
    return middle(np.concatenate(found))
