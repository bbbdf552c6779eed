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

import math
import mmap
import os
import stat
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tagfield.errors import InputError, ModelFileError
from tagfield.system.atomic import write_atomically
from tagfield.system.storage_header import (
    ALIGNMENT,
    CODES,
    CRC,
    HEADER_CRC,
    MAX_HEADER,
    PAD,
    Place,
    check_sums,
    corrupt,
    make_header,
    places_of,
    read_header,
)

__all__ = ["Place", "check_data", "load_tensors", "open_bytes", "open_file", "places_in", "save_tensors", "tensors_of"]
__all__ += ["write_atomically"]

Array: TypeAlias = NDArray[Any]

COPIED = 256 << 20  # files up to this size are copied, which takes 5 ms for 30 MB; larger ones are mapped


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
    header = make_header(entries, metadata, crc)
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

    copy: True copies the file into memory, so later changes to the file do not affect the arrays. False maps
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
    places, metadata = places_of(name, header, len(mapped))
    tensors: dict[str, Array] = {}
    for tensor, (dtype, shape, begin) in places.items():
        array: Array = np.frombuffer(mapped, dtype, math.prod(shape), begin).reshape(shape)
        if not array.flags.aligned:  # only in files written by other programs
            array = array.copy()
            array.flags.writeable = False
        tensors[tensor] = array
    check_sums(name, header, mapped, metadata, verify=verify)
    return tensors, {key: text for key, text in metadata.items() if key not in (CRC, HEADER_CRC)}


def places_in(name: str, descriptor: int) -> tuple[dict[str, Place], dict[str, str], int]:
    """Where the arrays of an open file are, its metadata, and where its data starts; only the header is read.

    Bounds and the checksum of the header are checked as `load_tensors` checks them; the data is not.
    """
    size = os.fstat(descriptor).st_size
    head = read_at(descriptor, 8, 0)
    length = int.from_bytes(head, "little")
    with memoryview(head + read_at(descriptor, min(length, MAX_HEADER, size), 8)) as start:
        header = read_header(name, start if 8 + length > size else start[: 8 + length])
    places, metadata = places_of(name, header, size)
    if CRC not in metadata or HEADER_CRC not in metadata:
        raise ModelFileError(f"{name!r} has no checksum, so tagfield did not write it; give a file written by tagfield")
    check_sums(name, header, memoryview(b""), metadata, verify=False)
    return places, metadata, 8 + len(header)


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
