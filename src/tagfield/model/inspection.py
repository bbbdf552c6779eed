"""The weights of a model: which are the largest, those of one attribute, and what is left without those that are 0."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tagfield.data.dataset import Floats, Longs
from tagfield.errors import InputError
from tagfield.model.file import Parts
from tagfield.model.info import feature_counts
from tagfield.native._text import Vocabulary
from tagfield.system.checks import number, whole
from tagfield.weights.features import prune


def largest(
    weights: Floats, locate: Callable[[Longs], Sequence[Longs]], names: Sequence[Vocabulary], count: int
) -> list[Any]:
    """(name, …, weight) of the `count` largest absolute weights, largest first; weights of 0 are left out.

    locate: the ids of the feature at some places in the flat weights
    names: what each of these ids names
    """
    flat = weights.reshape(-1)
    count = min(max(0, whole("count", count)), flat.size)
    chosen: Longs = np.argpartition(-np.abs(flat), count - 1)[:count] if count else np.empty(0, np.int64)
    chosen = chosen[np.argsort(-np.abs(flat[chosen]), kind="stable")]
    chosen = chosen[flat[chosen] != 0]
    columns = [[of[i] for i in ids.tolist()] for of, ids in zip(names, locate(chosen), strict=True)]
    return list(zip(*columns, flat[chosen].tolist(), strict=True))


def weights_of(parts: Parts, attribute: int) -> Floats:
    """The weights of one attribute, one per label [L]."""
    found = whole("attribute", attribute)
    if not 0 <= found < len(parts.attributes):
        raise InputError(f"no attribute has the id {found}; model.attributes.find(name) gives the id of a name")
    return parts.features.row(parts.weights, found)


def has_spare(parts: Parts) -> bool:
    """Whether pruning removes attributes; not if they are hashed, or if every pair has a weight and c1 is 0."""
    if parts.attributes.hash_bits:
        return False  # the row of an attribute is its hash
    features, weights = parts.features, parts.weights
    if features.kind == "all" and not parts.info.get("settings", {}).get("c1", 0) > 0:
        return False
    alive, _ = features.locate(np.flatnonzero(weights.state))
    if len(np.unique(alive)) < len(parts.attributes):
        return True
    if weights.edge is None:
        return False
    looking, _, _ = features.locate_edges(np.flatnonzero(weights.edge))
    return len(np.unique(looking)) < features.edge_attributes


def pruned(parts: Parts, threshold: float) -> dict[str, Any]:
    """The parts that change without weights of absolute value ≤ `threshold`."""
    threshold = number("threshold", threshold)
    if parts.attributes.hash_bits:
        raise InputError("the attributes are hashed, so each keeps its row; a model with names can be pruned")
    left = prune(parts.features, parts.weights, threshold)
    return {
        "attributes": parts.attributes.subset(left.attributes),
        "features": left.features,
        "weights": left.weights,
        "info": {
            **parts.info,
            "pruned": max(threshold, parts.info.get("pruned", 0.0)),
            **feature_counts(left.features),
        },
        "stream": None,
        "edges": None if parts.edges is None else parts.edges.subset(left.edge_attributes),
    }
