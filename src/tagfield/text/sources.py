"""Files, compressed files and standard input as bytes, each with the name that messages use."""

import gzip
import os
import sys
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from tagfield.errors import InputError

PathLike: TypeAlias = str | os.PathLike[str]

STDIN = "-"
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Source:
    """The text of one file, decompressed and without a byte order mark."""

    name: str
    text: bytes


def open_source(path: PathLike) -> Source:
    """Reads a whole file; `-` is standard input, and gzip is recognised by its first bytes.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.txt")
    >>> _ = path.write_bytes(b"The DT B-NP")
    >>> open_source(path).text
    b'The DT B-NP'
    """
    name = "standard input" if path == STDIN else os.fspath(path)
    raw = _read(path, name)
    if raw.startswith(_GZIP):
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{name}: the gzip data is damaged or cut off ({error})") from None
    elif name.endswith(".gz") and raw:
        raise InputError(f"{name}: the name ends in .gz, but the file is not gzip data")
    text = raw.removeprefix(_BOM)
    if not text:
        raise InputError(f"{name}: the file is empty")
    return Source(name, text)


def open_sources(paths: PathLike | Iterable[PathLike]) -> list[Source]:
    """Reads one path or several, in the order given.

    >>> open_sources([])
    Traceback (most recent call last):
    tagfield.errors.InputError: no input file was given
    """
    several = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not several:
        raise InputError("no input file was given")
    if sum(path == STDIN for path in several) > 1:
        raise InputError("standard input (-) can be read only once")
    return [open_source(path) for path in several]


def _read(path: PathLike, name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{name}: this is a directory, not a file") from None
    except OSError as error:
        raise InputError(f"{name}: the file cannot be read ({error.strerror or error})") from None
    except ValueError as error:  # a NUL in the name
        raise InputError(f"{name!r}: this is not a file name ({error})") from None
