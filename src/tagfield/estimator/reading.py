"""From what users pass to fit to encoded data: empty sequences, unknown labels, weights.

X, y ─▶ names ─▶ encode ─▶ without empty sequences ─▶ None → UNKNOWN ─▶ sample_weight · class_weight ─▶ Encoded
"""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tagfield.dataset import UNKNOWN, Doubles
from tagfield.encode import Encoded, Vocabulary, check_weights, encode_sequences
from tagfield.errors import InputError
from tagfield.estimator.labels import NOBODY_KNOWS, LabelNames


def read_labelled(
    X: Iterable[Any],
    y: Iterable[Any],
    names: LabelNames,
    *,
    sample_weight: ArrayLike | None = None,
    class_weight: Mapping[Any, float] | str | None = None,
    attributes: Vocabulary | None = None,
    labels: Vocabulary | None = None,
    grow: bool = False,
) -> Encoded:
    """Encodes X and y for training; new labels get their names in `names`.

    >>> encoded = read_labelled([[["a"], ["b"]], [["a"]]], [[1, 2], [None]], LabelNames())
    >>> encoded.labels.strings(), encoded.dataset.labels.tolist()
    (['1', '2'], [0, 1, -1])
    """
    if X is None:
        raise InputError("X is None; give an iterable of sequences")
    if y is None:
        raise InputError("y is None; fit needs a label for each token, or None for those that nobody knows")
    rows = names.read(y) if hasattr(y, "__iter__") and not isinstance(y, str | bytes | dict) else y
    encoded = encode_sequences(X, rows, attributes=attributes, labels=labels, grow=grow)
    if sample_weight is not None:
        weight = check_weights(sample_weight, len(encoded), "sample_weight")
        encoded = replace(encoded, dataset=replace(encoded.dataset, weight=weight))
    encoded = without_unknown_name(encoded)
    if int(encoded.dataset.tokens[-1]) == 0:
        what = "every sequence in it is empty" if len(encoded) else "X holds no sequence"
        raise InputError(f"there is nothing to train on: {what}")
    encoded = without_empty(encoded)
    if class_weight is not None:
        weight = encoded.dataset.weight * class_weights(encoded, class_weight, names)
        encoded = replace(encoded, dataset=replace(encoded.dataset, weight=weight))
    if not encoded.dataset.weight.any():
        raise InputError("every sequence weighs 0, so there is nothing to learn from")
    return encoded


def without_unknown_name(encoded: Encoded) -> Encoded:
    """Labels that stand for None become UNKNOWN, and their name leaves the vocabularies."""
    found = encoded.names.find(NOBODY_KNOWS)
    if found < 0:
        return encoded

    def dropped(ids: Any) -> Any:
        return np.where(ids == found, UNKNOWN, np.where(ids > found, ids - 1, ids)).astype(np.int32)

    names = Vocabulary([name for name in encoded.names if name != NOBODY_KNOWS])
    learned = encoded.labels is encoded.names
    gold = dropped(encoded.gold)
    labels = names if learned else encoded.labels
    seen = np.where(gold < len(labels), gold, UNKNOWN).astype(np.int32)
    dataset = replace(encoded.dataset, labels=seen)
    return replace(encoded, dataset=dataset, gold=gold, names=names, labels=labels)


def without_empty(encoded: Encoded) -> Encoded:
    """The sequences that have tokens; a warning counts the others."""
    data = encoded.dataset
    full = np.diff(data.tokens) > 0
    if full.all():
        return encoded
    empty = np.flatnonzero(~full)
    warnings.warn(
        f"{len(empty)} of {len(full)} sequences are empty, the first is sequence {empty[0]}; fit leaves them out",
        UserWarning,
        stacklevel=4,
    )
    ends = np.concatenate([[True], full])
    kept = replace(
        data,
        tokens=data.tokens[ends],
        slots=data.slots[ends],
        occurrences=data.occurrences[ends],
        weight=data.weight[full],
    )
    return replace(encoded, dataset=kept)


def class_weights(encoded: Encoded, chosen: Mapping[Any, float] | str, names: LabelNames) -> Doubles:
    """One factor for each sequence: the mean of its tokens' class weights, over the tokens whose label is known.

    'balanced' gives class c the weight n_tokens / (n_classes · n_tokens of c), as in scikit-learn. A class that a dict
    leaves out weighs 1.

    >>> encoded = encode_sequences([[["a"], ["b"]], [["a"], ["a"]]], [["X", "Y"], ["X", "X"]])
    >>> class_weights(encoded, "balanced", LabelNames()).round(4).tolist()  # X: 4/(2·3), Y: 4/(2·1)
    [1.3333, 0.6667]
    """
    data = encoded.dataset
    known = data.labels != UNKNOWN
    size = len(encoded.labels)
    if isinstance(chosen, str) or not isinstance(chosen, Mapping):
        if chosen != "balanced":
            raise InputError(f"class_weight is {chosen!r}; give a dict of label to weight, or 'balanced'")
        counts = np.bincount(data.labels[known], minlength=size)
        weight = known.sum() / (size * np.maximum(counts, 1))
    else:
        weight = np.ones(size)
        for label, value in chosen.items():
            name = names.find(label)
            at = -1 if name is None else encoded.labels.find(name)
            if at < 0:
                raise InputError(f"class_weight names the label {label!r}, which y does not hold")
            if not (isinstance(value, Real) and np.isfinite(value) and value >= 0):
                raise InputError(
                    f"the class weight of {label!r} is {value}; a weight is a finite number from 0 on"
                )
            weight[at] = value
    per_token = np.where(known, weight[np.where(known, data.labels, 0)], 0.0)
    sums = np.add.reduceat(per_token, data.tokens[:-1])
    counts_known = np.add.reduceat(known.astype(np.float64), data.tokens[:-1])
    return np.where(counts_known > 0, sums / np.maximum(counts_known, 1), 1.0)


def first_unknown(encoded: Encoded) -> tuple[int, int] | None:
    """Sequence and position of the first gold label that the label set lacks."""
    bad = np.flatnonzero(encoded.gold >= len(encoded.labels))
    if not len(bad):
        return None
    sequence = encoded.dataset.sentence_of(int(bad[0]))
    return sequence, int(bad[0] - encoded.dataset.tokens[sequence])
