"""Chance with a seed.

Everything is drawn through `Random.random`, the one method whose sequence Python promises to keep; so a seed
gives the same corpus on every version and machine.
"""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Chance:
    """Draws for one part of one corpus; `unseen` is the chance of a word that is held out from training.

    >>> chance = Chance("addresses", seed=1, part="train")
    >>> chance.pick("abc"), chance.number(10, 99), chance.happens(0.5)
    ('b', 34, True)
    """

    def __init__(self, corpus: str, *, seed: int, part: str, unseen: float = 0.0) -> None:
        self._random = Random(f"{corpus}/{seed}/{part}").random
        self._unseen = unseen

    def happens(self, probability: float) -> bool:
        return self._random() < probability

    def number(self, low: int, high: int) -> int:
        return low + int(self._random() * (high - low + 1))

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self._random() * len(options))]

    def word(self, words: Sequence[T]) -> T:
        """A word of a list whose first words are the most frequent and of which every fourth is held out."""
        held_out = words[3::4]
        if self._random() < self._unseen and held_out:
            return self.pick(held_out)
        chosen = int(self._random() ** 1.5 * (len(words) - len(held_out)))
        return words[chosen // 3 * 4 + chosen % 3]

    def weighted(self, options: Sequence[tuple[float, T]]) -> T:
        left = self._random() * sum(weight for weight, _ in options)
        for weight, option in options:
            left -= weight
            if left < 0:
                return option
        return options[-1][1]
