"""Feature sets: which (attribute, label) pairs and transitions have a weight, and where each weight lives.

    all        every attribute with every label, every transition       the paper's large set: A·L + L²
    observed   the pairs and transitions that the training data holds   the paper's small set

Weights lie in blocks of eight labels (`LANES`), a row of blocks for each attribute; native/kernel/corpus.hpp has the
layout. A weight of −0.0 is not a feature: it never changes.

A minimum frequency is a count, and inclusive: with 3, what occurs three times is kept. As in CRF++ it counts
attributes for `all`; as in CRFsuite it counts pairs and transitions for `observed`. Occurrences are counted, not
their values, so real-valued attributes are safe with any value.
"""

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tagfield.dataset import Dataset, Floats, Longs
from tagfield.errors import InputError
from tagfield.native import kernels

FeatureKind: TypeAlias = Literal["observed", "all"]
LANES: int = kernels.LANES
ABSENT = np.float32(-0.0)
FULL_ROW_BLOCKS = 4  # up to 32 labels, rows of full length are faster than sparse ones


@dataclass(frozen=True)
class Weights:
    """State weights in blocks and transition weights in rows; float32."""

    state: Floats  # [B, LANES]
    trans: Floats  # [L, NB·LANES]

    def copy(self) -> "Weights":
        return Weights(self.state.copy(), self.trans.copy())

    def finite(self) -> bool:
        return bool(np.isfinite(self.state).all() and np.isfinite(self.trans).all())


