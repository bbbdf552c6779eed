"""Choosing: which sentence to show next.

    no model    ─▶ covering: the sentence with the most frequent words that no labelled sentence has
    a model     ─▶ unsure:   the sentence whose labels the model is least sure of

    unsure(x) = Σ_t (1 − max_y P(y_t = y | x)) / √T

The sum prefers long sentences, which take a person longer, and the mean prefers sentences of one strange word. The root
is between them. benchmarks/annotate.py compares these orders with chance; docs/annotate.md has its figures.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from tagfield.dataset import Doubles
from tagfield.model import Model

Words = Sequence[str]


def unsure(model: Model, sentences: Sequence[object], threads: int = 1) -> Doubles:
    """How unsure a model is of each sentence [S]; 0 is certain.

    sentences: as `Model.tag_words` takes them

    >>> model = Model.train_words([["Anna", "left"], ["It", "left"]] * 3, [["B-PER", "O"], ["O", "O"]] * 3)
    >>> known, strange = unsure(model, [["It", "left"], ["Ben", "left"]])
    >>> bool(known < strange)
    True
    """
    decoder = model.decoder(model.read_words(sentences), threads=threads)
    starts = decoder.tokens
    doubt = 1.0 - decoder.marginals().max(axis=1).astype(np.float64)  # [T]
    sums = np.concatenate(([0.0], np.cumsum(doubt)))
    length = np.diff(starts)
    found: Doubles = (sums[starts[1:]] - sums[starts[:-1]]) / np.sqrt(np.maximum(length, 1))
    return found


class Cover:
    """The order before there is a model: sentences that show much of the text.

    A new word is worth log(its frequency), so words that occur once are worth nothing. The sum is divided by √T, as for
    `unsure`.

    >>> cover = Cover([["a", "b"], ["a", "c"], ["a", "b", "c"], ["d"]])
    >>> cover.see(["a", "b"])
    >>> [round(float(gain), 2) for gain in cover.gains([0, 1, 2, 3])]
    [0.0, 0.49, 0.4, 0.0]
    """

    def __init__(self, sentences: Iterable[Words]) -> None:
        self._sentences = [tuple(dict.fromkeys(word.lower() for word in words)) for words in sentences]
        self._length = [max(1, len(words)) for words in self._sentences]
        counts = Counter(word for words in self._sentences for word in words)
        self._worth = {word: float(np.log(count)) for word, count in counts.items()}
        self._seen: set[str] = set()

    def see(self, words: Words) -> None:
        """A sentence of these words is labelled."""
        self._seen.update(word.lower() for word in words)

    def gains(self, indices: Sequence[int]) -> Doubles:
        """What each of these sentences would show [S]."""
        seen, worth = self._seen, self._worth
        return np.array(
            [
                sum(worth[word] for word in self._sentences[i] if word not in seen) / self._length[i] ** 0.5
                for i in indices
            ]
        )
