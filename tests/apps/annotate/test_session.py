"""A session: the order, leases, answers that are refused, undo, skip, new labels, progress."""

from pathlib import Path

import pytest

from tagfield import Model, read
from tagfield.apps.annotate.app import read_marks
from tagfield.apps.annotate.session import LEASE, Session
from tagfield.apps.serve.refusals import Refusal
from tagfield.errors import InputError, OutputError
from tests.support.annotation import TEXTS, gold, session_of

PATIENT = 60.0


def label(session: Session, client: str = "me") -> str:
    """Label the next sentence correctly; its key."""
    assert session.settle(PATIENT)
    sentence = session.next(client)
    assert sentence is not None
    session.answer(client, sentence["key"], read_marks(gold(sentence["words"])))
    return sentence["key"]


def saved(folder: Path) -> list[tuple[str, ...]]:
    path = folder / "labelled.txt"
    return [sentence.words for sentence in read(path).sentences()] if path.stat().st_size else []


def test_the_least_sure_comes_first_and_suggestions_begin(tmp_path: Path) -> None:
    strange = "Zzyx qwert Blorb quux Vlim ."
    with session_of(tmp_path, [*TEXTS, *["Dan lives in Bonn today ."] * 3, strange]) as session:
        first = session.next("me")
        assert first is not None
        assert not first["suggested"]
        keys = [label(session) for _ in range(5)]
        assert len(set(keys)) == 5
        assert session.settle(PATIENT)
        shown = session.next("me")
        assert shown is not None
        assert shown["suggested"]
        assert len(shown["sure"]) == len(shown["words"])
        model = session.model
        assert model is not None
        left = [s.words for s, key in zip(session.pool.sentences, session.pool.keys, strict=True) if key not in keys]
        doubt = {words: 1 - _mean_top(model, words) for words in left}
        assert len(left) <= 10
        assert tuple(shown["words"]) == max(doubt, key=doubt.__getitem__)


def _mean_top(model: Model, words: tuple[str, ...]) -> float:
    return float(model.marginals(model.encode_words([list(words)]))[0].max(axis=1).mean())


def test_ten_sentences_give_a_model_and_a_score(tmp_path: Path) -> None:
    with session_of(tmp_path, model_path=str(tmp_path / "labelled.model")) as session:
        for _ in range(10):
            label(session)
        assert session.settle(PATIENT)
        state = session.state("me")
        assert (state["labelled"], state["left"], state["learned"]) == (10, len(TEXTS) - 10, 10)
        assert state["progress"]["recent"] == 9  # the first one had no suggestion
        assert 0.5 < state["progress"]["unchanged"] <= 1
    model = Model.load(tmp_path / "labelled.model")
    assert model.info["annotated"] == 10
    assert model.tag_words([["Anna", "lives", "in", "Rome", "today", "."]]) == [["B-PER", "O", "O", "B-LOC", "O", "O"]]


def test_held_out_data_gives_the_score(tmp_path: Path) -> None:
    dev = tmp_path / "dev.txt"
    dev.write_text("Ben B-PER\nleft O\n\n")
    with session_of(tmp_path, dev=list(read(dev).sentences())) as session:
        for _ in range(3):
            label(session)
        assert session.settle(PATIENT)
        progress = session.state()["progress"]
        assert progress["kind"] == "F1"
        assert progress["points"][-1][0] == 3


def test_two_windows_get_two_sentences_and_the_first_answer_counts(tmp_path: Path) -> None:
    now = [0.0]
    with session_of(tmp_path, clock=lambda: now[0]) as session:
        one, two = session.next("one"), session.next("two")
        assert one is not None
        assert two is not None
        assert one["key"] != two["key"]
        again = session.next("one")
        assert again is not None
        assert again["key"] == one["key"]  # a page that is loaded again
        now[0] += LEASE + 1
        taken = session.next("three")
        assert taken is not None
        assert taken["key"] in (one["key"], two["key"])
        session.answer("three", taken["key"], [])
        late = "one" if taken["key"] == one["key"] else "two"
        with pytest.raises(Refusal, match="labelled in another window; the first answer is kept"):
            session.answer(late, taken["key"], [])
        session.answer("three", taken["key"], [])  # the same again: its acknowledgement was lost
        assert len(saved(tmp_path)) == 1


def test_undo_takes_back_the_last_of_this_window_and_shows_it_as_it_was_left(tmp_path: Path) -> None:
    with session_of(tmp_path) as session:
        mine = label(session, "one")
        other = label(session, "two")
        found = session.undo("one")
        assert found["key"] == mine
        assert found["marks"] == gold(found["words"])
        assert len(saved(tmp_path)) == 1
        again = session.next("one")
        assert again is not None
        assert again["key"] == mine
        with pytest.raises(Refusal, match="nothing to undo"):
            session.undo("one")
        session.answer("one", mine, [])
        assert {mine, other} == {key for key in session.pool.keys if _is_saved(session, key, tmp_path)}


def _is_saved(session: Session, key: str, folder: Path) -> bool:
    return session.pool.sentences[session.pool.keys.index(key)].words in saved(folder)


