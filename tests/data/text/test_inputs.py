"""What a call names: files, folders of brat, standard input."""

import gzip
import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from tagfield.data.text.inputs import open_inputs


def test_plain_gzip_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbftext")
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"te", mtime=0) + gzip.compress(b"xt", mtime=0))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(gzip.compress(b"text", mtime=0))))
    sources = open_inputs([tmp_path / "a.txt", str(tmp_path / "a.gz"), "-"])
    assert [source.text for source in sources] == [b"text"] * 3
    assert sources[2].name == "standard input"
