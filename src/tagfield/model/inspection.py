"""The weights of a model: which are the largest, those of one attribute, and a model without those that are 0.

Weights, FeatureSet, names ─▶ top_features · top_edges · attribute_weights
                           └▶ pruned · without_spare_attributes ─▶ a smaller Model
"""

from dataclasses import replace
from typing import Any, Self

import numpy as np

from tagfield.data.dataset import Floats, Longs
from tagfield.errors import InputError
from tagfield.native._text import Vocabulary
from tagfield.system.checks import number, whole
from tagfield.weights.features import prune
from tagfield.weights.layout import FeatureSet, Weights


class Weighed:
    """The methods of Model that look at its weights."""

    labels: Vocabulary
    attributes: Vocabulary
    features: FeatureSet
    weights: Weights
    info: dict[str, Any]
    edges: Vocabulary | None

    def top_features(self, count: int = 20) -> list[tuple[str, str, float]]:
        """The (attribute, label, weight) triples with the largest absolute weights."""
        flat = self.weights.state.reshape(-1)
        chosen = _largest(flat, count)
        return [
            (self.attributes[a], self.labels[y], w)
            for a, y, w in zip(*(x.tolist() for x in (*self.features.locate(chosen), flat[chosen])), strict=True)
        ]

    def top_edges(self, count: int = 20) -> list[tuple[str, str, str, float]]:
        """The (edge attribute, previous label, label, weight) with the largest absolute weights.

        >>> from tagfield import Model
        >>> features, weights = FeatureSet.from_triples(
        ...     0, 2, ([], [], []), ([], [], []), edges=1, edge_weights=([0, 0], [0, 1], [1, 1], [0.5, -2.0])
        ... )
        >>> model = Model(Vocabulary(["X", "Y"]), Vocabulary(), features, weights, edges=Vocabulary(["w=a"]))
        >>> model.top_edges(1)
        [('w=a', 'Y', 'Y', -2.0)]
        """
        if self.weights.edge is None or self.edges is None:
            return []
        flat = self.weights.edge.reshape(-1)
        chosen = _largest(flat, count)
        found = (x.tolist() for x in (*self.features.locate_edges(chosen), flat[chosen]))
        return [(self.edges[e], self.labels[i], self.labels[j], w) for e, i, j, w in zip(*found, strict=True)]

    def attribute_weights(self, attribute: int) -> Floats:
        """The weights of one attribute, one per label [L]; 0 where it has no feature."""
        found = whole("attribute", attribute)
        if not 0 <= found < len(self.attributes):
            raise InputError(f"no attribute has the id {found}; model.attributes.find(name) gives the id of a name")
        return self.features.row(self.weights, found)

    def without_spare_attributes(self) -> Self:
        """The model without attributes whose every weight is 0, such as c1 leaves, as in CRFsuite.

        The command `train` and `CRF.fit` save this form. Data that is encoded for training keeps its ids, so it fits
        the model before, not after. A model that gives every pair a weight (features='all') stays as it is without c1.

        >>> from tagfield import Model, Settings, encode_sequences
        >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("lbfgs", c1=0.6))
        >>> len(model.attributes), len(model.without_spare_attributes().attributes)
        (2, 0)
        """
        if self.attributes.hash_bits:
            return self  # the row of an attribute is its hash
        alive, _ = self.features.locate(np.flatnonzero(self.weights.state))
        spare = len(np.unique(alive)) < len(self.attributes)
        if self.weights.edge is not None and not spare:
            looking, _, _ = self.features.locate_edges(np.flatnonzero(self.weights.edge))
            spare = len(np.unique(looking)) < self.features.edges
        sparse = self.features.kind == "observed" or self.info.get("settings", {}).get("c1", 0) > 0
        return self.pruned() if spare and sparse else self

    def pruned(self, threshold: float = 0.0) -> Self:
        """A copy without weights of absolute value ≤ `threshold`, and without attributes that have no weight left.

        >>> from tagfield import Model, Settings, encode_sequences
        >>> model = Model.train(encode_sequences([[["a"], ["b"]]] * 9, [["X", "Y"]] * 9), Settings("lbfgs"))
        >>> len(model.attributes), len(model.pruned(100.0).attributes)
        (2, 0)
        """
        threshold = number("threshold", threshold)
        if self.attributes.hash_bits:
            raise InputError("the attributes are hashed, so each keeps its row; a model with names can be pruned")
        left = prune(self.features, self.weights, threshold)
        info = {**self.info, "pruned": threshold, **feature_counts(left.features)}
        edges = None if self.edges is None else self.edges.subset(left.edges)
        attributes = self.attributes.subset(left.attributes)
        kept = {"attributes": attributes, "features": left.features, "weights": left.weights, "edges": edges}
        return replace(self, **kept, info=info, stream=None)  # type: ignore[type-var]  # Model is a dataclass


def feature_counts(features: FeatureSet) -> dict[str, int]:
    """The numbers of features, as `info` has them."""
    states, transitions = features.counts
    found = {"state_features": states, "transition_features": transitions}
    return found | ({"edge_features": features.edge_count} if features.edges else {})


def _largest(flat: Floats, count: int) -> Longs:
    """The places of the `count` largest absolute weights, largest first; weights of 0 are left out."""
    count = min(max(0, whole("count", count)), flat.size)
    chosen: Longs = np.argpartition(-np.abs(flat), count - 1)[:count] if count else np.empty(0, np.int64)
    chosen = chosen[np.argsort(-np.abs(flat[chosen]), kind="stable")]
    kept: Longs = chosen[flat[chosen] != 0]
    return kept
