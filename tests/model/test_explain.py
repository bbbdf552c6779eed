"""explain: the terms add up to the difference of two paths, and what is explained is what is predicted."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import CRF, Model
from tagfield.data.encode import encode_files
from tagfield.data.text.sources import Source
from tagfield.errors import InputError
from tagfield.model.explain import explain
from tests.support.chains import tagged, three_crfs

X, Y = tagged(40)
CRFS = three_crfs(X, Y)


def path_score(crf: CRF, x: list, labels: list) -> float:
    """θ·Φ(x, y) from the weights by name."""
    state, trans = crf.state_features_, crf.transition_features_
    score = sum(trans.get(pair, 0.0) for pair in pairwise(labels))
    for token, label in zip(x, labels, strict=True):
        score += state.get((f"word:{token['word']}", label), 0.0)
        score += state.get((f"class:mod7:{token['class']['mod7']}", label), 0.0)
        score += sum(token[k] * state.get((k, label), 0.0) for k in ("bias", "even", "BOS"))
    return score


@given(st.integers(0, 39), st.data(), st.sampled_from(range(len(CRFS))))
@settings(deadline=None, max_examples=60)
def test_what_separates_the_runner_up_sums_to_the_difference(sequence: int, data, which: int) -> None:
    """eli5#77, python-crfsuite#99: weights that do not add up explain nothing."""
    crf, x = CRFS[which], X[sequence]
    t = data.draw(st.integers(0, len(x) - 1))
    why = crf.explain(x, t)
    best = crf.predict_single(x)
    others = set(crf.classes_) - {best[t]}
    second = crf.predict_single(x, known={t: others})
    assert (why.label, why.runner_up) == (best[t], second[t])
    assert sum(amount for _, amount in why.separates) == pytest.approx(why.difference, abs=1e-9)
    assert why.difference == pytest.approx(path_score(crf, x, best) - path_score(crf, x, second), abs=1e-4)
    assert why.difference >= -1e-5
    for label, score in why.scores.items():
        parts = sum(row[label] for _, _, row in why.attributes) + why.into[label] + why.out_of[label]
        assert score == pytest.approx(parts, abs=1e-9)
    swapped = [*best]
    swapped[t] = second[t]
    apart = path_score(crf, x, best) - path_score(crf, x, swapped)
    assert why.scores[best[t]] - why.scores[second[t]] == pytest.approx(apart, abs=1e-4)
    assert why.probabilities == pytest.approx(crf.predict_marginals_single(x)[t], abs=1e-6)


@given(st.integers(0, 39), st.data())
@settings(deadline=None, max_examples=40)
def test_the_label_that_was_expected_and_labels_that_are_known(sequence: int, data) -> None:
    """The runner-up is then the best path with that label, among the paths that the known labels allow."""
    crf, x = CRFS[0], X[sequence]
    model = crf.model_
    labels = list(model.label_names)
    encoded = model.encode([x])
    t = data.draw(st.integers(0, len(x) - 1))
    known = data.draw(st.dictionaries(st.integers(0, len(x) - 1), st.sampled_from(labels), max_size=2))
    [best] = model.tag(encoded, known=[known])
    expected = data.draw(st.sampled_from(labels))
    why = explain(model, encoded, t, known=known, expected=expected)
    assert why.label == best[t]
    if t in known:
        assert (why.runner_up, why.separates) == (None, [])
        return
    wanted = expected if expected != best[t] else set(labels) - {expected}
    [second] = model.tag(encoded, known=[{**known, t: wanted}])
    assert why.runner_up == second[t]
    assert sum(amount for _, amount in why.separates) == pytest.approx(why.difference, abs=1e-9)
    log_p = model.log_probability(encoded, [best])[0] - model.log_probability(encoded, [second])[0]
    assert why.difference == pytest.approx(log_p, abs=1e-4)


def test_a_label_that_there_is_not_cannot_be_expected() -> None:
    model = CRFS[0].model_
    with pytest.raises(InputError, match="the model has no label 'nonsense'; choose one of"):
        explain(model, model.encode([X[0]]), 0, expected="nonsense")


def test_a_model_with_constraints_of_its_own_has_a_runner_up(tmp_path) -> None:
    crf = CRF(c2=0.1, constraints="BIO").fit([[["a"], ["b"]]] * 4, [["B-X", "I-X"], ["O", "O"]] * 2)
    crf.save(tmp_path / "m")
    model = Model.load(tmp_path / "m")
    why = explain(model, [["a"], ["b"]], 1)
    assert {why.label, why.runner_up} <= {"B-X", "I-X", "O"}
    assert why.runner_up is not None
    assert explain(model, [["a"], ["b"]], 0).probabilities["I-X"] == 0


def test_words_come_from_files_from_templates_or_from_you() -> None:
    text = b"Anna N B-PER\nleft V O\n\nBen N B-PER\nslept V O\n"
    model = Model.train(encode_files(Source("a.txt", text), columns="w pos y"), "lbfgs")
    encoded = model.encode_files(Source("b.txt", text))
    assert explain(model, encoded.take(np.array([1])), 0).words == ["Ben", "slept"]
    crf = CRF(template="words").fit([["Anna", "left"]] * 3, [["B-PER", "O"]] * 3)
    assert crf.explain(["Anna", "left"], 1).words == ["Anna", "left"]
    page = crf.explain(["<b>", "left"], 1)._repr_html_()
    assert "&lt;b&gt;" in page
    assert CRFS[0].explain(X[0], 0).words is None
    with pytest.raises(InputError, match="words must be a list of 2 strings, one for each token, got 1"):
        crf.explain(["Anna", "left"], 1, words=["Anna"])


def test_one_label_has_no_runner_up() -> None:
    why = CRF().fit([[["a"]]], [["X"]]).explain([["a"]], 0)
    assert (why.label, why.runner_up, why.separates, why.probability) == ("X", None, [], 1.0)


@pytest.mark.parametrize("t", [-1, 5])
def test_a_position_that_is_not_there(t: int) -> None:
    with pytest.raises(InputError, match=f"position {t} does not exist; the sequence has positions 0 to 1"):
        CRF().fit([[["a"], ["b"]]], [["X", "Y"]]).explain([["a"], ["b"]], t)


def test_what_is_explained_is_what_is_predicted_under_constraints() -> None:
    crf = CRF(c2=0.1, max_iterations=3).fit(X, Y)
    free = [crf.predict_single(x) for x in X]
    crf.constraints = lambda before, after: after is None or before is None or before != after
    bound = [crf.predict_single(x) for x in X]
    assert free != bound
    for x, labels in zip(X[:10], bound, strict=False):
        for t, label in enumerate(labels):
            why = crf.explain(x, t)
            assert why.label == label
            assert why.probability == pytest.approx(crf.predict_marginals_single(x)[t][label], abs=1e-6)
            other = crf.predict_single(x, known={t: set(crf.classes_) - {label}})
            assert why.runner_up == other[t]
            assert why.difference == pytest.approx(path_score(crf, x, labels) - path_score(crf, x, other), abs=1e-6)
    crf.constraints = lambda before, after: after in (None, "O")
    assert crf.explain(X[0], 0).runner_up is None
