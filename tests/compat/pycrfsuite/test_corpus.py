"""What is appended to a Trainer comes out as if it had been encoded at once, in any groups."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.compat.pycrfsuite.corpus import Corpus
from tagfield.data.encode import encode_sequences
from tagfield.pycrfsuite import corpus as module

items = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([1.0, 0.5, -2.0]), max_size=3)
sequences = st.lists(st.tuples(st.lists(items, min_size=1, max_size=4), st.integers(0, 2)), max_size=12)


@given(sequences, st.sets(st.integers(0, 3)), st.integers(1, 5))
def test_groups(drawn: list, wanted: set[int], together: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "TOGETHER", together)
        corpus = Corpus()
        for i, (x, group) in enumerate(drawn):
            corpus.append(x, [f"L{(i + t) % 3}" for t in range(len(x))], group)
        found = corpus.encoded(wanted)
    X = [x for x, _ in drawn]
    y = [[f"L{(i + t) % 3}" for t in range(len(x))] for i, x in enumerate(X)]
    whole = encode_sequences(X, y)
    expected = whole.dataset.take(np.array([i for i, (_, group) in enumerate(drawn) if group in wanted], np.int64))
    assert corpus.attributes.strings() == whole.attributes.strings()
    assert corpus.labels.strings() == whole.labels.strings()
    for name, array in found.dataset.to_arrays().items():
        if name != "value":
            assert array.tolist() == getattr(expected, name).tolist()
    ones = np.ones(len(found.dataset.position), np.float32)
    mine, theirs = (ones if data.value is None else data.value for data in (found.dataset, expected))
    assert mine.tolist() == theirs.tolist()
