"""Packing: the state of a run of `pack` on disk, so that a stopped run can resume.

    packing.json      files, options, shards so far
    raw-00000.safetensors, …   the shards       new-00000.safetensors, …   the names that are new in each

A shard counts when packing.json names it, which is written last. A lock keeps a second run out of the folder.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import Any

import numpy as np

from tagfield.data.corpus.manifest import (
    NAMES_FORMAT,
    PARTS,
    ShardRecord,
    names_in,
    names_to_tensors,
    read_json,
    shard_of,
)
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.sources import MANIFEST, STDIN
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError, ModelFileError, OutputError
from tagfield.native._text import Vocabulary
from tagfield.system.atomic import write_atomically
from tagfield.system.storage import save_tensors

try:
    import fcntl
except ImportError:  # Windows: no such locks
    fcntl = None  # type: ignore[assignment]

STATE, LOCK = "packing.json", "packing.lock"
AGAIN = "remove the folder, or choose another one"


class Packing:
    """The state of a run."""

    def __init__(self, folder: str, wanted: dict[str, Any], shards: list[ShardRecord], done: bool) -> None:
        self.folder, self.wanted, self.shards, self.done = folder, wanted, shards, done
        self._saved = [0, 0, 0]  # names of each part that are in a file

    @classmethod
    def begin(
        cls, folder: str, paths: list[str], reading: ReadOptions, template: Template | None, options: Any
    ) -> "Packing":
        """The state of a new run, or of the one that was stopped in this folder. The options must be the same."""
        wanted = {
            "files": [_file(path) for path in paths],
            "options": asdict(options) | _reading_options(reading, template),
        }
        try:
            os.makedirs(folder, exist_ok=True)
            held = [name for name in os.listdir(folder) if not name.startswith(".tagfield-")]
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise OutputError(f"cannot write {folder!r}: {reason}; choose another folder") from None
        if MANIFEST in held:
            found = read_json(os.path.join(folder, MANIFEST)).get("options")
            if found != wanted:
                raise InputError(f"{folder}: the folder holds a corpus of other files or options; {AGAIN}")
            return cls(folder, wanted, [], True)
        if STATE in held:
            return cls._resumed(folder, wanted)
        if held and set(held) != {LOCK}:
            raise InputError(f"{folder}: the folder holds other files, such as {sorted(held)[0]!r}; choose another one")
        made = cls(folder, wanted, [], False)
        made._save()
        return made

    @classmethod
    def _resumed(cls, folder: str, wanted: dict[str, Any]) -> "Packing":
        path = os.path.join(folder, STATE)
        record = read_json(path)
        if {"files": record.get("files"), "options": record.get("options")} != wanted:
            raise InputError(
                f"{folder}: a run with other files or options was stopped here; give the same ones to resume, or "
                "remove the folder"
            )
        if any(path == STDIN for path, *_ in wanted["files"]):
            raise InputError(f"{folder}: a run that reads standard input cannot be resumed; {AGAIN}")
        try:
            shards = [shard_of(shard) for shard in record["shards"]]
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}: the state of the run is damaged ({error}); {AGAIN}") from None
        return cls(folder, wanted, shards, False)

    @property
    def pieces(self) -> int:
        """Pieces of the input that are in a shard."""
        return self.shards[-1].pieces if self.shards else 0

    @property
    def sentences(self) -> int:
        return sum(shard.sentences for shard in self.shards)

    @property
    def tokens(self) -> int:
        return sum(shard.tokens for shard in self.shards)

    @property
    def next_file(self) -> str:
        return f"raw-{len(self.shards):05d}.safetensors"

    def names(self, hash_bits: int) -> tuple[Vocabulary, Vocabulary, Vocabulary | None]:
        """The names of attributes, labels and edge attributes so far."""
        found: dict[str, Vocabulary] = {"attribute": Vocabulary(), "label": Vocabulary()}
        for index in range(len(self.shards)):
            path = self._new(index)
            try:
                for part, new in names_in(path).items():
                    found.setdefault(part, Vocabulary()).join(new)
            except (ModelFileError, InputError, KeyError, TypeError, ValueError) as error:
                raise InputError(f"{path}: the names cannot be read ({error}); {AGAIN}") from None
        self._saved = [len(found.get(part, ())) for part in PARTS]
        attributes = Vocabulary.hashed(hash_bits) if hash_bits else found["attribute"]
        return attributes, found["label"], found.get("edge")

    def add(self, shard: ShardRecord, names: tuple[Vocabulary, Vocabulary, Vocabulary | None]) -> None:
        """Record a shard that was written, and save the names that are new in it."""
        new = [
            None if known is None or known.hash_bits else known.subset(np.arange(saved, len(known), dtype=np.int64))
            for known, saved in zip(names, self._saved, strict=True)
        ]
        self._saved = [0 if known is None else len(known) for known in names]
        save_tensors(self._new(len(self.shards)), names_to_tensors(new), NAMES_FORMAT)
        self.shards.append(shard)
        self._save()

    def clear(self) -> None:
        """Remove the files of the run, once the corpus is complete."""
        with suppress(OSError):
            for name in os.listdir(self.folder):
                if name in (STATE, LOCK) or name.startswith(("raw-", "new-")):
                    os.unlink(os.path.join(self.folder, name))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runs out of the folder."""
        path = os.path.join(self.folder, LOCK)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise OutputError(f"cannot write {path!r}: {error.strerror or error}; choose another folder") from None
        try:
            if fcntl is not None:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise InputError(f"{self.folder}: another run packs into this folder; wait for it") from None
            yield
        finally:
            os.close(descriptor)

    def _new(self, index: int) -> str:
        return os.path.join(self.folder, f"new-{index:05d}.safetensors")

    def _save(self) -> None:
        record = self.wanted | {"shards": [asdict(shard) for shard in self.shards]}
        with write_atomically(os.path.join(self.folder, STATE)) as file:
            file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")


def _file(path: str) -> list[Any]:
    """What identifies a file: its name, its size, and when it was changed."""
    if path == STDIN:
        return [path, 0, 0]
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return [path, 0, 0]  # reading it raises the error
    return [path, status.st_size, status.st_mtime_ns]


def _reading_options(reading: ReadOptions, template: Template | None) -> dict[str, Any]:
    """The options of reading, as JSON values."""
    found = asdict(reading) | {"label_names": None if reading.label_names is None else list(reading.label_names)}
    text = "" if template is None else template.to_json()
    plain: dict[str, Any] = json.loads(json.dumps(found, default=str))
    return plain | {"template": hashlib.sha256(text.encode()).hexdigest()[:16]}
