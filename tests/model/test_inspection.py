"""Weights of a model: the largest, and what pruning leaves."""

import numpy as np
import pytest

from tagfield import CRF
from tests.support.chains import tagged, three_crfs

X, Y = tagged(40)
CRFS = three_crfs(X, Y)


def test_the_largest_weights_come_first_for_all_labels_or_one() -> None:
    crf = CRFS[0]
    weights = sorted(map(abs, crf.state_features_.values()), reverse=True)
    assert [abs(w) for _, _, w in crf.top_features(7)] == weights[:7]
    assert [label for _, label, _ in crf.top_features(3, label="O")] == ["O"] * 3
    assert len(crf.top_transitions(3)) == 3
    assert len(crf.top_features(10**6)) == len(weights)


@pytest.mark.parametrize("crf", CRFS)
def test_pruning_zeros_changes_no_prediction(crf: CRF) -> None:
    before, state, report = crf.predict_marginals(X), crf.state_features_, crf.size_report()
    crf.prune()
    assert crf.predict_marginals(X) == before
    assert crf.state_features_ == state
    after = crf.size_report()
    assert after.zeros == 0
    assert after.attributes <= report.attributes
    assert after.state_features + after.transition_features == sum(
        r != 0 for r in (*state.values(), *crf.transition_features_.values())
    )
    assert f"{after.attributes} attributes" in str(after)


def test_pruning_small_weights_keeps_the_large_ones() -> None:
    crf = CRF(c2=0.1).fit(X, Y)
    large = {key: w for key, w in crf.state_features_.items() if abs(w) > 0.5}
    crf.prune(0.5)
    assert crf.state_features_ == large
    assert set(crf.attributes_) == {a for a, _ in large}
    assert np.mean([a == b for p, q in zip(crf.predict(X), Y, strict=True) for a, b in zip(p, q, strict=True)]) > 0.7
    with pytest.raises(ValueError, match="threshold"):
        crf.prune(-1)
