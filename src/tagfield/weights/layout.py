"""Where each weight is stored; no other file depends on how rows are laid out.

    FeatureSet.coordinates() ─▶ attribute and label of every feature ─▶ FeatureSet.from_triples ─▶ FeatureSet, Weights

Weights are stored in blocks of eight labels (`LANES`), one row of blocks per attribute
(native/kernel/corpus/weights.hpp). A row is full, or sparse: a sparse row omits blocks without features. A weight of
−0.0 marks a pair that is not a feature; it never changes. An edge attribute e has a row for each previous label, row
e·L + label; these are sparse, except in the middle of a stream (train/loop/streaming.py).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import Floats, Longs, read_only
from tagfield.errors import InputError
from tagfield.native import kernels
from tagfield.system.contents import ByContent
from tagfield.weights.blocks import ABSENT, LANES, Rows, Triples, absent, sorted_keys, sparse_rows
from tagfield.weights.weights import Coordinates, Quadruples, Weights

__all__ = ["ABSENT", "FULL_ROW_BLOCKS", "LANES", "Coordinates", "FeatureKind", "FeatureSet", "Quadruples", "Triples"]
__all__ += ["Weights", "absent"]

FeatureKind: TypeAlias = Literal["observed", "all"]
FULL_ROW_BLOCKS = 4  # up to 32 labels, full rows are faster than sparse ones


@dataclass(frozen=True, eq=False)
class FeatureSet(ByContent):
    """The weights that exist for A attributes, E edge attributes and L labels."""

    kind: FeatureKind
    attributes: int  # A
    labels: int  # L
    first: Longs | None  # [A+1] first block of each row; None if every row has all NB blocks
    column: NDArray[np.uint16] | None  # [B] label block of each block
    marks: Weights  # any weights of these features, with ABSENT where there is no feature
    edge_attributes: int = 0  # E
    edge_first: Longs | None = None  # [E·L+1] first block of each row of edge weights
    edge_column: NDArray[np.uint16] | None = None  # [BE] label block of each of their blocks

    def __post_init__(self) -> None:
        for name in (
            "first",
            "column",
            "edge_first",
            "edge_column",
        ):  # the kernels check them once, so they must stay as they are
            array = getattr(self, name)
            if array is not None:
                object.__setattr__(self, name, read_only(array))

    def contents(self) -> tuple[Any, ...]:
        """What is compared: which features there are. The marks may be any weights of them."""
        edges = self.edge_attributes, self.edge_first, self.edge_column
        return *super().contents()[:5], *map(absent, self.marks.arrays()), *edges

    @property
    def blocks_per_row(self) -> int:
        return -(-self.labels // LANES)

    @property
    def rows(self) -> Rows:
        """The rows of the state weights."""
        return Rows(self.attributes, self.blocks_per_row, self.first, self.column)

    @property
    def edge_rows(self) -> Rows:
        """The rows of the edge weights: L for each edge attribute."""
        return Rows(self.edge_attributes * self.labels, self.blocks_per_row, self.edge_first, self.edge_column)

    @cached_property
    def layout(self) -> kernels.Layout:
        of_edges = (self.edge_attributes, self.edge_first, self.edge_column)
        return kernels.Layout(self.attributes, self.labels, self.first, self.column, *of_edges)

    @cached_property
    def zero(self) -> Weights:
        """0 for each feature and ABSENT elsewhere, in float32; the marks themselves if they are that."""
        if self.marks.state.dtype == np.float32 and not any(array.any() for array in self.marks.arrays()):
            return self.marks
        return self.marks.map(lambda array: np.where(absent(array), ABSENT, np.float32(0)))

    @cached_property
    def counts(self) -> tuple[int, int]:
        """The numbers of state features and transitions."""
        state, trans = self.marks.state, self.marks.trans
        return int(state.size - absent(state).sum()), int(trans.size - absent(trans).sum())

    @cached_property
    def edge_count(self) -> int:
        """The number of edge features."""
        return 0 if self.marks.edge is None else int(self.marks.edge.size - absent(self.marks.edge).sum())

    @property
    def size(self) -> int:
        """The number of all features."""
        return sum(self.counts) + self.edge_count

    def zeros(self) -> Weights:
        """New weights, all zero."""
        return self.zero.copy()

    def field(self, weights: Weights) -> kernels.Field:
        """The layout and the weights as one record for the kernels, without a copy."""
        arrays = (weights.state, weights.trans) if weights.edge is None else (*weights.arrays(),)
        try:
            return kernels.Field(self.layout, *arrays)
        except (TypeError, ValueError) as error:
            reason = "they must be float32, or all float64, in C order" if isinstance(error, TypeError) else str(error)
            raise InputError(f"the weights do not fit the features: {reason}") from None

    @staticmethod
    def bytes_needed(
        attributes: int,
        labels: int,
        edge_attributes: int = 0,
        *,
        blocks: int | None = None,
        edge_blocks: int | None = None,
    ) -> int:
        """Bytes of float32 weights of a layout; without the numbers of blocks, of every attribute with every label.

        >>> FeatureSet.bytes_needed(1000, 9), FeatureSet.bytes_needed(1000, 9, blocks=1000)
        (64576, 32576)
        """
        row = -(-labels // LANES)
        blocks = attributes * row if blocks is None else blocks
        edge_blocks = edge_attributes * labels * row if edge_blocks is None else edge_blocks
        return 4 * LANES * (blocks + labels * row + edge_blocks)

    # Coordinates: from features to places of weights, and back

    def coordinates(self) -> Coordinates:
        """Attribute and label of every feature, in the order of the stored weights.

        >>> features, _ = FeatureSet.from_triples(2, 2, ([0, 1], [1, 0], [0.5, 0.0]), ([0], [1], [2.0]))
        >>> found = features.coordinates()
        >>> found.attribute.tolist(), found.label.tolist(), found.before.tolist(), found.after.tolist()
        ([0, 1], [1, 0], [0], [1])
        """
        states = np.flatnonzero(~absent(self.marks.state))
        trans = np.flatnonzero(~absent(self.marks.trans))
        before, after = np.divmod(trans, self.blocks_per_row * LANES)
        found = (*self.locate(states), states, before, after, trans)
        if self.marks.edge is None:
            return Coordinates(*found)
        places = np.flatnonzero(~absent(self.marks.edge))
        return Coordinates(*found, *self.locate_edges(places), places)

    def locate(self, places: Longs) -> tuple[Longs, Longs]:
        """Attribute and label of state weights, from their places in state.reshape(-1)."""
        return self.rows.locate(places)

    def locate_edges(self, places: Longs) -> tuple[Longs, Longs, Longs]:
        """Edge attribute, previous label and label of edge weights, from their places in edge.reshape(-1)."""
        row, after = self.edge_rows.locate(places)
        return *np.divmod(row, self.labels), after

    def find(self, attribute: Longs, label: Longs) -> Longs:
        """The inverse of `locate`: places of pairs in state.reshape(-1); −1 if a pair is not a feature.

        >>> features, _ = FeatureSet.from_triples(2, 2, ([0, 1], [1, 0], [0.5, 0.0]), ([], [], []))
        >>> features.find(np.array([0, 0, 1]), np.array([0, 1, 0])).tolist()
        [-1, 1, 8]
        """
        return self.rows.find(attribute, label, self.marks.state)

    def find_edges(self, edge: Longs, before: Longs, after: Longs) -> Longs:
        """The inverse of `locate_edges`; −1 if a triple is not a feature."""
        marks = self.marks.state[:0] if self.marks.edge is None else self.marks.edge
        return self.edge_rows.find(edge * self.labels + before, after, marks)

    def row(self, weights: Weights, attribute: int) -> Floats:
        """The weights of one attribute, one per label [L]; 0 where it has no feature."""
        return self.rows.dense(weights.state, attribute, attribute + 1)[0, : self.labels]

    def edge_matrix(self, weights: Weights, edge: int) -> Floats:
        """The weights of one edge attribute [from L, to L]; 0 where it has no feature.

        >>> features, weights = FeatureSet.from_triples(
        ...     0, 2, ([], [], []), ([], [], []), edge_attributes=1, edge_weights=([0], [1], [0], [0.5])
        ... )
        >>> features.edge_matrix(weights, 0).tolist()
        [[0.0, 0.0], [0.5, 0.0]]
        """
        assert weights.edge is not None
        return self.edge_rows.dense(weights.edge, edge * self.labels, (edge + 1) * self.labels)[:, : self.labels]

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
        edge_attributes: int = 0,
        edge_weights: Quadruples = ((), (), (), ()),
        dtype: Any = np.float32,
    ) -> tuple["FeatureSet", Weights]:
        """A feature set and its weights, from (attribute, label, weight) and (from, to, weight) in any order.

        A weight of 0 still makes a feature. With `sparse=True`, rows omit blocks without features; None chooses the
        layout that trains fastest. Edge weights are (edge attribute, from, to, weight). `dtype` is that of the weights:
        np.float32, or np.float64 for weights that are only read.

        >>> features, weights = FeatureSet.from_triples(3, 2, ([2, 0], [1, 0], [0.5, 0.0]), ([1], [0], [-1.0]))
        >>> features.counts, features.row(weights, 2).tolist(), weights.transitions().tolist()
        ((2, 1), [0.0, 0.5], [[0.0, 0.0], [-1.0, 0.0]])
        """
        if labels < 0 or attributes < 0 or edge_attributes < 0:
            raise InputError(
                f"the sizes of a feature set must not be negative, got {attributes} attributes, {labels} labels and "
                f"{edge_attributes} edge attributes"
            )
        blocks = -(-labels // LANES)
        width, label = blocks * LANES, ("label", labels)
        rows, state = sparse_rows(
            *sorted_keys(states, (("attribute", attributes), label), width, dtype), attributes, blocks
        )
        places, weight = sorted_keys(transitions, (label, label), width, dtype)
        trans = np.full(labels * width, ABSENT, dtype)
        trans[places] = weight
        keys, value = sorted_keys(edge_weights, (("edge attribute", edge_attributes), label, label), width, dtype)
        edge_rows, edge = (
            sparse_rows(keys, value, edge_attributes * labels, blocks) if edge_attributes else (None, None)
        )
        if sparse is None:
            sparse = kind == "observed" and blocks > FULL_ROW_BLOCKS
        marks = Weights(state if sparse else rows.full(state), trans.reshape(labels, width), edge)
        first, column = (rows.first, rows.column) if sparse else (None, None)
        own = (edge_rows.first, edge_rows.column) if edge_rows else (None, None)
        return cls(kind, attributes, labels, first, column, marks, edge_attributes, *own), marks

    def compact(self, weights: Weights) -> tuple["FeatureSet", Weights]:
        """The same model with sparse rows, as a model file stores it; `all` keeps its full rows of state weights."""
        ready = self.edge_attributes == 0 or self.edge_first is not None
        if ready and (self.kind == "all" or self.first is not None):
            return self, weights
        at = self.coordinates()
        state, trans = at.values(weights)
        return self.from_triples(
            self.attributes,
            self.labels,
            (at.attribute, at.label, state),
            (at.before, at.after, trans),
            kind=self.kind,
            sparse=self.kind == "observed",
            edge_attributes=self.edge_attributes,
            edge_weights=at.edge_features(weights),
            dtype=weights.state.dtype.type,
        )

    def only(self, keep: NDArray[np.bool_], keep_edges: NDArray[np.bool_] | None = None) -> "FeatureSet":
        """The features of the attributes in `keep` [A] and of the edge attributes in `keep_edges` [E], with new ids."""
        rows, of = self.rows.only(keep)
        count, edge, own = self.edge_attributes, self.marks.edge, self.edge_rows
        if edge is not None and keep_edges is not None:
            own, of_edges = own.only(np.repeat(keep_edges, self.labels))
            count, edge = int(keep_edges.sum()), edge[of_edges] if own.count else None
        marks = Weights(self.marks.state[of], self.marks.trans, edge)
        edge_rows = (None, None) if edge is None else (own.first, own.column)
        return FeatureSet(self.kind, rows.count, self.labels, rows.first, rows.column, marks, count, *edge_rows)
