"""The model file: everything that a model is made of, as named arrays and text in one safetensors file.

    state [B, 8] float32, trans [L, 8·NB] float32     first [A+1] int64, column [B] uint16 for sparse rows
    attribute_bytes, attribute_offsets, label_bytes, label_offsets
    metadata: template, settings, figures of the run, versions

A pickle carries the same arrays and the same text.
"""

import json
import os
from typing import Any, NamedTuple

import numpy as np

from tagfield._text import Vocabulary
from tagfield.errors import ModelFileError, TagfieldError
from tagfield.layout import LANES, FeatureSet, Weights, absent
from tagfield.storage import load_tensors
from tagfield.text.templates import Template

FORMAT = "tagfield model 1"


class Parts(NamedTuple):
    """What a model is made of."""

    labels: Vocabulary
    attributes: Vocabulary
    features: FeatureSet
    weights: Weights
    template: Template | None
    info: dict[str, Any]


def to_tensors(parts: Parts) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays by name, and the metadata.

    >>> features, weights = FeatureSet.from_triples(1, 1, ([0], [0], [0.5]), ([], [], []), sparse=True)
    >>> parts = Parts(Vocabulary(["X"]), Vocabulary(["a"]), features, weights, None, {})
    >>> from_tensors(*to_tensors(parts)).attributes.strings()
    ['a']
    """
    attribute_bytes, attribute_offsets = parts.attributes.to_arrays()
    label_bytes, label_offsets = parts.labels.to_arrays()
    tensors: dict[str, Any] = {
        "state": parts.weights.state,
        "trans": parts.weights.trans,
        "attribute_bytes": attribute_bytes,
        "attribute_offsets": attribute_offsets,
        "label_bytes": label_bytes,
        "label_offsets": label_offsets,
    }
    if parts.features.first is not None and parts.features.column is not None:
        tensors |= {"first": parts.features.first, "column": parts.features.column}
    metadata = {"format": FORMAT, "features": parts.features.kind, "info": json.dumps(parts.info)}
    if parts.template is not None:
        metadata["template"] = parts.template.to_json()
    return tensors, metadata


def load_parts(path: str | os.PathLike[str]) -> Parts:
    """Maps a model file. A truncated, corrupt or foreign file is a ModelFileError."""
    tensors, metadata = load_tensors(path)
    name = os.fspath(path)
    if metadata.get("format") != FORMAT:
        found = metadata.get("format", "a safetensors file of something else")
        raise ModelFileError(f"{name}: this is not a model that this version reads ({found})")
    try:
        return from_tensors(tensors, metadata)
    except (TagfieldError, KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"{name}: the model is corrupt: {error}; train it again") from None


def from_tensors(tensors: dict[str, Any], metadata: dict[str, str]) -> Parts:
    """What `to_tensors` took apart, with every bound checked."""
    attributes = Vocabulary.from_arrays(tensors["attribute_bytes"], tensors["attribute_offsets"])
    labels = Vocabulary.from_arrays(tensors["label_bytes"], tensors["label_offsets"])
    weights = Weights(tensors["state"], tensors["trans"])
    kind = metadata["features"]
    if kind not in ("observed", "all"):
        raise ValueError(f"there is no feature set {kind!r}")
    rows = -(-len(labels) // LANES)
    if weights.state.dtype != np.float32 or weights.trans.dtype != np.float32:
        raise ValueError("the weights are not float32")
    if weights.trans.shape != (len(labels), rows * LANES):
        raise ValueError(f"{len(labels)} labels do not fit transitions of shape {weights.trans.shape}")
    if not weights.finite():
        raise ValueError("a weight is not a finite number")
    if ("first" in tensors) != ("column" in tensors):
        raise ValueError("its sparse rows have first or column, not both")
    features = FeatureSet(
        "all" if kind == "all" else "observed",
        len(attributes),
        len(labels),
        tensors.get("first"),
        tensors.get("column"),
        weights,
    )
    if weights.state.shape != (features.layout.blocks, LANES):
        raise ValueError(f"the layout does not fit state weights of shape {weights.state.shape}")
    _check_padding(features)
    template = Template.from_json(metadata["template"]) if "template" in metadata else None
    info = json.loads(metadata["info"])
    if not isinstance(info, dict):
        raise ValueError("its information is not a record")
    return Parts(labels, attributes, features, weights, template, info)


def _check_padding(features: FeatureSet) -> None:
    """Blocks are filled up with weights that belong to no label; they must be marked as no features."""
    used = features.labels % LANES
    if not used:
        return
    state, rows = features.marks.state, features.blocks_per_row
    last = state[rows - 1 :: rows] if features.column is None else state[features.column == rows - 1]
    if not (absent(last[:, used:]).all() and absent(features.marks.trans[:, features.labels :]).all()):
        raise ValueError("a weight belongs to no label")
