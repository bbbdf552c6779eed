"""Shards: files that hold the arrays of a Dataset, opened once and read in pieces.

    save_shard(Dataset) ─▶ one safetensors file ─▶ Shard: where each array is ─▶ families for the native gatherer

A family is an array of offsets, one for each sentence, and the arrays that it cuts: tokens cut labels, slots cut
attributes, occurrences cut places and values. The last family has one element for each sentence: its weight.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from tagfield.data.corpus.manifest import ShardRecord, damaged
from tagfield.data.dataset import EDGES, Dataset, Longs, Slots
from tagfield.errors import InputError, ModelFileError
from tagfield.system.storage import Place, check_data, load_tensors, places_in, save_tensors

FORMAT = {"format": "tagfield shard 1"}
TYPES = {  # of the arrays of a shard
    "tokens": (np.int64,),
    "slots": (np.int64,),
    "occurrences": (np.int64,),
    "attribute": (np.int32,),
    "place": (np.uint16, np.uint32),
    "value": (np.float32,),
    "labels": (np.int32,),
    "weight": (np.float64,),
    "stop": (np.int32,),
    "position": (np.int32,),
}
STATES = (("tokens", ("labels",)), ("slots", ("attribute",)), ("occurrences", ("place", "value")))
LINKS = (("edges.slots", ("edges.attribute", "edges.stop")), ("edges.occurrences", ("edges.position", "edges.value")))

Families = list[tuple[int, int, list[tuple[int, int]]]]


def save_shard(folder: str, file: str, data: Dataset, pieces: int) -> ShardRecord:
    """Write one shard; returns what the manifest says about it."""
    path = os.path.join(folder, file)
    save_tensors(path, data.to_arrays(), FORMAT)
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        _, metadata, _ = places_in(path, descriptor)
    finally:
        os.close(descriptor)
    edges = data.edge_slots
    return ShardRecord(
        file=file,
        sentences=len(data),
        tokens=int(data.tokens[-1]),
        slots=len(data.attribute),
        occurrences=len(data.place),
        edge_slots=0 if edges is None else len(edges.attribute),
        edge_occurrences=0 if edges is None else len(edges.position),
        empty=int((np.diff(data.tokens) == 0).sum()),
        weighted=float(data.weight @ np.diff(data.tokens)),
        bytes=os.path.getsize(path),
        crc32=metadata["crc32"],
        pieces=pieces,
    )


class Shard:
    """One shard of a corpus, open for reading. Its sizes are those of the manifest, and its arrays have their types."""

    def __init__(self, folder: str, record: ShardRecord, *, verify: bool = True) -> None:
        self.record = record
        self.path = os.path.join(folder, record.file)
        self._descriptor = -1
        try:
            self._descriptor = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            self.places, metadata, start = places_in(self.path, self._descriptor)
            if metadata.get("crc32") != record.crc32 or metadata.get("format") != FORMAT["format"]:
                raise InputError(f"{self.path}: this is not the shard that the manifest names; pack the corpus again")
            if verify:
                check_data(self.path, self._descriptor, start, metadata)
        except FileNotFoundError:
            raise InputError(f"{self.path}: the shard is missing; copy the folder again, or pack again") from None
        except OSError as error:
            raise InputError(f"{self.path}: the shard cannot be read ({error.strerror or error})") from None
        except ModelFileError as error:
            raise damaged(error) from None
        self._check()

    def __len__(self) -> int:
        return self.record.sentences

    def __repr__(self) -> str:
        return f"<Shard: {self.path}, {self.record.sentences:,} sequences, {self.record.tokens:,} tokens>"

    def __del__(self) -> None:
        if getattr(self, "_descriptor", -1) >= 0:
            with suppress(OSError):
                os.close(self._descriptor)

    def dataset(self) -> Dataset:
        """The whole shard in memory."""
        try:
            return Dataset.from_arrays(load_tensors(self.path, copy=True)[0])
        except ModelFileError as error:
            raise damaged(error) from None

    @property
    def layout(self) -> tuple[Any, ...]:
        """What all shards of a corpus must have in common: arrays and their types."""
        return tuple(sorted((name, place.dtype.str) for name, place in self.places.items()))

    def file(self, first: int) -> tuple[str, int, int, int, Families]:
        """The shard as the native gatherer takes it; `first` is the number of its first sentence in the corpus."""
        families = [self._family(offsets, columns) for offsets, columns in self._ragged()]
        weight = self.places["weight"]
        families.append((-1, self.record.sentences, [(weight.begin, weight.dtype.itemsize)]))
        return self.path, self._descriptor, first, self.record.sentences, families

    def _ragged(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        linked = f"{EDGES}slots" in self.places
        for offsets, columns in (*STATES, *LINKS) if linked else STATES:
            yield offsets, tuple(name for name in columns if name in self.places)

    def _family(self, offsets: str, columns: tuple[str, ...]) -> tuple[int, int, list[tuple[int, int]]]:
        length = self.places[columns[0]].shape[0]
        parts = [(self.places[name].begin, self.places[name].dtype.itemsize) for name in columns]
        return self.places[offsets].begin, length, parts

    def made(self, families: list[tuple[Longs, list[Any]]]) -> Dataset:
        """The dataset of what the native gatherer found."""
        arrays: dict[str, Any] = {}
        for (offsets, columns), (starts, found) in zip(self._ragged(), families, strict=False):
            arrays[offsets] = starts
            arrays |= {name: each.view(self.places[name].dtype) for name, each in zip(columns, found, strict=True)}
        weight = families[-1][1][0].view(np.float64)
        edges = None
        if f"{EDGES}slots" in arrays:
            linked = ("slots", "occurrences", "attribute", "stop", "position", "value")
            edges = Slots(**{name: arrays.get(f"{EDGES}{name}") for name in linked})  # type: ignore[arg-type]
        names = ("tokens", "slots", "occurrences", "attribute", "place", "value", "labels")
        own: dict[str, Any] = {name: arrays.get(name) for name in names}
        return Dataset(**own, weight=weight, edge_slots=edges)

    def _check(self) -> None:
        """Raise InputError if an array is missing, or has another type or length than the manifest says."""
        record = self.record
        sizes = {"tokens": record.sentences + 1, "slots": record.sentences + 1, "occurrences": record.sentences + 1}
        sizes |= {"attribute": record.slots, "place": record.occurrences, "value": record.occurrences}
        sizes |= {"labels": record.tokens, "weight": record.sentences}
        linked = {"slots": record.sentences + 1, "occurrences": record.sentences + 1, "attribute": record.edge_slots}
        linked |= {"stop": record.edge_slots, "position": record.edge_occurrences, "value": record.edge_occurrences}
        if any(name.startswith(EDGES) for name in self.places):
            sizes |= {f"{EDGES}{name}": size for name, size in linked.items()}
        for name, size in sizes.items():
            place = self.places.get(name)
            if place is None and name.endswith("value"):
                continue
            if place is None or not _fits(place, name.removeprefix(EDGES), size):
                raise InputError(
                    f"{self.path}: the array {name} is missing, or is not what the manifest says; pack the corpus again"
                )


def _fits(place: Place, name: str, size: int) -> bool:
    return place.shape == (size,) and place.dtype.newbyteorder("=") in [np.dtype(kind) for kind in TYPES[name]]
