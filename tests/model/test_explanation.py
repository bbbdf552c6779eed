"""Explanation as text, dict and HTML: every part of a score is shown, and the figures add up."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import CRF
from tagfield.model.explanation import add_up
from tests.support.chains import tagged, three_crfs

X, Y = tagged(40)
CRFS = three_crfs(X, Y)


def test_html_is_escaped_and_the_dict_is_json() -> None:
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
