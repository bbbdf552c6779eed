"""The chunks of many sequences, in products, have the probabilities that each has alone, in logs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import Model
from tagfield.inference import spans
from tagfield.inference.spans import RANGE, SpanFinder, fits
from tests.support.tolerances import ALGEBRA

LABELS = {
    "bio": ["O", "B-X", "I-X", "B-Y", "I-Y"],
    "iob1": ["O", "I-X", "B-X", "I-Y"],
    "iobes": ["O", "B-X", "I-X", "E-X", "S-X", "S-Y"],
    "words": ["B", "M", "E", "S"],
}


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(sorted(LABELS)),
    st.lists(st.integers(0, 7), min_size=1, max_size=6),
    st.sampled_from([0.1, 3.0, 50.0, RANGE / 2]),
    st.integers(0, 2**32),
)
def test_the_same_as_one_by_one(name: str, lengths: list[int], wide: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    finder = SpanFinder(LABELS[name])
    L = len(LABELS[name])
    starts = np.concatenate([[0], np.cumsum(lengths)]).tolist()
    scores, tau = rng.uniform(-wide, wide, (starts[-1], L)), rng.uniform(-wide, wide, (L, L))
    chunks = [finder.chunks(rng.integers(0, L, n).tolist()) for n in lengths]
    assert fits(scores, tau)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "_worth", lambda sequences, labels: True)
        together = finder.probabilities(scores, tau, starts, chunks, together=True)
    alone = [
        finder.probabilities(scores[a:b], tau, [0, b - a], [found])[0]
        for a, b, found in zip(starts[:-1], starts[1:], chunks, strict=True)
    ]
    assert finder.probabilities(scores, tau, starts, chunks) == alone
    assert len(together) == len(alone)
    for one, other in zip(together, alone, strict=True):
        assert one == pytest.approx(other, rel=ALGEBRA, abs=ALGEBRA)


@pytest.mark.parametrize("far", [-np.inf, np.inf, np.nan, 1e9])
def test_scores_too_far_apart_go_the_other_way(far: float) -> None:
    scores = np.zeros((3, 4))
    assert fits(scores, np.zeros((4, 4)))
    assert fits(np.zeros((0, 4)), np.zeros((4, 4)))
    scores[1, 2] = far
    assert not fits(scores, np.zeros((4, 4)))
    assert not fits(np.zeros((1, 4)), np.pad([[far]], (0, 3)))


def test_a_decoder_of_many_sequences_says_what_it_says_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    X = [["Anna", "lives", "in", "New", "York"], ["Ben"], [], ["in", "Oslo"], ["Bo", "and", "Al"], ["Oslo"]]
    y = [["B-P", "O", "O", "B-L", "I-L"], ["B-P"], [], ["O", "B-L"], ["B-P", "O", "B-P"], ["B-L"]]
    model = Model.train_words(X, y, settings="lbfgs")
    decoder = model.decoder(model.encode_words(X * 20))  # enough for products
    best = decoder.best()
    alone = decoder.chunks(model.label_names, best)
    monkeypatch.delattr(spans, "_logs")
    together = decoder.chunks(model.label_names, best, together=True)
    assert sum(map(len, alone)) >= 120
    for one, other in zip(together, alone, strict=True):
        assert [chunk[:3] for chunk in one] == [chunk[:3] for chunk in other]
        assert [chunk[3] for chunk in one] == pytest.approx([chunk[3] for chunk in other], rel=ALGEBRA)
