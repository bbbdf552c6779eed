"""Opening files: compressed ones, standard input, and those that cannot be read."""

import gzip
import os
from pathlib import Path

import pytest

from tagfield.data.text.inputs import open_inputs
from tagfield.data.text.sources import open_source
from tagfield.errors import InputError


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty", b"", "empty: the file is empty"),
        ("mark", b"\xef\xbb\xbf", "the file is empty"),
        ("empty.gz", gzip.compress(b"", mtime=0), "the file is empty"),
        ("zero.gz", b"", "the file is empty"),
        ("plain.gz", b"plain", "is not gzip data"),
        ("cut.gz", gzip.compress(b"text" * 100, mtime=0)[:-9], "damaged or cut off"),
        ("bad.gz", gzip.compress(b"text" * 100, mtime=0)[:12] + b"\xff" * 30, "damaged or cut off"),
        ("tail.gz", gzip.compress(b"text", mtime=0) + b"garbage", "damaged or cut off"),
    ],
)
def test_files_that_are_empty_or_damaged_are_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        open_source(path)


def test_paths_that_are_no_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere: there is no such file"):
        open_source(tmp_path / "nowhere")
    with pytest.raises(InputError, match="is a directory"):
        open_source(tmp_path)
    with pytest.raises(InputError, match="not a file name"):
        open_source("a\0b")
    with pytest.raises(InputError, match="only once"):
        open_inputs(["-", "-"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "closed"
    path.write_text("text")
    path.chmod(0)
    with pytest.raises(InputError, match="cannot be read"):
        open_source(path)
