"""The encoded data as one mapped file: read and encoded once, shared by every worker.

    Encoded train, test ─▶ save_data ─▶ safetensors ─▶ load_data in each worker ─▶ Encoded train, test

The arrays are mapped, so the operating system keeps them in memory once. Data with equal `fingerprint`s gives the same
results.
"""

import hashlib
import os
from typing import Any

import numpy as np

from tagfield.data.dataset import Dataset
from tagfield.data.encode import Encoded
from tagfield.errors import InputError
from tagfield.native._text import Vocabulary
from tagfield.system.storage import load_tensors, save_tensors

PARTS = ("train", "test")


def check_data(train: Encoded, test: Encoded) -> None:
    """Raise an InputError if a comparison cannot use the two parts.

    >>> from tagfield.data.encode import encode_sequences
    >>> a, b = (encode_sequences([[["w"]]], [[label]]) for label in "XY")
    >>> check_data(a, b)
    Traceback (most recent call last):
    tagfield.errors.InputError: the test data has its own vocabularies; encode it with the training data's
    """
    if train.labels.strings() != test.labels.strings() or len(train.attributes) != len(test.attributes):
        raise InputError("the test data has its own vocabularies; encode it with the training data's")
    for name, part in zip(PARTS, (train, test), strict=True):
        bare = part.dataset.first_unlabelled(part.gold)
        if bare is not None:
            raise InputError(
                f"{name}, {part.where(bare)}: the sequence has no labels; a comparison needs labels "
                "to train on and to score against"
            )


def save_data(path: str | os.PathLike[str], train: Encoded, test: Encoded) -> None:
    """Write both parts into one file.

    >>> import tempfile
    >>> from tagfield.data.encode import encode_sequences
    >>> train = encode_sequences([[["a"], ["b"]]], [["X", "Y"]])
    >>> path = tempfile.mkdtemp() + "/data.safetensors"
    >>> save_data(path, train, train)
    >>> load_data(path)[1].gold_labels()
    [['X', 'Y']]
    """
    save_tensors(path, _arrays(train, test), {"format": "tagfield data 1"})


def load_data(path: str | os.PathLike[str]) -> tuple[Encoded, Encoded]:
    """Map what `save_data` wrote."""
    arrays, _ = load_tensors(path, verify=False)
    attributes = Vocabulary.from_arrays(arrays["attribute_bytes"], arrays["attribute_offsets"])
    labels = Vocabulary.from_arrays(arrays["label_bytes"], arrays["label_offsets"])
    edges = None
    if "edge_bytes" in arrays:
        edges = Vocabulary.from_arrays(arrays["edge_bytes"], arrays["edge_offsets"])
    found = []
    for part in PARTS:
        names = Vocabulary.from_arrays(arrays[f"{part}.name_bytes"], arrays[f"{part}.name_offsets"])
        dataset = Dataset.from_arrays(arrays, f"{part}.")
        found.append(Encoded(dataset, attributes, labels, arrays[f"{part}.gold"], names, edges=edges))
    return found[0], found[1]


def fingerprint(train: Encoded, test: Encoded) -> str:
    """SHA-256 of everything that the results depend on.

    >>> from tagfield.data.encode import encode_sequences
    >>> a, b = (encode_sequences([[["w"]]], [[label]]) for label in "XY")
    >>> fingerprint(a, a) == fingerprint(a, a), fingerprint(a, a) == fingerprint(b, b)
    (True, False)
    """
    digest = hashlib.sha256()
    for name, array in sorted(_arrays(train, test).items()):
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def describe(train: Encoded, test: Encoded) -> dict[str, Any]:
    """Sizes of the data, for the record."""
    about: dict[str, Any] = {
        part: {"sentences": len(data), "tokens": int(data.dataset.tokens[-1])}
        for part, data in zip(PARTS, (train, test), strict=True)
    }
    about |= {"labels": len(train.labels), "attributes": len(train.attributes)}
    return about | {"unseen_labels": test.unseen_labels, "fingerprint": fingerprint(train, test)}


def _arrays(train: Encoded, test: Encoded) -> dict[str, Any]:
    arrays: dict[str, Any] = {}
    arrays["attribute_bytes"], arrays["attribute_offsets"] = train.attributes.to_arrays()
    arrays["label_bytes"], arrays["label_offsets"] = train.labels.to_arrays()
    if train.edges is not None:
        arrays["edge_bytes"], arrays["edge_offsets"] = train.edges.to_arrays()
    for part, data in zip(PARTS, (train, test), strict=True):
        arrays |= data.dataset.to_arrays(f"{part}.")
        arrays[f"{part}.gold"] = data.gold
        arrays[f"{part}.name_bytes"], arrays[f"{part}.name_offsets"] = data.names.to_arrays()
    return arrays
