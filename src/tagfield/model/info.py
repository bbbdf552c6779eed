"""info: how a model was trained, and what a CRF keeps with it, as JSON in the model file.

    training, a stream ─▶ info_of_training, info_of_stream ─▶ info ─▶ file ─▶ info_from_json (types checked) ─▶ info

    labels       [3, ("B", "X")]  ↔  [3, {"tuple": ["B", "X"]}]      labels of a CRF that are not strings
    constraints  Rules            ↔  "BIO", or {"start": bits, "follow": bits, "end": bits} in hexadecimal

A model's own labels are strings; info has them as you wrote them.
"""

import json
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict
from enum import Enum
from typing import Any

import numpy as np

from tagfield import __version__
from tagfield.data.corpus import Corpus
from tagfield.data.encode import Encoded
from tagfield.data.labels.rules import Starts, chunk_starts, find_scheme
from tagfield.errors import InputError
from tagfield.inference.constraints import Flags, Rules, rules_of
from tagfield.train import Settings, Trained
from tagfield.train.loop.streaming import Stream
from tagfield.weights.layout import FeatureSet

DEPTH = 16  # of tuples in tuples
WRONG_LABELS = "info: labels is not a list of different labels, one for each label of the model"
PARTS = ("start", "follow", "end")
TYPES: tuple[tuple[tuple[str, ...], Any, str], ...] = (  # entries, their types, and what messages call those
    (("version", "trained_by", "stop_reason", "ending"), str, "a text"),
    (("settings",), dict, "a JSON object"),
    (
        ("sequences", "tokens", "state_features", "transition_features", "edge_features", "epochs"),
        int,
        "a whole number",
    ),
    (("objective", "seconds", "pruned", "temperature"), (int, float), "a number"),
)


def info_of_training(encoded: Encoded | Corpus, trained: Trained, features: FeatureSet) -> dict[str, Any]:
    """How a training run went; `features` are those of the model."""
    last = trained.history[-1] if trained.history else None
    info = {
        "version": __version__,
        "settings": trained.settings.saved(),
        "trained_by": trained.describe(),
        "sequences": len(encoded),
        "tokens": encoded.tokens,
        **feature_counts(features),
        "epochs": len(trained.history),
        "objective": trained.best.objective if trained.history else None,
        "seconds": last.seconds if last else 0.0,
        "converged": trained.converged,
        "stop_reason": trained.stop_reason,
    }
    if trained.ending is not None:
        info |= {"temperature": trained.ending.temperature, "pruned": trained.ending.threshold}
        info["ending"] = trained.ending.describe()
    if trained.parts is not None:
        info["cluster"] = asdict(trained.parts)
    if isinstance(encoded, Corpus):
        starts = Starts(*encoded.manifest.chunk_starts, -1, -1)
    else:
        starts = chunk_starts(encoded.dataset, encoded.labels.strings())
    if find_scheme(starts) == "IOB1":
        info["scheme"] = "IOB1"  # constraints in BIO would forbid most of its chunks
    return info


def info_of_stream(stream: Stream, settings: Settings) -> dict[str, Any]:
    """How a stream has been learned from so far."""
    return {
        "version": __version__,
        "settings": settings.saved(),
        "trained_by": f"{settings.describe()}; in a stream",
        "sequences": int(stream.state.numbers["t"]),
        **({} if stream.temperature == 1 else {"temperature": stream.temperature}),
    }


def feature_counts(features: FeatureSet) -> dict[str, int]:
    """The numbers of features, as `info` has them."""
    states, transitions = features.counts
    found = {"state_features": states, "transition_features": transitions}
    return found | ({"edge_features": features.edge_count} if features.edge_attributes else {})


def info_from_json(text: str, labels: Sequence[str]) -> dict[str, Any]:
    """The info of a model file; ValueError if an entry that is read elsewhere has a wrong type."""
    info = json.loads(text)
    if not isinstance(info, dict):
        raise ValueError("info is not a JSON object")
    for names, kind, spoken in TYPES:
        for name in names:
            if info.get(name) is not None and (not isinstance(info[name], kind) or isinstance(info[name], bool)):
                raise ValueError(f"info: {name} is not {spoken}")
    if info.get("labels") is not None:
        labels_from_json(info["labels"], len(labels))
    rules_from_json(info.get("constraints"), labels)
    return info


