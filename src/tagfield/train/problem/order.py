"""The order of an epoch: one function for data in memory and on disk, so that both give the same bits.

    up to 32,768 sentences   a full permutation
    more                     chunks of 256 neighbours, in random order; 128 of them are a pool, shuffled within

A pool has 32,768 sentences from all over the corpus, and reading it takes 128 reads of neighbours.
"""

import numpy as np

from tagfield.data.dataset import Longs

CHUNK = 256  # neighbouring sentences
CHUNKS = 128  # of a pool
POOL = CHUNK * CHUNKS


def epoch_order(rng: np.random.Generator, sentences: int) -> Longs:
    """The sentences in random order.

    >>> order = epoch_order(np.random.default_rng(0), 100_000)
    >>> sorted(order.tolist()) == list(range(100_000)), len(set((order[:POOL] // CHUNK).tolist()))
    (True, 128)
    """
    if sentences <= POOL:
        return rng.permutation(sentences).astype(np.int64)
    starts = rng.permutation(-(-sentences // CHUNK)).astype(np.int64) * CHUNK
    order = (starts[:, None] + np.arange(CHUNK)).reshape(-1)
    order = order[order < sentences]  # the last chunk may be short
    for first in range(0, sentences, POOL):
        rng.shuffle(order[first : first + POOL])
    return order
