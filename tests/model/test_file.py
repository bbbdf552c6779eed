"""A model file holds the template with its resources, and a wrong one is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from tagfield import CRF, Model, ModelFileError, Settings, encode_sequences
from tagfield.data.encode import encode_words
from tagfield.model.file import from_tensors
from tagfield.system.storage import load_tensors, save_tensors
from tagfield.templates import column, template
from tests.support.cli_process import good


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    (tmp_path / "cities.txt").write_text("New York\nRome\n")
    w = column("w")
    made = template(
        w[-1:1],
        w.in_list("cities", tmp_path / "cities.txt"),
        w.cluster("brown", {"Rome": "01"}),
        w.match("n", r"^\d+$"),
    )
    encoded = encode_words([["in", "New", "York"], ["to", "Rome"]], [["O", "C", "C"], ["O", "C"]], template=made)
    Model.train(encoded, Settings("lbfgs")).save(tmp_path / "model")
    (tmp_path / "cities.txt").unlink()
    return tmp_path / "model"


def test_a_model_needs_no_other_file(saved: Path) -> None:
    model = Model.load(saved)
    assert model.template is not None
    again = encode_words([["New", "York"]], template=model.template, attributes=model.attributes, gather=False)
    found = [model.attributes[int(a)] for a in again.dataset.attribute]
    assert "w.in(cities)[0]=B-cities" in found
    assert "w.in(cities)[0]=I-cities" in found
    assert [resource.name for resource in model.template.resources] == ["cities", "brown", "n"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("resource.0", None, "shorter|longer|argument"),
        ("resource.0", b"\xff", "codec can't decode"),
        ("resource.1", b"Rome 01", "expected word<TAB>path"),
        ("resource.2", b"(", "not a regular expression"),
        ("resource.3", b"more", "argument"),
    ],
)
def test_wrong_resources_are_refused(saved: Path, name: str, text: bytes | None, message: str) -> None:
    tensors, metadata = load_tensors(saved)
    tensors = {key: np.array(array) for key, array in tensors.items() if key != name}
    if text is not None:
        tensors[name] = np.frombuffer(text, np.uint8)
    save_tensors(saved, tensors, metadata)
    with pytest.raises(ModelFileError, match=message):
        Model.load(saved)


def test_numbers_are_not_text(saved: Path) -> None:
    tensors, metadata = load_tensors(saved)
    save_tensors(
        saved, {**{k: np.array(v) for k, v in tensors.items()}, "resource.0": np.zeros(3, np.float32)}, metadata
    )
    with pytest.raises(ModelFileError, match="not an array of bytes"):
        Model.load(saved)


def test_templates_of_older_files_are_read(saved: Path) -> None:
    tensors, metadata = load_tensors(saved)
    record = {
        "name": "words",
        "patterns": [["w[0]=%x[0,w]", 0]],
        "columns": ["w", "y"],
        "padding": False,
        "edges": True,
    }
    kept = {key: array for key, array in tensors.items() if not key.startswith("resource.")}
    parts = from_tensors(kept, metadata | {"template": json.dumps(record)})
    assert parts.template is not None
    assert (parts.template.columns, parts.template.resources) == (("w", "y"), ())


@pytest.mark.parametrize(
    ("info", "message"),
    [
        ("[" * 100_000, "corrupt"),
        ("3", "info is not a JSON object"),
        ('{"settings": 3}', "settings is not a JSON object"),
        ('{"seconds": "x"}', "seconds is not a number"),
        ('{"epochs": true}', "epochs is not a whole number"),
        ('{"trained_by": []}', "trained_by is not a text"),
        ('{"labels": [1, 1.0]}', "labels is not a list of different labels"),
        ('{"labels": [[], {}]}', "labels is not a list of different labels"),
        ('{"labels": [NaN, 1]}', "labels is not a list of different labels"),
        ('{"labels": [1]}', "labels is not a list of different labels"),
    ],
)
def test_forged_info_is_one_kind_of_error(info: str, message: str, tmp_path: Path) -> None:
    Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]])).save(tmp_path / "m")
    tensors, metadata = load_tensors(tmp_path / "m")
    save_tensors(tmp_path / "forged", tensors, {**metadata, "info": info})
    for load in (Model.load, CRF.load):
        with pytest.raises(ModelFileError, match=message):
            load(tmp_path / "forged")


@pytest.mark.parametrize("name", ["first", "column"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8])
def test_forged_rows_are_refused(name: str, dtype: type, tmp_path: Path) -> None:
    settings = Settings("lbfgs", features="observed")
    X, y = [[[f"a{i}"] for i in range(40)]], [[f"L{i}" for i in range(40)]]
    Model.train(encode_sequences(X, y), settings).save(tmp_path / "m")
    tensors, metadata = load_tensors(tmp_path / "m")
    save_tensors(tmp_path / "forged", {**tensors, name: tensors[name].astype(dtype)}, metadata)
    with pytest.raises(ModelFileError, match=f"{name} is not a list of"):
        Model.load(tmp_path / "forged")


def test_labels_cannot_control_the_terminal(tmp_path: Path) -> None:
    Model.train(encode_sequences([[["a\x1b[2J"], ["b"]]], [["X\x1b[31m", "Y"]])).save(tmp_path / "m")
    shown = good("info", tmp_path / "m")
    assert "\x1b" not in shown
    assert "X\\x1b[31m" in shown
