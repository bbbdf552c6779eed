"""Errors: where predictions and gold labels differ, in the order in which an annotator should look at them.

    windows of sentences ─▶ best labels, P(predicted), P(gold) ─▶ wrong tokens ─▶ places: neighbouring ones together
                         ─▶ likely annotation errors ─▶ sentences: those with one first, then by P(predicted) − P(gold)

A model that is confident against the gold label has often found an annotation error, if it knows the words: of words
that it has never seen it is confident for lack of knowledge. benchmarks/annotation_errors.py measures that with wrong
labels that are put in (docs/errors.md). Sentences are decoded in windows: probabilities of all labels of a large file
would not fit in memory.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagfield.apps.errors.labelled import Labelled, word_finder
from tagfield.data.dataset import UNKNOWN, Floats, Ints, Longs
from tagfield.errors import InputError
from tagfield.model.model import Model

CELLS = 4_000_000  # probabilities in memory at a time
RARE = 0.01  # a gold label of known words with at most this probability is a likely annotation error
UNSURE = 0.6  # below, the model hesitates


@dataclass(frozen=True)
class Places:
    """Neighbouring wrong tokens of a sentence; P places."""

    sentence: Longs  # [P]
    first: Longs  # [P]  position of the first wrong token in its sentence
    end: Longs  # [P]  position after the last one
    top: Longs  # [P]  the error (index in Errors) where the model is most confident against the gold label
    chance: Floats  # [P]  P(predicted label | x) there
    likely: NDArray[np.bool_]  # [P]  whether it is a likely annotation error

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def of(cls, tokens: "Tokens", known: Callable[[int, int, int], bool]) -> "Places":
        """Neighbouring errors of a sentence taken together: a chunk of three wrong labels is one place.

        known: whether the model knows all words of a sentence from one position to another
        """
        apart = (np.diff(tokens.token) != 1) | (np.diff(tokens.sentence) != 0)
        starts = np.flatnonzero(np.concatenate([np.ones(min(1, len(tokens.token)), bool), apart]))
        ends = np.append(starts[1:], len(tokens.token)).astype(np.int64)[: len(starts)]
        order = np.lexsort((tokens.gold_chance - tokens.chance, np.repeat(np.arange(len(starts)), ends - starts)))
        top = order[starts]
        sentence, first, end = tokens.sentence[starts], tokens.position[starts], tokens.position[ends - 1] + 1
        likely = tokens.gold_chance[top] <= RARE
        for row in np.flatnonzero(likely).tolist():
            likely[row] = known(int(sentence[row]), int(first[row]), int(end[row]))
        return cls(sentence, first, end, top, tokens.chance[top], likely)


@dataclass(frozen=True)
class Tokens:
    """The wrong tokens of a file; E errors."""

    token: Longs  # [E]  index of the token in the file, ascending
    position: Longs  # [E]  index of the token in its sentence
    sentence: Longs  # [E]
    gold: Ints  # [E]  ids in names
    predicted: Ints  # [E]  ids in names
    chance: Floats  # [E]  P(predicted label | x)
    gold_chance: Floats  # [E]  P(gold label | x); 0 if the model does not know it


@dataclass(frozen=True)
class Errors:
    """Where a model's labels differ from the gold labels."""

    names: list[str]  # the model's labels, then gold labels that it does not know
    tokens: int  # tokens with a gold label
    sentences: int  # of the file
    wrong: Tokens
    places: Places
    ranked: Longs  # sentences with errors, likely annotation errors first

    def __len__(self) -> int:
        return len(self.wrong.token)

    @property
    def likely(self) -> int:
        """How many places are likely annotation errors."""
        return int(self.places.likely.sum())

    @property
    def accuracy(self) -> float:
        """The share of tokens with the gold label."""
        return 1.0 - len(self) / self.tokens

    def confusions(self) -> list[tuple[str, str, int]]:
        """(gold label, predicted label, count), the most frequent first."""
        pairs = self.wrong.gold.astype(np.int64) * len(self.names) + self.wrong.predicted
        found, counts = np.unique(pairs, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        split = [(divmod(int(found[i]), len(self.names)), int(counts[i])) for i in order]
        return [(self.names[gold], self.names[predicted], count) for (gold, predicted), count in split]


def find_errors(model: Model, labelled: Labelled, rules: Any = None, threads: int = 1) -> Errors:
    """Compare a model's labels with the gold labels; tokens without a gold label are left out.

    >>> model = Model.train_words([["Anna", "left"], ["It", "left"]] * 3, [["B-PER", "O"], ["O", "O"]] * 3)
    >>> found = find_errors(model, Labelled.of(model, ([["Anna", "left"]], [["O", "O"]])))
    >>> found.confusions(), found.ranked.tolist(), found.likely
    ([('O', 'B-PER', 1)], [0], 1)
    """
    encoded = labelled.encoded
    if not (encoded.gold != UNKNOWN).any():
        raise InputError(f"{labelled.name}: no token has a gold label to compare with; give labelled data")
    gold, first = encoded.gold, encoded.dataset.tokens
    kept: list[tuple[Longs, Ints, Floats, Floats]] = []
    for begin, end in _windows(first, max(1, CELLS // len(model.labels))):
        decoder = model.decoder(encoded.take(np.arange(begin, end)), rules=rules, threads=threads)
        best, node = decoder.best(), decoder.marginals()
        right = gold[first[begin] : first[end]]
        wrong = np.flatnonzero((right != best) & (right != UNKNOWN))
        unknown = right[wrong] >= node.shape[1]
        of_gold = np.where(unknown, np.float32(0), node[wrong, np.where(unknown, 0, right[wrong])])
        kept.append((wrong + first[begin], best[wrong], node[wrong, best[wrong]], of_gold))
    token, predicted, chance, of_gold = (np.concatenate(each) for each in zip(*kept, strict=True))
    sentence = np.searchsorted(first, token, side="right") - 1
    tokens = Tokens(token, token - first[sentence], sentence, gold[token], predicted, chance, of_gold)
    find, words = word_finder(model), lru_cache(maxsize=1)(labelled.words)

    def known(s: int, start: int, end: int) -> bool:
        return find is None or all(find(word) is not None for word in words(s)[start:end])

    places = Places.of(tokens, known)
    worst = np.full(len(encoded), -np.inf)
    np.maximum.at(worst, places.sentence, places.likely + chance[places.top] - of_gold[places.top])
    ranked = np.argsort(-worst, kind="stable")[: len(np.unique(sentence))]
    return Errors(encoded.names.strings(), int((gold != UNKNOWN).sum()), len(encoded), tokens, places, ranked)


def _windows(first: Longs, size: int) -> Iterator[tuple[int, int]]:
    """Ranges of sentences of about `size` tokens.

    >>> list(_windows(np.array([0, 10, 50, 55]), 50))
    [(0, 2), (2, 3)]
    """
    cuts = np.searchsorted(first, np.arange(0, int(first[-1]) + size, size))
    ends = np.unique(np.append(np.minimum(cuts, len(first) - 1), len(first) - 1)).tolist()
    yield from pairwise(ends)
