"""Feature sets: which (attribute, label) pairs and transitions have a weight.

    all        every attribute with every label, every transition         the paper's large set: A·L + L²
    observed   the pairs and transitions that occur in the training data   the paper's small set

    data ─▶ feature_set ─▶ FeatureSet ─▶ grow (adds attributes and labels) · prune (removes small weights)

Edge features, triples of an edge attribute and two labels, exist as transitions do: all of them, or those that occur.

The minimum frequency is inclusive: with 3, a feature that occurs three times is kept. With `all` it counts attributes,
as CRF++ does; with `observed` it counts pairs and transitions, as CRFsuite does. It counts occurrences and not values,
so negative and fractional values are safe.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import Floats, Longs
from tagfield.errors import InputError
from tagfield.native import kernels
from tagfield.system.memory import check_fits
from tagfield.weights.blocks import Rows, filled_rows
from tagfield.weights.layout import ABSENT, FULL_ROW_BLOCKS, LANES, FeatureSet, Weights, absent


class Counts(Protocol):
    """What occurs in the training data, and how often."""

    def transitions(self, labels: int) -> Longs:
        """[L, L]  pairs of neighbouring labels."""
        ...

    def rows(self, attributes: int, labels: int, minimum: int) -> "Observed":
        """Rows of blocks for the pairs of attribute and label that occur at least `minimum` times."""
        ...

    def edge_rows(self, edge_attributes: int, labels: int, minimum: int) -> "Observed":
        """The same for edge attributes; a row for each of them and each previous label."""
        ...


class Observed(NamedTuple):
    """Rows of blocks, as the kernels count them."""

    first: Longs  # [rows + 1]
    column: NDArray[np.uint16]  # [B]
    lanes: NDArray[np.uint8]  # [B]  the labels of the block, as bits


class CorpusCounts:
    """The counts of a corpus in memory."""

    def __init__(self, corpus: kernels.Corpus) -> None:
        self._corpus = corpus

    def transitions(self, labels: int) -> Longs:
        return kernels.count_transitions(self._corpus, labels)

    def rows(self, attributes: int, labels: int, minimum: int) -> Observed:
        return Observed(*kernels.observed_rows(self._corpus, attributes, labels, minimum)[:3])

    def edge_rows(self, edge_attributes: int, labels: int, minimum: int) -> Observed:
        return Observed(*kernels.observed_edges(self._corpus, edge_attributes, labels, minimum)[:3])


def feature_set(
    corpus: kernels.Corpus | Counts,
    attributes: int,
    labels: int,
    kind: str,
    min_count: int = 1,
    transitions: str | None = None,
    edge_attributes: int = 0,
) -> FeatureSet:
    """Build a feature set from encoded data; `transitions` is the kind for pairs of labels, if it differs.

    edge_attributes: how many there are; their features are of the kind of the transitions

    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.inference.lattice import open_corpus
    >>> encoded = encode_sequences([[["a"], ["b"]]], [["X", "Y"]])
    >>> corpus = open_corpus(encoded.dataset)
    >>> feature_set(corpus, 2, 2, "observed").counts, feature_set(corpus, 2, 2, "all").counts
    ((2, 1), (4, 4))
    """
    counts: Counts = CorpusCounts(corpus) if isinstance(corpus, kernels.Corpus) else corpus
    blocks = -(-labels // LANES)
    width = blocks * LANES
    for chosen in (kind, transitions):
        if chosen not in ("observed", "all", None):
            raise InputError(f"no feature set named {chosen!r}; choose observed or all")
    linked = transitions or kind
    _check_memory(attributes if kind == "all" else 0, labels, edge_attributes if linked == "all" else 0, linked)
    trans = np.full((labels, width), ABSENT, np.float32)
    if linked == "all":
        trans[:, :labels] = 0
    else:
        trans[:, :labels][counts.transitions(labels) >= max(1, min_count)] = 0
    edge_rows, edge = _edge_rows(counts, edge_attributes, labels, linked, min_count)
    if kind == "all":
        state = np.zeros((attributes, width), np.float32)
        state[:, labels:] = ABSENT
        marks = Weights(state.reshape(-1, LANES), trans, edge)
        return FeatureSet("all", attributes, labels, None, None, marks, edge_attributes, *edge_rows)
    first, column, lanes = counts.rows(attributes, labels, max(1, min_count))
    rows = Rows(attributes, blocks, first, column)
    state = _marked(lanes)
    if blocks <= FULL_ROW_BLOCKS:
        rows, state = Rows(attributes, blocks, None, None), rows.full(state)
    marks = Weights(state, trans, edge)
    return FeatureSet("observed", attributes, labels, rows.first, rows.column, marks, edge_attributes, *edge_rows)


def _edge_rows(
    counts: Counts, edge_attributes: int, labels: int, kind: str, min_count: int
) -> tuple[tuple[Longs | None, NDArray[np.uint16] | None], Floats | None]:
    """First block and label block of the rows of edge weights, and zero weights for their features."""
    if not edge_attributes:
        return (None, None), None
    blocks = -(-labels // LANES)
    if kind == "observed":
        first, column, lanes = counts.edge_rows(edge_attributes, labels, max(1, min_count))
        return (first, column), _marked(lanes)
    first = np.arange(edge_attributes * labels + 1, dtype=np.int64) * blocks
    zero = np.zeros((edge_attributes * labels, blocks * LANES), np.float32)
    zero[:, labels:] = ABSENT
    column = np.tile(np.arange(blocks, dtype=np.uint16), edge_attributes * labels)
    return (first, column), zero.reshape(-1, LANES)


def _marked(lanes: NDArray[np.uint8]) -> Floats:
    """Blocks with a 0 in the lanes of these bits, and ABSENT in the others."""
    blocks = np.full((len(lanes), LANES), ABSENT, np.float32)
    blocks[(lanes[:, None] >> np.arange(LANES, dtype=np.uint8)) & 1 == 1] = 0
    return blocks


def grow(old: FeatureSet, weights: Weights, new: FeatureSet) -> tuple[FeatureSet, Weights]:
    """The union of two feature sets: old features keep their weights, new ones start at 0.

    An old attribute or label must have the same id in both sets.

    >>> small, weights = FeatureSet.from_triples(1, 2, ([0, 0], [0, 1], [0.5, 0.0]), ([], [], []))
    >>> large, _ = FeatureSet.from_triples(2, 2, ([0, 1], [0, 1], [0.0, 0.0]), ([0], [1], [0.0]))
    >>> features, grown = grow(small, weights, large)
    >>> features.counts, features.row(grown, 0).tolist()
    ((3, 1), [0.5, 0.0])
    """
    if old.attributes > new.attributes or old.edge_attributes > new.edge_attributes or old.labels > new.labels:
        raise InputError("a feature set can only grow; to remove attributes or labels, train a new model")
    was = old.coordinates()
    state, trans = was.values(weights)
    merged = new.zeros()
    place = new.find(was.attribute, was.label)
    linked = was.before * merged.trans.shape[1] + was.after
    edge = new.find_edges(was.edge_attribute, was.edge_before, was.edge_after)
    if (place >= 0).all() and (edge >= 0).all() and not absent(merged.trans.reshape(-1)[linked]).any():
        merged.state.reshape(-1)[place], merged.trans.reshape(-1)[linked] = state, trans
        if merged.edge is not None:
            merged.edge.reshape(-1)[edge] = was.edge_values(weights)
        return new, merged
    now = new.coordinates()
    added = (now.attribute >= old.attributes) | (now.label >= old.labels)
    added[~added] = old.find(now.attribute[~added], now.label[~added]) < 0
    known = np.zeros((new.labels, new.labels), bool)
    known[was.before, was.after] = True
    fresh = ~known[now.before, now.after]
    triples = (now.edge_attribute, now.edge_before, now.edge_after)
    more = (triples[0] >= old.edge_attributes) | (triples[1] >= old.labels) | (triples[2] >= old.labels)
    more[~more] = old.find_edges(*(ids[~more] for ids in triples)) < 0

    def both(before: Any, after: Any, chosen: NDArray[np.bool_]) -> Any:
        return np.concatenate([before, after[chosen]])

    zero = np.float32(0)
    return FeatureSet.from_triples(
        new.attributes,
        new.labels,
        (
            both(was.attribute, now.attribute, added),
            both(was.label, now.label, added),
            both(state, np.full(len(added), zero), added),
        ),
        (
            both(was.before, now.before, fresh),
            both(was.after, now.after, fresh),
            both(trans, np.full(len(fresh), zero), fresh),
        ),
        kind=new.kind,
        edge_attributes=new.edge_attributes,
        edge_weights=(
            both(was.edge_attribute, now.edge_attribute, more),
            both(was.edge_before, now.edge_before, more),
            both(was.edge_after, now.edge_after, more),
            both(was.edge_values(weights), np.full(len(more), zero), more),
        ),
    )


class Pruned(NamedTuple):
    """What is left after `prune`."""

    attributes: Longs  # ids of the attributes that are left, in the old set
    features: FeatureSet
    weights: Weights
    edge_attributes: Longs  # ids of the edge attributes that are left, in the old set


def prune(features: FeatureSet, weights: Weights, threshold: float = 0.0) -> Pruned:
    """Remove weights of absolute value ≤ `threshold`, and attributes that have no weight left.

    >>> features, weights = FeatureSet.from_triples(3, 2, ([0, 1, 2], [0, 1, 1], [0.5, 0.0, -2.0]), ([], [], []))
    >>> left = prune(features, weights)
    >>> left.attributes.tolist(), left.features.attributes, left.features.counts
    ([0, 2], 2, (2, 0))
    """
    if not threshold >= 0:
        raise InputError(f"threshold must be ≥ 0, got {threshold}")
    at = features.coordinates()
    (state, trans), edge = at.values(weights), at.edge_values(weights)
    large, linked, looked = (np.abs(array) > threshold for array in (state, trans, edge))
    alive, row = np.unique(at.attribute[large], return_inverse=True)
    looking, edge_row = np.unique(at.edge_attribute[looked], return_inverse=True)
    made, left = FeatureSet.from_triples(
        len(alive),
        features.labels,
        (row, at.label[large], state[large]),
        (at.before[linked], at.after[linked], trans[linked]),
        sparse=True,
        edge_attributes=len(looking),
        edge_weights=(edge_row, at.edge_before[looked], at.edge_after[looked], edge[looked]),
        dtype=weights.state.dtype.type,
    )
    return Pruned(alive, made, left, looking)


def thinned(features: FeatureSet, weights: Weights, threshold: float) -> tuple[FeatureSet, Weights]:
    """The features without state and edge weights of absolute value ≤ `threshold`; every attribute keeps its id.

    Transitions stay: there are few, and they are stored as a table.

    >>> features, weights = FeatureSet.from_triples(3, 2, ([0, 1, 2], [0, 1, 1], [0.5, 0.1, -2.0]), ([0], [1], [0.1]))
    >>> left, kept = thinned(features, weights, 0.2)
    >>> left.attributes, left.counts, kept.state[:, :2].tolist()
    (3, (2, 1), [[0.5, -0.0], [-0.0, -2.0]])
    """

    def left(rows: Rows, array: Floats) -> tuple[Rows, Floats]:
        return filled_rows(rows, np.where(np.abs(array) <= threshold, array.dtype.type(ABSENT), array))

    rows, state = left(features.rows, weights.state)
    edge_rows, edge = (None, None) if weights.edge is None else left(features.edge_rows, weights.edge)
    own = (None, None) if edge_rows is None else (edge_rows.first, edge_rows.column)
    kept = Weights(state, weights.trans, edge)
    sizes = features.attributes, features.labels
    return FeatureSet("observed", *sizes, rows.first, rows.column, kept, features.edge_attributes, *own), kept


def _check_memory(attributes: int, labels: int, edge_attributes: int, transitions: str) -> None:
    """Raise MemoryLimitError if the weights alone do not fit; a swapping machine would only hang."""
    counts = labels * labels * 8 if transitions == "observed" else 0  # of transitions, in int64
    what = [f"{attributes:,} attributes × {labels:,} labels"] if attributes else []
    what += [f"{edge_attributes:,} edge attributes × {labels:,}² labels"] if edge_attributes else []
    check_fits(
        FeatureSet.bytes_needed(attributes, labels, edge_attributes) + counts,
        f"a weight for each of {' and '.join(what) or f'{labels:,}² transitions'}",
        "use only observed pairs (features='observed', all_possible_states=False), drop rare attributes "
        "(min_count, min_freq), or hash them (tagfield pack --hash-bits)"
        if what
        else "use fewer labels",
    )
