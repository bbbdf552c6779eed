"""Observations: strings with blocks of weights, which is what models of CRF++ and Wapiti are made of.

    observation      weights      in tagfield
    of tokens        L            an attribute
    of transitions   L · L        an edge attribute, or the transitions, if every pair of tokens has it
    of both          L + L · L    both of them, under one name

    Observations ─▶ to_parts ─▶ Parts, with the order of the observations in `info` ─▶ from_parts ─▶ Observations

A file lists the observations in an order of its own and numbers their weights through. tagfield keeps attributes and
edge attributes apart, each in the order of the file; how the two interleave is kept as runs of equal observations, so
that the file can be written again as it was. Weights of 0 are left out: they change no score.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import Doubles, Longs
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError, ModelFileError
from tagfield.model.file import Parts
from tagfield.model.formats.names import name_of, vocabulary_of
from tagfield.native._text import Vocabulary
from tagfield.weights.layout import FeatureSet

TOKEN, EDGE, ALWAYS = 1, 2, 4  # parts of an observation: attribute, edge attribute, and plain transitions
MOST_MEMORY = 1 << 29  # bytes of weights that even a small file may need; larger ones 64 times their own size
EXPANSION = 64


@dataclass(frozen=True)
class Observations:
    """The observations of a model, and its weights."""

    labels: list[bytes]  # [L]
    names: list[bytes]  # [O]
    kinds: NDArray[np.uint8]  # [O]  TOKEN, EDGE, or both
    index: Longs  # [K]  each at most once
    weight: Doubles  # [K]
    always: dict[int, int] = field(default_factory=dict)  # observations that every pair of tokens has ─▶ how many times
    also: frozenset[int] = frozenset()  # those of them that are edge attributes as well

    @property
    def starts(self) -> Longs:
        """Index of the first weight of each observation, and the number of weights [O+1]."""
        return starts_of(self.kinds, len(self.labels))


class Order(NamedTuple):
    """How the observations of a file interleave."""

    runs: list[list[int]]  # (parts of an observation, how many follow each other)
    always: list[list[Any]]  # name and count of each observation that every pair has
    matrices: list[list[float]]  # their weights [L·L], where the transitions alone do not tell them


def starts_of(kinds: NDArray[np.uint8], labels: int) -> Longs:
    """Index of the first weight of each observation [O+1].

    >>> starts_of(np.array([TOKEN, EDGE, TOKEN | EDGE], np.uint8), 2).tolist()
    [0, 2, 6, 12]
    """
    sizes = (kinds & TOKEN).astype(np.int64) * labels + ((kinds & EDGE) > 0).astype(np.int64) * labels * labels
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def value_notes(parts: Parts) -> list[str]:
    """A note if attributes may have values: an observation has none."""
    from_observations = isinstance(parts.info.get(str(parts.info.get("format"))), dict)
    if parts.template is not None or from_observations:
        return []
    return ["values every attribute counts 1 there; do not use the file if yours had other values"]


def to_parts(
    found: Observations, name: str, size: int, template: Template | None, info: dict[str, Any], dtype: Any = np.float64
) -> Parts:
    """The model; `info[info["format"]]` gets the order of the observations. Messages call the file `name`.

    size: bytes of the file, which bound the memory that the model may take
    """
    labels, kinds = len(found.labels), found.kinds
    bits = kinds.copy()
    for k in found.always:
        bits[k] = (bits[k] & TOKEN) | ALWAYS | (EDGE if k in found.also else 0)
    is_attribute, is_edge = (bits & TOKEN) > 0, (bits & EDGE) > 0
    edges = int(is_edge.sum())
    needed = 16.0 * labels * labels + 8.0 * labels * edges  # transitions, and where the rows of edge weights begin
    if needed > max(MOST_MEMORY, EXPANSION * size):
        raise ModelFileError(
            f"{name!r} has {labels:,} labels and {edges:,} observations of transitions, which would take "
            f"{needed / 2**30:.1f} GiB; the file is damaged, or was not made by training"
        )
    starts = found.starts
    kept = found.weight != 0
    index, weight = found.index[kept], found.weight[kept]
    owner = np.searchsorted(starts, index, side="right") - 1
    place = index - starts[owner]
    of_tokens = ((kinds[owner] & TOKEN) > 0) & (place < labels)
    attribute = np.cumsum(is_attribute)[owner[of_tokens]] - 1
    states = (attribute, place[of_tokens], weight[of_tokens])

    pair, value = owner[~of_tokens], weight[~of_tokens]
    before, after = np.divmod(place[~of_tokens] - labels * (kinds[pair] & TOKEN), max(labels, 1))
    own = is_edge[pair]
    edge_weights = (np.cumsum(is_edge)[pair[own]] - 1, before[own], after[own], value[own])
    total = np.zeros((labels, labels)) if found.always else np.zeros((0, 0))
    for k, times in found.always.items():
        of = pair == k
        total[before[of], after[of]] += times * value[of]
    before_all, after_all = np.nonzero(total)
    if sum(found.always.values()) > 1:
        dtype = np.float64  # sums of two float32 numbers need not be one
    try:
        features, weights = FeatureSet.from_triples(
            int(is_attribute.sum()),
            labels,
            states,
            (before_all, after_all, total[before_all, after_all]),
            sparse=True,
            edge_attributes=edges,
            edge_weights=edge_weights,
            dtype=dtype,
        )
        names = [_vocabulary(found.names, chosen) for chosen in (is_attribute, is_edge)]
        label_names = _vocabulary(found.labels, np.ones(labels, bool))
    except InputError as error:
        raise ModelFileError(f"{name!r} is damaged: {error}") from None
    order = _order_of(found, bits, labels)
    info = info | {info["format"]: {**info.get(info["format"], {}), **order._asdict()}}
    return Parts(label_names, names[0], features, weights, template, info, edges=names[1] if edges else None)


def _order_of(found: Observations, bits: NDArray[np.uint8], labels: int) -> Order:
    begins = np.flatnonzero(np.concatenate([[True], bits[1:] != bits[:-1]])) if len(bits) else np.empty(0, np.int64)
    lengths = np.diff(np.concatenate([begins, [len(bits)]]))
    runs = [[int(bit), int(length)] for bit, length in zip(bits[begins], lengths, strict=True)]
    order = sorted(found.always)
    always = [[name_of(found.names[k]), found.always[k]] for k in order]
    matrices: list[list[float]] = []
    if sum(found.always.values()) > 1:
        starts = found.starts
        for k in order:
            first = starts[k] + labels * int(found.kinds[k] & TOKEN)
            matrix = np.zeros(labels * labels)
            own = (found.index >= first) & (found.index < starts[k + 1])
            matrix[found.index[own] - first] = found.weight[own]
            matrices.append(matrix.tolist())
    return Order(runs, always, matrices)


def _vocabulary(names: Sequence[bytes], chosen: NDArray[np.bool_]) -> Vocabulary:
    own = [names[k] for k in np.flatnonzero(chosen).tolist()]
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in own])]).astype(np.int64)
    return vocabulary_of(np.frombuffer(b"".join(own), np.uint8), offsets)
