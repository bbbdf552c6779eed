"""A seeded random stream that stays the same across Python versions.

Every draw goes through `Random.random`, the only method whose sequence Python guarantees, so a seed gives the same
corpus on every version and machine.
"""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class RandomStream:
    """The random draws for one part of one corpus.

    unseen: the probability that `word` returns a word held out from training

    >>> rng = RandomStream("addresses", seed=1, part="train")
    >>> rng.pick("abc"), rng.number(10, 99), rng.happens(0.5)
    ('b', 34, True)
    """

    def __init__(self, corpus: str, *, seed: int, part: str, unseen: float = 0.0) -> None:
        self._random = Random(f"{corpus}/{seed}/{part}").random
        self._unseen = unseen

    def happens(self, probability: float) -> bool:
        """True with the given probability."""
        return self._random() < probability

    def number(self, low: int, high: int) -> int:
        """An integer from `low` to `high`, both included."""
        return low + int(self._random() * (high - low + 1))

    def pick(self, options: Sequence[T]) -> T:
        """One of the options, all equally likely."""
        return options[int(self._random() * len(options))]

    def word(self, words: Sequence[T]) -> T:
        """A word of a list. Earlier words are more frequent, and every fourth word is held out from training."""
        held_out = words[3::4]
        if self._random() < self._unseen and held_out:
            return self.pick(held_out)
        chosen = int(self._random() ** 1.5 * (len(words) - len(held_out)))
        return words[chosen // 3 * 4 + chosen % 3]

    def weighted(self, options: Sequence[tuple[float, T]]) -> T:
        """One of the (weight, option) pairs, in proportion to its weight."""
        left = self._random() * sum(weight for weight, _ in options)
        for weight, option in options:
            left -= weight
            if left < 0:
                return option
        return options[-1][1]
