"""Errors and places, against the loop one would write, and reasons that add up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import InputError, Model
from tagfield.apps.errors import Labelled, find_errors
from tagfield.apps.errors.finding import RARE, Errors
from tagfield.apps.errors.labelled import word_finder
from tagfield.apps.errors.reasons import reason_for
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.sources import Source

WORDS = ["Anna", "Ben", "left", "Oslo", "in", "sleeps"]
TAGS = ["B-PER", "B-PER", "O", "B-LOC", "O", "O"]
LABELS = ["B-PER", "I-PER", "B-LOC", "I-LOC", "O"]
TRAIN = [["Anna", "left", "Oslo"], ["Ben", "sleeps", "in", "Oslo"], ["Anna", "Ben", "left"], ["left", "Anna"]] * 4
TRAIN_TAGS = [[TAGS[WORDS.index(word)] for word in sentence] for sentence in TRAIN]
MODEL = Model.train_words(TRAIN, TRAIN_TAGS, settings="lbfgs")

tokens = st.tuples(st.sampled_from([*WORDS, "new"]), st.sampled_from([*LABELS, "B-NEW", None]))
corpora = st.lists(st.lists(tokens, max_size=6), min_size=1, max_size=6)


def naive_places(
    model: Model, X: list[list[str]], y: list[list[str | None]]
) -> list[tuple[int, int, int, float, float]]:
    """(sentence, first, end, probability of the predicted label where it is furthest above that of the gold label)."""
    found = []
    for s, (words, gold) in enumerate(zip(X, y, strict=True)):
        if not words:
            continue
        (best,), (chances,) = model.tag_words([words]), model.marginals(model.encode_words([words]))
        place: list[int] = []
        for t in range(len(words) + 1):
            if t < len(words) and gold[t] is not None and gold[t] != best[t]:
                place.append(t)
            elif place:
                pairs = []
                for p in place:
                    of = {label: float(chances[p][i]) for i, label in enumerate(model.label_names)}
                    of_gold = of.get(str(gold[p]), 0.0)
                    pairs.append((of[best[p]] - of_gold, of[best[p]], of_gold))
                found.append((s, place[0], place[-1] + 1, *max(pairs)[1:]))
                place = []
    return found


def errors_of(X: list[list[str]], y: list[list[str | None]]) -> tuple[Labelled, Errors]:
    labelled = Labelled.of(MODEL, (X, y))
    return labelled, find_errors(MODEL, labelled)


@given(corpora)
@settings(deadline=None, max_examples=60)
def test_errors_and_places_are_those_of_a_loop(corpus: list[list[tuple[str, str | None]]]) -> None:
    X, y = [[w for w, _ in each] for each in corpus], [[label for _, label in each] for each in corpus]
    if not any(label is not None for labels in y for label in labels):
        with pytest.raises(InputError, match=r"^data: no token has a gold label to compare with; give labelled data$"):
            errors_of(X, y)
        return
    _, found = errors_of(X, y)
    expected, places = naive_places(MODEL, X, y), found.places
    assert list(zip(places.sentence.tolist(), places.first.tolist(), places.end.tolist(), strict=True)) == [
        each[:3] for each in expected
    ]
    assert places.chance.tolist() == pytest.approx([each[3] for each in expected], abs=1e-5)
    assert len(found) == sum(end - first for _, first, end, _, _ in expected)
    assert set(found.ranked.tolist()) == {s for s, *_ in expected}
    assert sum(count for _, _, count in found.confusions()) == len(found)
    for row, (s, first, end, _, of_gold) in enumerate(expected):
        if abs(of_gold - RARE) > 1e-5:
            assert bool(places.likely[row]) == (of_gold < RARE and "new" not in X[s][first:end])
    likely = [bool(places.likely[places.sentence == s].any()) for s in found.ranked]
    assert likely == sorted(likely, reverse=True)  # likely annotation errors first


@given(corpora)
@settings(deadline=None, max_examples=40)
def test_the_terms_of_a_place_add_up_to_what_the_paths_differ_by(corpus: list[list[tuple[str, str | None]]]) -> None:
    X, y = [[w for w, _ in each] for each in corpus], [[label for _, label in each] for each in corpus]
    if not any(label is not None for labels in y for label in labels):
        return
    labelled, found = errors_of(X, y)
    for row in range(len(found.places)):
        s, first, end = (int(each[row]) for each in (found.places.sentence, found.places.first, found.places.end))
        one = labelled.encoded.take(np.array([s]))
        best = MODEL.decoder(one).best()
        record = reason_for(MODEL, one, best, (first, end, first), one.gold).record
        wanted = {p: y[s][p] for p in range(first, end)}
        if "B-NEW" in wanted.values() or not set(wanted.values()) <= set(MODEL.label_names):
            assert record["say"].startswith("The model cannot predict ")
            continue
        (other,) = MODEL.tag_words([X[s]], known=[wanted])
        logs = [MODEL.log_probability(one, [path])[0] for path in (MODEL.tag_words([X[s]])[0], other)]
        assert record["sum"] == pytest.approx(float(logs[0] - logs[1]), abs=0.006)
        cents = [round(100 * term[2]) for term in record["terms"]]
        assert sum(cents) + round(100 * record["rest"]) == round(100 * record["sum"])
        assert (record["others"] > 0) or record["rest"] == 0
        for sums in [record["by"]] if "by" in record else []:
            assert sum(round(100 * amount) for _, amount in sums) == round(100 * record["sum"])
        changed = {p for p, _, _ in record.get("also", [])}
        outside = {p for p, (a, b) in enumerate(zip(MODEL.tag_words([X[s]])[0], other, strict=True)) if a != b}
        assert changed == outside - set(range(first, end))


def test_no_errors_are_no_places() -> None:
    _, found = errors_of([["Anna", "left"], []], [["B-PER", "O"], []])
    assert (len(found), len(found.places), found.likely, found.ranked.tolist(), found.accuracy) == (0, 0, 0, [], 1.0)
    assert found.confusions() == []


def test_large_files_are_decoded_in_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    X = [["Anna", "left"], ["in", "Oslo"], [], ["Ben"]] * 5
    y = [["O", "O"], ["O", "O"], [], ["O"]] * 5
    _, whole = errors_of(X, y)
    monkeypatch.setattr("tagfield.apps.errors.finding.CELLS", 15)
    _, cut = errors_of(X, y)
    assert whole.wrong.token.tolist() == cut.wrong.token.tolist()
    assert whole.ranked.tolist() == cut.ranked.tolist()
    np.testing.assert_allclose(whole.wrong.chance, cut.wrong.chance, atol=1e-6)


def test_every_format_gives_the_words() -> None:
    columns = Source("a.txt", b"Anna O\nleft O\n")
    assert Labelled.of(MODEL, columns).words(0) == ["Anna", "left"]
    lines = Source("a.jsonl", '{"tokens": ["Änna", "left"], "labels": ["O", "O"]}'.encode("latin-1"))
    assert Labelled.of(MODEL, lines, ReadOptions(encoding="latin-1")).words(0) == ["Änna", "left"]
    items = Model.train([Source("a.items", b"X\tw=Anna\tcap\n\nY\tw=left\n\n")], "lbfgs")
    labelled = Labelled.of(items, Source("b.items", b"Y\tw=Anna\nX\tw=Ben\tcap\n\n"))
    assert labelled.words(0) == ["w=Anna", "w=Ben"]
    assert labelled.short_name == "b.items"
    find = word_finder(items)
    assert find is not None
    assert [find(word) is None for word in labelled.words(0)] == [False, True]
    assert Labelled.of(items, ([[{"w": "Anna"}, ["cap"], []]], [["X", "Y", "X"]])).words(0) == ["w=Anna", "cap", ""]
