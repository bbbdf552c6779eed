"""explain: sums that are exact, and pages that can be read."""

import json
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
from tagfield.model.explanation import add_up
from tests.support.chains import tagged

X, Y = tagged(40)
CRFS = [
    CRF(c2=0.1).fit(X, Y),
    CRF("ap", all_possible_states=True, all_possible_transitions=True).fit(X, Y),
    CRF(c1=0.2, c2=0.01).fit(X, Y),
]


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


def test_text_dict_and_html() -> None:
    crf = CRF(c2=0.1).fit([[["<b>&"], ["y"]]] * 5, [["<A>", "B"]] * 5)
    why = crf.explain([["<b>&"], ["y"]], 0)
    assert str(why).startswith("position 0: <A>  P=0.")
    assert "<b>&" in str(why)
    assert json.loads(json.dumps(why.to_dict()))["label"] == "<A>"
    page = why._repr_html_()
    assert "&lt;b&gt;&amp;" in page
    assert "<b>&amp;" not in page
    assert page.count("<tr>") == len(why.separates) + 2 + len(why.parts(why.shown()))  # a sum, and a head


@given(st.integers(0, 39), st.data(), st.sampled_from(range(len(CRFS))))
@settings(deadline=None, max_examples=60)
def test_the_figures_that_are_shown_add_up(sequence: int, data, which: int) -> None:
    """The terms to "ahead by"; and the note says how far the scores of the two labels differ, and why."""
    crf, x = CRFS[which], X[sequence]
    t = data.draw(st.integers(0, len(x) - 1))
    expected = data.draw(st.sampled_from(list(crf.classes_)))
    words = [token["word"] for token in x]
    why = crf.explain(x, t, expected=expected, words=words)
    first, head, *rest = str(why).split("\n")
    assert f"[{words[t]}]" in first
    assert head.startswith(f"position {t} “{words[t]}”: {why.label}  P=")
    assert head.endswith(f"(ahead of {why.runner_up} by {why.difference:.4f})")
    terms = [float(line.split()[0]) for line in rest[: rest.index("")]]
    assert terms[-1] == pytest.approx(why.difference, abs=6e-5)
    assert sum(round(10_000 * term) for term in terms[:-1]) == round(10_000 * terms[-1])
    table = [line.split() for line in rest[rest.index("") + 2 : -1]]
    for column in range(len(why.shown())):
        *amounts, total = [round(10_000 * float(cells[column])) for cells in table]
        assert sum(amounts) == total
    page, note = why._repr_html_(), why.note()
    assert f">{why.difference:+.4f}</td>" in page
    assert f"by {why.difference:.4f}" in page
    best = crf.predict_single(x)
    other = crf.predict_single(x, known={t: why.runner_up})
    assert why.changes == [(p, a, b) for p, (a, b) in enumerate(zip(best, other, strict=True)) if a != b]
    here = why.scores[why.label] - why.scores[why.runner_up]
    assert f"differ by {here:.4f}" in note
    assert note in str(why)
    if len(why.changes) == 1:
        assert here == pytest.approx(why.difference, abs=1e-4)
        assert note.endswith("the two paths differ only at this token.")
    else:
        assert here >= why.difference - 1e-4  # the other path changed its neighbours because that is better
        assert f"brings it {here - why.difference:.4f} closer" in note
        for p, old, new in [change for change in why.changes if change[0] != t][:5]:
            assert f"position {p} “{words[p]}” from {old} to {new}" in note


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=12))
def test_rounded_amounts_add_up_and_stay_close(amounts: list[float]) -> None:
    rounded = add_up(amounts, sum(amounts))
    assert round(100 * sum(rounded)) == round(100 * round(sum(amounts), 2))
    assert all(abs(a - b) <= 0.0151 for a, b in zip(amounts, rounded, strict=True))


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


def test_the_largest_weights() -> None:
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


def test_rules_can_force_the_other_path_to_change_more() -> None:
    x, y = [["a"], ["b"]], ["B-X", "I-X"]
    crf = CRF(c2=0.1, constraints="BIO").fit([x] * 4 + [[["c"], ["b"]]] * 2, [y] * 4 + [["O", "O"]] * 2)
    why = crf.explain(x, 0, expected="O")
    assert why.changes[0] == (0, "B-X", "O")
    assert why.changes[1][:2] == (1, "I-X")  # I-X cannot follow O
    assert "The best path with O here also changes position 1 from I-X to " in why.note()


def test_text_and_html_show_every_part_of_a_score() -> None:
    crf, x = CRFS[0], X[0]
    why = crf.explain(x, 1)
    shown = why.shown()
    assert shown[:2] == [why.label, why.runner_up]
    *parts, (last, sums) = why.parts(shown)
    assert last == "sum"
    for column, total in enumerate(sums):
        assert sum(amounts[column] for _, amounts in parts) == pytest.approx(total, abs=1e-9)
    rows = str(why).split("\n")
    for what, amounts in why.parts(shown):
        [row] = [row for row in rows[rows.index("") :] if row.endswith(f"  {what}")]
        assert float(row.split()[0]) == pytest.approx(amounts[0], abs=1.51e-4)  # rounded, and one step to add up
        assert row.split()[0] in why._repr_html_()
    assert "transition in" in why._repr_html_()
