"""Feature sets: which (attribute, label) pairs and transitions have a weight.

    all        every attribute with every label, every transition         the paper's large set: A·L + L²
    observed   the pairs and transitions that occur in the training data   the paper's small set

    data ─▶ feature_set ─▶ FeatureSet ─▶ grow (adds attributes and labels) · prune (removes small weights)

The minimum frequency is inclusive: with 3, a feature that occurs three times is kept. With `all` it counts attributes,
as CRF++ does; with `observed` it counts pairs and transitions, as CRFsuite does. It counts occurrences and not values,
so negative and fractional values are safe.
"""

import numpy as np

from tagfield.dataset import Longs
from tagfield.errors import InputError
from tagfield.layout import ABSENT, FULL_ROW_BLOCKS, LANES, FeatureSet, Weights, absent
from tagfield.memory import check_fits
from tagfield.native import kernels


def feature_set(
    corpus: kernels.Corpus, attributes: int, labels: int, kind: str, min_count: int = 1, transitions: str | None = None
) -> FeatureSet:
    """Build a feature set from encoded data; `transitions` is the kind for pairs of labels, if it differs.

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
            raise InputError(f"no feature set named {chosen!r}; choose observed or all")
    _check_memory(attributes, labels, kind, transitions or kind)
    trans = np.full((labels, width), ABSENT, np.float32)
    if (transitions or kind) == "all":
        trans[:, :labels] = 0
    else:
        trans[:, :labels][kernels.count_transitions(corpus, labels) >= max(1, min_count)] = 0
    if kind == "all":
        state = np.zeros((attributes, width), np.float32)
        state[:, labels:] = ABSENT
        return FeatureSet("all", attributes, labels, None, None, Weights(state.reshape(-1, LANES), trans))
    first, column, lanes, _ = kernels.observed_rows(corpus, attributes, labels, max(1, min_count))
    state = np.full((len(column), LANES), ABSENT, np.float32)
    state[(lanes[:, None] >> np.arange(LANES, dtype=np.uint8)) & 1 == 1] = 0
    sparse = FeatureSet("observed", attributes, labels, first, column, Weights(state, trans))
    return sparse if blocks > FULL_ROW_BLOCKS else sparse._with_full_rows()


def grow(old: FeatureSet, weights: Weights, new: FeatureSet) -> tuple[FeatureSet, Weights]:
    """The union of two feature sets: old features keep their weights, new ones start at 0.

    An old attribute or label must have the same id in both sets.

    >>> small, weights = FeatureSet.from_triples(1, 2, ([0, 0], [0, 1], [0.5, 0.0]), ([], [], []))
    >>> large, _ = FeatureSet.from_triples(2, 2, ([0, 1], [0, 1], [0.0, 0.0]), ([0], [1], [0.0]))
    >>> features, grown = grow(small, weights, large)
    >>> features.counts, features.row(grown, 0).tolist()
    ((3, 1), [0.5, 0.0])
    """
    if old.attributes > new.attributes or old.labels > new.labels:
        raise InputError("a feature set can only grow; to remove attributes or labels, train a new model")
    was = old.coordinates()
    state, trans = was.values(weights)
    merged = new.zeros()
    place = new.find(was.attribute, was.label)
    edge = was.before * merged.trans.shape[1] + was.after
    if (place >= 0).all() and not absent(merged.trans.reshape(-1)[edge]).any():
        merged.state.reshape(-1)[place], merged.trans.reshape(-1)[edge] = state, trans
        return new, merged
    now = new.coordinates()
    added = (now.attribute >= old.attributes) | (now.label >= old.labels)
    added[~added] = old.find(now.attribute[~added], now.label[~added]) < 0
    known = np.zeros((new.labels, new.labels), bool)
    known[was.before, was.after] = True
    linked = ~known[now.before, now.after]

    def both(before: Longs, after: Longs) -> Longs:
        return np.concatenate([before, after])

    return FeatureSet.from_triples(
        new.attributes,
        new.labels,
        (
            both(was.attribute, now.attribute[added]),
            both(was.label, now.label[added]),
            np.concatenate([state, np.zeros(int(added.sum()), np.float32)]),
        ),
        (
            both(was.before, now.before[linked]),
            both(was.after, now.after[linked]),
            np.concatenate([trans, np.zeros(int(linked.sum()), np.float32)]),
        ),
        kind=new.kind,
    )


def prune(features: FeatureSet, weights: Weights, threshold: float = 0.0) -> tuple[Longs, FeatureSet, Weights]:
    """Remove weights of absolute value ≤ `threshold`; returns the remaining attributes, features and weights.

    >>> features, weights = FeatureSet.from_triples(3, 2, ([0, 1, 2], [0, 1, 1], [0.5, 0.0, -2.0]), ([], [], []))
    >>> alive, small, _ = prune(features, weights)
    >>> alive.tolist(), small.attributes, small.counts
    ([0, 2], 2, (2, 0))
    """
    if not threshold >= 0:
        raise InputError(f"threshold must be ≥ 0, got {threshold}")
    at = features.coordinates()
    state, trans = at.values(weights)
    large, linked = np.abs(state) > threshold, np.abs(trans) > threshold
    alive, row = np.unique(at.attribute[large], return_inverse=True)
    return alive, *FeatureSet.from_triples(
        len(alive),
        features.labels,
        (row, at.label[large], state[large]),
        (at.before[linked], at.after[linked], trans[linked]),
        sparse=True,
    )


def _check_memory(attributes: int, labels: int, kind: str, transitions: str) -> None:
    """Raise MemoryLimitError if the weights alone do not fit; a swapping machine would only hang."""
    row = -(-labels // LANES) * LANES * 4
    edges = labels * row + (labels * labels * 8 if transitions == "observed" else 0)  # weights, and counts in int64
    if kind == "all":
        check_fits(
            attributes * row + edges,
            f"a weight for each pair of {attributes:,} attributes and {labels:,} labels",
            "use only observed pairs (features='observed', all_possible_states=False), or drop rare attributes "
            "(min_count, min_freq)",
        )
    check_fits(edges, f"a weight for each pair of {labels:,} labels", "use fewer labels")
