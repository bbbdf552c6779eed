"""The header of a safetensors file: what it says about the arrays, made and checked, and its checksums.

    entries, metadata, crc32 of the data ─▶ make_header ─▶ JSON
    JSON ─▶ read_header ─▶ places_of: where each array is, metadata, every number checked ─▶ check_sums

storage.py draws the whole file.
"""

import json
import math
import re
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tagfield.errors import InputError, ModelFileError

ALIGNMENT = 64
MAX_HEADER = 16 << 20  # ours are a few KB; the bound stops a hostile file from filling the memory
MAX_BYTES = 2**63 - 1
MAX_DIMENSIONS = 32
PAD = "__pad."
CRC, HEADER_CRC = "crc32", "header_crc32"
# A quote inside a JSON string is escaped, so these bytes can only be the key itself.
HEADER_CRC_DIGITS = re.compile(rb'"header_crc32":"([0-9a-f]{8})"')

DTYPES = {
    "BOOL": np.dtype("?"),
    **{f"U{8 * size}": np.dtype(f"<u{size}") for size in (1, 2, 4, 8)},
    **{f"I{8 * size}": np.dtype(f"<i{size}") for size in (1, 2, 4, 8)},
    **{f"F{8 * size}": np.dtype(f"<f{size}") for size in (2, 4, 8)},
}
CODES = {dtype: code for code, dtype in DTYPES.items()}

Entry: TypeAlias = tuple[str, np.dtype[Any], tuple[int, ...], int, int]  # name, dtype, shape, begin, end


