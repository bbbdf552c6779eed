"""From the arguments of fit to encoded data: labels, weights, and checks.

X, y ─▶ names of the labels ─▶ encode attributes, or words ─▶ drop empty sequences ─▶ weights ─▶ Encoded
"""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tagfield.compat.sklearn.labels import LabelNames
from tagfield.compat.sklearn.string_tokens import StringTokens
from tagfield.data.corpus import Corpus
from tagfield.data.dataset import UNKNOWN, Doubles
from tagfield.data.encode import Encoded, Vocabulary, WordEncoder, check_weights, encode_sequences, encode_words
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.system.checks import not_none


def read_labelled(
    X: Iterable[Any],
    y: Iterable[Any] | None,
    names: LabelNames,
    *,
    sample_weight: ArrayLike | None = None,
    template: Template | WordEncoder | str | None = None,
    attributes: Vocabulary | None = None,
    labels: Vocabulary | None = None,
    edge_attributes: Vocabulary | None = None,
    grow: bool = False,
    new_labels: bool = False,
    in_stream: bool = False,
    strings: StringTokens | None = None,
    depth: int = 2,
) -> Encoded:
    """Encode X and y for training; new labels are added to `names`.

    template: X is sentences of words, of which the template makes attributes; AUTO for the preset that fits the labels;
        or the encoder of a stream's words
    new_labels: labels beyond the given ones join the label set, instead of being unknown
    in_stream: a part of a stream may be empty or weigh nothing, but must not bring new labels
    strings: splits tokens that are strings; without it they raise InputError
    depth: stack level of the user's code, for warnings

    >>> encoded = read_labelled([[["a"], ["b"]], [["a"]]], [[1, 2], [None]], LabelNames())
    >>> encoded.labels.strings(), encoded.dataset.labels.tolist()
    (['1', '2'], [0, 1, -1])
    """
    not_none("X", X, "pass a list of sequences")
    not_none("y", y, "pass one label per token, with None for unknown labels")
    if template is None and edge_attributes:
        raise InputError(
            "the model has transitions that look at the input and no template, so CRF cannot continue it; train a new "
            "CRF(template=…), or a Model with encode_sequences(X, y, edges=…)"
        )
    if template is None:
        X = X if strings is None else strings.split(X)
        try:
            encoded = encode_sequences(X, names.read(y), attributes=attributes, labels=labels, grow=grow)
        except InputError as error:
            raise names.advised(error) from None
        if strings is not None and strings.word is not None:
            where, word = strings.word
            warnings.warn(
                f"{where} is the string {word!r}, so its attributes are its characters, as in sklearn-crfsuite; for "
                'features of words use CRF(template="auto")',
                UserWarning,
                stacklevel=depth,
            )
    elif isinstance(template, WordEncoder):
        encoded = template.encode(X, names.read(y), grow=grow)
    else:
        known: dict[str, Any] = {"attributes": attributes, "labels": labels, "edge_attributes": edge_attributes}
        encoded = encode_words(X, names.read(y), template=template, grow=grow, **known)
    if sample_weight is not None:
        weight = check_weights(sample_weight, len(encoded), "sample_weight")
        encoded = replace(encoded, dataset=replace(encoded.dataset, weight=weight))
    if in_stream and labels is not None:
        _check_labels(encoded, names)
    if new_labels:
        encoded = replace(encoded, labels=encoded.names, dataset=replace(encoded.dataset, labels=encoded.gold))
    if int(encoded.dataset.tokens[-1]) == 0 and not (in_stream and labels is not None):
        found = "every sequence is empty" if len(encoded) else "X is empty"
        raise InputError(f"no data to train on: {found}")
    encoded = without_empty(encoded, depth + 1)
    if not encoded.dataset.weight.any() and not in_stream:
        raise InputError("every sequence has weight 0; give at least one sequence a positive weight")
    return encoded


def without_empty(encoded: Encoded, depth: int) -> Encoded:
    """The sequences that have tokens; warns if it drops others."""
    full = np.diff(encoded.dataset.tokens) > 0
    if full.all():
        return encoded
    empty = np.flatnonzero(~full)
    warnings.warn(
        f"{len(empty)} of {len(full)} sequences are empty (the first is X[{empty[0]}]); fit ignores them",
        UserWarning,
        stacklevel=depth,
    )
    return encoded.take(np.flatnonzero(full))


def class_weights(
    encoded: Encoded | Corpus, chosen: Mapping[Any, float] | str | None, names: LabelNames
) -> Doubles | None:
    """The weight of each label [L]; None if every class weighs the same.

    'balanced' gives class c the weight n_tokens / (n_classes · n_tokens of c), as scikit-learn does. Classes that are
    missing from the dict have weight 1.

    >>> encoded = encode_sequences([[["a"], ["b"]], [["a"], ["a"]]], [["X", "Y"], ["X", "X"]])
    >>> class_weights(encoded, "balanced", LabelNames()).round(4).tolist()  # X: 4/(2·3), Y: 4/(2·1)
    [0.6667, 2.0]
    """
    if chosen is None:
        return None
    size = len(encoded.labels)
    if isinstance(chosen, str) or not isinstance(chosen, Mapping):
        if not isinstance(chosen, str) or chosen != "balanced":
            raise InputError(f"class_weight must be a dict of label to weight, or 'balanced', got {chosen!r}")
        counts = (
            np.array(encoded.label_counts)
            if isinstance(encoded, Corpus)
            else np.bincount(encoded.dataset.labels[encoded.dataset.labels != UNKNOWN], minlength=size)
        )
        return np.asarray(counts.sum() / (size * np.maximum(counts, 1)), np.float64)
    weight = np.ones(size)
    for label, value in chosen.items():
        name = names.find(label)
        at = -1 if name is None else encoded.labels.find(name)
        if at < 0:
            raise InputError(f"class_weight has the label {label!r}, which does not occur in y")
        if not (isinstance(value, Real) and np.isfinite(value) and value > 0):
            raise InputError(f"the class weight of {label!r} must be a finite number above 0, got {value}")
        weight[at] = value
    return weight


def _check_labels(encoded: Encoded, names: LabelNames) -> None:
    """An InputError that names the first gold label beyond the label set."""
    bad = np.flatnonzero(encoded.gold >= len(encoded.labels))
    if len(bad):
        sequence = encoded.dataset.sentence_of(int(bad[0]))
        raise InputError(
            f"y[{sequence}][{bad[0] - encoded.dataset.tokens[sequence]}] is "
            f"{names.label(encoded.names[int(encoded.gold[bad[0]])])!r}, a label that the first partial_fit did not "
            "know; name every label in that call, with classes="
        )
