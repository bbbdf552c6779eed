"""Errors: where predictions and gold labels differ, in the order in which an annotator should look at them.

    windows of sentences ─▶ best labels, P(predicted), P(gold) ─▶ wrong tokens ─▶ places: neighbouring ones together
                         ─▶ sentences by their largest P(predicted) − P(gold)

A model that is confident against the gold label has often found an annotation error, so these come first. Sentences are
decoded in windows: probabilities of all labels of a large file would not fit in memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from tagfield.dataset import UNKNOWN, Floats, Ints, Longs
from tagfield.encoded import Encoded
from tagfield.errors import InputError
from tagfield.model import Model

CELLS = 4_000_000  # probabilities in memory at a time
SURE = 0.95  # from this probability on, a wrong label is a likely annotation error
UNSURE = 0.6  # below, the model hesitates


@dataclass(frozen=True)
class Places:
    """Neighbouring wrong tokens of a sentence; P places."""

    sentence: Longs  # [P]
    first: Longs  # [P]  position of the first wrong token in its sentence
    end: Longs  # [P]  position after the last one
    top: Longs  # [P]  the error (index in Errors) where the model is most confident against the gold label
    chance: Floats  # [P]  P(predicted label | x) there

    def __len__(self) -> int:
        return len(self.first)

    @property
    def likely(self) -> int:
        """How many are likely annotation errors."""
        return int((self.chance >= SURE).sum())


@dataclass(frozen=True)
class Errors:
    """The wrong tokens of a file; E errors."""

    names: list[str]  # the model's labels, then gold labels that it does not know
    tokens: int  # tokens with a gold label
    sentences: int  # of the file
    token: Longs  # [E]  index of the token in the file, ascending
    position: Longs  # [E]  index of the token in its sentence
    sentence: Longs  # [E]
    gold: Ints  # [E]  ids in names
    predicted: Ints  # [E]  ids in names
    chance: Floats  # [E]  P(predicted label | x)
    gold_chance: Floats  # [E]  P(gold label | x); 0 if the model does not know it
    ranked: Longs  # sentences with errors, likely annotation errors first

    def __len__(self) -> int:
        return len(self.token)

    @property
    def accuracy(self) -> float:
        """The share of tokens with the gold label."""
        return 1.0 - len(self) / self.tokens

    @cached_property
    def places(self) -> Places:
        """Neighbouring errors of a sentence taken together: a chunk of three wrong labels is one place."""
        apart = (np.diff(self.token) != 1) | (np.diff(self.sentence) != 0)
        starts = np.flatnonzero(np.concatenate([np.ones(min(1, len(self)), bool), apart]))
        ends = np.append(starts[1:], len(self)).astype(np.int64)[: len(starts)]
        group = np.repeat(np.arange(len(starts)), ends - starts)
        order = np.lexsort((self.gold_chance - self.chance, group))
        top = order[starts]
        return Places(self.sentence[starts], self.position[starts], self.position[ends - 1] + 1, top, self.chance[top])

    def confusions(self) -> list[tuple[str, str, int]]:
        """(gold label, predicted label, count), the most frequent first."""
        pairs = self.gold.astype(np.int64) * len(self.names) + self.predicted
        found, counts = np.unique(pairs, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        split = [(divmod(int(found[i]), len(self.names)), int(counts[i])) for i in order]
        return [(self.names[gold], self.names[predicted], count) for (gold, predicted), count in split]


def find_errors(model: Model, encoded: Encoded, rules: Any = None, threads: int = 1) -> Errors:
    """Compare a model's labels with the gold labels; tokens without a gold label are left out.

    >>> model = Model.train_words([["Anna", "left"], ["It", "left"]] * 3, [["B-PER", "O"], ["O", "O"]] * 3)
    >>> found = find_errors(model, model.encode_words([["Anna", "left"]], [["O", "O"]]))
    >>> found.confusions(), found.ranked.tolist(), len(found.places)
    ([('O', 'B-PER', 1)], [0], 1)
    """
    if not (encoded.gold != UNKNOWN).any():
        where = f"{encoded.where(0)}: " if len(encoded) else ""
        raise InputError(f"{where}no token has a gold label to compare with; give labelled data")
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
    worst = np.full(len(encoded), -np.inf)
    np.maximum.at(worst, sentence, chance - of_gold)
    ranked = np.argsort(-worst, kind="stable")[: len(np.unique(sentence))]
    count = int((gold != UNKNOWN).sum())
    sizes = encoded.names.strings(), count, len(encoded)
    return Errors(*sizes, token, token - first[sentence], sentence, gold[token], predicted, chance, of_gold, ranked)


def _windows(first: Longs, size: int) -> Iterator[tuple[int, int]]:
    """Ranges of sentences of about `size` tokens.

    >>> list(_windows(np.array([0, 10, 50, 55]), 50))
    [(0, 2), (2, 3)]
    """
    cuts = np.searchsorted(first, np.arange(0, int(first[-1]) + size, size))
    ends = np.unique(np.append(np.minimum(cuts, len(first) - 1), len(first) - 1)).tolist()
    yield from pairwise(ends)
