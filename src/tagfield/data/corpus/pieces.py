"""Files as pieces of whole sentences, without ever holding a whole file.

    path, .gz, "-" ─▶ read PIECE bytes at a time ─▶ cut behind the last whole sentence ─▶ Piece: text, lines before it

Sentences of columns, CoNLL-U and items end at blank lines, JSON lines at every line. Other formats (JSON, CSV, brat,
spaCy) cannot be cut: such a file is one piece. The cuts depend on the file alone, so the same files give the same
pieces however many workers encode them, and a stopped run resumes at a piece.
"""

import gzip
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, cast

from tagfield.data.text.encoders.footprint import OBJECTS
from tagfield.data.text.formats.decoding import recode
from tagfield.data.text.formats.detect import kind_of
from tagfield.data.text.formats.table import FILE_FORMATS, LINE
from tagfield.data.text.inputs import open_inputs
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.sources import BOM, SMALL, STDIN, Source, listed, read_within
from tagfield.errors import InputError
from tagfield.system.memory import check_fits, spell

PIECE = 4 << 20  # bytes of text
_GZIP = b"\x1f\x8b"
_BLANK = re.compile(rb"\n[ \t\r]*\n")


@dataclass(frozen=True)
class Piece:
    """Whole sentences of one file."""

    source: Source
    kind: str  # a name in FILE_FORMATS
    before: int = 0  # lines before it in the file
    first: bool = True  # whether it begins its file

    def numbered(self) -> Source:
        """The text with as many blank lines in front as there are lines before it, so that messages name its lines.

        >>> Piece(Source("a.txt", b"x O\\n"), "columns", 2).numbered().text
        b'\\n\\nx O\\n'
        """
        return replace(self.source, text=b"\n" * self.before + self.source.text)


def read_pieces(paths: list[str], reading: ReadOptions, size: int = PIECE) -> Iterator[Piece]:
    """The pieces of all files, in order.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_text("a X\\nb Y\\n\\nc X\\n")
    >>> [(piece.source.text, piece.before) for piece in read_pieces([str(path)], ReadOptions(), size=9)]
    [(b'a X\\nb Y\\n\\n', 0), (b'c X\\n', 3)]
    """
    listed(paths)
    for path in paths:
        yield from _read_file(path, reading, size)


def _read_file(path: str, reading: ReadOptions, size: int) -> Iterator[Piece]:
    name = "standard input" if path == STDIN else path
    if path != STDIN and (os.path.isdir(path) or os.path.exists(os.path.splitext(path)[0] + ".ann")):
        yield from _whole(path, reading)
        return
    try:
        with _open(path, name) as file:
            head = file.read(size)
            text = head.removeprefix(BOM)
            if not text:
                raise InputError(f"{name}: the file is empty")
            sample = recode(Source(name, text), reading.encoding) if _ascii(reading.encoding) else None
            kind = None if sample is None else reading.format or kind_of(sample)
            if kind is not None and FILE_FORMATS[kind].ends:
                yield from _cut(file, name, text, kind, reading, size)
                return
            if path == STDIN:
                source = recode(Source(name, text + read_within(file, f"{name}: the text")), reading.encoding)
                yield Piece(source, reading.format or kind_of(source))
                return
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{name}: the gzip data is damaged or cut off ({error})") from None
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file") from None
    except OSError as error:
        raise InputError(f"{name}: the file cannot be read ({error.strerror or error})") from None
    yield from _whole(path, reading)


def _whole(path: str, reading: ReadOptions) -> Iterator[Piece]:
    """Files that cannot be cut."""
    for source in open_inputs(path, reading.format, reading.encoding):
        yield Piece(source, reading.format or kind_of(source))


def _ascii(encoding: str | None) -> bool:
    """Whether a line feed is one byte that no other character has: else text cannot be cut before it is decoded."""
    try:
        return encoding is None or bytes(range(128)).decode(encoding).encode("ascii") == bytes(range(128))
    except (LookupError, UnicodeError):
        return False


@contextmanager
def _open(path: str, name: str) -> Iterator[Any]:
    """The file, unpacked if it is gzip data; standard input stays open."""
    with ExitStack() as open_files:
        try:
            file = cast(Any, sys.stdin.buffer) if path == STDIN else open_files.enter_context(open(path, "rb"))
        except ValueError as error:  # a NUL in the name
            raise InputError(f"{name!r}: this is not a file name ({error})") from None
        packed = file.peek(2)[:2] == _GZIP
        if not packed and name.endswith(".gz") and file.peek(1):
            raise InputError(f"{name}: the name ends in .gz, but the file is not gzip data; rename or compress it")
        yield open_files.enter_context(gzip.GzipFile(fileobj=file)) if packed else file


def _cut(file: Any, name: str, text: bytes, kind: str, reading: ReadOptions, size: int) -> Iterator[Piece]:
    pending, before, first, held, ended = text, 0, True, False, False
    while pending or not ended:
        end = 0
        while not ended and (len(pending) < size or not end):
            more = file.read(size)
            ended = not more
            pending += more
            if len(pending) > SMALL:
                check_fits(OBJECTS * len(pending), f"{name}: a sentence or line of {spell(len(pending))}", "divide it")
            end = _end(pending, kind, size)
        if not end or (ended and len(pending) <= size):
            end = (ended and len(pending) > size and _end(pending, kind, size)) or len(pending)
        whole, pending = pending[:end], pending[end:]
        if whole.strip():
            held = True
            yield Piece(recode(Source(name, whole), reading.encoding), kind, before, first)
            first = False
        before += whole.count(b"\n")
    if not held:
        raise InputError(f"{name}: the file holds no sequence")


def _end(text: bytes, kind: str, size: int) -> int:
    """Where the last whole sentence of the first `size` bytes ends, or else the first one; 0 if none ends."""
    if FILE_FORMATS[kind].ends == LINE:
        return text.rfind(b"\n", 0, size) + 1 or text.find(b"\n", size) + 1
    at = max(text.rfind(b"\n\n", 0, size), text.rfind(b"\n\r\n", 0, size))
    found = _BLANK.search(text, at if at >= 0 else 0)
    return found.end() if found else 0
