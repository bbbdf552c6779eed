"""Models of Wapiti's raw mode whose items all have the token `b`: the plain model behind them.

    b            ─▶ the transitions          bNAME   ─▶ the edge attribute NAME
    uNAME        ─▶ the attribute NAME       *NAME   ─▶ both

In raw mode an item without a `b` has no transition into it, so only the owner of the data knows whether `b` is the same
as plain transitions. `wapiti_writer` writes such models, and this is its inverse.
"""

from typing import Any

import numpy as np

from tagfield.errors import InputError
from tagfield.model.file import Parts
from tagfield.model.formats.wapiti import FORMAT
from tagfield.native._text import Vocabulary
from tagfield.weights.layout import FeatureSet


def is_raw(parts: Parts) -> bool:
    """Whether a model came from a Wapiti file without patterns."""
    record = parts.info.get(FORMAT)
    return parts.info.get("format") == FORMAT and isinstance(record, dict) and record.get("patterns") == []


def plain_parts(parts: Parts) -> Parts:
    """The model with plain transitions and names without their first letter; InputError if it is not of raw mode."""
    if not is_raw(parts):
        raise InputError("the model is none of Wapiti's raw mode, so its names have no letters to remove")
    edges = [] if parts.edges is None else parts.edges.strings()
    names = [[name[1:] for name in own] for own in (parts.attributes.strings(), [e for e in edges if e != "b"])]
    if any(len(set(own)) < len(own) for own in names):
        raise InputError("two attributes differ only in their first letter, u and *, so it cannot be removed")
    at = parts.features.coordinates()
    state, trans = at.values(parts.weights)
    edge, before, after, value = (np.asarray(each) for each in at.edge_features(parts.weights))
    constant = edges.index("b") if "b" in edges else -1
    own = edge == constant
    links = (np.concatenate([at.before, before[own]]), np.concatenate([at.after, after[own]]))
    number = np.array([k - (-1 < constant < k) for k in range(len(edges))], np.int64)
    others = (number[edge[~own]], before[~own], after[~own], value[~own]) if len(edges) else ((), (), (), ())
    features, weights = FeatureSet.from_triples(
        len(parts.attributes),
        len(parts.labels),
        (at.attribute, at.label, state),
        (*links, np.concatenate([trans, value[own]])),
        sparse=True,
        edge_attributes=len(names[1]),
        edge_weights=others,
        dtype=parts.weights.state.dtype.type,
    )
    info: dict[str, Any] = {"trained_by": parts.info.get("trained_by", "Wapiti")}
    kept = Vocabulary(names[1]) if names[1] else None
    return Parts(parts.labels, Vocabulary(names[0]), features, weights, None, info, edges=kept)
