"""Tagger and ItemSequence beside python-crfsuite's: the same answers, the same text, the same errors."""

import os
import random
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagfield.pycrfsuite as ours
from tests.model.formats.test_crfsuite import small

theirs = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra dev has it)")

PROBABILITY = 1e-6  # values of attributes are float32 here and float64 in CRFsuite

names = st.text(st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=("Cn",)), max_size=6)
keys = names | names.map(str.encode)
numbers = st.floats(-9, 9) | st.integers(-9, 9) | st.booleans()
nested = st.recursive(
    numbers | keys | st.lists(keys, max_size=3) | st.sets(keys, max_size=3),
    lambda inner: st.dictionaries(keys, inner, max_size=3),
    max_leaves=4,
)
items = st.lists(keys, max_size=3) | st.dictionaries(keys, nested, max_size=3) | st.sets(keys, max_size=3)
sequences = st.lists(items | names, max_size=4)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tagger") / "m.crfsuite"
    small(path, labels=("A", "B", "C d", "é"))  # python-crfsuite cannot read its own dump of an empty label
    return str(path)


@given(sequences)
def test_items(xseq: list[Any]) -> None:
    mine, peer = ours.ItemSequence(xseq), theirs.ItemSequence(xseq)
    assert len(mine) == len(peer)
    assert mine.items() == peer.items()


def test_answers(model: str) -> None:
    one, other = ours.Tagger(), theirs.Tagger()
    one.open(model)
    other.open(model)
    assert one.labels() == other.labels()
    rng = random.Random(3)
    for _ in range(50):
        x = [{f"w{rng.randrange(40)}": rng.choice([1, 0.5, -2, True]), "é": f"x{rng.randrange(12)}"} for _ in range(4)]
        best = other.tag(x)
        assert one.tag(x) == best
        assert one.tag() == best
        assert one.tag(ours.ItemSequence(x)) == best
        assert one.probability(best) == pytest.approx(other.probability(best), abs=PROBABILITY)
        other.set(x)
        one.set(tuple(x))
        for label in one.labels():
            assert one.marginal(label, 2) == pytest.approx(other.marginal(label, 2), abs=PROBABILITY)


@pytest.mark.parametrize(
    "x",
    [
        [["w1", "w1"], {"w2": 1.0}],
        ["w1", "w2"],
        [{b"w1": True}, [b"w2"]],
        [{"é": {"x1", "x2"}}, {"é": {"x1": 0.5}}],
        [[], {}],
        [{"unknown": 3}],
        [{"w1": "x"}],
        [],
    ],
)
def test_every_form_of_items(model: str, x: list[Any]) -> None:
    one, other = ours.Tagger(), theirs.Tagger()
    one.open_inmemory(Path(model).read_bytes())
    kept = Path(model).read_bytes()  # python-crfsuite keeps a pointer into it
    other.open_inmemory(kept)
    assert one.tag(x) == other.tag(x)
    other.set(x)
    assert one.probability(["A"] * len(x)) == pytest.approx(other.probability(["A"] * len(x)), abs=PROBABILITY)


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    x = [{b"\xff\xe9": 1.0}, {b"caf\xe9": 1.0}]
    for trainer_of, path in ((ours, tmp_path / "ours"), (theirs, tmp_path / "theirs")):
        trainer = trainer_of.Trainer("lbfgs", {"c2": 0.01}, verbose=False)
        trainer.append(x, ["X", "Y"])
        trainer.train(str(path))
        for tagger_of in (ours, theirs):
            tagger = tagger_of.Tagger()
            tagger.open(str(path))
            assert tagger.tag(x) == ["X", "Y"]
            assert tagger.tag(x[::-1]) == ["Y", "X"]
    escaped = ours.Tagger()
    escaped.open(tmp_path / "theirs")
    assert escaped.tag([{"caf\udce9": 1.0}]) == ["Y"]


