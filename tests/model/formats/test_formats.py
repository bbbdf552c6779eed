"""Every door to a model knows every format: Model, CRF, the commands; and says what it cannot read or write."""

import pickle
from pathlib import Path

import pytest

from tagfield import CRF, InputError, Model, ModelFileError, OutputError, Settings, encode_sequences
from tagfield.model.formats import FORMATS, format_of, read_parts
from tests.support.cli_process import good

X = [[{"w": "the"}, {"w": "dog"}], [{"w": "a"}, {"w": "cat"}]]
Y = [["D", "N"], ["D", "N"]]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("formats")
    model = Model.train(encode_sequences(X, Y), Settings("lbfgs", c2=0.1))
    for name in ("tagfield", "crfsuite"):
        model.save(folder / name, format=name)
    return {name: folder / name for name in ("tagfield", "crfsuite")}


@pytest.mark.parametrize("name", ["tagfield", "crfsuite"])
def test_model_and_crf_load_every_format_from_files_and_bytes(files: dict[str, Path], name: str) -> None:
    path = files[name]
    assert format_of(path.read_bytes()[:4096]) is FORMATS[name]
    assert read_parts(path).labels.strings() == ["D", "N"]
    assert Model.load(path).tag(X) == Y
    assert Model.load_bytes(path.read_bytes()).tag(X) == Y
    assert Model.load_bytes(memoryview(bytearray(path.read_bytes()))).tag(X) == Y
    assert CRF.load(path).predict(X) == Y
    kept = CRF(model_filename=path)
    assert kept.predict(X) == Y
    assert pickle.loads(pickle.dumps(kept)).predict(X) == Y


@pytest.mark.parametrize("name", ["tagfield", "crfsuite"])
def test_commands_read_every_format(files: dict[str, Path], name: str, tmp_path: Path) -> None:
    data = tmp_path / "items"
    data.write_text("D\tw\\:the\nN\tw\\:dog\n\n")
    assert good("tag", "-m", files[name], data).split() == ["D", "N"]
    assert "100.00" in good("eval", "-m", files[name], data)
    assert ("a model of CRFsuite" if name == "crfsuite" else "written by tagfield") in good("info", files[name])


def test_a_crfsuite_model_becomes_a_tagfield_model(files: dict[str, Path], tmp_path: Path) -> None:
    model = Model.load(files["crfsuite"])
    model.save(tmp_path / "m")
    again = Model.load(tmp_path / "m")
    assert again.info["trained_by"] == "CRFsuite"
    assert again.weights.state.tolist() == model.weights.state.tolist()


def test_unknown_formats_and_files(files: dict[str, Path], tmp_path: Path) -> None:
    model = Model.load(files["crfsuite"])
    with pytest.raises(InputError, match="no model format named 'crfsuit'; did you mean 'crfsuite'"):
        model.save(tmp_path / "m", format="crfsuit")
    with pytest.raises(OutputError, match="its folder does not exist"):
        model.save(tmp_path / "no" / "m", format="crfsuite")
    with pytest.raises(ModelFileError, match="no file named"):
        Model.load(tmp_path / "m")
    for content, reason in ((b"", "empty"), (b"hello", "text file"), (b"\x1f\x8b" + b"x" * 90, "gzip")):
        with pytest.raises(ModelFileError, match=reason):
            Model.load_bytes(content)
    with pytest.raises(InputError, match="a model must be given as bytes, got str"):
        Model.load_bytes("lCRF")  # type: ignore[arg-type]


def test_constraints_are_not_dropped_in_silence(tmp_path: Path) -> None:
    crf = CRF(constraints="BIO").fit([[["a"], ["b"]]], [["B-X", "O"]])
    for format in ("crfsuite", "crfpp", "wapiti"):
        with pytest.raises(InputError, match="the model has constraints, which a file of"):
            crf.save(tmp_path / "m", format=format)
    assert not (tmp_path / "m").exists()
    crf.set_params(constraints=False).save(tmp_path / "m", format="crfsuite")
    assert CRF.load(tmp_path / "m").predict([[["b"], ["a"]]]) == [["O", "B-X"]]
    with pytest.raises(InputError, match="write format 'crfpp'"):
        crf.save(tmp_path / "m", format="crfpp-binary")


def test_labels_that_become_strings_are_named(tmp_path: Path) -> None:
    crf = CRF().fit([[["a"], ["b"]]], [[1, 2]])
    with pytest.warns(
        UserWarning, match="the labels are not strings, and a file of crfsuite holds only strings"
    ) as seen:
        crf.save(tmp_path / "m", format="crfsuite")
    assert seen[0].filename == __file__
    assert Model.load(tmp_path / "m").labels.strings() == ["1", "2"]
