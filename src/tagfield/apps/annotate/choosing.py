"""Choosing: which sentence to show next.

    no model    ─▶ covering: the sentence with the most frequent words that no labelled sentence has
    a model     ─▶ least_sure_first: of ten sentences by chance, the one whose labels the model is least sure of

    unsure(x) = Σ_t (1 − max_y P(y_t = y | x)) / √T

Only ten, because the most doubtful of a whole corpus are its oddities: garbage, other languages, sentences that people
label differently each time. On recipe ingredients they taught the model less than chance did. The sum of the doubts
prefers sentences of a hundred words, which take a person as long as ten others, and the mean those of one strange word;
the root is between them. benchmarks/annotate.py compares the order with chance; docs/annotate.md has its figures.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from tagfield.data.dataset import Doubles
from tagfield.model.model import Model

GROUP = 10  # sentences of which the least sure one is shown
SHORT = 8  # words; shorter sentences show no more for being short

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


def least_sure_first(doubt: Doubles, rng: np.random.Generator, group: int = GROUP) -> list[int]:
    """An order of sentences by chance, in which the least sure of every ten comes first.

    doubt: of each sentence [S]

    >>> least_sure_first(np.array([0.1, 0.9, 0.5]), np.random.default_rng(0))
    [1, 2, 0]
    """
    mixed = rng.permutation(len(doubt))
    groups = [mixed[at : at + group] for at in range(0, len(mixed), group)]
    sorted_ = [each[np.argsort(-doubt[each], kind="stable")].tolist() for each in groups]
    return [each[rank] for rank in range(group) for each in sorted_ if rank < len(each)]


class Cover:
    """The order before there is a model: sentences that show much of the text.

    A new word is worth log(its frequency), so words that occur once are worth nothing. Long sentences have more of them
    and take longer, so the sum is divided by the number of words, but at least by 8.

    >>> cover = Cover([["a", "b"], ["a", "c"], ["a", "b", "c"], ["d"]])
    >>> cover.see(["a", "b"])
    >>> [round(float(gain), 2) for gain in cover.gains([0, 1, 2, 3])]
    [0.0, 0.09, 0.09, 0.0]
    """

    def __init__(self, sentences: Iterable[Words]) -> None:
        self._sentences = [tuple(dict.fromkeys(word.lower() for word in words)) for words in sentences]
        self._length = [max(SHORT, len(words)) for words in self._sentences]
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
            [sum(worth[word] for word in self._sentences[i] if word not in seen) / self._length[i] for i in indices]
        )
