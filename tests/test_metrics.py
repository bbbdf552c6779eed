"""The metrics against scikit-learn, seqeval and sklearn-crfsuite."""

import numpy as np
import pytest
import seqeval.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn import metrics as sk
from sklearn.metrics import make_scorer
from sklearn.model_selection import cross_validate

from tagfield import CRF, metrics
from tagfield.errors import InputError
from tests.support.chains import tagged

LABELS = ["O", "B-X", "I-X", "B-Y", "I-Y"]


@st.composite
def pairs(draw) -> tuple[list, list]:
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))
    label = st.sampled_from(LABELS)
    return tuple([draw(st.lists(label, min_size=n, max_size=n)) for n in lengths] for _ in range(2))


@given(pairs())
@settings(deadline=None)
def test_flat_metrics_are_scikit_learns_on_the_flattened_labels(drawn) -> None:
    true, pred = drawn
    flat = [[label for row in y for label in row] for y in drawn]
    more = {"average": "macro", "zero_division": 0}
    assert metrics.flat_accuracy_score(true, pred) == sk.accuracy_score(*flat)
    assert metrics.flat_f1_score(true, pred, **more) == sk.f1_score(*flat, **more)
    assert metrics.flat_precision_score(true, pred, **more) == sk.precision_score(*flat, **more)
    assert metrics.flat_recall_score(true, pred, **more) == sk.recall_score(*flat, **more)
    assert metrics.flat_fbeta_score(true, pred, 0.5, **more) == sk.fbeta_score(*flat, beta=0.5, **more)
    assert metrics.sequence_accuracy_score(true, pred) == np.mean([a == b for a, b in zip(true, pred, strict=True)])


@given(pairs())
@settings(deadline=None)
def test_chunk_metrics_are_seqevals(drawn) -> None:
    true, pred = drawn
    for ours, theirs in (
        (metrics.chunk_f1_score, seqeval.metrics.f1_score),
        (metrics.chunk_precision_score, seqeval.metrics.precision_score),
        (metrics.chunk_recall_score, seqeval.metrics.recall_score),
    ):
        assert ours(true, pred) == pytest.approx(theirs(true, pred, zero_division=0))
        if any(label != "O" for row in true for label in row):
            for average in ("macro", "weighted"):
                expected = theirs(true, pred, average=average, zero_division=0)
                assert ours(true, pred, average=average) == pytest.approx(expected)


def test_equal_lengths_do_not_confuse_the_sequence_accuracy() -> None:
    """sklearn-crfsuite 0.5.0 gives 3.0 for two perfect sequences of length 3."""
    y = [["A", "B", "C"], ["A", "B", "C"]]
    assert metrics.sequence_accuracy_score(y, y) == 1.0
    assert metrics.sequence_accuracy_score(np.array(y, dtype=object), y) == 1.0


def test_the_report_is_a_table_and_a_dict() -> None:
    true, pred = [["B-X", "I-X", "O", "B-Y"]], [["B-X", "I-X", "O", "B-X"]]
    rows = metrics.chunk_classification_report(true, pred, output_dict=True)
    assert rows["X"] == {"precision": 0.5, "recall": 1.0, "f1-score": pytest.approx(2 / 3), "support": 1}
    assert rows["micro avg"]["support"] == 2
    text = metrics.chunk_classification_report(true, pred, digits=3)
    assert "0.500     1.000     0.667         1" in text
    assert len(metrics.flat_classification_report(true, pred, zero_division=0).splitlines()) > 5


