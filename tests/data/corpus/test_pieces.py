"""Files as pieces: together they are the file, each ends where a sentence ends, and their lines are counted."""

import gzip
import io
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.corpus.pieces import Piece, read_pieces
from tagfield.data.text.reading import ReadOptions
from tagfield.errors import InputError, MemoryLimitError
from tagfield.system.memory import memory_limited, resident_memory

COLUMNS = ReadOptions(format="columns")
lines = st.lists(st.sampled_from([b"a X", b"bb Y", b"", b" ", b"\t", b"c\tX\r", b"\r"]), max_size=30)


def pieces_of(path: Path, size: int, reading: ReadOptions = COLUMNS) -> list[Piece]:
    return list(read_pieces([str(path)], reading, size))


@settings(deadline=None)  # it writes files
@given(lines, st.integers(1, 60), st.sampled_from([b"\n", b""]))
def test_pieces_are_the_file_cut_between_sentences(tmp_path_factory, lines: list[bytes], size: int, end: bytes) -> None:
    text = b"\n".join(lines) + end
    path = tmp_path_factory.mktemp("pieces") / "a.txt"
    path.write_bytes(text)
    if not text.strip():
        with pytest.raises(InputError, match=r"a.txt: the file (is empty|holds no sequence)"):
            pieces_of(path, size)
        return
    found = pieces_of(path, size)
    assert [piece.first for piece in found] == [True] + [False] * (len(found) - 1)
    kept = b"\n".join(piece.source.text for piece in found).split()
    assert kept == text.split()
    for piece in found:
        first = piece.source.text.split()[0]
        assert text.split(b"\n")[piece.before :][: piece.source.text.count(b"\n") + 1]  # its lines are there
        assert first in text.split(b"\n", piece.before)[-1].split()[:1]
    for piece in found[:-1]:
        assert piece.source.text.rstrip(b" \t\r").endswith(b"\n")
        assert not piece.source.text.split(b"\n")[-2].strip()  # a blank line


def test_plain_gzip_and_standard_input_give_the_same_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"a X\nb Y\n\n" * 50
    plain, packed = tmp_path / "a.txt", tmp_path / "a.txt.gz"
    plain.write_bytes(b"\xef\xbb\xbf" + text)
    packed.write_bytes(gzip.compress(text, mtime=0))

    class Stdin:
        buffer = io.BufferedReader(io.BytesIO(text))

    monkeypatch.setattr(sys, "stdin", Stdin())
    expected = [piece.source.text for piece in pieces_of(packed, 40)]
    assert len(expected) > 5
    assert b"".join(expected) == text
    assert [piece.source.text for piece in read_pieces(["-"], COLUMNS, 40)] == expected
    assert b"".join(piece.source.text for piece in pieces_of(plain, 40)) == text


def test_json_lines_are_cut_at_lines_and_json_is_not_cut(tmp_path: Path) -> None:
    row = b'{"tokens": ["a"], "labels": ["X"]}\n'
    (tmp_path / "a.jsonl").write_bytes(row * 9)
    (tmp_path / "a.json").write_bytes(b"[" + b",".join([row] * 9) + b"]")
    assert [len(piece.source.text) for piece in pieces_of(tmp_path / "a.jsonl", 80, ReadOptions())] == [70] * 4 + [35]
    assert len(pieces_of(tmp_path / "a.json", 80, ReadOptions())) == 1


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.gz", b"a X\n", "the name ends in .gz, but the file is not gzip data"),
        ("a.gz", gzip.compress(b"a X\n" * 9, mtime=0)[:-9], "the gzip data is damaged or cut off"),
        ("a.txt", b"", "the file is empty"),
        (None, b"", "there is no such file"),
    ],
)
def test_files_that_cannot_be_read_are_refused(tmp_path: Path, name: str | None, content: bytes, told: str) -> None:
    if name is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=told):
        pieces_of(tmp_path / (name or "b.txt"), 80)


def test_a_sentence_without_end_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"word X\n" * (40 << 17), 1))  # 37 MB
    with (
        memory_limited(resident_memory() + 3e8),
        pytest.raises(MemoryLimitError, match=r"a sentence or line of \d+ MB"),
    ):
        list(read_pieces([str(tmp_path / "a.txt.gz")], COLUMNS))
