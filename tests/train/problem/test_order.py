"""The order of an epoch: every sentence once, from few chunks at a time."""

import numpy as np
import pytest

from tagfield.train.problem.order import CHUNK, CHUNKS, POOL, epoch_order


@pytest.mark.parametrize("sentences", [0, 1, 5, POOL, POOL + 1, 3 * POOL + 77, 40 * CHUNK + POOL])
def test_an_order_has_every_sentence_once(sentences: int) -> None:
    order = epoch_order(np.random.default_rng(3), sentences)
    assert order.dtype == np.int64
    np.testing.assert_array_equal(np.sort(order), np.arange(sentences))
    again = epoch_order(np.random.default_rng(3), sentences)
    np.testing.assert_array_equal(order, again)


def test_small_data_is_fully_shuffled() -> None:
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(epoch_order(rng, POOL), np.random.default_rng(0).permutation(POOL))


def test_a_pool_reads_few_chunks() -> None:
    order = epoch_order(np.random.default_rng(1), 5 * POOL + 1000)
    for first in range(0, 4 * POOL, POOL):
        chunks = np.unique(order[first : first + POOL] // CHUNK)
        assert CHUNKS <= len(chunks) <= CHUNKS + 1  # one may be cut by the short last chunk
        assert np.abs(np.corrcoef(order[first : first + POOL], np.arange(POOL))[0, 1]) < 0.05
