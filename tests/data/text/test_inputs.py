"""What a call names: files, folders of brat, standard input."""

import gzip
import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from tagfield.data.text.formats.brat import BratSource
from tagfield.data.text.inputs import open_inputs
from tagfield.data.text.sources import Source


def test_plain_gzip_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbftext")
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"te", mtime=0) + gzip.compress(b"xt", mtime=0))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(gzip.compress(b"text", mtime=0))))
    sources = open_inputs([tmp_path / "a.txt", str(tmp_path / "a.gz"), "-"])
    assert [source.text for source in sources] == [b"text"] * 3
    assert sources[2].name == "standard input"


def test_a_folder_of_brat_is_a_source_for_each_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Anna")
    (tmp_path / "a.ann").write_text("T1\tPER 0 4\tAnna\n")
    (tmp_path / "b.txt").write_text("Bo")  # not labelled yet
    found = open_inputs(tmp_path)
    assert [(source.kind, source.text) for source in found] == [("brat", b"Anna"), ("brat", b"Bo")]
    assert [source.kind for source in open_inputs(tmp_path / "a.txt")] == ["brat"]
    assert [source.kind for source in open_inputs(tmp_path / "a.txt", format="text")] == [""]
    assert [source.kind for source in open_inputs(tmp_path / "b.txt")] == [""]


def test_every_input_is_recoded(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("é".encode("latin-1"))
    (tmp_path / "b.txt").write_bytes("é".encode("latin-1"))
    (tmp_path / "b.ann").write_bytes("T1\tÉ 0 1\té\n".encode("latin-1"))
    given = [tmp_path / "a.txt", Source("c", b"\xe9"), tmp_path / "b.ann"]
    found = open_inputs(given, encoding="latin-1")
    assert [source.text.decode() for source in found] == ["é"] * 3
    assert isinstance(found[2], BratSource)
    assert found[2].annotations is not None
    assert found[2].annotations.text.decode() == "T1\tÉ 0 1\té\n"
