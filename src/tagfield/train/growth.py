"""Growing a feature set: the weights of a trained model keep their place when attributes and labels are added.

    old [A₀, L₀] + weights ─┐
                            ├─▶ union [A, L], A ≥ A₀, L ≥ L₀; old weights where there were any, 0 elsewhere
    new [A, L], from data ──┘

Ids are kept: an old attribute or label has the same id in both.
"""

import numpy as np

from tagfield.dataset import Floats, Longs
from tagfield.errors import InputError
from tagfield.features import ABSENT, FULL_ROW_BLOCKS, LANES, FeatureSet, Weights, absent


def grow(old: FeatureSet, weights: Weights, new: FeatureSet) -> tuple[FeatureSet, Weights]:
    """The features of both sets, and the old weights among them.

    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.features import feature_set
    >>> from tagfield.lattice import open_corpus
    >>> def of(X, y):
    ...     encoded = encode_sequences(X, y)
    ...     return feature_set(open_corpus(encoded.dataset), len(encoded.attributes), 2, "observed")
    >>> small, large = of([[["a"], ["a"]]], [["X", "Y"]]), of([[["a"], ["b"]]], [["X", "Y"]])
    >>> grow(small, small.zeros(), large)[0].counts
    (3, 1)
    """
    if old.attributes > new.attributes or old.labels > new.labels:
        raise InputError("a feature set can only grow; train anew to leave attributes or labels out")
    keys, state = _sparse(old, weights.state, new.blocks_per_row)
    new_keys, fresh = _sparse(new, new.zero.state, new.blocks_per_row)
    union = np.union1d(keys, new_keys)
    merged = np.full((len(union), LANES), ABSENT, np.float32)
    merged[np.searchsorted(union, new_keys)] = fresh
    at = np.searchsorted(union, keys)
    merged[at] = np.where(absent(state), merged[at], state)
    trans = new.zero.trans.copy()
    n = old.labels
    trans[:n, :n] = np.where(
        absent(np.ascontiguousarray(weights.trans[:, :n])), trans[:n, :n], weights.trans[:, :n]
    )
    return _laid_out(new, union, merged, trans)


def _sparse(features: FeatureSet, state: Floats, blocks: int) -> tuple[Longs, Floats]:
    """Blocks with a feature, and their keys attribute·blocks + label block, ascending."""
    if features.first is None or features.column is None:
        present = np.flatnonzero(~absent(state).all(axis=1))
        row, column = np.divmod(present, features.blocks_per_row)
        return row * blocks + column, state[present]
    row = np.repeat(np.arange(features.attributes), np.diff(features.first))
    return row * blocks + features.column.astype(np.int64), state


def _laid_out(like: FeatureSet, keys: Longs, state: Floats, trans: Floats) -> tuple[FeatureSet, Weights]:
    blocks, attributes, labels = like.blocks_per_row, like.attributes, like.labels
    if like.kind == "all" or blocks <= FULL_ROW_BLOCKS:
        full = np.full((attributes * blocks, LANES), ABSENT, np.float32)
        full[keys] = state
        weights, first, column = Weights(full, trans), None, None
    else:
        row, block = np.divmod(keys, blocks)
        first = np.searchsorted(row, np.arange(attributes + 1)).astype(np.int64)
        column = block.astype(np.uint16)
        weights = Weights(state, trans)
    zero = Weights(
        np.where(absent(weights.state), ABSENT, np.float32(0)), np.where(absent(trans), ABSENT, np.float32(0))
    )
    return FeatureSet(like.kind, attributes, labels, first, column, zero), weights
