"""An estimator and its file: no pickle, the same predictions, labels of every plain kind, and constraints."""

import enum
import gc
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from tagfield import CRF, InputError
from tagfield.errors import ModelFileError
from tagfield.model.model import Model
from tagfield.system.storage import load_tensors, save_tensors
from tests.support.chains import tagged

X, Y = tagged(30)


def test_a_model_file_is_all_that_a_crf_needs(tmp_path) -> None:
    path = tmp_path / "model"
    fitted = CRF(c2=0.1, model_filename=path).fit(X, Y)
    for again in (CRF(model_filename=path), CRF(model_filename=str(path)), CRF.load(path)):
        assert again.predict(X) == fitted.predict(X)
        assert again.classes_ == fitted.classes_
        assert again.state_features_ == fitted.state_features_
        assert again.tagger_.labels() == fitted.classes_
        assert again.history_ == []
    assert CRF.load(path).model_filename is None  # fit would else write over it
    assert Model.load(path).tag(X) == fitted.predict(X)


@pytest.mark.parametrize(
    "labels",
    [[1, 2, 3], [True, False, "x"], [0.5, "0.5", 2], ["a", "b", "c"], [("a", 1), ("a", None), (("b",), b"c")]],
    ids=str,
)
def test_labels_come_back_as_they_were(labels: list, tmp_path) -> None:
    kinds = sorted({label for row in Y for label in row})
    y = [[labels[kinds.index(label) % 3] for label in row] for row in Y]
    fitted = CRF(c2=0.1).fit(X, y)
    fitted.save(tmp_path / "model")
    found = CRF.load(tmp_path / "model").predict(X)
    assert found == fitted.predict(X)
    assert [list(map(type, row)) for row in found] == [list(map(type, row)) for row in fitted.predict(X)]


def test_a_file_that_is_not_there_or_is_no_model(tmp_path) -> None:
    with pytest.raises(NotFittedError):
        CRF(model_filename=tmp_path / "none").predict(X)
    with pytest.raises(NotFittedError):
        CRF().save(tmp_path / "model")
    (tmp_path / "text").write_text("no model")
    with pytest.raises(ModelFileError):
        CRF(model_filename=tmp_path / "text").predict(X)


def test_fit_does_not_begin_with_the_file(tmp_path) -> None:
    path = tmp_path / "model"
    CRF(c2=0.1, model_filename=path).fit(X, Y)
    fresh = CRF(c2=0.1, model_filename=path).fit([[["a"], ["b"]]], [["P", "Q"]])
    assert fresh.classes_ == ["P", "Q"]
    assert CRF.load(path).classes_ == ["P", "Q"]


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


class Tag(enum.StrEnum):
    A = "a"
    B = "b"


@pytest.mark.parametrize("kind", [Colour, Size, Tag])
def test_members_of_enums_are_predicted_as_they_were_given(kind: type[enum.Enum], tmp_path: Path) -> None:
    labels = list(kind)
    fitted = CRF().fit([[["a"], ["b"]]], [labels])
    for crf in (fitted, pickle.loads(pickle.dumps(fitted))):
        [predicted] = crf.predict([[["b"], ["a"]]])
        assert all(one is other for one, other in zip(predicted, labels[::-1], strict=True))
    if kind is Tag:
        fitted.save(tmp_path / "model")
        [predicted] = CRF.load(tmp_path / "model").predict([[["b"], ["a"]]])
        assert [(type(label), label) for label in predicted] == [(str, "b"), (str, "a")]
        return
    with pytest.raises(InputError, match=rf"a file cannot store the label <{kind.__name__}\.\w+: 1>"):
        fitted.save(tmp_path / "model")


def test_labels_that_a_file_cannot_store_are_refused(tmp_path: Path) -> None:
    labels = [Colour.RED, Colour.BLUE]
    fitted = CRF().fit([[["a"], ["b"]]], [labels])
    for save in (fitted.save, fitted.model_.save):
        with pytest.raises(InputError, match=r"a file cannot store the label <Colour\.RED: 1>, of type Colour"):
            save(tmp_path / "model")
    seen: list[Any] = []
    with pytest.raises(InputError, match="a file cannot store the label"):
        CRF(model_filename=tmp_path / "model", callbacks=[seen.append]).fit([[["a"], ["b"]]], [labels])
    assert not seen  # before training
    assert not list(tmp_path.iterdir())
    assert pickle.loads(pickle.dumps(fitted)).predict([[["b"], ["a"]]]) == [labels[::-1]]


BROKEN = [[["b"], ["i"]], [["i"]], [["o"], ["i"], ["i"]]]  # by their attributes alone, I-X would follow O


def pairs() -> tuple[list[Any], list[Any]]:
    return [[["o"], ["b"], ["i"]], [["o"], ["o"]]] * 4, [["O", "B-X", "I-X"], ["O", "O"]] * 4


def forbids_o(before: Any, after: Any) -> bool:
    return after != "O"