def labels_to_json(labels: Iterable[Any]) -> list[Any]:
    """Labels in a form that JSON can hold; InputError if one of them is of a type that a file cannot store.

    >>> labels_to_json(["NP", 3, ("B", None)])
    ['NP', 3, {'tuple': ['B', None]}]
    """
    return [_to_json(label, label, DEPTH) for label in labels]


def _to_json(value: Any, label: Any, depth: int) -> Any:
    if isinstance(value, str):
        return str.__str__(value)  # of a member of an Enum of strings, str() would give its name
    for kind in (bool, int, float):
        if isinstance(value, kind) and not isinstance(value, Enum):  # a member would come back as a number
            return kind(value)
    if value is None and depth < DEPTH:
        return None
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if type(value) is tuple and depth:
        return {"tuple": [_to_json(each, label, depth - 1) for each in value]}
    raise InputError(
        f"a file cannot store the label {label!r}, of type {type(label).__name__}; use strings, numbers or tuples of "
        "them as labels, or pickle the CRF"
    )


def labels_from_json(saved: Any, count: int) -> list[Any]:
    """The inverse of `labels_to_json`; ValueError unless it gives `count` different labels.

    >>> labels_from_json([3, {"tuple": ["B", None]}], 2)
    [3, ('B', None)]
    """
    labels = [_from_json(each, DEPTH) for each in saved] if isinstance(saved, list) else []
    if len(labels) != count or len(set(labels)) != count or any(y is None or y != y for y in labels):
        raise ValueError(WRONG_LABELS)
    return labels


def _from_json(saved: Any, depth: int) -> Any:
    if saved is None or isinstance(saved, str | int | float):
        return saved
    if isinstance(saved, dict) and len(saved) == 1:
        [(kind, value)] = saved.items()
        if kind == "bytes" and isinstance(value, str):
            return bytes.fromhex(value)
        if kind == "tuple" and isinstance(value, list) and depth:
            return tuple(_from_json(each, depth - 1) for each in value)
    raise ValueError(WRONG_LABELS)


def rules_to_json(constraints: Any, labels: Sequence[Hashable]) -> Any:
    """Constraints in a form that JSON can hold: the name of a scheme, or what they allow for these labels.

    >>> rules_to_json("BIO", ["O", "B-X"]), rules_to_json([[1, 1], [1, 0]], ["O", "B-X"])
    ('BIO', {'start': 'c0', 'follow': 'e0', 'end': 'c0'})
    """
    rules = rules_for(constraints, labels)
    if rules is None or isinstance(constraints, str):
        return constraints if rules is not None else None
    return {part: np.packbits(getattr(rules, part)).tobytes().hex() for part in PARTS}


def rules_from_json(saved: Any, labels: Sequence[Hashable]) -> str | Rules | None:
    """The inverse of `rules_to_json`; ValueError or InputError if it does not fit the labels.

    >>> rules_from_json({"start": "c0", "follow": "e0", "end": "c0"}, ["O", "B-X"]).follow.tolist()
    [[True, True], [True, False]]
    """
    if saved is None or isinstance(saved, str):
        rules_of(saved, labels)
        return saved
    if not isinstance(saved, dict) or set(saved) != set(PARTS) or not all(isinstance(saved[p], str) for p in PARTS):
        raise ValueError("info: constraints is neither a scheme nor what may start, follow and end")
    size = len(labels)
    start, follow, end = (_bits(saved[part], size**2 if part == "follow" else size) for part in PARTS)
    return Rules(start, follow.reshape(size, size), end)


def _bits(text: str, count: int) -> Flags:
    packed = np.frombuffer(bytes.fromhex(text), np.uint8)
    if len(packed) != -(-count // 8):
        raise ValueError(f"info: constraints has {8 * len(packed)} bits for {count} pairs or labels")
    return np.unpackbits(packed, count=count).astype(bool)


def rules_for(constraints: Any, labels: Sequence[Hashable]) -> Rules | None:
    """`rules_of`, which also checks that a Rules record has the size of the label set; False means no rules.

    >>> rules_for(False, ["X"]) is None
    True
    """
    if constraints is False:
        return None
    rules = rules_of(constraints, labels)
    if rules is not None and len(rules.start) != len(labels):
        raise InputError(
            f"the constraints are for {len(rules.start)} labels, but there are {len(labels)}; set constraints= anew"
        )
    return rules
