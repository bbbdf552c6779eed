"""`tagfield convert-model`: models of other programs become tagfield's, and back."""

import json
import pickle
from pathlib import Path

import pytest
import sklearn_crfsuite

from tagfield import CRF, Model, Settings, encode_sequences
from tests.support.cli_process import inside
from tests.support.model_files import MODELS, read_sentences

X = [[{"w": "a"}, {"w": "b"}]] * 2


def run(*arguments: str | Path) -> tuple[int, str, str]:
    return inside("convert-model", *arguments, input=b"", cwd=None)


@pytest.mark.parametrize("name", ["edges.crfpp", "edges.crfpp.txt", "macros.wapiti"])
def test_to_tagfield_and_back(name: str, tmp_path: Path) -> None:
    own, back = tmp_path / "own", tmp_path / "back"
    code, out, said = run(MODELS / name, own)
    assert (code, out) == (0, "")
    assert "4 labels" in said
    data = read_sentences("data.txt")
    assert Model.load(own).tag_words(data) == Model.load(MODELS / name).tag_words(data)
    assert run(own, back, "--to", "wapiti" if "wapiti" in name else "crfpp")[0] == 0
    if name != "edges.crfpp":
        assert back.read_bytes() == (MODELS / name).read_bytes()
    assert Model.load(back).tag_words(data) == Model.load(own).tag_words(data)


def test_crfpp_to_crfsuite_says_what_is_left_out(tmp_path: Path) -> None:
    code, _, said = run(MODELS / "plain.crfpp.txt", tmp_path / "new", "--to", "crfsuite")
    assert code == 0
    assert "left out: template crfpp; make attributes as it makes them" in said
    code, _, said = run(MODELS / "edges.crfpp.txt", tmp_path / "edges", "--to", "crfsuite")
    assert code == 3
    assert "transitions that look at the input" in said
    assert not (tmp_path / "edges").exists()


def test_crfsuite_to_wapiti_and_back_is_the_same_file(tmp_path: Path) -> None:
    old, raw, new = tmp_path / "old", tmp_path / "raw", tmp_path / "new"
    Model.load(MODELS / "plain.crfpp.txt").save(old, format="crfsuite")
    code, _, said = run(old, raw, "--to", "wapiti")
    assert code == 0
    assert "write u before each attribute, and give every item the token b" in said
    code, _, said = run(raw, new, "--to", "crfsuite")
    assert code == 3
    assert "--plain-names" in said
    assert run(raw, new, "--to", "crfsuite", "--plain-names")[0] == 0
    assert new.read_bytes() == old.read_bytes()
    assert "none of Wapiti's raw mode" in run(old, new, "--plain-names")[2]


def test_notes_name_what_a_file_of_tagfield_has_more(tmp_path: Path) -> None:
    own = tmp_path / "own"
    CRF().fit([[["a"], ["b"]]], [[1, 2]]).save(own)
    code, _, said = run(own, tmp_path / "new", "--to", "crfpp")
    assert code == 0
    assert "left out: the types of its labels, which become strings" in said
    assert "left out: how the model was trained" in said
    assert "one attribute in each of 2 columns" in said
    assert run(own, tmp_path / "new", "--to", "crfpp", "-q")[2] == ""


def test_pickles(tmp_path: Path) -> None:
    crfs = [sklearn_crfsuite.CRF(max_iterations=3).fit(X, [y] * 2) for y in (["A", "B"], ["C", "D"])]
    one, two, new = tmp_path / "one.pkl", tmp_path / "two.pkl", tmp_path / "new"
    one.write_bytes(pickle.dumps(crfs[0]))
    two.write_bytes(pickle.dumps({"ner": crfs[0], "pos": crfs[1]}))
    assert run(one, new)[0] == 0
    assert Model.load(new).tag([[["w:a"], ["w:b"]]]) == [["A", "B"]]
    code, _, said = run(two, new)
    assert code == 3
    assert "holds 2 models; choose one with --which (1: 2 labels (A, B), 2 attributes; 2: 2 labels (C, D)" in said
    assert run(two, new, "--which", "2", "--to", "crfsuite")[0] == 0
    assert new.read_bytes() == Path(crfs[1].modelfile.name).read_bytes()
    assert run(two, new, "--which", "3")[0] == 3
    assert "--which applies only to pickles" in run(new, tmp_path / "x", "--which", "1")[2]


def test_wrong_arguments(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.write_bytes((MODELS / "plain.crfpp.txt").read_bytes())
    before = model.read_bytes()
    code, _, said = run(model, model)
    assert code == 2
    assert "is an input file" in said
    assert model.read_bytes() == before
    assert "not to standard output" in run(model, "-")[2]
    assert "did you mean 'crfsuite'?" in run(model, tmp_path / "x", "--to", "crfsuit")[2]
    assert run(tmp_path / "missing", tmp_path / "x")[0] == 3
    assert run(MODELS / "memm.wapiti", tmp_path / "x")[0] == 3
    assert run(model, tmp_path / "no" / "folder")[0] != 0
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_json(tmp_path: Path) -> None:
    code, out, _ = run(MODELS / "plain.crfpp", tmp_path / "new", "--to", "crfpp", "--json", "-q")
    assert code == 0
    found = json.loads(out)
    assert (found["program"], found["format"], found["labels"]) == ("CRF++", "crfpp", 4)


def test_constraints_are_refused_or_dropped_by_name(tmp_path: Path) -> None:
    own, new = tmp_path / "own", tmp_path / "new"
    CRF(constraints="BIO").fit([[["a"], ["b"]]], [["B-X", "O"]]).save(own)
    for to in ("crfsuite", "crfpp", "wapiti"):
        code, _, said = run(own, new, "--to", to)
        assert code == 3
        assert "the model has constraints, which a file of" in said
        assert not new.exists()
        code, _, said = run(own, new, "--to", to, "--without-constraints")
        assert code == 0
        assert "left out: the constraints of its labels" in said
        new.unlink()
    assert run(own, new)[0] == 0
    assert Model.load(new).constraints == "BIO"
    assert run(own, new, "--without-constraints")[0] == 0
    assert Model.load(new).constraints is None


def test_notes_say_how_to_write_the_data(tmp_path: Path) -> None:
    own, new = tmp_path / "own", tmp_path / "a model"
    data = encode_sequences([[{"a": 2.0}, {"b": 1.0}]], [["X", "Y"]], edges=[[[], ["e"]]])
    Model.train(data, Settings("lbfgs", epochs=2)).save(own)
    said = run(own, new, "--to", "wapiti")[2]
    assert "write u before each attribute, b before each attribute of transitions, and give every item the" in said
    assert "every attribute counts 1 there" in said
    assert "crf_learn -C '" in run(MODELS / "plain.crfpp", new, "--to", "crfpp")[2]
    assert "counts 1" not in run(MODELS / "plain.crfpp", new, "--to", "wapiti")[2]
