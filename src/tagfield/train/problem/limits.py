"""The paths that training may sum over, where label sets have rules (tagfield/inference/constraints.py).

    −log p(known | x) = log Z − log Z_known        Z_known sums the paths that agree with the known labels

With rules, both sums run over allowed paths only. With every label known and no rules this is the usual likelihood.
With unknown labels it is not convex: the start matters.
"""

from dataclasses import replace
from typing import TypeAlias

import numpy as np

from tagfield.data.dataset import UNKNOWN, Dataset
from tagfield.errors import InputError
from tagfield.inference.constraints import Rules
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.native._text import Vocabulary
from tagfield.weights.layout import FeatureSet

Limits: TypeAlias = kernels.Limits


def limits_of(rules: Rules, dataset: Dataset, labels: Vocabulary) -> Limits:
    """The limits of rules for a dataset whose known labels keep to them; an InputError where they do not.

    >>> from tagfield.inference.constraints import rules_of
    >>> from tagfield.data.encode import encode_sequences
    >>> encoded = encode_sequences([[["a"], ["b"]]], [["O", "B-X"]])
    >>> limits_of(rules_of("BIO", encoded.labels), encoded.dataset, encoded.labels).labels.tolist()
    [[1, 1], [1, 1]]
    """
    rules.check_gold(dataset, labels.strings())
    limits = rules.limits(dataset.tokens)
    unknown = dataset.labels == UNKNOWN
    if unknown.any() and limits.labels is not None:
        agrees = np.arange(len(labels)) == dataset.labels[:, None]
        _check(dataset, kernels.Limits(limits.labels & (agrees | unknown[:, None]), limits.follow), len(labels))
    return limits


def _check(dataset: Dataset, both: Limits, labels: int) -> None:
    """An InputError where no allowed path agrees with the known labels: the best of them, without any weight."""
    nothing = np.zeros_like(dataset.tokens)
    none = np.empty(0, np.int32)
    gone = {"attribute": none, "place": dataset.place[:0], "value": None, "edge_slots": None}
    bare = replace(dataset, slots=nothing, occurrences=nothing, **gone)  # type: ignore[arg-type]
    features, weights = FeatureSet.from_triples(0, labels, ([], [], []), ([], [], []))
    _, score = kernels.tag(open_corpus(bare), features.field(weights), both)
    if np.isneginf(score).any():
        sequence = int(np.flatnonzero(np.isneginf(score))[0])
        raise InputError(
            f"y[{sequence}]: the constraints allow no path through its known labels; correct them, or train without "
            "constraints"
        )
