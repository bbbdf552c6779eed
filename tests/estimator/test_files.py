"""An estimator and its file: no pickle, the same predictions, and labels of every plain kind."""

import pytest
from sklearn.exceptions import NotFittedError

from tagfield import CRF
from tagfield.errors import ModelFileError
from tagfield.model import Model
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
