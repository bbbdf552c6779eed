"""The sentences of a pass, in memory and on disk."""

import numpy as np

from tagfield.data.dataset import Dataset
from tagfield.data.encode import encode_sequences


def test_a_subset_is_the_sentences_encoded_alone():
    X = [[["a", "b"], ["a"]], [["c"]], [["b"], ["a", "c"]]]
    y = [["P", "Q"], ["P"], ["Q", "Q"]]
    whole = encode_sequences(X, y)
    part = whole.dataset.take(np.array([2, 0]))
    alone = encode_sequences([X[2], X[0]], [y[2], y[0]], attributes=whole.attributes, labels=whole.labels).dataset
    for name in Dataset.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(part, name), getattr(alone, name))
