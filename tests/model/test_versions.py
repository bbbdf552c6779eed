"""Model files of every version of the format load, answer as they did when they were written, and stay what they are.

tests/golden/versionN holds files that a tagfield of that version wrote, and what it answered.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagfield import CRF, Model, ModelFileError
from tagfield.system.storage import load_tensors, save_tensors

GOLDEN = Path(__file__).parents[1] / "golden"
WORDS = [["Anna", "lives", "in", "Rome"], ["Ben", "Berg", "saw", "the", "dog"]]
ATTRIBUTES = [[[f"w={w}", "cap" if w[0].isupper() else "low"] for w in s] for s in WORDS]
MANY = [[[f"a{i}", f"b{i % 3}"] for i in range(41)]]

FILES = [
    (folder, name, expected)
    for folder in sorted(GOLDEN.glob("version*"))
    for name, expected in json.loads((folder / "expected.json").read_text()).items()
]


@pytest.mark.parametrize(("folder", "name", "expected"), FILES, ids=[f"{f.name}-{n}" for f, n, _ in FILES])
def test_old_files_answer_as_they_did(folder: Path, name: str, expected: dict[str, Any], tmp_path: Path) -> None:
    path = folder / f"{name}.tagfield"
    model = Model.load(path)
    if expected["marginals"] is None:
        crf = CRF.load(path)
        assert [list(row) for row in crf.predict(ATTRIBUTES)] == expected["labels"]
        return
    data: Any = MANY if name == "many-labels" else ATTRIBUTES
    if model.template is not None:
        assert model.tag_words(WORDS) == expected["labels"]
        data = model.encode_words(WORDS)
    else:
        assert model.tag(data) == expected["labels"]
    for found, known in zip(model.marginals(data), expected["marginals"], strict=True):
        np.testing.assert_allclose(found, known, atol=2e-6)
    model.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_there_are_files_of_version_1() -> None:
    assert len([name for folder, name, _ in FILES if folder.name == "version1"]) == 7


def test_a_file_of_a_later_version_says_so(tmp_path: Path) -> None:
    tensors, metadata = load_tensors(GOLDEN / "version1" / "words.tagfield")
    save_tensors(tmp_path / "later", tensors, {**metadata, "format": "tagfield model 99"})
    with pytest.raises(ModelFileError, match=r"a newer version of tagfield wrote this model .file version 99"):
        Model.load(tmp_path / "later")
