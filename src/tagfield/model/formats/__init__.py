"""Model files of tagfield and of other programs; a file is known by its first bytes.

    path, bytes ─▶ Source ─▶ its first bytes ─▶ the format's reader ─▶ Parts
    Parts ─▶ the format's writer ─▶ one file, whole or not at all

To add a format, write its reader and its writer, and add its line to `FORMATS`.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tagfield.errors import InputError, ModelFileError, did_you_mean
from tagfield.model.file import Parts, load_parts, to_tensors
from tagfield.system.storage import COPIED, open_bytes, open_file, save_tensors, write_atomically

__all__ = ["FORMATS", "Format", "format_of", "read_bytes", "read_parts", "write"]


@dataclass(frozen=True)
class Format:
    """A format of model files."""

    name: str  # as `Model.save(format=…)` takes it
    program: str  # whose format it is
    known_by: Callable[[bytes], bool]  # whether a file that starts with these bytes (up to 4,096) has this format
    reader: str = ""  # module:function(memoryview, name) -> Parts
    writer: str = ""  # module:function(Parts) -> bytes; "" if tagfield does not write it


def _is_safetensors(start: bytes) -> bool:
    return len(start) > 9 and start[8:9] == b"{" and int.from_bytes(start[:8], "little") < 2**32


def _is_crfpp_binary(start: bytes) -> bool:
    """Versions 100 to 199, and on a big-endian machine, which the reader refuses."""
    return (len(start) > 36 and start[1:8] == bytes(7) and 100 <= start[0] < 200) or start[:8] == b"\0\0\0d\0\0\0\0"


FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format("tagfield", "tagfield", _is_safetensors),
        Format(
            "crfsuite",
            "CRFsuite",
            lambda start: start[:4] == b"lCRF",
            "tagfield.model.formats.crfsuite:read_parts",
            "tagfield.model.formats.crfsuite_writer:to_bytes",
        ),
        Format(
            "crfpp",
            "CRF++",
            lambda start: start.startswith(b"version: "),
            "tagfield.model.formats.crfpp_text:read_parts",
            "tagfield.model.formats.crfpp_writer:to_bytes",
        ),
        Format("crfpp-binary", "CRF++", _is_crfpp_binary, "tagfield.model.formats.crfpp_binary:read_parts"),
        Format(
            "wapiti",
            "Wapiti",
            lambda start: start.startswith(b"#mdl#"),
            "tagfield.model.formats.wapiti:read_parts",
            "tagfield.model.formats.wapiti_writer:to_bytes",
        ),
    )
}
GZIP = b"\x1f\x8b"
START = 4096  # bytes that are looked at to know a format


def format_of(start: bytes) -> Format:
    """The format of a file that starts with these bytes; tagfield's own if it is none of the others.

    >>> format_of(b"lCRF and so on").program
    'CRFsuite'
    """
    return next((each for each in FORMATS.values() if each.known_by(start)), FORMATS["tagfield"])


def read_parts(path: str | os.PathLike[str]) -> Parts:
    """Read a model file of any known format. A truncated, corrupt or unknown file raises ModelFileError."""
    name = os.fspath(path)
    data = open_file(name)
    if len(data) > COPIED and format_of(bytes(data[:START])).reader:
        data = open_file(name, copy=True)  # what a reader has checked must not change while it reads
    return _read(data, name)


def read_bytes(data: bytes | bytearray | memoryview) -> Parts:
    """The same for the bytes of a file."""
    return _read(open_bytes(data), "the bytes")


def _read(data: memoryview, name: str) -> Parts:
    start = bytes(data[:START])
    found = format_of(start)
    if not found.reader:
        if (
            not found.known_by(start)
            and start[:2] != GZIP
            and _function("tagfield.model.formats.pickles:is_pickle")(start)
        ):
            raise ModelFileError(
                f"{name!r} is a pickle, which is a program; `tagfield convert-model PICKLE MODEL` takes a model of "
                "sklearn-crfsuite out of it without running it"
            )
        return load_parts(name, data)
    parts: Parts = _function(found.reader)(data, name)
    return parts


def write(parts: Parts, path: str | os.PathLike[str], format: str = "tagfield") -> None:
    """Write a model in the format of that name, whole or not at all; InputError if the format cannot hold it."""
    if format not in FORMATS:
        raise InputError(f"no model format named {format!r}; {did_you_mean(format, FORMATS)}")
    if format == "tagfield":
        save_tensors(path, *to_tensors(parts))
        return
    program = FORMATS[format].program
    if not FORMATS[format].writer:
        raise InputError(
            f"tagfield reads the binary files of {program}, but does not write them; write format 'crfpp', and then "
            "`crf_learn -C TEXT BINARY`"
        )
    if parts.attributes.hash_bits:
        raise InputError(
            f"the attributes of the model are hashed and have no names, which a file of {program} needs; save it in "
            "tagfield's format, or train on a corpus that is packed without --hash-bits"
        )
    if parts.info.get("constraints") is not None:
        raise InputError(
            f"the model has constraints, which a file of {program} cannot hold, so labels would differ; save it in "
            "tagfield's format, or drop them with CRF.load(path).set_params(constraints=False) or convert-model "
            "--without-constraints"
        )
    made: bytes = _function(FORMATS[format].writer)(parts)
    with write_atomically(path) as file:
        file.write(made)


def _function(place: str) -> Callable[..., Any]:
    module, _, name = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found
