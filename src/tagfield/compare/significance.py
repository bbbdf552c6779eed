"""Which differences between recipes are significant: paired tests over sentences and seeds, intervals, corrections.

    wrong tokens [seeds, sentences] of two recipes ─▶ compare_pair ─▶ Difference: tokens, interval, two p values
    the p values of one table ─▶ holm ─▶ adjusted for the number of comparisons

Two things are random: the test sentences, and the order of the training sentences. So there are two tests.

    over sentences   approximate randomisation (Noreen 1989). If two recipes were equally good, you could swap their
                     errors on any sentence: how often does random swapping give at least the observed difference?
    over seeds       a paired t test. The same seed gives every recipe the same order: is the mean difference far from
                     0, given its spread?

The interval resamples both (bootstrap).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import Doubles, Longs

ROUNDS = 10_000
RESAMPLED = 2_000  # for the interval
LEVEL = 0.05


@dataclass(frozen=True)
class Difference:
    """How many more test tokens one recipe labels right than another, in the mean over seeds."""

    tokens: float  # more tokens right; negative: fewer
    low: float  # 95 % interval, over sentences and seeds
    high: float
    by_sentences: float  # p of the randomisation test
    by_seeds: float | None  # p of the t test; None with a single run on either side
    test_tokens: int

    @property
    def points(self) -> float:
        """The difference in percentage points of accuracy."""
        return 100 * self.tokens / max(1, self.test_tokens)

    @property
    def p(self) -> float:
        """The larger of the two p values: a real difference holds for other sentences and for other seeds."""
        return self.by_sentences if self.by_seeds is None else max(self.by_sentences, self.by_seeds)


def compare_pair(one: Longs, other: Longs, test_tokens: int, rounds: int = ROUNDS, seed: int = 0) -> Difference:
    """Compare the errors of two recipes: wrong tokens of each seed's run on each test sentence, [seeds, sentences].

    A recipe without random numbers has one row, which is compared with every seed of the other.

    >>> a, b = np.array([[0, 1, 0, 2] * 30] * 3), np.array([[1, 1, 0, 2] * 30] * 3)
    >>> found = compare_pair(a, b, 600)
    >>> found.tokens, found.by_sentences < 0.001
    (30.0, True)
    """
    seeds = max(len(one), len(other))
    gain = np.broadcast_to(other, (seeds, other.shape[1])) - np.broadcast_to(one, (seeds, one.shape[1]))
    by_sentence = gain.mean(axis=0)
    rng = np.random.default_rng(seed)
    low, high = _interval(gain, rng, min(rounds, RESAMPLED))
    return Difference(
        float(by_sentence.sum()),
        low,
        high,
        randomisation(by_sentence, rng, rounds),
        paired_t(gain.sum(axis=1)) if min(len(one), len(other)) > 1 else None,
        test_tokens,
    )


def randomisation(gain: Doubles, rng: np.random.Generator, rounds: int = ROUNDS) -> float:
    """p: how often random signs give a sum at least as far from 0 as the observed one, which counts as one of them.

    >>> randomisation(np.ones(20), np.random.default_rng(0)) < 0.001
    True
    >>> randomisation(np.zeros(5), np.random.default_rng(0))
    1.0
    """
    different = gain[gain != 0]
    seen = abs(different.sum())
    as_far = 0
    for start in range(0, rounds, 500):
        signs = rng.integers(0, 2, (min(500, rounds - start), len(different)), np.int8) * 2.0 - 1.0
        as_far += int((np.abs(signs @ different) >= seen * (1 - 1e-12)).sum())
    return (as_far + 1) / (rounds + 1)


def holm(p: list[float]) -> list[float]:
    """Adjusted p values: below the level, they hold together (Holm 1979).

    >>> [round(each, 6) for each in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    adjusted, highest = [0.0] * len(p), 0.0
    for rank, k in enumerate(sorted(range(len(p)), key=lambda k: p[k])):
        highest = max(highest, min(1.0, (len(p) - rank) * p[k]))
        adjusted[k] = highest
    return adjusted


def _interval(gain: NDArray[np.int64], rng: np.random.Generator, rounds: int) -> tuple[float, float]:
    """The middle 95 % of the difference over resampled seeds and sentences."""
    means = [(gain @ weight.T * share.T).sum(axis=0) for share, weight in resampled(rng, rounds, *gain.shape)]
    return middle(np.concatenate(means))


def resampled(rng: np.random.Generator, rounds: int, seeds: int, sentences: int) -> Iterator[tuple[Doubles, Doubles]]:
    """Bootstrap samples, 250 at a time: the share of each seed [n, seeds], how often each sentence [n, sentences].

    >>> share, weight = next(resampled(np.random.default_rng(0), 10, 3, 4))
    >>> share.sum(axis=1).tolist() == [1.0] * 10, weight.sum(axis=1).tolist() == [4.0] * 10
    (True, True)
    """
    for start in range(0, rounds, 250):
        count = min(250, rounds - start)
        yield _drawn(rng, count, seeds) / max(1, seeds), _drawn(rng, count, sentences)


def _drawn(rng: np.random.Generator, count: int, size: int) -> Doubles:
    """How often each of `size` things is drawn in `size` draws, `count` times over: [count, size]."""
    places = rng.integers(0, max(1, size), (count, size)) + size * np.arange(count)[:, None]
    return np.bincount(places.ravel(), minlength=count * size).reshape(count, size).astype(float)


def middle(values: Doubles) -> tuple[float, float]:
    """The quantiles that 95 % of the values lie between."""
    low, high = np.quantile(values, [LEVEL / 2, 1 - LEVEL / 2])
    return float(low), float(high)


def paired_t(gains: Longs | Doubles) -> float:
    """The paired t test: p of the mean of the differences of each seed.

    >>> round(paired_t(np.array([3.0, 4.0, 5.0])), 3), paired_t(np.array([0, 0]))
    (0.02, 1.0)
    """
    from scipy.stats import ttest_1samp

    if not gains.any():
        return 1.0
    if (gains == gains[0]).all():
        return 0.0
    return float(ttest_1samp(gains, 0.0).pvalue)


def mean_interval(values: Doubles) -> tuple[float, float]:
    """The 95 % interval of a mean over seeds, by Student's t; the mean itself for a single one.

    >>> [round(each, 2) for each in mean_interval(np.array([1.0, 2.0, 3.0]))]
    [-0.48, 4.48]
    """
    from scipy.stats import t

    mean, count = float(values.mean()), len(values)
    if count < 2:
        return mean, mean
    half = float(t.ppf(1 - LEVEL / 2, count - 1) * values.std(ddof=1) / np.sqrt(count))
    return mean - half, mean + half
