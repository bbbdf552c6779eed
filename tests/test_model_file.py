"""A model file holds the template with its resources, and a wrong one is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from tagfield import Model, ModelFileError, Settings
from tagfield.encode import encode_words
from tagfield.model_file import from_tensors
from tagfield.storage import load_tensors, save_tensors
from tagfield.templates import column, template


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