def test_the_dump_is_the_same_text(model: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    one, other = ours.Tagger(), theirs.Tagger()
    one.open(model)
    other.open(model)
    one.dump(tmp_path / "ours")
    other.dump(str(tmp_path / "theirs"))
    assert (tmp_path / "ours").read_text() == (tmp_path / "theirs").read_text()
    one.dump()
    assert capfd.readouterr().out == (tmp_path / "ours").read_text()
    parser = ours.dump.CRFsuiteDumpParser()
    for line in (tmp_path / "ours").read_text().splitlines():
        parser.feed(line)
    mine, peer = one.info(), other.info()
    for name in ("header", "labels", "attributes", "transitions", "state_features"):
        read, expected = getattr(parser.result, name), getattr(peer, name)
        assert read == expected
        assert getattr(mine, name).keys() == expected.keys()
    for name in ("transitions", "state_features"):
        assert {k: round(w, 6) for k, w in getattr(mine, name).items()} == getattr(peer, name)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: t.labels(), ValueError, "The tagger is not opened"),
        (lambda t: t.info(), RuntimeError, "Tagger is closed"),
        (lambda t: t.dump(os.devnull), RuntimeError, "Tagger is closed"),
        (lambda t: t.open("/no/such/model"), FileNotFoundError, "No such file"),
        (lambda t: t.open("/"), IsADirectoryError, "Is a directory"),
        (lambda t: t.open(__file__), ValueError, "Invalid model file '.*test_tagger.py'"),
        (lambda t: t.open_inmemory(b"xxxx"), ValueError, "Invalid model"),
        (lambda t: t.open_inmemory(b"lCRF"), ValueError, "Invalid model: incomplete header"),
        (lambda t: t.open_inmemory("lCRF"), TypeError, "expected bytes, got str"),
    ],
)
def test_errors_of_a_closed_tagger(call: Any, error: type[Exception], message: str) -> None:
    for module in (ours, theirs):
        with pytest.raises(error, match=message):
            call(module.Tagger())


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: t.probability(["A"]), ValueError, r"items and labels differ: \|x\| = 2, \|y\| = 1"),
        (lambda t: t.probability(["A", "Q"]), RuntimeError, "Failed to convert into label identifier: Q"),
        (lambda t: t.marginal("Q", 0), RuntimeError, "Failed to convert into label identifier: Q"),
        (lambda t: t.marginal("A", 2), ValueError, "out of range of 2"),
        (lambda t: t.marginal("A", -1), ValueError, "out of range of 2"),
    ],
)
def test_errors_of_an_open_tagger(model: str, call: Any, error: type[Exception], message: str) -> None:
    for module in (ours, theirs):
        tagger = module.Tagger()
        tagger.open(model)
        tagger.set([["w1"], ["w2"]])
        with pytest.raises(error, match=message):
            call(tagger)


def test_before_the_first_sequence(model: str) -> None:
    for module in (ours, theirs):
        with module.Tagger().open(model) as tagger:
            assert (tagger.tag(), tagger.probability(["A"]), tagger.marginal("A", 0)) == ([], 0.0, 0.0)


def test_what_ends_the_process_in_crfsuite_is_an_error(model: str, tmp_path: Path) -> None:
    tagger = ours.Tagger()
    for call in (lambda: tagger.tag([["a"]]), lambda: tagger.set([["a"]]), lambda: tagger.marginal("A", 0)):
        with pytest.raises(ValueError, match="The tagger is not opened"):
            call()
    (tmp_path / "half").write_bytes(Path(model).read_bytes()[:3000])
    with pytest.raises(ValueError, match=r"Invalid model file .* is damaged: its header says"):
        tagger.open(tmp_path / "half")
    with tagger.open(model):
        with pytest.raises(ValueError, match="value of 'a' must be a finite 32-bit number"):
            tagger.tag([{"a": float("nan")}])
        for wrong in (5, [5], [None], [["a", 1]], [{"a": None}], [{1: 2}], [{"a": 1j}]):
            with pytest.raises(TypeError):
                tagger.tag(wrong)


def test_marginals_after_tag_are_right(model: str) -> None:
    """In python-crfsuite, tag() overwrites the table that marginal() reads."""
    with ours.Tagger().open(model) as tagger:
        tagger.set([["w1"], ["w2"]])
        before = tagger.marginal("A", 0)
        tagger.tag()
        assert tagger.marginal("A", 0) == before


def test_a_model_of_tagfield_opens_too(tmp_path: Path) -> None:
    from tagfield import Model, Settings, encode_sequences

    model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("lbfgs"))
    model.save(tmp_path / "m")
    with ours.Tagger().open(tmp_path / "m") as tagger:
        assert tagger.tag([["b"], ["a"]]) == ["Y", "X"]
        assert tagger.info().header["num_labels"] == "2"


def test_threads_that_share_a_tagger_get_their_own_labels(tmp_path: Path) -> None:
    trainer = ours.Trainer(verbose=False)
    trainer.append([["a"], ["b"]], ["X", "Y"])
    trainer.train(str(tmp_path / "m"))
    tagger = ours.Tagger()
    tagger.open(str(tmp_path / "m"))
    wrong: list[object] = []

    def ask(x: list[list[str]], y: list[str]) -> None:
        for _ in range(3000):
            try:
                found = tagger.tag(x)
            except ValueError:  # closed by the third thread
                continue
            if found != y:
                wrong.append(found)

    def reopen() -> None:
        for _ in range(30):
            tagger.close()
            tagger.open(str(tmp_path / "m"))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        jobs: list[Any] = [(ask, (x, tagger.tag(x))) for x in ([["a"]] * 3, [["b"]])] + [(reopen, ())]
        threads = [threading.Thread(target=job, args=given) for job, given in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong
