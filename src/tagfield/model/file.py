"""The model file: the parts of a model as named arrays and metadata in one safetensors file.

    state [B, 8] float32, trans [L, 8·NB] float32     first [A+1] int64, column [B] uint16 for sparse rows
    attribute_bytes, attribute_offsets, label_bytes, label_offsets
    version 2: the weights are float32, or all float64, and there may be edge attributes:
        edge [BE, 8], edge_first [E·L+1] int64, edge_column [BE] uint16, edge_bytes, edge_offsets
    version 3: attributes are hashed: no attribute_bytes and attribute_offsets, but metadata hash_bits
    metadata: template, settings, training statistics, versions
    resource.0, resource.1, … [bytes] uint8: the texts of the template's gazetteers, clusters and expressions, in UTF-8
    after partial_fit also: stream.theta.*, stream.squares.*, stream.rest.*, with full rows

A model that needs nothing of version 2 is written as version 1, which earlier releases read. A pickle holds the same
arrays and metadata.
"""

import json
import os
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tagfield.data.text.templates.template import Template
from tagfield.errors import ModelFileError, TagfieldError
from tagfield.model.info import info_from_json
from tagfield.native._text import Vocabulary
from tagfield.system.contents import ByContent
from tagfield.system.storage import open_file, tensors_of
from tagfield.train.trainers.stochastic import NUMBERS
from tagfield.train.trainers.trainer import State
from tagfield.weights.layout import LANES, FeatureSet, Weights, absent

FORMAT = "tagfield model "  # and the version of the file
STARTS = re.compile(rb".{4}\0{4}\{.", re.DOTALL)  # of a safetensors file: the size of its header, and JSON
VERSION = 3  # the latest that this release reads
EDGE_ARRAYS = ("edge", "edge_first", "edge_column")  # edge weights, and where their rows are
RESOURCE = "resource."  # prefix of the texts of a template's resources
STREAM = "stream."  # prefix of the names of a stream's arrays
STREAM_NUMBERS = {"offered", *NUMBERS}


@dataclass(frozen=True, eq=False)
class Parts(ByContent):
    """The parts of a model, as its file holds them."""

    labels: Vocabulary
    attributes: Vocabulary
    features: FeatureSet
    weights: Weights
    template: Template | None = None
    info: dict[str, Any] = field(default_factory=dict)  # how it was trained
    stream: State | None = None  # the optimiser's state, if it learned from a stream
    edges: Vocabulary | None = None  # edge attributes: transitions that look at the input


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
    wapiti = parts.template is not None and bool(parts.template.syntax)  # earlier versions would expand it otherwise
    hashed = parts.attributes.hash_bits
    version = 1 if parts.edges is None and parts.weights.state.dtype == np.float32 and not wapiti else 2
    if parts.edges is not None:
        edge_bytes, edge_offsets = parts.edges.to_arrays()
        tensors |= {"edge_bytes": edge_bytes, "edge_offsets": edge_offsets}
        rows = parts.weights.edge, parts.features.edge_first, parts.features.edge_column
        tensors |= {name: array for name, array in zip(EDGE_ARRAYS, rows, strict=True) if array is not None}
    version = 3 if hashed else version
    metadata = {"format": f"{FORMAT}{version}", "features": parts.features.kind, "info": json.dumps(parts.info)}
    if hashed:
        metadata["hash_bits"] = str(hashed)
        del tensors["attribute_bytes"], tensors["attribute_offsets"]
    if parts.template is not None:
        metadata["template"] = parts.template.to_json(texts=False)
        for k, resource in enumerate(parts.template.resources):
            tensors[f"{RESOURCE}{k}"] = np.frombuffer(resource.text.encode(), np.uint8)
    if parts.stream is not None:
        metadata["stream"] = json.dumps(parts.stream.numbers)
        tensors |= {f"{STREAM}{name}": array for name, array in parts.stream.arrays.items() if array.size}
    return tensors, metadata


