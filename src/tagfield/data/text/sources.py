"""Files, compressed files and standard input as bytes, and where each sentence stands in them.

path, .gz, "-" ─▶ Source: name and bytes ─▶ readers ─▶ Locations: file and line of each sentence, for messages
"""

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeAlias

from tagfield.errors import InputError, MemoryLimitError
from tagfield.system.arrays import Ints, Longs
from tagfield.system.contents import ByContent
from tagfield.system.memory import check_fits

PathLike: TypeAlias = str | os.PathLike[str]

STDIN = "-"
MANIFEST = "manifest.json"  # of a packed corpus; see data/corpus/manifest.py
_GZIP = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"  # U+FEFF in UTF-8
SMALL = 1 << 24  # bytes that are read without a check of memory
SMALLER = "pack the file first (tagfield pack), or use a smaller one"


class Readable(Protocol):
    """An open file of bytes."""

    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True)
class Source:
    """The text of one file, decompressed and without a byte order mark."""

    name: str  # for messages
    text: bytes
    kind: ClassVar[str] = ""  # the format, if it is known already


@dataclass(frozen=True, eq=False)
class Locations(ByContent):
    """Where the sentences of a dataset stand in their files."""

    sources: list[Source]
    file: Ints  # [S]  index into sources
    line: Longs  # [S]  first line, counted from 1
    begin: Longs | None = None  # [S]  first byte of the sentence; None for item files
    end: Longs | None = None  # [S]  end of its last line
    named: tuple[str, ...] | None = None  # where each sentence stands, if not by its line; `line` counts into it

    def where(self, sentence: int) -> str:
        """File and line of a sentence, for messages.

        >>> import numpy as np
        >>> Locations([Source("a.txt", b"")], np.array([0], np.int32), np.array([7])).where(0)
        'a.txt, line 7'
        """
        if self.named is not None:
            return self.named[int(self.line[sentence])]
        return f"{self.sources[self.file[sentence]].name}, line {self.line[sentence]}"

    def lines(self, sentence: int) -> list[str]:
        """The lines of a sentence, as they stand in its column file."""
        if self.begin is None or self.end is None:
            raise InputError("the lines of a sentence are kept for plain column files only")
        raw = self.sources[self.file[sentence]].text[self.begin[sentence] : self.end[sentence]]
        return [line.removesuffix("\r") for line in raw.decode().removesuffix("\n").split("\n")]


def open_source(path: PathLike) -> Source:
    """Read a whole file; `-` is standard input, and gzip is recognised by its first bytes.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.txt")
    >>> _ = path.write_bytes(b"The DT B-NP")
    >>> open_source(path).text
    b'The DT B-NP'
    """
    name = "standard input" if path == STDIN else os.fspath(path)
    raw = read_bytes(path, name)
    if raw.startswith(_GZIP):
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(raw)) as packed:
                raw = read_within(packed, f"{name}: the unpacked text")
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{name}: the gzip data is damaged or cut off ({error})") from None
    elif name.endswith(".gz") and raw:
        raise InputError(f"{name}: the name ends in .gz, but the file is not gzip data; rename or compress it")
    text = raw.removeprefix(BOM)
    if not text:
        raise InputError(f"{name}: the file is empty")
    return Source(name, text)


def listed(paths: PathLike | Source | Iterable[PathLike | Source]) -> list[PathLike | Source]:
    """One path or several as a list; raises InputError if there is none, or if standard input is there twice.

    >>> listed("a.txt"), listed(["-", "a.txt"])
    (['a.txt'], ['-', 'a.txt'])
    >>> listed(["-", "-"])
    Traceback (most recent call last):
    tagfield.errors.InputError: standard input (-) can be read only once
    """
    several = [paths] if isinstance(paths, str | os.PathLike | Source) else list(paths)
    if not several:
        raise InputError("no input file was given")
    if sum(path == STDIN for path in several) > 1:
        raise InputError("standard input (-) can be read only once")
    return several


def read_bytes(path: PathLike, name: str) -> bytes:
    """The bytes of a file, which messages call `name`."""
    try:
        if path == STDIN:
            return read_within(sys.stdin.buffer, f"{name}: the text")
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > SMALL:
                check_fits(size, f"{name}: the text", SMALLER)
            return read_within(file, f"{name}: the text")
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{name}: {_folder(name)}") from None
    except OSError as error:
        raise InputError(f"{name}: the file cannot be read ({error.strerror or error})") from None
    except MemoryLimitError:
        raise
    except ValueError as error:  # a NUL in the name
        raise InputError(f"{name!r}: this is not a file name ({error})") from None


def _folder(path: str) -> str:
    """The message about a folder where a file is expected."""
    if os.path.isfile(os.path.join(path, MANIFEST)):
        return (
            "this is a packed corpus, which holds no text; train or evaluate on it alone, or give the files behind it"
        )
    return f"this is a directory, not a file, and it has no {MANIFEST}, as a folder of tagfield pack has"


def read_within(file: Readable, what: str) -> bytes:
    """Everything that a file still holds; MemoryLimitError as soon as it is more than fits."""
    pieces = [file.read(SMALL)]
    while len(pieces[-1]) == SMALL:
        check_fits(SMALL * (len(pieces) + 1), what, SMALLER)  # the next piece, and all of them once more in one
        pieces.append(file.read(SMALL))
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
