"""`tagfield template`, and `--add` of the commands that choose a template."""

import json
from pathlib import Path

import pytest

from tagfield import Model
from tagfield.data.text.templates.presets import PRESETS
from tests.support.cli_process import good, inside

TRAIN = "Anna B-PER\nlikes O\nBraun B-BRAND\n\nBen B-PER\nlikes O\nDe B-BRAND\nLonghi I-BRAND\n\n"
ADD = ("--add", "gazetteer brand = brands.txt", "--add", "w[-3]")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "train.txt").write_text(TRAIN * 6)
    (tmp_path / "brands.txt").write_text("Braun\nDe Longhi\nMiele\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_preset_is_printed_and_trains_as_the_preset_does(folder: Path) -> None:
    (folder / "mine.template").write_text(good("template", "words"))
    for name in ("mine.template", "words"):
        good("train", "train.txt", "--template", name, "-o", f"{name}.model", "-q")
    mine, preset = (Model.load(folder / f"{name}.model") for name in ("mine.template", "words"))
    assert mine.attributes.strings() == preset.attributes.strings()


def test_presets_are_listed_and_added_lines_are_printed() -> None:
    assert [line.split()[0] for line in good("template").splitlines()] == list(
        json.loads(good("template", "--json"))["presets"]
    )
    text = good("template", "ner", "--add", "w[-3]")
    assert text.endswith("\nw[-3]\n")
    assert json.loads(good("template", "ner", "--add", "w[-3]", "--json"))["text"] == text


@pytest.mark.parametrize("template", [(), ("--template", "words")])
def test_training_reads_a_list_that_is_added(folder: Path, template: tuple[str, ...]) -> None:
    good("train", "train.txt", *template, *ADD, "-o", "m", "-q")
    model = Model.load(folder / "m")
    assert model.template is not None
    assert model.template.name == f"{template[1] if template else 'ner'}, extended"
    assert {"w.in(brand)[0]=B-brand", "w[-3]=Ben"} <= set(model.attributes.strings())
    assert model.tag_words([["Anna", "likes", "Miele"]]) == [["B-PER", "O", "B-BRAND"]]


def test_packing_comparing_and_tuning_read_it_too(folder: Path) -> None:
    good("pack", "train.txt", *ADD, "-o", "corpus", "-q")
    good("train", "corpus", "-o", "m", "-q")
    assert "w.in(brand)[0]=B-brand" in Model.load(folder / "m").attributes.strings()
    good("tune", "train.txt", *ADD, "--budget", "4", "--folds", "2", "--workers", "1", "-q", "-o", "best.toml")
    assert 'add = ["gazetteer brand = brands.txt", "w[-3]"]' in (folder / "best.toml").read_text()
    good("train", "train.txt", "--config", "best.toml", "-o", "tuned", "-q")
    assert "w.in(brand)[0]=B-brand" in Model.load(folder / "tuned").attributes.strings()


def test_wrong_lines_are_refused_before_anything_is_read(folder: Path) -> None:
    for line, told in (
        ("gazeteer brand = brands.txt", "--add 'gazeteer brand = brands.txt': did you mean gazetteer?"),
        ("gazetteer brand = nothing.txt", "nothing.txt: there is no such file"),
        ("w.sufix3", "no function named 'sufix3'; did you mean suffixN?"),
    ):
        code, _, err = inside("train", "missing.txt", "--add", line, "-o", "m")
        assert code == 2
        assert told in err
        assert len(err.strip().splitlines()) == 1
    good("pack", "train.txt", "-o", "corpus", "-q")
    code, _, err = inside("train", "corpus", "--add", "w[-3]", "-o", "m")
    assert code == 3
    assert "the corpus is packed already" in err
    assert "no preset named 'nerr'; did you mean 'ner'?" in inside("template", "nerr")[2]
    assert set(PRESETS) >= {"ner", "pos"}
