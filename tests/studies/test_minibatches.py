"""The study of mini-batches on a small made corpus: what it keeps, what it resumes, and what it draws."""

import json
from pathlib import Path
from typing import Any

import pytest

from studies import minibatches
from studies.minibatches import cells, figure, main, study, table
from tagfield.demo import mentions, write_columns
from tagfield.errors import InputError


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    (folder / "wnut17").mkdir()
    with open(folder / "wnut17" / "train.txt", "w", encoding="utf-8") as file:
        write_columns(mentions(seed=0, train=80, test=0).train, file)
    return folder


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minibatches, "SIZES", (1, 8, 10**9))
    monkeypatch.setattr(minibatches, "CORPORA", {"wnut17": "chunking"})
    monkeypatch.setattr(minibatches, "EPOCHS", 2)


@pytest.mark.slow
def test_a_study_that_is_asked_again_trains_nothing(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    found = study(data, tmp_path, corpora=("wnut17",), epochs=2, say=said.append)
    assert list(found["runs"]) == [cell.key for cell in cells(("wnut17",))]
    assert len(said) == len(found["runs"]) == 10
    for row in found["runs"].values():
        assert 0 < row["accuracy"] <= 1
        assert 0 <= row["recall"] <= 1
        assert row["share"] > 0
        assert row["epochs"] == 2
    assert json.loads((tmp_path / "minibatches.json").read_text()) == found

    def never(*_: Any) -> Any:
        raise AssertionError("it was trained again")

    monkeypatch.setattr(minibatches, "run", never)
    assert study(data, tmp_path, corpora=("wnut17",), epochs=2) == found
    with pytest.raises(AssertionError, match="trained again"):
        study(data, tmp_path, corpora=("wnut17",), epochs=3)
    lines = table(found).splitlines()
    assert len(lines) == 12
    assert lines[2].startswith("| wnut17 | sgd | 1 | one |")
    assert lines[-1].startswith("| wnut17 | u2.g1 | all | mean |")
    figure(found, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_command_writes_a_table_and_a_figure(data: Path, tmp_path: Path) -> None:
    main(str(data), str(tmp_path), corpora=("wnut17",), epochs=1)
    assert (tmp_path / "minibatches.md").read_text().count("\n") == 12
    assert b"<svg" in (tmp_path / "minibatches.svg").read_bytes()


def test_a_run_that_fails_is_told(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise minibatches.TrainingError("no rate will do")

    monkeypatch.setattr(minibatches, "run", fails)
    found = study(data, tmp_path, corpora=("wnut17",), epochs=1)
    assert {row["failed"] for row in found["runs"].values()} == {"no rate will do"}
    assert table(found).splitlines()[2] == "| wnut17 | sgd | 1 | one | failed | – | – | – | – | – |"


def test_a_folder_without_the_corpora(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no wnut17/train\.txt in .*; give the folder of the corpora"):
        study(tmp_path, tmp_path, corpora=("wnut17",))
