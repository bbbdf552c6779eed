"""Files for Wapiti: its own byte for byte, patterns kept, and any other model for raw mode."""

from pathlib import Path

import numpy as np
import pytest

from tagfield import Model
from tagfield.errors import InputError
from tagfield.model.formats.wapiti_writer import to_bytes
from tests.support.model_files import MODELS, read_sentences, tiny


@pytest.mark.parametrize("name", ["macros", "compact", "twice", "maxent", "raw"])
def test_a_file_of_wapiti_is_written_again_byte_for_byte(name: str, tmp_path: Path) -> None:
    path = MODELS / f"{name}.wapiti"
    model = Model.load(path)
    model.save(tmp_path / "again", format="wapiti")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    model.save(tmp_path / "own")
    assert to_bytes(Model.load(tmp_path / "own")) == path.read_bytes()


def test_any_model_can_be_written_for_raw_mode(tmp_path: Path) -> None:
    model = tiny(["w=a", "p=b"], ["X", "Y"])
    model.save(tmp_path / "raw", format="wapiti")
    again = Model.load(tmp_path / "raw")
    assert again.attributes.strings() == ["uw=a", "up=b"]
    data = [[["w=a", "p=b"], ["p=b"], ["w=a"]]]
    raw = [[["u" + name for name in item] for item in sentence] for sentence in data]
    always = [[["b"] for _ in sentence] for sentence in data]
    got = again.marginals(again.encode(raw, edges=always))
    np.testing.assert_allclose(got[0], model.marginals(data)[0], atol=1e-6)
    with pytest.raises(InputError, match="blank"):
        tiny(["New York"], ["X"]).save(tmp_path / "blank", format="wapiti")
    with pytest.raises(InputError, match="a label is empty"):
        tiny(["a"], [""]).save(tmp_path / "blank", format="wapiti")
    assert not (tmp_path / "blank").exists()


def test_a_model_with_wapitis_patterns_keeps_them(tmp_path: Path) -> None:
    model = Model.load(MODELS / "macros.wapiti").pruned(0.3)
    model.save(tmp_path / "pruned", format="wapiti")
    again, data = Model.load(tmp_path / "pruned"), read_sentences("data.txt")
    assert again.template is not None
    assert model.template is not None
    assert sorted(p.text for p in again.template.all_patterns) == sorted(p.text for p in model.template.all_patterns)
    assert again.tag_words(data) == model.tag_words(data)
