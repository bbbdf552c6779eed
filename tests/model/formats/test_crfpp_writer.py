"""Files for CRF++: a text model is written again byte for byte, and what the format cannot hold is refused."""

from pathlib import Path

import pytest
from hypothesis import given

from tagfield import Model
from tagfield.errors import InputError
from tagfield.model.formats.crfpp_writer import to_bytes
from tests.support.crfpp_files import CrfppModel, models
from tests.support.model_files import MODELS, read_sentences, tiny


@given(models())
def test_a_text_model_is_written_again_byte_for_byte(drawn: tuple[CrfppModel, list[list[tuple[str, ...]]]]) -> None:
    raw = drawn[0].text()
    assert to_bytes(Model.load_bytes(raw)) == raw


@pytest.mark.parametrize("name", ["plain", "edges"])
def test_the_way_through_tagfields_own_file_loses_nothing(name: str, tmp_path: Path) -> None:
    path = MODELS / f"{name}.crfpp.txt"
    Model.load(path).save(tmp_path / "model")
    assert to_bytes(Model.load(tmp_path / "model")) == path.read_bytes()


def test_a_binary_model_becomes_text() -> None:
    model = Model.load(MODELS / "edges.crfpp")
    again = Model.load_bytes(to_bytes(model))
    data = read_sentences("data.txt")
    assert again.tag_words(data) == model.tag_words(data)
    assert again.template == model.template
    assert again.labels.strings() == model.labels.strings()


def test_a_changed_model_is_written_with_its_own_names() -> None:
    model = Model.load(MODELS / "plain.crfpp.txt").pruned(0.5)
    again = Model.load_bytes(to_bytes(model))
    data = read_sentences("data.txt")
    assert again.tag_words(data) == model.tag_words(data)
    assert len(again.attributes) == len(model.attributes)


def test_what_the_format_cannot_hold_is_refused(tmp_path: Path) -> None:
    for name, label, said in (("w=New York", "A", "blank"), ("w=a", "", "empty"), ("w=a\n", "A", "line end")):
        model = tiny([name], [label])
        with pytest.raises(InputError, match=said):
            model.save(tmp_path / "model.txt", format="crfpp")
    assert not list(tmp_path.iterdir())
