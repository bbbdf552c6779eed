"""Named arrays and metadata in one safetensors file, which is copied into memory, or memory-mapped if it is large.

    ┌──────────────┬───────────────────────────────────────────┬─────────────────────────────────────────┐
    │ 8 bytes: n   │ n bytes: JSON, padded with spaces         │ data: the arrays, one after the other   │
    └──────────────┴───────────────────────────────────────────┴─────────────────────────────────────────┘
                     {"__metadata__": {"crc32": …}, name: {dtype, shape, data_offsets}}

Every array starts at a multiple of 64 bytes, so that the kernels read whole cache lines and vectors. The format allows
no gaps, so arrays whose size is a multiple of 64 come first, and each other array is followed by an array of zeros
named `__pad.N`. `load_tensors` skips those.

Two checksums detect every flipped bit: `crc32` covers the data, and `header_crc32` covers the JSON with its own eight
digits set to zero. zlib's crc32 takes 13 ms for a model of 30 MB (2.3 GB/s). `verify=False` skips the checksum of the
data, so that pages that are not used are never read.
"""

import json
import math
import mmap
import os
import re
import stat
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tagfield.atomic import write_atomically
from tagfield.errors import InputError, ModelFileError

__all__ = ["load_tensors", "open_bytes", "open_file", "save_tensors", "tensors_of", "write_atomically"]

Array: TypeAlias = NDArray[Any]

ALIGNMENT = 64
MAX_HEADER = 16 << 20  # ours are a few KB; the bound stops a hostile file from filling the memory
MAX_BYTES = 2**63 - 1
COPIED = 256 << 20  # files up to this size are copied, which takes 5 ms for 30 MB; larger ones are mapped
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


