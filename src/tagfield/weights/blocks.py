"""Rows of blocks of eight labels, and how triples become rows.

    (row, label, weight) in any order ─▶ sorted_keys ─▶ sparse_rows ─▶ Rows, weights [B, LANES]

A row belongs to an attribute, or to an edge attribute and its previous label. It is full, or sparse: a sparse row omits
blocks without features. A weight of −0.0 marks a pair that is not a feature.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tagfield.data.dataset import Floats, Longs
from tagfield.errors import InputError
from tagfield.native import kernels
from tagfield.system.contents import ByContent

Triples: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike]  # row, label, weight
LANES: int = kernels.LANES
ABSENT = np.float32(-0.0)


@dataclass(frozen=True, eq=False)
class Rows(ByContent):
    """Where the blocks of each row are."""

    count: int
    blocks: int  # NB: blocks of a full row
    first: Longs | None  # [count+1] first block of each row; None if every row has all NB blocks
    column: NDArray[np.uint16] | None  # [B] label block of each block

    def sizes(self) -> Longs:
        """The number of blocks of each row."""
        return np.full(self.count, self.blocks) if self.first is None else np.diff(self.first)

    def locate(self, places: Longs) -> tuple[Longs, Longs]:
        """Row and label of weights, from their places in the flat weights."""
        block, lane = np.divmod(places, LANES)
        if self.first is None or self.column is None:
            row, column = np.divmod(block, self.blocks)
        else:
            row = np.searchsorted(self.first, block, side="right") - 1
            column = self.column[block].astype(np.int64)
        return row, column * LANES + lane

    def find(self, row: Longs, label: Longs, marks: Floats) -> Longs:
        """The inverse of `locate`: places of pairs in the flat weights; −1 if a pair is not a feature of `marks`."""
        block = row * self.blocks + label // LANES
        known: Any = True
        if self.first is not None and self.column is not None:
            blocks = np.repeat(np.arange(self.count), np.diff(self.first)) * self.blocks + self.column
            found = np.searchsorted(blocks, block)
            known = found < len(blocks)
            known[known] = blocks[found[known]] == block[known]
            block = np.where(known, found, 0)
        place = block * LANES + label % LANES
        if not marks.size:
            return np.full(place.shape, -1)
        return np.where(known & ~absent(marks.reshape(-1)[place]), place, -1)

    def dense(self, weights: Floats, start: int, stop: int) -> Floats:
        """The weights of some neighbouring rows [stop − start, NB·LANES]; 0 where there is no feature."""
        dense = np.zeros(((stop - start) * self.blocks, LANES), weights.dtype)
        if self.first is None or self.column is None:
            dense += weights[start * self.blocks : stop * self.blocks]
        else:
            own = slice(int(self.first[start]), int(self.first[stop]))
            row = np.repeat(np.arange(stop - start), np.diff(self.first[start : stop + 1]))
            dense[row * self.blocks + self.column[own]] += weights[own]
        return dense.reshape(stop - start, self.blocks * LANES)

    def full(self, weights: Floats) -> Floats:
        """The weights in full rows [count·NB, LANES], ABSENT where a sparse row has no block."""
        if self.first is None or self.column is None:
            return weights
        dense = np.full((self.count * self.blocks, LANES), ABSENT, weights.dtype)
        dense[np.repeat(np.arange(self.count), np.diff(self.first)) * self.blocks + self.column] = weights
        return dense

    def only(self, keep: NDArray[np.bool_]) -> tuple["Rows", NDArray[np.bool_]]:
        """Some of the rows, and which blocks [B] are theirs."""
        sizes = self.sizes()
        of = np.repeat(keep, sizes)
        first = None if self.first is None else np.concatenate([[0], np.cumsum(sizes[keep])]).astype(np.int64)
        return Rows(int(keep.sum()), self.blocks, first, None if self.column is None else self.column[of]), of


def filled_rows(rows: Rows, weights: Floats) -> tuple[Rows, Floats]:
    """The same rows without blocks that hold no feature, and the weights that are left.

    >>> blocks = np.full((2, 8), ABSENT)
    >>> blocks[1, 3] = 0.5
    >>> left, weights = filled_rows(Rows(2, 1, None, None), blocks)
    >>> left.first.tolist(), weights.shape
    ([0, 0, 1], (1, 8))
    """
    filled = ~absent(weights).all(axis=1)  # [B]
    row = np.repeat(np.arange(rows.count), rows.sizes())[filled]
    column = np.tile(np.arange(rows.blocks, dtype=np.uint16), rows.count) if rows.column is None else rows.column
    first = np.searchsorted(row, np.arange(rows.count + 1)).astype(np.int64)
    return Rows(rows.count, rows.blocks, first, column[filled]), weights[filled]


def sparse_rows(keys: Longs, value: Floats, rows: int, blocks: int) -> tuple[Rows, Floats]:
    """Sparse rows of the features with these ascending keys, row · NB·LANES + label, and their weights in blocks.

    >>> rows, weights = sparse_rows(np.array([1, 17]), np.array([0.5, 2.0], np.float32), 3, 1)
    >>> rows.first.tolist(), weights[:, 1].tolist()
    ([0, 1, 1, 2], [0.5, 2.0])
    """
    block = keys // LANES
    opens = np.ones(len(block), bool)
    opens[1:] = block[1:] != block[:-1]
    weights = np.full((int(opens.sum()), LANES), ABSENT, value.dtype)
    weights[np.cumsum(opens) - 1, keys % LANES] = value
    row, column = np.divmod(block[opens], blocks)
    first = np.searchsorted(row, np.arange(rows + 1)).astype(np.int64)
    return Rows(rows, blocks, first, column.astype(np.uint16)), weights


def absent(weights: Floats) -> NDArray[np.bool_]:
    """True where a weight is −0.0, the mark of a pair that is not a feature.

    >>> absent(np.array([0.0, -0.0, -1.0], np.float32)).tolist()
    [False, True, False]
    """
    wide = weights.dtype == np.float64
    mask: NDArray[np.bool_] = weights.view(np.uint64 if wide else np.uint32) == (1 << 63 if wide else 1 << 31)
    return mask


def sorted_keys(
    triples: tuple[ArrayLike, ...], sizes: tuple[tuple[str, int], ...], width: int, dtype: Any = np.float32
) -> tuple[Longs, Floats]:
    """row · width + label of each triple in ascending order, and the weights; −0.0 becomes 0.0.

    Each entry is ids, one column for each of `sizes` (what the id names, how many there are), and a weight. The last id
    is the label; those before it make the row: the last of them counts fastest.

    >>> keys, weights = sorted_keys(([1, 0], [0, 1], [0.5, -0.0]), (("attribute", 2), ("label", 2)), 8)
    >>> keys.tolist(), weights.tolist()
    ([1, 8], [0.0, 0.5])
    """
    what = sizes[0][0]
    try:
        ids = [np.asarray(column, np.int64).reshape(-1) for column in triples[:-1]]
        with np.errstate(over="ignore"):
            value = np.asarray(triples[-1], dtype).reshape(-1) + dtype(0)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{what} triples must hold integer ids and numeric weights: {error}") from None
    lengths = [len(column) for column in (*ids, value)]
    if len(set(lengths)) > 1:
        listed = f"{', '.join(map(str, lengths[:-1]))} and {lengths[-1]}"
        raise InputError(f"{what} triples must have equal lengths, got {listed}")
    for column, (name, size) in zip(ids, sizes, strict=True):
        bad = np.flatnonzero((column < 0) | (column >= size))
        if len(bad):
            raise InputError(f"{what} triple {bad[0]} has {name} id {column[bad[0]]}, which must be in 0..{size - 1}")
    if not np.isfinite(value).all():
        at = int(np.flatnonzero(~np.isfinite(value))[0])
        kind = np.dtype(dtype).name
        raise InputError(f"{what} triple {at} has weight {value[at]}; weights must be finite in {kind}")
    row = ids[0]
    for column, (_, size) in zip(ids[1:-1], sizes[1:-1], strict=True):
        row = row * size + column
    keys = row * width + ids[-1]
    if (keys[1:] > keys[:-1]).all():
        return keys, value
    order = np.argsort(keys, kind="stable")
    twice = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if len(twice):
        named = [f"{name} {column[order[twice[0]]]}" for column, (name, _) in zip(ids, sizes, strict=True)]
        listed = f"{', '.join(named[:-1])} and {named[-1]}"
        raise InputError(f"{listed} occur in two triples; give each feature once")
    return keys[order], value[order]
