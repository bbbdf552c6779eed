"""Where the arrays of a safetensors file are, for readers that take parts of them: only the header is read.

open file ─▶ places_in: name ─▶ dtype, shape, first byte ─▶ check_data: the checksum of the data, piece by piece
"""

import os
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tagfield.errors import ModelFileError
from tagfield.system.storage_header import (
    CRC,
    HEADER_CRC,
    MAX_HEADER,
    PAD,
    check_sums,
    corrupt,
    parse_header,
    read_header,
    short_name,
)


class Place(NamedTuple):
    """Where an array is in its file."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int  # its first byte in the file


def places_in(name: str, descriptor: int) -> tuple[dict[str, Place], dict[str, str], int]:
    """Where the arrays of an open file are, its metadata, and where its data starts; only the header is read.

    Bounds and the checksum of the header are checked as `load_tensors` checks them; the data is not.
    """
    size = os.fstat(descriptor).st_size
    head = read_at(descriptor, 8, 0)
    length = int.from_bytes(head, "little")
    with memoryview(head + read_at(descriptor, min(length, MAX_HEADER, size), 8)) as start:
        header = read_header(name, start if 8 + length > size else start[: 8 + length])
    metadata, entries = parse_header(name, header)
    places: dict[str, Place] = {}
    expected, data = 0, 8 + len(header)
    for tensor, dtype, shape, begin, end in sorted(entries, key=lambda entry: entry[3:]):
        if begin != expected or data + end > size:
            raise corrupt(name, f"{short_name(tensor)} is not where it should be in a file of {size} bytes")
        expected = end
        if not tensor.startswith(PAD):
            places[tensor] = Place(dtype, shape, data + begin)
    if data + expected != size:
        raise corrupt(name, f"{size - data - expected} bytes follow the last tensor")
    if CRC not in metadata or HEADER_CRC not in metadata:
        raise ModelFileError(f"{name!r} has no checksum, so tagfield did not write it; give a file written by tagfield")
    check_sums(name, header, memoryview(b""), metadata, verify=False)
    return places, metadata, data


def read_at(descriptor: int, size: int, at: int) -> bytes:
    """Up to `size` bytes of an open file, from byte `at` on."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, size, at)
    os.lseek(descriptor, at, os.SEEK_SET)  # Windows
    return os.read(descriptor, size)


def check_data(name: str, descriptor: int, start: int, metadata: Mapping[str, str]) -> None:
    """Raise ModelFileError if the data of an open file, from byte `start` on, does not have its checksum."""
    crc, at = 0, start
    while piece := read_at(descriptor, 1 << 22, at):
        crc = zlib.crc32(piece, crc)
        at += len(piece)
    if f"{crc:08x}" != metadata[CRC]:
        raise corrupt(name, "the checksum of its data is wrong")
