"""Blocks of whole sentences: cut anywhere, the sentences and the lines in messages stay the same."""

import io
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.cli.shared.input_blocks import read_blocks
from tagfield.data.encode import encode_files
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.presets import PRESETS
from tagfield.errors import InputError

ENDS = st.sampled_from(["\n", "\r\n"])
SENTENCES = st.lists(st.integers(1, 4), min_size=1, max_size=12)


def text_of(lengths: list[int], end: str, gaps: int) -> str:
    return (end * (gaps + 1)).join("".join(f"w{k} t y{end}" for k in range(n)) for n in lengths)


def sentences(source: Source) -> list[int]:
    tokens = encode_files([source]).dataset.tokens
    return [int(b - a) for a, b in pairwise(tokens)]


@given(SENTENCES, ENDS, st.integers(0, 3), st.integers(1, 60))
def test_blocks_hold_whole_sentences(lengths: list[int], end: str, gaps: int, size: int) -> None:
    text = text_of(lengths, end, gaps).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.txt")
        path.write_bytes(text)
        blocks = list(read_blocks([str(path)], size))
    assert [n for block in blocks for n in block.read(sentences)] == lengths
    at = 0
    for block in blocks:
        at = text.index(block.text, at)
        assert text.count(b"\n", 0, at) == block.before
        at += len(block.text)


@given(SENTENCES, ENDS, st.integers(1, 60), st.data())
def test_a_message_names_the_line_of_the_file(lengths: list[int], end: str, size: int, data: st.DataObject) -> None:
    lines = text_of(lengths, end, 0).split(end)
    words = [k for k, line in enumerate(lines) if line]
    bad = data.draw(st.sampled_from(words[1:] or words))
    lines[bad] += " one too many"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.txt")
        path.write_bytes(end.join(lines).encode())
        if len(words) == 1:
            return
        with pytest.raises(InputError, match=rf"line {bad + 1}\b"):
            _ = [block.read(sentences) for block in read_blocks([str(path)], size)]


class Slow(io.RawIOBase):
    """Bytes that arrive a few at a time."""

    def __init__(self, text: bytes, step: int) -> None:
        self.text, self.step = memoryview(text), step

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        piece, self.text = self.text[: self.step], self.text[self.step :]
        buffer[: len(piece)] = piece
        return len(piece)


@pytest.mark.parametrize("step", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_standard_input_is_cut_as_it_comes(step: int, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = [3, 1, 2, 4]
    text = b"\xef\xbb\xbf" * (step > 2) + text_of(lengths, end, 1).encode()
    stream = io.TextIOWrapper(io.BufferedReader(Slow(text, step)), "utf-8")  # type: ignore[type-var]
    monkeypatch.setattr(sys, "stdin", stream)
    blocks = list(read_blocks(["-"]))
    assert [n for block in blocks for n in block.read(sentences)] == lengths
    assert len(blocks) == (2 if step == 1000 else 4)  # the last one ends only where the input does


def test_nothing_to_read(tmp_path: Path) -> None:
    (tmp_path / "blank").write_text("\n\n\n")
    with pytest.raises(InputError, match="the file contains no sequence"):
        list(read_blocks([str(tmp_path / "blank")]))
    with pytest.raises(InputError, match="only once"):
        list(read_blocks(["-", "-"]))


def test_later_blocks_know_the_columns_of_the_header(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("POS word\nNNP Anna\n\nVB sings\n\nRB now\n")
    blocks = list(read_blocks([str(tmp_path / "a.txt")], 1, template=PRESETS["chunking"]))
    assert [block.columns for block in blocks] == [None, "pos w", "pos w"]
    (tmp_path / "b.txt").write_text("NNP Anna\n\nVB sings\n")
    blocks = list(read_blocks([str(tmp_path / "b.txt")], 1, template=PRESETS["chunking"]))
    assert [block.columns for block in blocks] == [None, None]


def test_a_line_between_documents_is_no_block(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("-DOCSTART- O\n\na X\n\n-DOCSTART- O\n\n# 2\n\n\nb X\n\nc X\n\n-DOCSTART- O\n")
    blocks = list(read_blocks([str(tmp_path / "a.txt")], 1))
    assert [(block.text.count(b"X"), block.before) for block in blocks] == [(1, 0), (1, 4), (1, 11)]


def test_a_long_first_line_arrives_in_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b'[{"text": "%s"}]' % (b"a" * 60_000_000)
    stream = io.TextIOWrapper(io.BufferedReader(Slow(text, 1 << 13)), "utf-8")  # type: ignore[type-var]
    monkeypatch.setattr(sys, "stdin", stream)
    start = time.perf_counter()
    [block] = read_blocks(["-"])
    assert (block.kind, block.text) == ("json", text)
    assert time.perf_counter() - start < 15  # 1 s; looking at everything for each piece took a minute
