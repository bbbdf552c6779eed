"""The last step of packing: all shards in one form, without rare attributes, and the manifest.

    raw shards ─▶ counts of attributes ─▶ ids of those that stay ─▶ shards ─▶ names, manifest ─▶ raw shards are removed

A raw shard that is right as it is gets another name and is not written again. The manifest is written last: without it
the folder is not a corpus, and the step starts again.
"""

import os
from contextlib import suppress

import numpy as np

from tagfield.data.corpus.joining import no_edges, widened
from tagfield.data.corpus.manifest import NAMES, NAMES_FORMAT, Manifest, ShardRecord, names_to_tensors
from tagfield.data.corpus.piece_encoder import PieceEncoder
from tagfield.data.corpus.shards import Shard, save_shard
from tagfield.data.corpus.state import Packing
from tagfield.data.dataset import EDGES, Dataset, Ints, Longs, Slots
from tagfield.data.labels.rules import chunk_starts
from tagfield.native._text import Vocabulary
from tagfield.system.atomic import write_atomically
from tagfield.system.storage import save_tensors


def finish(
    state: Packing,
    attributes: Vocabulary,
    labels: Vocabulary,
    edges: Vocabulary | None,
    encoder: PieceEncoder,
    min_count: int,
) -> None:
    """Make the raw shards a corpus."""
    raw = [Shard(state.folder, record, verify=False) for record in state.shards]
    ids: Ints | None = None
    if min_count > 1:
        keep = _counts(raw, len(attributes)) >= min_count
        ids = np.cumsum(keep, dtype=np.int64).astype(np.int32) - np.int32(1)
        ids[~keep] = -1
        attributes = attributes.subset(keep)
    form = _Form(raw)
    counts, starts = np.zeros(len(labels), np.int64), np.zeros(2, np.int64)
    shards: list[ShardRecord] = []
    names = labels.strings()
    for number, shard in enumerate(raw):
        data = shard.dataset()
        counts += np.bincount(data.labels, minlength=len(labels))
        found = chunk_starts(data, names)
        starts += [found.inside, found.begin]
        file = f"shard-{number:05d}.safetensors"
        if ids is None and form.fits(shard):
            _link(state.folder, shard.record.file, file)
            shards.append(ShardRecord(**{**vars(shard.record), "file": file}))
        else:
            changed = form.of(data if ids is None else data.renumbered(ids))
            shards.append(save_shard(state.folder, file, changed, shard.record.pieces))
    tensors = names_to_tensors((attributes, labels, edges))
    save_tensors(os.path.join(state.folder, NAMES), tensors, NAMES_FORMAT)
    manifest = Manifest(
        shards=tuple(shards),
        labels=len(labels),
        attributes=len(attributes),
        edges=None if edges is None else len(edges),
        hash_bits=attributes.hash_bits,
        template=encoder.template,
        form=encoder.form if encoder.template is None else encoder.form.with_roles(encoder.template.columns),
        label_counts=tuple(counts.tolist()),
        chunk_starts=(int(starts[0]), int(starts[1])),
        options=state.wanted,
    )
    manifest.save(state.folder)
    state.clear()


class _Form:
    """The form that all shards of a corpus have: that of those which need most."""

    def __init__(self, shards: list[Shard]) -> None:
        self._traits = tuple(map(any, zip(*map(_traits, shards), strict=True)))
        self.wide, self.valued, self.linked, self.linked_valued = self._traits or (False,) * 4

    def fits(self, shard: Shard) -> bool:
        """Whether a shard has this form."""
        return _traits(shard) == self._traits

    def of(self, data: Dataset) -> Dataset:
        """A dataset in this form."""
        place = widened(data.place) if self.wide else data.place
        value = np.ones(len(place), np.float32) if self.valued and data.value is None else data.value
        edges = data.edge_slots
        if self.linked and edges is None:
            edges = no_edges(len(data))
        if self.linked_valued and edges is not None and edges.value is None:
            edges = Slots(**edges.arrays() | {"value": np.ones(len(edges.position), np.float32)})
        own = (data.tokens, data.slots, data.occurrences, data.attribute, place, value, data.labels, data.weight)
        return Dataset(*own, edges)


def _traits(shard: Shard) -> tuple[bool, ...]:
    """Whether places take 32 bits, whether there are values, edge attributes, and values of those."""
    has = shard.places
    return has["place"].dtype.itemsize == 4, "value" in has, f"{EDGES}slots" in has, f"{EDGES}value" in has


def _counts(shards: list[Shard], attributes: int) -> Longs:
    """Occurrences of each attribute."""
    counts = np.zeros(attributes, np.int64)
    for shard in shards:
        data = shard.dataset()
        counts += np.bincount(data.attribute, data.slot_sizes(), attributes).astype(np.int64)
    return counts


def _link(folder: str, raw: str, file: str) -> None:
    """Give a raw shard its final name too; it keeps the raw name until the manifest exists, for a run that resumes."""
    source, target = os.path.join(folder, raw), os.path.join(folder, file)
    with suppress(OSError):
        os.unlink(target)  # of a run that was stopped
    with suppress(OSError):
        os.link(source, target)
        return
    with open(source, "rb") as data, write_atomically(target) as copy:  # a file system without links
        while piece := data.read(1 << 22):
            copy.write(piece)
