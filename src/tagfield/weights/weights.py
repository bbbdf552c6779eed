"""The weights of a model, and the feature that each of them belongs to.

    FeatureSet.coordinates() ─▶ Coordinates ─▶ values(weights), edge_features(weights)

blocks.py and layout.py say how weights are laid out.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tagfield.data.dataset import Floats, Longs
from tagfield.errors import InputError
from tagfield.system.contents import ByContent
from tagfield.weights.blocks import ABSENT, absent

LINE = 64  # bytes of a cache line

Quadruples: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]  # edge attribute, from, to, weight


@dataclass(frozen=True, eq=False)
class Weights(ByContent):
    """State and edge weights in blocks, and transition weights in rows; float32, or all float64 to be read only."""

    state: Floats  # [B, LANES]
    trans: Floats  # [L, NB·LANES]
    edge: Floats | None = None  # [BE, LANES]; None if there are no edge attributes

    def map(self, change: Callable[..., Any], *others: "Weights") -> "Weights":
        """The weights of `change(array, arrays of the others …)` for each array.

        >>> ones = Weights(np.ones((1, 8), np.float32), np.ones((1, 8), np.float32))
        >>> ones.map(np.add, ones).state[0, 0].item()
        2.0
        """
        edge = None if self.edge is None else change(self.edge, *(other.edge for other in others))
        state = change(self.state, *(other.state for other in others))
        return Weights(state, change(self.trans, *(other.trans for other in others)), edge)

    def arrays(self) -> list[Floats]:
        """State, trans, and edge where there is one."""
        return [self.state, self.trans] if self.edge is None else [self.state, self.trans, self.edge]

    def copy(self) -> "Weights":
        return self.map(_copy_on_lines)

    def zeros(self) -> "Weights":
        """0 in every place, also where there is no feature."""
        return self.map(zeros_on_lines)

    def finite(self) -> bool:
        return all(bool(np.isfinite(array).all()) for array in self.arrays())

    def single(self) -> "Weights":
        """The weights in float32, which training needs; those that are float32 already are not copied.

        >>> wide = Weights(np.array([[0.1, -0.0, -1e-60]]), np.array([[0.5]]))
        >>> wide.single().state.tolist()  # a feature stays a feature
        [[0.10000000149011612, -0.0, 0.0]]
        """
        if self.state.dtype == np.float32:
            return self
        with np.errstate(over="ignore"):
            made = self.map(lambda array: np.where(absent(array), ABSENT, array.astype(np.float32) + np.float32(0)))
        if not made.finite():
            raise InputError(
                "a weight of the model is beyond the range of float32, so training cannot continue from it"
            )
        return made

    def transitions(self) -> Floats:
        """The weight of each transition [from L, to L]; 0 where it has no feature."""
        return np.ascontiguousarray(self.trans[:, : len(self.trans)]) + np.float32(0)


def zeros_on_lines(like: Floats) -> Floats:
    """Zeros in the shape of an array, from the beginning of a cache line on.

    NumPy's large arrays begin 16 bytes after a line, where every second row of three blocks touches three lines and not
    two: an epoch of SGD on CoNLL-2000 takes 98 ms then, and 79 here.

    >>> made = zeros_on_lines(np.ones((5, 8), np.float32))
    >>> made.shape, made.ctypes.data % LINE
    ((5, 8), 0)
    """
    return _on_line(np.zeros(like.size + LINE // like.itemsize, like.dtype), like)


def _copy_on_lines(array: Floats) -> Floats:
    made = _on_line(np.empty(array.size + LINE // array.itemsize, array.dtype), array)
    made[...] = array
    return made


def _on_line(room: Floats, like: Floats) -> Floats:
    skip = -room.ctypes.data % LINE // room.itemsize
    return room[skip : skip + like.size].reshape(like.shape)


def _no_ids() -> Longs:
    return np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class Coordinates(ByContent):
    """The feature of each weight: K state features, sorted by attribute and label, M transitions, and KE edges."""

    attribute: Longs  # [K]
    label: Longs  # [K]
    state: Longs  # [K]  index of its weight in state.reshape(-1)
    before: Longs  # [M]
    after: Longs  # [M]
    trans: Longs  # [M]  index of its weight in trans.reshape(-1)
    edge_attribute: Longs = field(default_factory=_no_ids)  # [KE]  sorted by edge attribute, previous label and label
    edge_before: Longs = field(default_factory=_no_ids)  # [KE]
    edge_after: Longs = field(default_factory=_no_ids)  # [KE]
    edge: Longs = field(default_factory=_no_ids)  # [KE]  index of its weight in edge.reshape(-1)

    def values(self, weights: Weights) -> tuple[Floats, Floats]:
        """The weights of the state features [K] and of the transitions [M]."""
        return weights.state.reshape(-1)[self.state], weights.trans.reshape(-1)[self.trans]

    def edge_values(self, weights: Weights) -> Floats:
        """The weights of the edge features [KE]."""
        return weights.trans[:0, 0] if weights.edge is None else weights.edge.reshape(-1)[self.edge]

    def edge_features(self, weights: Weights) -> Quadruples:
        """The edge features as `FeatureSet.from_triples` takes them."""
        return self.edge_attribute, self.edge_before, self.edge_after, self.edge_values(weights)