def save_tensors(path: str | os.PathLike[str], tensors: Mapping[str, Array], metadata: Mapping[str, str]) -> None:
    """Write arrays and metadata to one safetensors file, atomically, with each array at a multiple of 64 bytes.

    Contiguous arrays are written without a copy.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.safetensors"
    >>> save_tensors(path, {"weights": np.ones((2, 3), np.float32)}, {"template": "chunking"})
    >>> tensors, metadata = load_tensors(path)
    >>> tensors["weights"].sum().item(), metadata
    (6.0, {'template': 'chunking'})
    """
    entries: dict[str, object] = {}
    pieces: list[Array] = []
    end = 0
    for name, array in _layout(tensors):
        begin, end = end, end + array.nbytes
        code = CODES[array.dtype.newbyteorder("<")]
        entries[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": [begin, end]}
        pieces.append(array)
    crc = 0
    for array in pieces:
        crc = zlib.crc32(_bytes_of(array), crc)
    header = _header(entries, metadata, crc)
    with write_atomically(path) as file:
        file.write(len(header).to_bytes(8, "little") + header)
        for array in pieces:
            file.write(_bytes_of(array))


def load_tensors(
    path: str | os.PathLike[str], *, verify: bool = True, copy: bool | None = None
) -> tuple[dict[str, Array], dict[str, str]]:
    """Read a safetensors file; returns its read-only arrays and its metadata.

    Every bound is checked before it is used; a truncated, corrupt or foreign file raises ModelFileError. `verify=False`
    skips the checksum of the data and accepts files without checksums.

    copy: True copies the file into memory: whatever happens to the file later, the arrays stay as they are. False maps
        it, so that processes share its pages: replacing or deleting the file is safe then (`mv`, `rm`, all writers of
        this package), but overwriting it in place (`cp`) changes the arrays, or ends the process. None copies files of
        up to 256 MB.

    >>> load_tensors("no/such/model")
    Traceback (most recent call last):
    tagfield.errors.ModelFileError: no file named 'no/such/model'; check the path
    """
    name = os.fspath(path)
    return tensors_of(open_file(name, copy), name, verify=verify)


def tensors_of(mapped: memoryview, name: str, *, verify: bool = True) -> tuple[dict[str, Array], dict[str, str]]:
    """The arrays and the metadata in the bytes of a safetensors file; messages call it `name`."""
    header = read_header(name, mapped)
    start = 8 + len(header)
    metadata, entries = parse_header(name, header)
    tensors: dict[str, Array] = {}
    expected = 0
    for tensor, dtype, shape, begin, end in sorted(entries, key=lambda entry: entry[3:]):
        if begin != expected:
            raise corrupt(name, f"{short_name(tensor)} starts at byte {begin} of the data instead of {expected}")
        expected = end
        if start + end > len(mapped):
            raise corrupt(
                name, f"{short_name(tensor)} ends at byte {start + end}, but the file has {len(mapped)} bytes"
            )
        if not tensor.startswith(PAD):
            array: Array = np.frombuffer(mapped, dtype, math.prod(shape), start + begin).reshape(shape)
            if not array.flags.aligned:  # only in files written by other programs
                array = array.copy()
                array.flags.writeable = False
            tensors[tensor] = array
    if start + expected != len(mapped):
        raise corrupt(name, f"{len(mapped) - start - expected} bytes follow the last tensor")
    check_sums(name, header, mapped, metadata, verify=verify)
    return tensors, {key: text for key, text in metadata.items() if key not in (CRC, HEADER_CRC)}


def _layout(tensors: Mapping[str, Array]) -> Iterable[tuple[str, Array]]:
    """Arrays of whole multiples of 64 bytes first, largest first; then the others, with padding between them."""
    for name, array in tensors.items():
        if name == "__metadata__" or name.startswith(PAD):
            raise InputError(f"the tensor name {name!r} is reserved; choose another name")
        if array.dtype.newbyteorder("<") not in CODES:
            raise InputError(f"tensor {name!r} has dtype {array.dtype}, which safetensors files do not support")
    ordered = sorted(tensors.items(), key=lambda item: (item[1].nbytes % ALIGNMENT != 0, -item[1].nbytes))
    for index, (name, array) in enumerate(ordered):
        yield name, array
        gap = -array.nbytes % ALIGNMENT
        if gap and index + 1 < len(ordered):
            yield f"{PAD}{index}", np.zeros(gap, np.uint8)


def _bytes_of(array: Array) -> memoryview:
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return np.ascontiguousarray(little).reshape(-1).view(np.uint8).data


def _header(entries: Mapping[str, object], metadata: Mapping[str, str], crc: int) -> bytes:
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


def open_bytes(data: bytes | bytearray | memoryview) -> memoryview:
    """A copy of some bytes, aligned as those of a file are."""
    try:
        given = memoryview(data).cast("B")
    except TypeError:
        raise InputError(f"a model must be given as bytes, got {type(data).__name__}") from None
    if not len(given):
        raise ModelFileError("the bytes of the model are empty; give the content of a model file")
    view = memoryview(mmap.mmap(-1, len(given)))
    view[:] = given
    return view.toreadonly()


def open_file(name: str, copy: bool | None = None) -> memoryview:
    """The bytes of a file, copied or mapped; see `load_tensors`."""
    try:
        # O_NONBLOCK: opening a named pipe without a writer would block
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(name, flags)
        try:
            status = os.fstat(descriptor)
            if stat.S_ISDIR(status.st_mode):
                raise ModelFileError(f"{name!r} is a folder; give the path of a model file")
            if not stat.S_ISREG(status.st_mode):
                raise ModelFileError(f"{name!r} is a device or a pipe; copy the model to a regular file first")
            if status.st_size == 0:
                raise ModelFileError(f"{name!r} is empty; copy the file again, or train the model again")
            if copy is False or (copy is None and status.st_size > COPIED):
                return memoryview(mmap.mmap(descriptor, status.st_size, access=mmap.ACCESS_READ))
            return _read(name, descriptor, status.st_size)
        finally:
            os.close(descriptor)
    except FileNotFoundError as error:
        raise ModelFileError(f"no file named {name!r}; check the path") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelFileError(f"cannot read {name!r}: {reason}; check the path and the permissions") from error


def _read(name: str, descriptor: int, size: int) -> memoryview:
    """The bytes of a file in memory of their own; it starts at a page, so arrays are as aligned as in the file."""
    view = memoryview(mmap.mmap(-1, size))
    done = 0
    while done < size:
        count = os.readv(descriptor, [view[done:]]) if hasattr(os, "readv") else _read_some(descriptor, view[done:])
        if not count:
            raise ModelFileError(f"{name!r} became shorter while it was read; load it again when it is complete")
        done += count
    return view.toreadonly()


def _read_some(descriptor: int, into: memoryview) -> int:
    found = os.read(descriptor, min(len(into), 1 << 20))
    into[: len(found)] = found
    return len(found)


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


Entry: TypeAlias = tuple[str, np.dtype[Any], tuple[int, ...], int, int]  # name, dtype, shape, begin, end


def parse_header(name: str, header: bytes) -> tuple[dict[str, str], list[Entry]]:
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
    where = f"its entry for {short_name(tensor)}"
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


def short_name(tensor: str) -> str:
    """A tensor for messages."""
    return f"tensor {tensor[:60]!r}"
