"""Takes CRFsuite models out of pickles without running them.

    bytes ─▶ unpacked: gzip, zlib, bzip2, xz, as joblib compresses ─▶ opcodes, read and not executed ─▶ lCRF… ─▶ models

A pickle is a program, and loading one from an unknown source runs that program. A CRF of sklearn-crfsuite keeps the
file of its model as one string of bytes in its pickle; so the strings are enough. joblib writes arrays between the
opcodes, where they cannot be told apart; from there on the bytes themselves are searched.
"""

import bz2
import lzma
import pickletools
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tagfield.errors import InputError, ModelFileError
from tagfield.model.file import Parts
from tagfield.model.formats.crfsuite import HEADER, MAGIC, TYPE
from tagfield.model.formats.crfsuite import read_parts as read_crfsuite

LARGEST = 1 << 30  # bytes of an unpacked pickle
STEP = 1 << 20
OVERLAP = 8  # how often a byte may belong to what looks like a model, on average

_PACKED: tuple[tuple[bytes | tuple[bytes, ...], str, Callable[[], Any]], ...] = (
    (b"\x1f\x8b", "gzip", lambda: zlib.decompressobj(31)),
    ((b"x\x01", b"x\x5e", b"x\x9c", b"x\xda"), "zlib", zlib.decompressobj),
    (b"BZh", "bzip2", bz2.BZ2Decompressor),
    (b"\xfd7zXZ\0", "xz", lambda: lzma.LZMADecompressor(memlimit=LARGEST)),
    (b"\x5d\0\0", "lzma", lambda: lzma.LZMADecompressor(memlimit=LARGEST)),
)
_OLD = re.compile(rb"c[\w.]+\n[\w.]+\n[pq]|\([ld]p\d|[\]}]q")  # protocols 0 and 1: an object, a list or a dict


class Pickled(NamedTuple):
    """A model in a pickle."""

    data: bytes  # its file
    parts: Parts

    def describe(self) -> str:
        labels = self.parts.labels.strings()
        some = ", ".join(labels[:6]) + (", …" if len(labels) > 6 else "")
        return f"{len(labels):,} labels ({some}), {len(self.parts.attributes):,} attributes"


def is_pickle(start: bytes) -> bool:
    """Whether a file that starts with these bytes is a pickle, or one that joblib has compressed.

    >>> import pickle
    >>> is_pickle(pickle.dumps([1])), is_pickle(pickle.dumps([1], protocol=0)), is_pickle(b"lCRF")
    (True, True, False)
    """
    new = start[:1] == b"\x80" and start[1:2] <= b"\x08"
    return new or bool(_OLD.match(start)) or any(start.startswith(magic) for magic, *_ in _PACKED)


def models_in(data: bytes | memoryview, name: str) -> list[Pickled]:
    """The CRFsuite models in a pickle, each once; ModelFileError if there is none."""
    found: dict[bytes, Pickled] = {}
    damaged: ModelFileError | None = None
    for raw in _candidates(_unpacked(bytes(data), name)):
        if raw in found:
            continue
        try:
            found[raw] = Pickled(raw, read_crfsuite(memoryview(raw), f"the model in {name}"))
        except ModelFileError as error:
            damaged = error
    if not found and damaged is not None:
        raise damaged
    if not found:
        raise ModelFileError(
            f"{name!r} holds no model of CRFsuite; a pickled CRF of sklearn-crfsuite has one after fit, unless it kept "
            "the model in a file of its own (model_filename): convert that file"
        )
    return list(found.values())


def _candidates(data: bytes) -> Iterator[bytes]:
    """Everything in a pickle that may be the file of a model."""
    at = 0
    try:
        for operation, argument, position in pickletools.genops(data):
            at = position or 0
            if isinstance(argument, str) and argument.startswith("lCRF") and operation.name != "GLOBAL":
                argument = argument.encode("latin-1")  # protocols 0 to 2 spell bytes as text
            if isinstance(argument, bytes | bytearray) and bytes(argument[:4]) == MAGIC:
                yield bytes(argument)
    except (ValueError, IndexError, OverflowError, UnicodeError):  # no opcode: an array of joblib, or a damaged pickle
        left = OVERLAP * len(data)  # bytes to look at, so that files which claim to overlap take linear time
        while (at := data.find(MAGIC, at)) >= 0:
            size = int.from_bytes(data[at + 4 : at + 8], "little")
            if data[at + 8 : at + 12] == TYPE and HEADER < size <= min(left, len(data) - at):
                yield data[at : at + size]
                left -= size
            at += 1


def _unpacked(data: bytes, name: str) -> bytes:
    """The bytes, decompressed up to a limit."""
    kind, opened = next(((kind, opened) for start, kind, opened in _PACKED if data.startswith(start)), ("", None))
    if opened is None:
        return data
    stream, pieces, size = opened(), [], 0
    rest = data
    try:
        while True:
            piece = stream.decompress(rest, STEP)
            pieces.append(piece)
            size += len(piece)
            rest = stream.unconsumed_tail if kind in ("gzip", "zlib") else b""
            if size > LARGEST:
                raise InputError(
                    f"{name!r} unpacks to more than {LARGEST / 2**30:g} GiB; unpack it yourself, and give the result"
                )
            if stream.eof:
                return b"".join(pieces)
            if not piece and not rest and getattr(stream, "needs_input", True):
                break
    except (zlib.error, OSError, lzma.LZMAError, EOFError) as error:
        raise ModelFileError(
            f"{name!r} is damaged: it starts as {kind} data, but cannot be unpacked ({error})"
        ) from None
    raise ModelFileError(f"{name!r} is damaged: its {kind} data ends early; copy the file again")


def model_of_estimator(old: Any) -> bytes:
    """The CRFsuite model of a fitted CRF of sklearn-crfsuite: the content of its model file."""
    file = getattr(getattr(old, "modelfile", None), "name", None)
    if file is None:
        raise InputError(f"this needs a fitted CRF of sklearn-crfsuite, got {type(old).__name__}; fit it first")
    try:
        with open(file, "rb") as opened:
            return opened.read()
    except OSError as error:
        raise InputError(
            f"the model file of the CRF, {str(file)!r}, cannot be read: {error.strerror or error}"
        ) from None