@pytest.mark.parametrize(
    "constraints", ["BIO", np.array([[1, 1, 0], [1, 1, 0], [1, 1, 1]]), forbids_o], ids=["scheme", "matrix", "function"]
)
def test_a_file_keeps_the_constraints(constraints: Any, tmp_path: Path) -> None:
    path = tmp_path / "model"
    fitted = CRF(c2=0.01, constraints=constraints).fit(*pairs())
    expected, free = fitted.predict(BROKEN), CRF(c2=0.01).fit(*pairs()).predict(BROKEN)
    assert expected != free
    for save in (fitted.save, fitted.model_.save, pickle.loads(pickle.dumps(fitted.model_)).save):
        save(path)
        loaded = CRF.load(path)
        again = [loaded, CRF(model_filename=path), clone(CRF(model_filename=path)), pickle.loads(pickle.dumps(loaded))]
        assert [crf.predict(BROKEN) for crf in again] == [expected] * 4
        model = Model.load(path)
        assert model.tag(BROKEN) == expected
        assert model.tag(BROKEN, rules=False) == free
        assert model.n_best(BROKEN, 1)[2][0][0] == expected[2]
        assert model.pruned(0.0).tag(BROKEN) == expected
        assert loaded.predict_nbest(BROKEN, 1)[2][0][0] == expected[2]
        assert CRF(model_filename=path, constraints=False).predict(BROKEN) == free
        assert loaded.set_params(constraints=None).predict(BROKEN) == free
    fitted.set_params(constraints=None).save(path)
    assert CRF.load(path).predict(BROKEN) == free
    CRF(c2=0.01, constraints=constraints, model_filename=path).fit(*pairs())
    assert CRF(model_filename=path).predict(BROKEN) == expected


def test_training_that_continues_keeps_the_constraints_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "model"
    CRF(c2=0.01, constraints=forbids_o, model_filename=path).fit(*pairs())
    warm = CRF(c2=0.01, warm_start=True, model_filename=path).fit(*pairs())
    assert not any("O" in row for row in warm.predict(BROKEN))
    assert not any("O" in row for row in CRF(model_filename=path).predict(BROKEN))
    stream = CRF(model_filename=path).partial_fit(*pairs())
    assert not any("O" in row for row in stream.predict(BROKEN))
    assert any("O" in row for row in CRF(c2=0.01, model_filename=path).fit(*pairs()).predict(BROKEN))  # a new model
    CRF(c2=0.01, constraints=forbids_o, model_filename=path).fit(*pairs())
    with pytest.raises(InputError, match="the constraints are for 3 labels, but there are 4"):
        CRF(warm_start=True, model_filename=path).fit([[["new"]]], [["NEW"]])


def test_warm_start_and_partial_fit_begin_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "model"
    CRF(c2=0.1, model_filename=path).fit(X, Y)
    before = CRF.load(path)
    warm = CRF(c2=0.1, warm_start=True, max_iterations=1, model_filename=path).fit([[["new"]]], [["NEW"]])
    assert set(before.attributes_) | {"new"} == set(warm.attributes_)
    assert warm.classes_ == [*before.classes_, "NEW"] == CRF(model_filename=path).classes_
    stream = CRF(model_filename=path).partial_fit([[["newer"]]], [["NEW"]])
    assert set(stream.attributes_) == set(warm.attributes_) | {"newer"}


@pytest.mark.parametrize(
    "constraints", ['{"start": "ff"}', '"nothing"', "3", '{"start": "e0", "follow": "ff", "end": "e0"}']
)
def test_forged_constraints_are_an_error_of_the_file(constraints: str, tmp_path: Path) -> None:
    CRF().fit(*pairs()).save(tmp_path / "m")
    tensors, metadata = load_tensors(tmp_path / "m")
    save_tensors(tmp_path / "forged", tensors, {**metadata, "info": f'{{"constraints": {constraints}}}'})
    for load in (Model.load, CRF.load):
        with pytest.raises(ModelFileError, match="forged: the model is corrupt"):
            load(tmp_path / "forged")


def test_everything_is_there_right_after_the_constructor(tmp_path: Path) -> None:
    path = tmp_path / "model"
    fitted = CRF(c2=0.1, model_filename=path).fit(X, Y)
    for name in ("classes_", "attributes_", "num_attributes_", "state_features_", "transition_features_"):
        assert getattr(CRF(model_filename=path), name) == getattr(fitted, name)
    assert CRF(model_filename=path).modelfile.name == str(path) == fitted.modelfile.name
    assert not fitted.modelfile.auto


def test_the_temporary_file_of_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    crf = CRF(c2=0.1)
    assert crf.modelfile.name is None
    crf.fit(X, Y)
    assert crf.modelfile.auto
    name = crf.modelfile.name
    assert CRF(model_filename=name).predict(X) == CRF.load(name).predict(X) == crf.predict(X)
    assert name == crf.modelfile.name
    assert pickle.loads(pickle.dumps(crf)).modelfile.name != name
    crf.fit(X[:5], Y[:5])
    gc.collect()
    assert not list(tmp_path.iterdir())
    assert Path(crf.modelfile.name).is_file()
    del crf
    gc.collect()
    assert not list(tmp_path.iterdir())
    kept = CRF(c2=0.1, keep_tempfiles=True).fit(X, Y).modelfile.name
    gc.collect()
    assert Path(kept).is_file()


def test_crfsuites_own_tagger_opens_what_fit_writes(tmp_path: Path) -> None:
    pycrfsuite = pytest.importorskip("pycrfsuite")
    crf = CRF(c2=0.1, model_filename=tmp_path / "m.crfsuite").fit(X, Y)
    kept = CRF(c2=0.1).fit(X, Y)
    for path in (tmp_path / "m.crfsuite", crf.modelfile.name, kept.modelfile.name):
        tagger = pycrfsuite.Tagger()
        tagger.open(str(path))
        assert [tagger.tag(x) for x in X] == [list(row) for row in crf.predict(X)]
        assert CRF(model_filename=path).predict(X) == crf.predict(X)


def test_constraints_that_the_file_cannot_hold_are_refused_before_training(tmp_path: Path) -> None:
    seen: list[Any] = []
    crf = CRF(constraints="BIO", model_filename=tmp_path / "m.crfsuite", callbacks=[seen.append])
    with pytest.raises(InputError, match="CRFsuite's format cannot hold constraints; choose another name"):
        crf.fit(*pairs())
    assert seen == []