def load_parts(path: str | os.PathLike[str], data: memoryview | None = None) -> Parts:
    """Load a model file, or what `storage.open_file` gave for it. A file that is no model raises ModelFileError."""
    name = os.fspath(path)
    tensors, metadata = tensors_of(open_file(name) if data is None else data, name)
    version = _version(metadata)
    if version is None:
        found = metadata.get("format", "a safetensors file without a tagfield model")
        raise ModelFileError(f"{name}: this version of tagfield cannot read this file ({found})")
    if version > VERSION:
        raise ModelFileError(
            f"{name}: a newer version of tagfield wrote this model (file version {version}, and this one reads up to "
            f"{VERSION}); upgrade tagfield to read it"
        )
    try:
        return from_tensors(tensors, metadata)
    except (TagfieldError, KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ModelFileError(f"{name}: the model is corrupt: {error}; train it again") from None


def from_tensors(tensors: dict[str, Any], metadata: dict[str, str]) -> Parts:
    """The inverse of `to_tensors`; checks every bound."""
    if "hash_bits" in metadata:
        attributes = Vocabulary.hashed(int(metadata["hash_bits"]))
    else:
        attributes = Vocabulary.from_arrays(tensors["attribute_bytes"], tensors["attribute_offsets"])
    labels = Vocabulary.from_arrays(tensors["label_bytes"], tensors["label_offsets"])
    edges = None
    if any(name in tensors for name in (*EDGE_ARRAYS, "edge_bytes", "edge_offsets")):
        edges = Vocabulary.from_arrays(tensors["edge_bytes"], tensors["edge_offsets"])
    weights = Weights(
        tensors["state"], tensors["trans"], tensors[EDGE_ARRAYS[0]] if edges is not None and len(edges) else None
    )
    kind = metadata["features"]
    if kind not in ("observed", "all"):
        raise ValueError(f"unknown feature set {kind!r}")
    _check_weights(weights, len(labels), edges, _version(metadata))
    for name, dtype in (("first", np.int64), ("column", np.uint16)):
        for of in ("", "edge_"):
            if of + name in tensors and (tensors[of + name].dtype != dtype or tensors[of + name].ndim != 1):
                raise ValueError(f"{of + name} is not a list of {np.dtype(dtype).name} numbers")
    for of in ("", "edge_"):
        if (of + "first" in tensors) != (of + "column" in tensors):
            raise ValueError(f"sparse rows need both {of}first and {of}column, but one is missing")
    features = FeatureSet(
        "all" if kind == "all" else "observed",
        len(attributes),
        len(labels),
        tensors.get("first"),
        tensors.get("column"),
        weights,
        0 if edges is None else len(edges),
        None if weights.edge is None else tensors.get("edge_first"),
        None if weights.edge is None else tensors.get("edge_column"),
    )
    for part, blocks in (("state", features.layout.blocks), ("edge", features.layout.edge_blocks)):
        array = getattr(weights, part)
        if array is not None and array.shape != (blocks, LANES):
            raise ValueError(f"{part} weights of shape {array.shape} do not match the layout")
    _check_padding(features)
    template = _template(tensors, metadata)
    info = info_from_json(metadata["info"], labels.strings())
    stream = _stream(tensors, metadata, features, has_edges=edges is not None)
    return Parts(labels, attributes, features, weights, template, info, stream, edges)


def _version(metadata: dict[str, str]) -> int | None:
    """The version of the model file; None if it is no model file."""
    text = metadata.get("format", "").removeprefix(FORMAT)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 and metadata["format"] != text else None


def _check_weights(weights: Weights, labels: int, edges: Vocabulary | None, version: int | None) -> None:
    """The weights have one type that the version knows, the transitions their shape, and all are finite."""
    if version == 1 and edges is not None:
        raise ValueError("a file of version 1 has no edge attributes")
    dtypes = {array.dtype for array in weights.arrays()}
    if dtypes != {np.dtype(np.float32)} and (version == 1 or dtypes != {np.dtype(np.float64)}):
        raise ValueError("the weights are not float32" + (" or all float64" if version != 1 else ""))
    if weights.trans.shape != (labels, -(-labels // LANES) * LANES):
        raise ValueError(f"transitions of shape {weights.trans.shape} do not match {labels} labels")
    if not weights.finite():
        raise ValueError("a weight is not a finite number")


def _template(tensors: dict[str, Any], metadata: dict[str, str]) -> Template | None:
    """The template with the texts of its resources."""
    if "template" not in metadata:
        return None
    texts: list[str] = []
    while f"{RESOURCE}{len(texts)}" in tensors:
        array = tensors[f"{RESOURCE}{len(texts)}"]
        if array.dtype != np.uint8 or array.ndim != 1:
            raise ValueError("the text of a resource is not an array of bytes")
        texts.append(array.tobytes().decode())
    return Template.from_json(metadata["template"], texts)


def _stream(
    tensors: dict[str, Any], metadata: dict[str, str], features: FeatureSet, *, has_edges: bool
) -> State | None:
    """The optimiser's state of a stream: full rows for the weights, AdaGrad's sums and the average."""
    if "stream" not in metadata:
        return None
    numbers = json.loads(metadata["stream"])
    if not isinstance(numbers, dict) or set(numbers) != STREAM_NUMBERS:
        raise ValueError("the stream's numbers are incomplete")
    if not all(isinstance(n, int | float) and 0 <= n < 2**53 for n in numbers.values()) or numbers["scale"] <= 0:
        raise ValueError("a number of the stream is out of range")
    shapes = {"state": (features.attributes * features.blocks_per_row, LANES), "trans": features.marks.trans.shape}
    if has_edges:
        shapes["edge"] = features.edge_attributes * features.labels * features.blocks_per_row, LANES
    arrays: dict[str, Any] = {}
    for name in ("theta", "squares", "rest"):
        for part, shape in shapes.items():
            array = tensors.get(f"{STREAM}{name}.{part}", np.empty((0, shape[1]), np.float32))
            needed = name == "theta" or f"{STREAM}{name}.trans" in tensors
            if array.dtype != np.float32 or array.shape != (shape if needed else (0, shape[1])):
                raise ValueError(f"the stream's array {name} does not match the weights")
            if not np.isfinite(array).all():
                raise ValueError(f"the stream's array {name} contains a number that is not finite")
            arrays[f"{name}.{part}"] = array
    if numbers["averaging"] and not len(arrays["rest.trans"]):
        raise ValueError("the stream's average is missing")
    return State(arrays, numbers)


def _check_padding(features: FeatureSet) -> None:
    """Padding weights, which fill up a block, must carry the mark ABSENT."""
    used, marks = features.labels % LANES, features.marks
    if not used:
        return
    lasts = [marks.trans[:, features.labels - used :]]
    for rows, array in ((features.rows, marks.state), (features.edge_rows, marks.edge)):
        last = rows.blocks - 1
        if array is not None:
            lasts.append(array[last :: rows.blocks] if rows.column is None else array[rows.column == last])
    if not all(absent(last[:, used:]).all() for last in lasts):
        raise ValueError("a padding weight is not marked as absent")
