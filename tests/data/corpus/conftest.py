"""Files and folders of corpora for the tests of this folder."""

import shutil
from pathlib import Path

import pytest

from tagfield.data.corpus import pack, packing
from tests.data.corpus.test_packing import text


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packed")
    (folder / "a.txt").write_text("The DT B-NP\ndog NN I-NP\n\nBark VB B-VP\n\n" * 40)
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(packing, "PIECE", 500)
    monkeypatch.setattr(packing, "SMALLEST", 1)
    pack(folder / "a.txt", folder / "c", shard_size=1)
    monkeypatch.undo()
    return folder / "c"


@pytest.fixture
def folder(packed: Path, tmp_path: Path) -> Path:
    shutil.copytree(packed, tmp_path / "c")
    return tmp_path / "c"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text(text(300))
    return path


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "PIECE", 2000)
    monkeypatch.setattr(packing, "SMALLEST", 1)