class Place(NamedTuple):
    """Where an array is in its file."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int  # its first byte in the file


def make_header(entries: Mapping[str, object], metadata: Mapping[str, str], crc: int) -> bytes:
    """The JSON of a file with its checksums, padded so that the data starts at a multiple of 64 bytes."""
    for key, value in metadata.items():
        if key in (CRC, HEADER_CRC) or not isinstance(value, str):
            raise InputError(f"metadata {key!r} has a reserved key or is not a string; use another key or a string")
    sums = {CRC: f"{crc:08x}", HEADER_CRC: "0" * 8}
    try:
        text = json.dumps(
            {"__metadata__": {**sums, **metadata}, **entries}, ensure_ascii=False, separators=(",", ":")
        ).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"a tensor name or the metadata is not valid Unicode: {error}") from error
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    if len(text) > MAX_HEADER:
        raise InputError(
            f"names and metadata take {len(text)} bytes, the limit is {MAX_HEADER}; store long text as a uint8 tensor"
        )
    digits = f'"{HEADER_CRC}":"{zlib.crc32(text):08x}"'.encode()
    return HEADER_CRC_DIGITS.sub(digits, text, count=1)


def read_header(name: str, mapped: memoryview) -> bytes:
    """The JSON of a file, as bytes."""
    size = int.from_bytes(mapped[:8], "little")
    if len(mapped) > 9 and 2 <= size <= MAX_HEADER and mapped[8] == ord("{"):
        if 8 + size > len(mapped):
            raise corrupt(name, f"it ends after {len(mapped)} bytes, inside its header of {size} bytes")
        return bytes(mapped[8 : 8 + size])
    raise ModelFileError(f"{name!r} is not a tagfield model: {_foreign(bytes(mapped[:64]))}")


def _foreign(start: bytes) -> str:
    if start.startswith(b"lCRF"):
        return "it is a CRFsuite model, which holds no tensors; Model.load reads it"
    if start.startswith(b"\x1f\x8b"):
        return "it is a gzip file; unpack it with gunzip first"
    if start.startswith(b"PK\x03\x04"):
        return "it is a zip archive; unpack it first"
    if all(byte in b"\t\n\r" or byte >= 32 for byte in start):
        return f"it is a text file that starts with {start[:20].decode(errors='replace')!r}; give a model file"
    return f"it starts with the bytes {start[:8].hex(' ')}; give a file written by tagfield, or copy it again"


def places_of(name: str, header: bytes, size: int) -> tuple[dict[str, Place], dict[str, str]]:
    """Where the arrays of a file of `size` bytes are, and its metadata; every bound is checked."""
    metadata, entries = _parsed(name, header)
    places: dict[str, Place] = {}
    expected, start = 0, 8 + len(header)
    for tensor, dtype, shape, begin, end in sorted(entries, key=lambda entry: entry[3:]):
        if begin != expected:
            raise corrupt(name, f"tensor {tensor[:60]!r} starts at byte {begin} of the data instead of {expected}")
        expected = end
        if start + end > size:
            raise corrupt(name, f"tensor {tensor[:60]!r} ends at byte {start + end}, but the file has {size} bytes")
        if not tensor.startswith(PAD):
            places[tensor] = Place(dtype, shape, start + begin)
    if start + expected != size:
        raise corrupt(name, f"{size - start - expected} bytes follow the last tensor")
    return places, metadata


def _parsed(name: str, header: bytes) -> tuple[dict[str, str], list[Entry]]:
    """The metadata and the entries of a header, checked."""
    try:
        parsed = json.loads(header.decode(), object_pairs_hook=_distinct)
        json.dumps(parsed, ensure_ascii=False).encode()  # fails on an escaped half of a surrogate pair
    except (ValueError, RecursionError) as error:
        raise corrupt(name, f"its header is not valid JSON ({error})") from error
    metadata = parsed.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise corrupt(name, "its metadata is not a JSON object of strings")
    return metadata, [_entry(name, tensor, entry) for tensor, entry in parsed.items()]


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a name occurs twice")
    return table


def _entry(name: str, tensor: str, entry: object) -> Entry:
    where = f"its entry for tensor {tensor[:60]!r}"
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise corrupt(name, f"{where} does not consist of dtype, shape and data_offsets")
    code, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(code, str) or code not in DTYPES:
        raise corrupt(name, f"{where} has the unknown dtype {str(code)[:20]!r}")
    if not _sizes(shape) or len(shape) > MAX_DIMENSIONS:
        raise corrupt(name, f"{where} has a shape that is not a list of at most {MAX_DIMENSIONS} sizes")
    if not _sizes(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise corrupt(name, f"{where} has data_offsets that are not a start and an end")
    dtype = DTYPES[code]
    # NumPy multiplies the other sizes of an empty array too, so they need the same bound.
    if math.prod(max(size, 1) for size in shape) * dtype.itemsize > MAX_BYTES:
        raise corrupt(name, f"{where} has a shape that exceeds any memory")
    begin, end = offsets
    if math.prod(shape) * dtype.itemsize != end - begin:
        raise corrupt(name, f"{where} has shape {shape} of {code}, but {end - begin} bytes of data")
    return tensor, dtype, tuple(shape), begin, end


def _sizes(value: object) -> bool:
    return isinstance(value, list) and all(type(size) is int and 0 <= size <= MAX_BYTES for size in value)


def check_sums(name: str, header: bytes, mapped: memoryview, metadata: Mapping[str, str], *, verify: bool) -> None:
    """Raise ModelFileError if a checksum is wrong; `verify`: also that of the data."""
    if not verify and not metadata.keys() & {CRC, HEADER_CRC}:
        return  # written by another program; the caller accepts it
    found = HEADER_CRC_DIGITS.search(header)
    if CRC not in metadata or found is None:
        raise ModelFileError(f"{name!r} has no checksum, so tagfield did not write it; give a file written by tagfield")
    blank = header[: found.start(1)] + b"0" * 8 + header[found.end(1) :]
    if f"{zlib.crc32(blank):08x}" != metadata.get(HEADER_CRC):
        raise corrupt(name, "the checksum of its header is wrong")
    if verify:
        crc = zlib.crc32(mapped[8 + len(header) :])
        if f"{crc:08x}" != metadata[CRC]:
            raise corrupt(name, "the checksum of its data is wrong")


def corrupt(name: str, what: str) -> ModelFileError:
    """The error for a damaged file."""
    return ModelFileError(f"{name!r} is damaged: {what}; copy the file again, or train the model again")
