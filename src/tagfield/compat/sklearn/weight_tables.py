"""The weights of a model by name: dicts as in sklearn-crfsuite, the largest ones, and `Tagger.info()`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tagfield.compat.pycrfsuite.dump import ParsedDump
from tagfield.model.model import Model
from tagfield.system.checks import whole


def state_features(model: Model, labels: Sequence[Any]) -> dict[tuple[str, Any], float]:
    """{(attribute, label): weight} for weights other than 0."""
    state = model.weights.state.reshape(-1)
    places = np.flatnonzero(state)
    found, names = (*model.features.locate(places), state[places]), model.attributes.strings()
    return {(names[a], labels[y]): w for a, y, w in zip(*(x.tolist() for x in found), strict=True)}


def transition_features(model: Model, labels: Sequence[Any]) -> dict[tuple[Any, Any], float]:
    """{(from, to): weight} for weights other than 0."""
    trans = model.weights.transitions()
    return {(labels[i], labels[j]): float(trans[i, j]) for i, j in zip(*np.nonzero(trans), strict=True)}


def largest(weights: Mapping[tuple[Any, Any], float], n: int, label: Any = None) -> list[tuple[Any, Any, float]]:
    """The n entries with the largest absolute weights, as (one, other, weight); those of one label only, if given.

    >>> largest({("a", "X"): 1.0, ("b", "Y"): -2.0}, 1)
    [('b', 'Y', -2.0)]
    """
    chosen = Counter({key: abs(w) for key, w in weights.items() if label is None or key[1] == label})
    return [(*key, weights[key]) for key, _ in chosen.most_common(whole("n", n))]


def tables_of(
    model: Model, labels: Sequence[Any], state: dict[tuple[str, Any], float], transitions: dict[tuple[Any, Any], float]
) -> ParsedDump:
    """The same as `Tagger.info()` of python-crfsuite has it; the header has the fields that every model has."""
    header = {"size": model.size, "num_features": len(state) + len(transitions)}
    header |= {"num_labels": len(labels), "num_attrs": len(model.attributes)}
    return ParsedDump(
        {name: str(value) for name, value in header.items()},
        {label: str(i) for i, label in enumerate(labels)},
        {name: str(i) for i, name in enumerate(model.attributes.strings())},
        transitions,
        state,
    )