@pytest.mark.parametrize(
    ("true", "pred", "message"),
    [
        ([["A"]], [["A"], ["B"]], "y_true has 1 sequences, but y_pred has 2"),
        ([["A"]], [["A", "B"]], "sequence 0 has 1 labels in y_true, but 2 in y_pred"),
        (["A", "B"], ["A", "B"], r"y_true\[0\] is of type str"),
        ([["A"]], [3], r"y_pred\[0\] is of type int"),
    ],
)
def test_what_cannot_be_scored(true, pred, message: str) -> None:
    for metric in (metrics.flat_accuracy_score, metrics.sequence_accuracy_score, metrics.chunk_f1_score):
        if metric is metrics.sequence_accuracy_score and "labels in" in message:
            assert metric(true, pred) == 0  # one is not equal to the other
            continue
        with pytest.raises(InputError, match=message):
            metric(true, pred)


def test_what_else_cannot_be() -> None:
    assert metrics.sequence_accuracy_score([], []) == 0
    with pytest.raises(InputError, match="no average named 'samples'"):
        metrics.chunk_f1_score([["O"]], [["O"]], average="samples")


def test_weights_of_sequences_and_of_tokens() -> None:
    true, pred = [["A", "B"], ["A"]], [["A", "A"], ["A"]]
    for metric, options in (
        (metrics.flat_accuracy_score, {}),
        (metrics.flat_f1_score, {"average": "macro", "zero_division": 0}),
        (metrics.flat_precision_score, {"average": "weighted", "zero_division": 0}),
        (metrics.flat_recall_score, {"average": "micro"}),
        (metrics.flat_fbeta_score, {"beta": 2, "average": "macro", "zero_division": 0}),
    ):
        expected = metric(true, pred, sample_weight=[1, 1, 3], **options)
        assert metric(true, pred, sample_weight=[1, 3], **options) == expected
        assert metric(true, pred, sample_weight=[[1, 1], [3]], **options) == expected
        assert metric(true, pred, sample_weight=np.array([1, 3]), **options) == expected
        assert metric(true, pred, sample_weight=None, **options) == metric(true, pred, **options)
    assert metrics.flat_accuracy_score(true, pred, sample_weight=[1, 3]) == 0.8
    with pytest.raises(InputError, match="sample_weight has 5 entries, but there are 2 sequences with 3 tokens"):
        metrics.flat_accuracy_score(true, pred, sample_weight=[1] * 5)
    with pytest.raises(InputError, match="a list for each sequence, but not of the lengths of y_true"):
        metrics.flat_accuracy_score(true, pred, sample_weight=[[1], [3]])


def test_weights_that_scikit_learn_routes_to_the_scorer() -> None:
    X, y = tagged(12)
    weight = np.arange(1, 13)
    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(metrics.flat_accuracy_score).set_score_request(sample_weight=True)
        crf = CRF(max_iterations=3).set_fit_request(sample_weight=True)
        found = cross_validate(crf, X, y, params={"sample_weight": weight}, scoring=scorer, cv=2)
    assert found["test_score"].shape == (2,)
    fitted = CRF(max_iterations=3).fit(X[6:], y[6:], sample_weight=weight[6:])
    assert found["test_score"][0] == pytest.approx(fitted.score(X[:6], y[:6], sample_weight=weight[:6]))


def test_a_string_is_a_sequence_of_labels_where_y_pred_is_a_list() -> None:
    assert metrics.flat_accuracy_score(["BE", "S"], [["B", "E"], ["B"]]) == pytest.approx(2 / 3)


def test_sequences_of_other_lengths_do_not_match() -> None:
    assert metrics.sequence_accuracy_score([[1, 2], [3]], [[3], [1, 2]]) == 0
    assert metrics.sequence_accuracy_score([[1, 2], [3], [4]], [[1, 2], [4], [4]]) == 2 / 3
    assert metrics.sequence_accuracy_score([["x"] * 3] * 2, [["x"] * 3] * 2) == 1


def test_a_sequence_that_contains_itself_is_refused():
    loops = []
    for _ in range(2):
        labels = ["A"]
        labels.append(labels)
        loops.append([labels])
    with pytest.raises(InputError, match="contains itself"):
        metrics.sequence_accuracy_score(*loops)
