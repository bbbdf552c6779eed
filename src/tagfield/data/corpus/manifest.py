"""The manifest of a corpus: what a folder holds, as JSON.

    CORPUS/manifest.json           version, template, counts; name, sizes and checksum of each shard
    CORPUS/names.safetensors       labels, attributes, edge attributes
    CORPUS/shard-00000.safetensors, …   the arrays of a Dataset, with the ids of those names

Everything that is read is checked here or where it is used; a file that is not as it should be raises InputError.
"""

import json
import os
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from tagfield.data.text.formats.file_format import FileFormat
from tagfield.data.text.formats.table import READ
from tagfield.data.text.sources import MANIFEST
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError, ModelFileError, TagfieldError
from tagfield.native._text import Vocabulary
from tagfield.system.atomic import write_atomically
from tagfield.system.storage import load_tensors

FORMAT, VERSION = "tagfield corpus", 1
NAMES, NAMES_FORMAT = "names.safetensors", {"format": "tagfield names 1"}
PARTS = ("attribute", "label", "edge")  # what has names
SHARD = re.compile(r"(shard|raw)-\d{5,}\.safetensors")
MOST = 1 << 24  # bytes of a manifest that is read


@dataclass(frozen=True)
class ShardRecord:
    """What the manifest says about one shard."""

    file: str
    sentences: int
    tokens: int
    slots: int
    occurrences: int
    edge_slots: int
    edge_occurrences: int
    empty: int  # sentences without a token
    weighted: float  # Σ over its sentences: weight · tokens
    bytes: int
    crc32: str  # of the data in the file
    pieces: int = 0  # of the input, up to its end


@dataclass(frozen=True)
class Manifest:
    """What a corpus holds."""

    shards: tuple[ShardRecord, ...]
    labels: int
    attributes: int
    edges: int | None  # edge attributes; None if there are none
    hash_bits: int
    template: Template | None
    form: FileFormat
    label_counts: tuple[int, ...]  # [labels] tokens of each
    chunk_starts: tuple[int, int]  # chunks that begin with I and with B, which tell IOB1 from BIO
    options: dict[str, Any] = field(default_factory=dict)  # how it was packed

    @property
    def sentences(self) -> int:
        return sum(shard.sentences for shard in self.shards)

    @property
    def tokens(self) -> int:
        return sum(shard.tokens for shard in self.shards)

    @property
    def bytes(self) -> int:
        return sum(shard.bytes for shard in self.shards)

    def save(self, folder: str) -> None:
        """Write the manifest into its folder."""
        record = {name.name: getattr(self, name.name) for name in fields(self)}
        record |= {
            "shards": [asdict(shard) for shard in self.shards],
            "template": None if self.template is None else json.loads(self.template.to_json()),
            "form": asdict(self.form),
        }
        record = {"format": FORMAT, "version": VERSION, "sentences": self.sentences, "tokens": self.tokens} | record
        with write_atomically(os.path.join(folder, MANIFEST)) as file:
            file.write(json.dumps(record, indent=1, ensure_ascii=False).encode() + b"\n")

    @classmethod
    def load(cls, folder: str) -> "Manifest":
        """Read and check the manifest of a folder."""
        path = os.path.join(folder, MANIFEST)
        record = read_json(path)
        if record.get("format") != FORMAT:
            raise InputError(f"{path}: this is not the manifest of a corpus; give a folder that tagfield pack wrote")
        if record.get("version") != VERSION:
            raise InputError(
                f"{path}: a newer version of tagfield packed this corpus (version {record.get('version')!r:.20}, and "
                f"this one reads {VERSION}); upgrade tagfield to read it"
            )
        try:
            return cls(
                shards=tuple(shard_of(shard) for shard in _list(record["shards"])),
                labels=_size(record["labels"]),
                attributes=_size(record["attributes"]),
                edges=None if record["edges"] is None else _size(record["edges"]),
                hash_bits=_size(record["hash_bits"], 30),
                template=None if record["template"] is None else Template.from_json(json.dumps(record["template"])),
                form=_form(record["form"]),
                label_counts=tuple(_size(count) for count in _list(record["label_counts"])),
                chunk_starts=(_size(record["chunk_starts"][0]), _size(record["chunk_starts"][1])),
                options=dict(record["options"]),
            )
        except (KeyError, IndexError, TypeError, ValueError, OverflowError, RecursionError, TagfieldError) as error:
            raise InputError(f"{path}: the manifest is damaged ({_reason(error)}); pack the corpus again") from None


def read_json(path: str) -> dict[str, Any]:
    """The JSON object in a file of the folder."""
    try:
        with open(path, "rb") as file:
            raw = file.read(MOST + 1)
        found = json.loads(raw.decode()) if len(raw) <= MOST else None
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; give a folder that tagfield pack wrote") from None
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: the file cannot be read ({reason}); pack the corpus again") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: this is not a JSON object; pack the corpus again")
    return found


def damaged(error: ModelFileError) -> InputError:
    """The error about a file of a corpus, with the advice for a corpus in place of that for a model."""
    return InputError(f"{str(error).partition(';')[0]}; copy the folder again, or pack the corpus again")


def names_to_tensors(vocabularies: Iterable[Vocabulary | None]) -> dict[str, Any]:
    """The names in each of PARTS as arrays; hashed attributes have no names."""
    tensors: dict[str, Any] = {}
    for part, names in zip(PARTS, vocabularies, strict=True):
        if names is not None and not names.hash_bits:
            tensors[f"{part}_bytes"], tensors[f"{part}_offsets"] = names.to_arrays()
    return tensors


def names_in(path: str) -> dict[str, Vocabulary]:
    """The names in a file, for those of PARTS that it has."""
    tensors, _ = load_tensors(path, copy=True)
    return {
        part: Vocabulary.from_arrays(tensors[f"{part}_bytes"], tensors[f"{part}_offsets"])
        for part in PARTS
        if f"{part}_bytes" in tensors
    }


def shard_of(record: Any) -> ShardRecord:
    """A shard of a manifest, checked."""
    if not isinstance(record, dict) or set(record) != {each.name for each in fields(ShardRecord)}:
        raise ValueError("a shard lacks a field, or has an unknown one")
    if not isinstance(record["file"], str) or not SHARD.fullmatch(record["file"]):
        raise ValueError("the name of a shard is not shard-N.safetensors")
    if not isinstance(record["crc32"], str) or not re.fullmatch("[0-9a-f]{8}", record["crc32"]):
        raise ValueError("the checksum of a shard is not eight hexadecimal digits")
    if not isinstance(record["weighted"], int | float) or not 0 <= record["weighted"] < 2**1023:
        raise ValueError("the weight of a shard is not a number")
    kept = ("file", "crc32", "weighted")
    made: dict[str, Any] = {name: each if name in kept else _size(each) for name, each in record.items()}
    return ShardRecord(**made)


def _size(value: Any, most: int = 2**53) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError(f"{str(value)[:20]!r} is not a size")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("a list is expected")
    return value


def _form(record: Any) -> FileFormat:
    form = FileFormat(**{**record, "roles": tuple(str(role) for role in _list(record["roles"]))})
    if form.kind not in READ:
        raise ValueError(f"no format named {str(form.kind)[:20]!r}")
    return form


def _reason(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)
