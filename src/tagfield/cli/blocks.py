"""Reads input in blocks of whole sentences, so that output starts before the input ends.

    file             ─▶ read completely, cut every few megabytes
    standard input   ─▶ cut after the last complete sentence that has arrived

Blocks are cut at empty lines. An error in a block must name the line of the file, so `Block.read` then reads the block
again with as many empty lines in front as the file has lines before it.
"""

import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar, cast

from tagfield.errors import InputError
from tagfield.text.sources import STDIN, Source, open_source

T = TypeVar("T")

BLOCK = 4 << 20
ARRIVING = 1 << 20
GZIP, BOM = b"\x1f\x8b", b"\xef\xbb\xbf"
CUTS = (b"\n\n", b"\n\r\n")


@dataclass(frozen=True)
class Block:
    """Whole sentences of one file."""

    name: str
    text: bytes
    before: int = 0  # number of lines before it in the file

    def read(self, reader: Callable[[Source], T]) -> T:
        """Apply `reader` to the block; errors name lines of the file, not of the block.

        >>> def reader(source):
        ...     raise InputError(f"{source.name}, line {source.text.count(b'#')}")
        >>> Block("a.txt", b"#x").read(reader)
        Traceback (most recent call last):
        tagfield.errors.InputError: a.txt, line 1
        """
        try:
            return reader(Source(self.name, self.text))
        except InputError:
            if not self.before:
                raise
        return reader(Source(self.name, b"\n" * self.before + self.text))


def read_blocks(paths: list[str], size: int = BLOCK) -> Iterator[Block]:
    """The blocks of all files in order; a file without a sentence raises InputError.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_text("a\\nb\\n\\nc\\n")
    >>> [(block.text, block.before) for block in read_blocks([str(path)], size=1)]
    [(b'a\\nb\\n\\n', 0), (b'c\\n', 3)]
    """
    if paths.count(STDIN) > 1:
        raise InputError("standard input (-) can be read only once")
    for path in paths:
        empty = True
        name = "standard input" if path == STDIN else path
        before = 0
        for text in _arriving() if path == STDIN and not _compressed() else _cut(open_source(path).text, size):
            if text.strip():
                empty = False
                yield Block(name, text, before)
            before += text.count(b"\n")
        if empty:
            raise InputError(f"{name}: the file contains no sequence")


def _cut(text: bytes, size: int) -> Iterator[bytes]:
    start = 0
    while start < len(text):
        cuts = [(text.find(cut, start + size - 1), len(cut)) for cut in CUTS]
        end = min((at + length for at, length in cuts if at >= 0), default=len(text))
        yield text[start:end]
        start = end


def _compressed() -> bool:
    return _standard_input().peek(2).startswith(GZIP)


def _standard_input() -> io.BufferedReader:
    return cast(io.BufferedReader, sys.stdin.buffer)


def _arriving() -> Iterator[bytes]:
    pending = bytearray()
    first = True
    while piece := _standard_input().read1(ARRIVING):
        if first:
            piece, first = piece.removeprefix(BOM), False
        seen = max(0, len(pending) - 2)
        pending += piece
        end = max(at + len(cut) if at >= 0 else 0 for cut in CUTS for at in [pending.rfind(cut, seen)])
        if end:
            yield bytes(pending[:end])
            del pending[:end]
    if pending:
        yield bytes(pending)