@dataclass(frozen=True)
class FeatureSet:
    """The weights that exist for A attributes and L labels."""

    kind: FeatureKind
    attributes: int  # A
    labels: int  # L
    first: Longs | None  # [A+1] first block of each row; None where every row has all NB blocks
    column: NDArray[np.uint16] | None  # [B] label block of each block
    zero: Weights  # 0 where there is a feature, ABSENT elsewhere

    @property
    def blocks_per_row(self) -> int:
        return -(-self.labels // LANES)

    @cached_property
    def layout(self) -> kernels.Layout:
        return kernels.Layout(self.attributes, self.labels, self.first, self.column)

    @cached_property
    def counts(self) -> tuple[int, int]:
        """How many state and transition features there are."""
        state, trans = self.zero.state, self.zero.trans
        return int(state.size - absent(state).sum()), int(trans.size - absent(trans).sum())

    def zeros(self) -> Weights:
        """Fresh weights, all zero."""
        return self.zero.copy()

    def only(self, keep: NDArray[np.bool_]) -> "FeatureSet":
        """The features of some attributes [A], which are numbered anew."""
        if self.first is None or self.column is None:
            state = self.zero.state.reshape(self.attributes, self.blocks_per_row * LANES)[keep].reshape(
                -1, LANES
            )
            first, column = None, None
        else:
            of = np.repeat(keep, np.diff(self.first))
            state, column = self.zero.state[of], self.column[of]
            first = np.concatenate([[0], np.cumsum(np.diff(self.first)[keep])]).astype(np.int64)
        zero = Weights(state, self.zero.trans)
        return FeatureSet(self.kind, int(keep.sum()), self.labels, first, column, zero)

    def compact(self, weights: Weights) -> tuple["FeatureSet", Weights]:
        """The same model in sparse rows that hold only blocks with a feature: what a model file stores."""
        if self.kind == "all" or self.first is not None:
            return self, weights
        present = ~absent(self.zero.state).all(axis=1)
        rows = present.reshape(self.attributes, self.blocks_per_row)
        first = np.concatenate([[0], np.cumsum(rows.sum(axis=1))]).astype(np.int64)
        column = np.nonzero(rows)[1].astype(np.uint16)
        zero = Weights(self.zero.state[present], self.zero.trans)
        features = FeatureSet(self.kind, self.attributes, self.labels, first, column, zero)
        return features, Weights(weights.state[present], weights.trans)


def absent(weights: Floats) -> NDArray[np.bool_]:
    """Which weights are no features: those of −0.0.

    >>> absent(np.array([0.0, -0.0, -1.0], np.float32)).tolist()
    [False, True, False]
    """
    mask: NDArray[np.bool_] = weights.view(np.uint32) == 0x80000000
    return mask


def feature_set(
    corpus: kernels.Corpus,
    attributes: int,
    labels: int,
    kind: str,
    min_count: int = 1,
    transitions: str | None = None,
) -> FeatureSet:
    """Builds a feature set from encoded data; `transitions` may be of another kind than the pairs.

    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.lattice import open_corpus
    >>> encoded = encode_sequences([[["a"], ["b"]]], [["X", "Y"]])
    >>> corpus = open_corpus(encoded.dataset)
    >>> feature_set(corpus, 2, 2, "observed").counts, feature_set(corpus, 2, 2, "all").counts
    ((2, 1), (4, 4))
    """
    blocks = -(-labels // LANES)
    width = blocks * LANES
    for chosen in (kind, transitions):
        if chosen not in ("observed", "all", None):
            raise InputError(f"there is no feature set {chosen!r}; choose observed or all")
    trans = np.full((labels, width), ABSENT, np.float32)
    if (transitions or kind) == "all":
        trans[:, :labels] = 0
    else:
        trans[:, :labels][kernels.count_transitions(corpus, labels) >= max(1, min_count)] = 0
    if kind == "all":
        _check_memory(attributes, labels)
        state = np.zeros((attributes, width), np.float32)
        state[:, labels:] = ABSENT
        return FeatureSet("all", attributes, labels, None, None, Weights(state.reshape(-1, LANES), trans))
    first, column, lanes, _ = kernels.observed_rows(corpus, attributes, labels, max(1, min_count))
    state = np.full((len(column), LANES), ABSENT, np.float32)
    state[(lanes[:, None] >> np.arange(LANES, dtype=np.uint8)) & 1 == 1] = 0
    if blocks > FULL_ROW_BLOCKS:
        return FeatureSet("observed", attributes, labels, first, column, Weights(state, trans))
    full = np.full((attributes, blocks, LANES), ABSENT, np.float32)
    full[np.repeat(np.arange(attributes), np.diff(first)), column] = state
    return FeatureSet("observed", attributes, labels, None, None, Weights(full.reshape(-1, LANES), trans))


def _check_memory(attributes: int, labels: int) -> None:
    """Says so where one weight for every pair cannot fit: before it is tried, for a machine that swaps says nothing."""
    needed, there = attributes * -(-labels // LANES) * LANES * 4, physical_memory()
    if needed > there:
        raise InputError(
            f"{attributes:,} attributes with {labels:,} labels each are {needed / 1e9:,.0f} GB of weights, and this "
            f"machine has {there / 1e9:,.0f} GB; use the observed pairs only (features='observed', "
            "all_possible_states=False), or leave rare attributes out (min_count, min_freq)"
        )


def physical_memory() -> float:
    """Bytes of memory; infinite where the system does not say.

    >>> physical_memory() > 1e8
    True
    """
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return float("inf")


def keep_attributes(dataset: Dataset, keep: NDArray[np.bool_]) -> Dataset:
    """The dataset with only the attributes in `keep` [A], which are numbered anew.

    >>> from tagfield.encode import encode_sequences
    >>> data = encode_sequences([[["a"], ["b", "c"]]], [["X", "Y"]]).dataset
    >>> keep_attributes(data, np.array([False, True, True])).attribute.tolist()
    [0, 1]
    """
    renumbered = np.cumsum(keep, dtype=np.int64).astype(np.int32) - np.int32(1)
    kept = keep[dataset.attribute]
    sentence = np.repeat(np.arange(len(dataset)), np.diff(dataset.slots))
    start = np.concatenate([[0], dataset.stop[:-1]]).astype(np.int64)
    opens = dataset.slots[:-1][np.diff(dataset.slots) > 0]
    start[opens] = 0
    size = np.where(kept, dataset.stop - start, 0)
    per_sentence = np.bincount(sentence, weights=size, minlength=len(dataset)).astype(np.int64)
    slots_kept = np.bincount(sentence[kept], minlength=len(dataset))
    occurrences = np.concatenate([[0], np.cumsum(per_sentence)])
    stop = np.cumsum(size) - occurrences[:-1][sentence]
    occurrence_kept = np.repeat(kept, dataset.stop - start)
    return Dataset(
        tokens=dataset.tokens,
        slots=np.concatenate([[0], np.cumsum(slots_kept)]).astype(np.int64),
        occurrences=occurrences.astype(np.int64),
        attribute=renumbered[dataset.attribute[kept]],
        stop=stop[kept].astype(np.int32),
        position=dataset.position[occurrence_kept],
        value=None if dataset.value is None else dataset.value[occurrence_kept],
        labels=dataset.labels,
        weight=dataset.weight,
    )
