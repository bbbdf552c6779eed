"""Model files of tagfield and of other programs; a file is known by its first bytes.

    path, bytes ─▶ its first bytes ─▶ the format's reader ─▶ Parts
    Parts ─▶ the format's writer ─▶ one file, whole or not at all

To add a format, write the module of its reader, and that of its writer if it has one, and add its line to `FORMATS`:

    reader   STARTS                             how its files begin, as a pattern
             read_parts(data, name) -> Parts
             NOT_WRITTEN                        what to do instead, if there is no writer
    writer   to_bytes(parts) -> bytes
             notes(parts, target)               lines for the user, and whether the file keeps the template
"""

import os
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tagfield.errors import InputError, ModelFileError, did_you_mean
from tagfield.model.file import STARTS, Parts, load_parts, to_tensors
from tagfield.system.storage import COPIED, open_bytes, open_file, save_tensors, write_atomically

__all__ = ["FORMATS", "Format", "format_of", "notes_on", "read_bytes", "read_parts", "write"]


@dataclass(frozen=True)
class Format:
    """A format of model files; a module is imported when it is first needed."""

    name: str  # as `Model.save(format=…)` takes it
    program: str  # whose format it is
    reader: str = ""  # a module of this package; "" for tagfield's own
    writer: str = ""  # a module of this package; "" if there is none

    def known_by(self, start: bytes) -> bool:
        """Whether a file that starts with these bytes has this format."""
        return (_module(self.reader).STARTS if self.reader else STARTS).match(start) is not None


FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format("tagfield", "tagfield"),
        Format("crfsuite", "CRFsuite", "crfsuite", "crfsuite_writer"),
        Format("crfpp", "CRF++", "crfpp_text", "crfpp_writer"),
        Format("crfpp-binary", "CRF++", "crfpp_binary"),
        Format("wapiti", "Wapiti", "wapiti", "wapiti_writer"),
    )
}
TRAINING = {"settings", "epochs", "objective", "stop_reason"}  # entries of info that say how a model was trained
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
        if not found.known_by(start) and start[:2] != GZIP and _module("pickles").is_pickle(start):
            raise ModelFileError(
                f"{name!r} is a pickle, which is a program; `tagfield convert-model PICKLE MODEL` takes a model of "
                "sklearn-crfsuite out of it without running it"
            )
        return load_parts(name, data)
    parts: Parts = _module(found.reader).read_parts(data, name)
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
        raise InputError(_module(FORMATS[format].reader).NOT_WRITTEN)
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
    made: bytes = _module(FORMATS[format].writer).to_bytes(parts)
    with write_atomically(path) as file:
        file.write(made)


def notes_on(parts: Parts, format: str, target: str) -> list[str]:
    """What a file `target` of this format does not hold of a model, and what its data must look like."""
    if format == "tagfield":
        return []
    notes: list[str]
    notes, keeps_template = _module(FORMATS[format].writer).notes(parts, target)
    if parts.template is not None and not keeps_template:
        notes.append(f"left out: template {parts.template.name}; make attributes as it makes them")
    if parts.stream is not None:
        notes.append("left out: the optimiser's state of partial_fit")
    if parts.info.get("labels") is not None:
        notes.append("left out: the types of its labels, which become strings")
    if TRAINING & parts.info.keys():
        notes.append("left out: how the model was trained")
    return notes


def _module(name: str) -> Any:
    return import_module(f"{__name__}.{name}")
