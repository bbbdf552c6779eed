"""Files of CRFsuite, read where they are asked: the answers of the whole reader, or an error, whatever they hold."""

import os
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagfield.pycrfsuite as ours
from tagfield.compat.pycrfsuite import tagger as tagger_module
from tagfield.compat.pycrfsuite.late import open_late
from tagfield.data.text.stray_bytes import text_of_bytes
from tagfield.errors import InputError, ModelFileError, TagfieldError
from tagfield.model.formats import read_bytes
from tagfield.model.model import Model
from tests.model.formats.test_crfsuite import small
from tests.support.model_files import mutants

COUNT = int(os.environ.get("TAGFIELD_MUTANTS", "500"))  # 20,000 by hand
STRAY = b"caf\xe9"  # Latin-1, so not UTF-8
X = [[f"w{i}", f"é:x{i % 12}", "bias"] for i in range(40)] + [{"w3": 0.5, text_of_bytes(STRAY): 2.0}, ["unknown"], []]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("late") / "m.crfsuite"
    small(path, labels=("A", "B", "C d", "é"))
    return path.read_bytes()


def whole(data: bytes) -> ours.Tagger:
    """A Tagger that has read all of a file."""
    made = ours.Tagger()
    model = Model.load_bytes(data)
    found = tagger_module._opened(model)
    ids = {name: i for i, name in enumerate(found.labels)}
    made._source = tagger_module.Source(found.read, found.labels, ids, lambda: pytest.fail("not asked for"))
    return made


def answers(tagger: ours.Tagger, sequences: list[Any]) -> list[Any]:
    found: list[Any] = [tagger.labels()]
    for x in sequences:
        best = tagger.tag(x)
        rows = [[tagger.marginal(y, t) for y in tagger.labels()] for t in range(len(x))]
        found += [best, rows, tagger.probability(best)]
    return found


def test_answers_are_those_of_the_whole_reader_to_the_bit(file: bytes) -> None:
    late = opened(file)
    expected = whole(file)
    for _ in range(40):  # far more look-ups than attributes, so in the end all of them are taken
        assert answers(late, [X, X[:1], []]) == answers(expected, [X, X[:1], []])
    assert late.info().attributes == {name: str(i) for i, name in enumerate(read_bytes(file).attributes.strings())}


def test_all_attributes_are_taken_once(tmp_path: Path) -> None:
    """One sequence of unknown attributes passes the limit of searches: the call takes all others, once."""
    trainer = ours.Trainer("ap", {"max_iterations": 1}, verbose=False)
    trainer.append([[f"a{i}" for i in range(20_000)], ["b"]], ["X", "Y"])
    trainer.train(str(tmp_path / "m"))
    tagger = opened((tmp_path / "m").read_bytes())
    started = time.process_time()
    tagger.tag([[f"unknown{i}" for i in range(100_000)]])
    assert time.process_time() - started < 10  # 0.02 s; taking them for every attribute would be two minutes
    assert tagger.tag([["b"], ["a7"]]) == ["Y", "X"]


def test_the_file_is_not_read_as_a_whole(file: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.crfsuite"
    path.write_bytes(file)
    tagger = ours.Tagger()
    monkeypatch.setattr(Model, "load", lambda *_: pytest.fail("the whole model was read"))
    monkeypatch.setattr(Model, "load_bytes", lambda *_: pytest.fail("the whole model was read"))
    tagger.open(str(path))
    assert len(tagger.tag(X)) == len(X)
    path.write_bytes(bytes(len(file)))  # what is open does not change with its file
    assert answers(tagger, [X]) == answers(tagger, [X])


def test_attributes_that_are_not_utf8(tmp_path: Path) -> None:
    theirs = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra dev has it)")
    trainer = theirs.Trainer("lbfgs", {"c2": 0.1}, verbose=False)
    trainer.append([[STRAY], ["café"], ["\ufdd0"]], ["A", "B", "C"])
    trainer.train(str(tmp_path / "m"))
    data = (tmp_path / "m").read_bytes()
    late = opened(data)
    x = [[STRAY], [text_of_bytes(STRAY)], ["café"], ["\ufdd0"], [text_of_bytes("\ufdd0".encode())]]
    x += [["caf\ufdd4\ufde3\ufdd2\ufde9"]]  # stands for the bytes of é, which are UTF-8: no name has this text
    assert late.tag(x[:3]) == ["A", "A", "B"]
    assert answers(late, [x]) == answers(whole(data), [x])


def test_mutants_give_the_same_answers_or_an_error(file: bytes) -> None:
    """If the whole reader accepts a file, the answers are the same, or an error: it skips the slots that no name needs.

    If it refuses the file, the answers are labels, or an error.
    """
    rng = np.random.default_rng(14)
    same = refused = 0
    for raw in mutants(file, rng, COUNT):
        data = raw[:4] + struct.pack("<I", len(raw)) + raw[8:] if rng.random() < 0.8 else raw
        found, expected = outcome(opened, data), outcome(whole, data)
        if found is None:
            refused += 1
        elif expected is not None:
            assert found == expected
            same += 1
        else:
            labels, best, rows, *_ = found
            assert {*best} <= {*labels}
            assert np.isfinite(rows).all()
    assert same > COUNT // 20
    assert refused > COUNT // 4


def opened(data: bytes) -> ours.Tagger:
    made = ours.Tagger()
    made.open_inmemory(data)
    return made


def outcome(make: Callable[[bytes], ours.Tagger], data: bytes) -> list[Any] | None:
    """The answers; None if there is an error of ours. A score may be too large for probabilities."""
    try:
        return answers(make(data), [X[:9], X])
    except (TagfieldError, ValueError):
        return None


def test_a_damaged_weight_is_an_error_when_it_is_asked_for(file: bytes) -> None:
    parts = read_bytes(file)
    records = file.index(b"FEAT") + 12
    owner = parts.attributes.find("w3")
    places = range(records, records + 20 * int.from_bytes(file[records - 4 : records], "little"), 20)
    [at, *_] = [p for p in places if struct.unpack_from("<II", file, p) == (0, owner)]
    tagger = opened(file[: at + 12] + struct.pack("<d", float("nan")) + file[at + 20 :])
    assert tagger.tag([["w4"]])
    for _ in range(2):
        with pytest.raises(
            InputError, match="the model is damaged: a weight is not a finite number; copy the file again"
        ):
            tagger.tag([["w4"], ["w3"]])
    assert tagger.tag([["w4"]])
    with pytest.raises(ValueError, match="a weight is not a finite number"):
        tagger.info()


def test_a_name_that_its_hash_does_not_find(file: bytes) -> None:
    """CRFsuite would take it for an unknown attribute, without a word."""
    at = file.index(b"w3\0")
    changed = file[:at] + b"v3\0" + file[at + 3 :]
    with pytest.raises(ModelFileError, match=r"does not have the hash of its slot|not found by its hash"):
        read_bytes(changed)
    tagger = opened(changed)
    with pytest.raises(InputError, match="a name does not have the hash of its slot"):
        tagger.tag([["w3"]])


def test_models_that_have_to_be_read_as_a_whole(tmp_path: Path) -> None:
    assert open_late(b"lCRF" + bytes(100)) is None
    trainer, path = ours.Trainer(verbose=False), tmp_path / "empty"
    trainer.train(str(path))  # no labels
    assert path.read_bytes()[:4] == b"lCRF"
    assert open_late(path.read_bytes()) is None