def test_a_restart_goes_on_and_can_undo_what_was_before(tmp_path: Path) -> None:
    with session_of(tmp_path) as session:
        keys = [label(session) for _ in range(3)]
    with session_of(tmp_path) as session:
        assert session.state()["labelled"] == 3
        assert session.settle(PATIENT)
        found = session.next("new")
        assert found is not None
        assert found["suggested"]
        assert found["key"] not in keys
        assert session.undo("new")["key"] == keys[-1]
        rest = {label(session, "new") for _ in range(len(TEXTS) - 2)}
        assert session.next("new") is None
        assert rest | set(keys) == set(session.pool.keys)


def test_skipped_sentences_come_last(tmp_path: Path) -> None:
    with session_of(tmp_path, TEXTS[:3]) as session:
        first = session.next("me")
        assert first is not None
        session.skip("me", first["key"])
        others = {label(session), label(session)}
        assert first["key"] not in others
        assert label(session) == first["key"]


def test_new_labels_and_answers_that_are_wrong(tmp_path: Path) -> None:
    with session_of(tmp_path) as session:
        found = session.next("me")
        assert found is not None
        with pytest.raises(InputError, match="no label named 'DATE'; add it first"):
            session.answer("me", found["key"], read_marks([{"start": 0, "end": 1, "label": "DATE"}]))
        session.add_label("DATE")
        with pytest.raises(InputError, match="two marks overlap at word 2"):
            session.answer("me", found["key"], read_marks([_mark(0, 2, "DATE"), _mark(1, 3, "PER")]))
        with pytest.raises(InputError, match="but the sentence has"):
            session.answer("me", found["key"], read_marks([_mark(0, 99, "DATE")]))
        with pytest.raises(Refusal, match="not in the files"):
            session.answer("me", "none", [])
        session.answer("me", found["key"], read_marks([_mark(0, 2, "DATE")]))
        assert (tmp_path / "labelled.txt").read_text().split()[1:4:2] == ["B-DATE", "I-DATE"]


def test_a_file_that_is_being_edited_is_left_alone_until_it_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "labelled.txt"
    with session_of(tmp_path) as session:
        label(session)
        before = path.read_text()
        shown = session.next("me")
        assert shown is not None
        for broken in (before[:-8], before.replace("\tO", " ", 1), before + "It", before.replace("B-", "NN", 1)):
            path.write_text(broken)
            with pytest.raises(OutputError, match=r"cannot be used now \(.*\); correct the file and save it"):
                session.answer("me", shown["key"], read_marks(gold(shown["words"])))
            with pytest.raises(OutputError, match="was changed by another program and cannot be used now"):
                session.undo("me")
            assert path.read_text() == broken
        path.write_text(before + "It\tO\nrains\tB-TIME\n\n")
        session.answer("me", shown["key"], read_marks(gold(shown["words"])))
        assert [words[0] for words in saved(tmp_path)][1:] == ["It", shown["words"][0]]
        assert "TIME" in session.state()["labels"]
        assert session.undo("me")["key"] == shown["key"]
        assert path.read_text() == before + "It\tO\nrains\tB-TIME\n\n"
    assert (tmp_path / "labelled.kept-1.txt").read_text() == before  # a version that lacked what was labelled here


def test_undo_shows_the_labels_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "labelled.txt"
    with session_of(tmp_path) as session:
        label(session)
        path.write_text(path.read_text().replace("B-PER", "B-LOC"))  # of equal size
        assert {mark["label"] for mark in session.undo("me")["marks"]} == {"LOC"}
        assert path.read_text() == ""


def test_sentences_that_an_editor_dropped_are_kept_and_come_again(tmp_path: Path) -> None:
    path = tmp_path / "labelled.txt"
    with session_of(tmp_path) as session:
        first = label(session)
        old = path.read_text()
        second = label(session)
        path.write_text(old)  # saved by an editor that was opened before the second one
        third = session.next("me")
        assert third is not None
        with pytest.raises(OutputError, match=r"no longer has a sentence as labelled here; .*labelled\.kept-1\.txt"):
            session.answer("me", third["key"], [])
        session.answer("me", third["key"], [])
        assert {first, third["key"]} == {key for key in session.pool.keys if _is_saved(session, key, tmp_path)}
        rest = {label(session) for _ in range(len(TEXTS) - 2)}
        assert second in rest
        path.write_text("")
    assert len(list(read(tmp_path / "labelled.kept-2.txt").sentences())) == len(TEXTS)  # noticed at the end


def test_an_answer_whose_acknowledgement_was_lost_by_a_restart_is_acknowledged(tmp_path: Path) -> None:
    with session_of(tmp_path) as session:
        shown = session.next("me")
        assert shown is not None
        session.answer("me", shown["key"], read_marks(gold(shown["words"])))
    with session_of(tmp_path) as session:
        session.answer("me", shown["key"], read_marks(gold(shown["words"])))
        with pytest.raises(Refusal, match="the first answer is kept"):
            session.answer("me", shown["key"], [])
        assert len(saved(tmp_path)) == 1


def _mark(start: int, end: int, label: str) -> dict[str, object]:
    return {"start": start, "end": end, "label": label}
