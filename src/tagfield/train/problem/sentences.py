"""Where a trainer's sentences come from: memory, or a corpus on disk, a window at a time.

    order ─▶ segments of SEGMENT sentences ─▶ Part: a corpus of the kernels, and the order within it

A pass runs segment by segment, in memory too: what a kernel keeps from sentence to sentence within a call does not
depend on the size of a window, so every window and memory give the same bits.

On disk a window is a whole number of segments. A thread reads the next one while the pass runs on the one before, so
two of them are in memory. The kernels check a window after it was read.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from tagfield.data.corpus import Corpus
from tagfield.data.dataset import UNKNOWN, Dataset, Doubles, Ints, Longs
from tagfield.errors import InputError
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.train.problem.order import POOL

SEGMENT = 4096  # sentences of one call of a kernel


class Part(NamedTuple):
    """Some sentences of a pass."""

    corpus: kernels.Corpus
    order: Longs  # of the corpus
    sentences: Longs  # their numbers in the data


class Sentences(Protocol):
    """What a trainer works on."""

    count: int
    complete: bool  # whether every label is known

    def parts(self, order: Longs) -> Iterator[Part]:
        """The sentences of an order, a segment at a time."""
        ...

    def take(self, sentences: Longs) -> Dataset:
        """Some sentences in memory."""
        ...

    def weighted_tokens(self) -> tuple[float, float]:
        """Σ weight over all tokens, and over those whose label is known."""
        ...

    def label_counts(self) -> Longs:
        """Tokens of each label."""
        ...

    def nonempty(self, order: Longs) -> int:
        """How many sentences of an order have a token."""
        ...


class Held:
    """Sentences in memory."""

    def __init__(self, dataset: Dataset, corpus: kernels.Corpus) -> None:
        self.dataset, self.corpus = dataset, corpus
        self.count, self.complete = corpus.sentences, corpus.complete

    def parts(self, order: Longs) -> Iterator[Part]:
        for first in range(0, len(order), SEGMENT):
            some = order[first : first + SEGMENT]
            yield Part(self.corpus, some, some)

    def take(self, sentences: Longs) -> Dataset:
        return self.dataset.take(sentences)

    def weighted_tokens(self) -> tuple[float, float]:
        data = self.dataset
        weight = np.repeat(data.weight, np.diff(data.tokens))
        return float(data.weight @ np.diff(data.tokens)), float(weight[data.labels != UNKNOWN].sum())

    def label_counts(self) -> Longs:
        return np.bincount(self.dataset.labels[self.dataset.labels >= 0])

    def nonempty(self, order: Longs) -> int:
        return int(np.count_nonzero(np.diff(self.dataset.tokens)[order]))


class OnDisk:
    """Sentences of a corpus on disk.

    ids: for each attribute of the corpus the id that it has in training, −1 where it has none; None changes nothing
    edge_ids: likewise for edge attributes
    """

    complete = True  # packing refuses tokens without a label

    def __init__(
        self,
        source: Corpus,
        window: float,
        class_weight: Doubles | None = None,
        ids: Ints | None = None,
        edge_ids: Ints | None = None,
    ) -> None:
        self.source, self.count = source, len(source)
        self._class_weight, self.ids, self.edge_ids = class_weight, ids, edge_ids
        segments = max(1, int(window / (source.sentence_bytes * SEGMENT)))
        per_pool = POOL // SEGMENT
        self.window = SEGMENT * (segments if segments < per_pool else segments // per_pool * per_pool)  # sentences

    @property
    def bytes(self) -> int:
        """The memory of two windows, or of the corpus if it is smaller."""
        return int(min(2 * self.window, self.count) * self.source.sentence_bytes)

    def parts(self, order: Longs) -> Iterator[Part]:
        first = min(POOL, self.window)  # small, since the pass waits for it
        bounds = [0, *range(first, len(order), self.window), len(order)] if len(order) else [0]
        windows = [order[start:end] for start, end in pairwise(bounds)]
        with ThreadPoolExecutor(1, "tagfield-window") as reader:
            coming = [reader.submit(self._open, windows[0])] if windows else []
            for number, numbers in enumerate(windows, start=1):
                corpus = coming.pop().result()
                if number < len(windows):
                    coming.append(reader.submit(self._open, windows[number]))
                for first in range(0, len(numbers), SEGMENT):
                    some = np.arange(first, min(first + SEGMENT, len(numbers)), dtype=np.int64)
                    yield Part(corpus, some, numbers[first : first + SEGMENT])
                del corpus

    def windows(self) -> Iterator[kernels.Corpus]:
        """All sentences, a window at a time, in the order of the corpus."""
        seen: kernels.Corpus | None = None
        for part in self.parts(np.arange(self.count)):
            if part.corpus is not seen:
                seen = part.corpus
                yield seen

    def _open(self, sentences: Longs) -> kernels.Corpus:
        corpus = open_corpus(self.take(sentences), self._class_weight)
        edges = 0 if self.source.edges is None else len(self.source.edges)
        known = (len(self.source.attributes), len(self.source.labels), edges)
        found = (corpus.attributes, corpus.classes, corpus.edge_attributes)
        if any(one > most for one, most in zip(found, known, strict=True)):
            raise InputError(f"{self.source.path}: the shards hold ids without names; pack the corpus again")
        return corpus

    def take(self, sentences: Longs) -> Dataset:
        ends = [*range(POOL, len(sentences), POOL), len(sentences)]
        data = self.source.take(sentences, ends)
        if self.ids is not None:
            data = data.renumbered(self.ids)
        if self.edge_ids is not None and data.edge_slots is not None:
            data = data.keep_edges(self.edge_ids >= 0)
        return data

    def weighted_tokens(self) -> tuple[float, float]:
        total = sum(shard.record.weighted for shard in self.source.shards)
        return total, total

    def label_counts(self) -> Longs:
        return np.array(self.source.label_counts, np.int64)

    def nonempty(self, order: Longs) -> int:
        if len(order) == self.count:
            return self.count - sum(shard.record.empty for shard in self.source.shards)
        return int(np.count_nonzero(np.diff(self.take(order).tokens)))

    def whole(self) -> Iterator[Dataset]:
        """The arrays of all windows."""
        for first in range(0, self.count, self.window):
            yield self.take(np.arange(first, min(first + self.window, self.count)))
