"""Reads input in blocks of whole records, so that output starts before the input ends.

    file             ─▶ read completely, cut every few megabytes
    standard input   ─▶ cut after the last complete record that has arrived

Sentences of columns end at empty lines, JSON lines and plain text at every line, and other formats are one block. An
error in a block must name the line of the file, so `Block.read` then reads the block again with as many empty lines in
front as the file has lines before it.
"""

import io
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from tagfield.data.text.formats.detect import detect, kind_of
from tagfield.data.text.formats.table import FILE_FORMATS
from tagfield.data.text.inputs import open_inputs
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.sources import BOM, STDIN, Source, listed
from tagfield.data.text.templates.fitting import by_header
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError

T = TypeVar("T")

BLOCK = 4 << 20
ARRIVING = 1 << 20
GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Block:
    """Whole records of one file."""

    source: Source
    kind: str = "columns"  # the format of the file
    before: int = 0  # number of lines before it in the file
    columns: str | None = None  # what the header of the file names, for blocks behind the first one

    @property
    def text(self) -> bytes:
        return self.source.text

    def header(self, given: bool | None) -> bool | None:
        """Whether the block begins with a header, if that is known: only the first one of a file can."""
        return False if self.before else given

    def read(self, reader: Callable[[Source], T]) -> T:
        """Apply `reader` to the block; errors name lines of the file, not of the block.

        >>> def reader(source):
        ...     raise InputError(f"{source.name}, line {source.text.count(b'#')}")
        >>> Block(Source("a.txt", b"#x")).read(reader)
        Traceback (most recent call last):
        tagfield.errors.InputError: a.txt, line 1
        """
        try:
            return reader(self.source)
        except InputError:
            if not self.before:
                raise
        return reader(replace(self.source, text=b"\n" * self.before + self.text))


def read_blocks(
    paths: list[str], size: int = BLOCK, reading: ReadOptions | None = None, template: Template | None = None
) -> Iterator[Block]:
    """The blocks of all files in order; a file without a sentence raises InputError.

    template: reads the columns that a header names

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_text("a\\nb\\n\\nc\\n")
    >>> [(block.text, block.before) for block in read_blocks([str(path)], size=1)]
    [(b'a\\nb\\n\\n', 0), (b'c\\n', 3)]
    """
    reading = reading or ReadOptions()
    for path in listed(paths):
        if path == STDIN and not _compressed() and reading.encoding is None:
            yield from _numbered(Source("standard input", b""), *_arriving(reading), reading, template)
        else:
            for source in open_inputs(path, reading.format, reading.encoding):
                kind = reading.format or kind_of(source)
                yield from _numbered(source, kind, _cut(source.text, size, kind), reading, template)


def _numbered(
    source: Source, kind: str, texts: Iterator[bytes], reading: ReadOptions, template: Template | None
) -> Iterator[Block]:
    """Blocks with the number of lines before each, and the columns that a header in the first one names."""
    before, empty = 0, True
    columns: str | None = None
    for text in _with_tokens(texts) if kind == "columns" else texts:
        if text.strip():
            block = Block(replace(source, text=text), kind, before, columns)
            yield block
            if empty and template is not None:
                columns = _named(block, reading, template)
            empty = False
        before += text.count(b"\n")
    if empty:
        raise InputError(f"{source.name}: the file contains no sequence")


def _with_tokens(texts: Iterator[bytes]) -> Iterator[bytes]:
    """The texts, where one of -DOCSTART- lines and comments alone waits for the next one."""
    waiting, begun = b"", False
    for text in texts:
        waiting += text
        if not _all_begin(waiting, (b"-DOCSTART-", b"#")):
            yield waiting
            waiting, begun = b"", True
    if waiting and not (begun and _all_begin(waiting, (b"-DOCSTART-",))):  # a last # may be a token
        yield waiting


def _all_begin(text: bytes, starts: tuple[bytes, ...]) -> bool:
    return all(line.startswith(starts) for line in text.split(b"\n") if line.strip())


def _named(block: Block, reading: ReadOptions, template: Template) -> str | None:
    """The columns that a header in the block names."""
    if block.kind != "columns" or reading.columns is not None:
        return reading.columns
    form = detect(block.source, format="columns", header=reading.header, expected=template.columns)
    return " ".join(by_header(template, form.roles, block.source.name).columns) or None if form.header else None


def _ends(kind: str) -> tuple[bytes, ...]:
    """What ends a record."""
    return FILE_FORMATS[kind].ends


def _cut(text: bytes, size: int, kind: str) -> Iterator[bytes]:
    start, ends = 0, _ends(kind)
    either = re.compile(b"|".join(ends))  # one search for all: a file may hold only one of them
    while start < len(text):
        cut = either.search(text, start + size - 1) if ends else None
        end = cut.end() if cut else len(text)
        yield text[start:end]
        start = end


def _compressed() -> bool:
    return _standard_input().peek(2).startswith(GZIP)


def _standard_input() -> io.BufferedReader:
    return cast(io.BufferedReader, sys.stdin.buffer)


def _arriving(reading: ReadOptions) -> tuple[str, Iterator[bytes]]:
    """The format of standard input, known from its first line, and its pieces as they come."""
    first = bytearray()
    begun = ended = False  # the first line that is not blank
    while not ended and (piece := _standard_input().read1(ARRIVING)):
        first += piece
        ended = b"\n" in (piece if begun else piece.lstrip())
        begun = begun or bool(piece.strip())
    text = Source("standard input", bytes(first).removeprefix(BOM))
    kind = reading.format or kind_of(text)
    return kind, _pieces(text.text, kind)


def _pieces(first: bytes, kind: str) -> Iterator[bytes]:
    pending = bytearray()
    piece, ends = first, _ends(kind)
    while piece:
        seen = max(0, len(pending) - 2)
        pending += piece
        end = max((at + len(cut) if at >= 0 else 0 for cut in ends for at in [pending.rfind(cut, seen)]), default=0)
        if end:
            yield bytes(pending[:end])
            del pending[:end]
        piece = _standard_input().read1(ARRIVING)
    if pending:
        yield bytes(pending)
