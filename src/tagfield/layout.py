"""Where each weight is stored; no other file depends on how rows are laid out.

    FeatureSet.coordinates() ─▶ attribute and label of every feature ─▶ FeatureSet.from_triples ─▶ FeatureSet, Weights

Weights are stored in blocks of eight labels (`LANES`), one row of blocks per attribute (native/kernel/field.hpp). A row
is full, or sparse: a sparse row omits blocks without features. A weight of −0.0 marks a pair that is not a feature; it
never changes.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tagfield.dataset import Floats, Longs, read_only
from tagfield.errors import InputError
from tagfield.native import kernels

FeatureKind: TypeAlias = Literal["observed", "all"]
Triples: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike]  # row, label, weight
LANES: int = kernels.LANES
ABSENT = np.float32(-0.0)
FULL_ROW_BLOCKS = 4  # up to 32 labels, full rows are faster than sparse ones


@dataclass(frozen=True)
class Weights:
    """State weights in blocks and transition weights in rows; float32."""

    state: Floats  # [B, LANES]
    trans: Floats  # [L, NB·LANES]

    def copy(self) -> "Weights":
        return Weights(self.state.copy(), self.trans.copy())

    def finite(self) -> bool:
        return bool(np.isfinite(self.state).all() and np.isfinite(self.trans).all())

    def transitions(self) -> Floats:
        """The weight of each transition [from L, to L]; 0 where it has no feature."""
        return np.ascontiguousarray(self.trans[:, : len(self.trans)]) + np.float32(0)


@dataclass(frozen=True)
class Coordinates:
    """The feature of each weight: K state features, sorted by attribute and label, and M transitions."""

    attribute: Longs  # [K]
    label: Longs  # [K]
    state: Longs  # [K]  index of its weight in state.reshape(-1)
    before: Longs  # [M]
    after: Longs  # [M]
    trans: Longs  # [M]  index of its weight in trans.reshape(-1)

    def values(self, weights: Weights) -> tuple[Floats, Floats]:
        """The weights of the state features [K] and of the transitions [M]."""
        return weights.state.reshape(-1)[self.state], weights.trans.reshape(-1)[self.trans]


@dataclass(frozen=True)
class FeatureSet:
    """The weights that exist for A attributes and L labels."""

    kind: FeatureKind
    attributes: int  # A
    labels: int  # L
    first: Longs | None  # [A+1] first block of each row; None if every row has all NB blocks
    column: NDArray[np.uint16] | None  # [B] label block of each block
    marks: Weights  # any weights of these features, with ABSENT where there is no feature

    def __post_init__(self) -> None:
        for name in ("first", "column"):  # the kernels check them once, so they must stay as they are
            array = getattr(self, name)
            if array is not None:
                object.__setattr__(self, name, read_only(array))

    @property
    def blocks_per_row(self) -> int:
        return -(-self.labels // LANES)

    @cached_property
    def layout(self) -> kernels.Layout:
        return kernels.Layout(self.attributes, self.labels, self.first, self.column)

    @cached_property
    def zero(self) -> Weights:
        """0 for each feature and ABSENT elsewhere; returns the marks themselves if they are already that."""
        if not (self.marks.state.any() or self.marks.trans.any()):
            return self.marks
        return Weights(*(np.where(absent(w), ABSENT, np.float32(0)) for w in (self.marks.state, self.marks.trans)))

    @cached_property
    def counts(self) -> tuple[int, int]:
        """The numbers of state features and transitions."""
        state, trans = self.marks.state, self.marks.trans
        return int(state.size - absent(state).sum()), int(trans.size - absent(trans).sum())

    def zeros(self) -> Weights:
        """New weights, all zero."""
        return self.zero.copy()

    def field(self, weights: Weights) -> kernels.Field:
        """The layout and the weights as one record for the kernels, without a copy."""
        return kernels.Field(self.layout, weights.state, weights.trans)

    # Coordinates: from features to places of weights, and back

    def coordinates(self) -> Coordinates:
        """Attribute and label of every feature, in the order of the stored weights.

        >>> features, _ = FeatureSet.from_triples(2, 2, ([0, 1], [1, 0], [0.5, 0.0]), ([0], [1], [2.0]))
        >>> found = features.coordinates()
        >>> found.attribute.tolist(), found.label.tolist(), found.before.tolist(), found.after.tolist()
        ([0, 1], [1, 0], [0], [1])
        """
        states = np.flatnonzero(~absent(self.marks.state))
        edges = np.flatnonzero(~absent(self.marks.trans))
        before, after = np.divmod(edges, self.blocks_per_row * LANES)
        return Coordinates(*self.locate(states), states, before, after, edges)

    def locate(self, places: Longs) -> tuple[Longs, Longs]:
        """Attribute and label of state weights, from their places in state.reshape(-1)."""
        block, lane = np.divmod(places, LANES)
        if self.first is None or self.column is None:
            attribute, column = np.divmod(block, self.blocks_per_row)
        else:
            attribute = np.searchsorted(self.first, block, side="right") - 1
            column = self.column[block].astype(np.int64)
        return attribute, column * LANES + lane

    def find(self, attribute: Longs, label: Longs) -> Longs:
        """The inverse of `locate`: places of pairs in state.reshape(-1); −1 if a pair is not a feature.

        >>> features, _ = FeatureSet.from_triples(2, 2, ([0, 1], [1, 0], [0.5, 0.0]), ([], [], []))
        >>> features.find(np.array([0, 0, 1]), np.array([0, 1, 0])).tolist()
        [-1, 1, 8]
        """
        block = attribute * self.blocks_per_row + label // LANES
        known: Any = True
        if self.first is not None and self.column is not None:
            row = np.repeat(np.arange(self.attributes), np.diff(self.first))
            blocks = row * self.blocks_per_row + self.column
            found = np.searchsorted(blocks, block)
            known = found < len(blocks)
            known[known] = blocks[found[known]] == block[known]
            block = np.where(known, found, 0)
        place = block * LANES + label % LANES
        if not self.marks.state.size:
            return np.full(place.shape, -1)
        return np.where(known & ~absent(self.marks.state.reshape(-1)[place]), place, -1)

    def row(self, weights: Weights, attribute: int) -> Floats:
        """The weights of one attribute, one per label [L]; 0 where it has no feature."""
        blocks = self.blocks_per_row
        row = np.zeros((blocks, LANES), np.float32)
        if self.first is None or self.column is None:
            row += weights.state[attribute * blocks : (attribute + 1) * blocks]
        else:
            own = slice(self.first[attribute], self.first[attribute + 1])
            row[self.column[own]] += weights.state[own]
        return row.reshape(-1)[: self.labels]

    # New feature sets

    @classmethod
    def from_triples(
        cls,
        attributes: int,
        labels: int,
        states: Triples,
        transitions: Triples,
        *,
        kind: FeatureKind = "observed",
        sparse: bool | None = None,
    ) -> tuple["FeatureSet", Weights]:
        """A feature set and its weights, from (attribute, label, weight) and (from, to, weight) in any order.

        A weight of 0 still makes a feature. With `sparse=True`, rows omit blocks without features; None chooses the
        layout that trains fastest.

        >>> features, weights = FeatureSet.from_triples(3, 2, ([2, 0], [1, 0], [0.5, 0.0]), ([1], [0], [-1.0]))
        >>> features.counts, features.row(weights, 2).tolist(), weights.transitions().tolist()
        ((2, 1), [0.0, 0.5], [[0.0, 0.0], [-1.0, 0.0]])
        """
        blocks = -(-labels // LANES)
        width = blocks * LANES
        keys, value = _sorted(states, attributes, labels, width, "attribute")
        edges, weight = _sorted(transitions, labels, labels, width, "label")
        trans = np.full(labels * width, ABSENT, np.float32)
        trans[edges] = weight
        block = keys // LANES
        opens = np.ones(len(block), bool)
        opens[1:] = block[1:] != block[:-1]
        state = np.full((int(opens.sum()), LANES), ABSENT, np.float32)
        state[np.cumsum(opens) - 1, keys % LANES] = value
        row, column = np.divmod(block[opens], blocks)
        first = np.searchsorted(row, np.arange(attributes + 1)).astype(np.int64)
        marks = Weights(state, trans.reshape(labels, width))
        made = cls(kind, attributes, labels, first, column.astype(np.uint16), marks)
        if sparse is None:
            sparse = kind == "observed" and blocks > FULL_ROW_BLOCKS
        made = made if sparse else made._with_full_rows()
        return made, made.marks

    def _with_full_rows(self) -> "FeatureSet":
        full = np.full((self.attributes, self.blocks_per_row, LANES), ABSENT, np.float32)
        if self.first is not None:
            full[np.repeat(np.arange(self.attributes), np.diff(self.first)), self.column] = self.marks.state
        marks = Weights(full.reshape(-1, LANES), self.marks.trans)
        return FeatureSet(self.kind, self.attributes, self.labels, None, None, marks)

    def compact(self, weights: Weights) -> tuple["FeatureSet", Weights]:
        """The same model with sparse rows, as a model file stores it."""
        if self.kind == "all" or self.first is not None:
            return self, weights
        at = self.coordinates()
        state, trans = at.values(weights)
        triples = (at.attribute, at.label, state), (at.before, at.after, trans)
        return self.from_triples(self.attributes, self.labels, *triples, sparse=True)

    def only(self, keep: NDArray[np.bool_]) -> "FeatureSet":
        """The features of the attributes in `keep` [A], with new attribute ids."""
        sizes = np.full(self.attributes, self.blocks_per_row) if self.first is None else np.diff(self.first)
        of = np.repeat(keep, sizes)
        first = None if self.first is None else np.concatenate([[0], np.cumsum(sizes[keep])]).astype(np.int64)
        column = None if self.column is None else self.column[of]
        marks = Weights(self.marks.state[of], self.marks.trans)
        return FeatureSet(self.kind, int(keep.sum()), self.labels, first, column, marks)


def absent(weights: Floats) -> NDArray[np.bool_]:
    """True where a weight is −0.0, the mark of a pair that is not a feature.

    >>> absent(np.array([0.0, -0.0, -1.0], np.float32)).tolist()
    [False, True, False]
    """
    mask: NDArray[np.bool_] = weights.view(np.uint32) == 0x80000000
    return mask


def _sorted(triples: Triples, rows: int, labels: int, width: int, what: str) -> tuple[Longs, Floats]:
    """row · width + label of each triple in ascending order, and the weights; −0.0 becomes 0.0."""
    try:
        row, label = (np.asarray(ids, np.int64).reshape(-1) for ids in triples[:2])
        with np.errstate(over="ignore"):
            value = np.asarray(triples[2], np.float32).reshape(-1) + np.float32(0)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{what} triples must hold integer ids and numeric weights: {error}") from None
    if not len(row) == len(label) == len(value):
        raise InputError(f"{what} triples must have equal lengths, got {len(row)}, {len(label)} and {len(value)}")
    for ids, size, name in ((row, rows, what), (label, labels, "label")):
        bad = np.flatnonzero((ids < 0) | (ids >= size))
        if len(bad):
            raise InputError(f"{what} triple {bad[0]} has {name} id {ids[bad[0]]}, which must be in 0..{size - 1}")
    if not np.isfinite(value).all():
        at = int(np.flatnonzero(~np.isfinite(value))[0])
        raise InputError(f"{what} triple {at} has weight {value[at]}; weights must be finite in float32")
    keys = row * width + label
    if (keys[1:] > keys[:-1]).all():
        return keys, value
    order = np.argsort(keys, kind="stable")
    keys, value = keys[order], value[order]
    twice = np.flatnonzero(keys[1:] == keys[:-1])
    if len(twice):
        a, y = divmod(int(keys[twice[0]]), width)
        raise InputError(f"{what} {a} and label {y} occur in two triples; give each feature once")
    return keys, value
