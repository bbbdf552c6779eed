"""Parts of fit and partial_fit: held-out data, the classes of a stream, and what a stream cannot do."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tagfield.encode import Encoded
from tagfield.errors import InputError
from tagfield.estimator.labels import LabelNames
from tagfield.estimator.reading import read_labelled
from tagfield.train import RECIPES, Settings


def held_out(
    X_dev: Iterable[Any] | None,
    y_dev: Iterable[Any] | None,
    eval_set: Any,
    encoded: Encoded,
    names: LabelNames,
) -> Encoded | None:
    """Held-out data, encoded with the vocabularies of the training data; a label that those lack is an error there."""
    if eval_set is not None:
        if X_dev is not None or y_dev is not None:
            raise InputError("give X_dev and y_dev, or eval_set, not both")
        pair = eval_set[0] if isinstance(eval_set, list) and len(eval_set) == 1 else eval_set
        several = isinstance(pair, list) and all(isinstance(each, tuple) and len(each) == 2 for each in pair)
        if not isinstance(pair, tuple | list) or len(pair) != 2 or several:
            raise InputError("eval_set must be one pair (X, y)")
        X_dev, y_dev = pair
    if X_dev is None and y_dev is None:
        return None
    if X_dev is None or y_dev is None:
        raise InputError("X_dev and y_dev must be given together")
    try:
        dev = read_labelled(X_dev, y_dev, names, attributes=encoded.attributes, labels=encoded.labels)
    except InputError as error:
        raise InputError(f"the held-out data: {error}") from None
    if not dev.labelled:
        raise InputError("the held-out data has tokens without a label; it is there to be scored")
    return dev


def split_held_out(encoded: Encoded, fraction: float, seed: int) -> tuple[Encoded, Encoded]:
    """A seeded share of the sequences, taken away for early stopping."""
    if not 0 < fraction < 1:
        raise InputError(f"validation_fraction must be between 0 and 1, not {fraction}")
    if not encoded.labelled:
        raise InputError("early_stopping needs held-out data where every label is known; give eval_set")
    size = max(1, round(fraction * len(encoded)))
    if size >= len(encoded):
        raise InputError(
            f"{len(encoded)} sequences are too few to hold {fraction:g} of them out; give eval_set"
        )
    order = np.random.default_rng(seed).permutation(len(encoded))
    return encoded.take(np.sort(order[size:])), encoded.take(np.sort(order[:size]))


def read_classes(classes: Iterable[Any] | None, known: list[Any] | None) -> list[Any] | None:
    """The labels that partial_fit was told, in a list; an error where they are no labels, or others than before.

    >>> read_classes((c for c in "XY"), None)
    ['X', 'Y']
    """
    if classes is None:
        return None
    if isinstance(classes, str | bytes) or not hasattr(classes, "__iter__"):
        raise InputError(f"classes is of type {type(classes).__name__}; give a list of labels")
    listed = [label.item() if isinstance(label, np.generic) else label for label in classes]
    if any(label is None for label in listed):
        raise InputError("classes holds None, which stands for a label that is not known; leave it out")
    new = [] if known is None else [label for label in listed if label not in known]
    if new:
        raise InputError(
            f"classes names {new[0]!r}, which the first partial_fit did not know; name every label there"
        )
    return listed


def check_stream(params: Mapping[str, Any], settings: Settings) -> None:
    """An InputError where partial_fit cannot do what CRF was told; before anything of the stream is read.

    >>> check_stream({"algorithm": "u2.g1"}, Settings("u2.g1"))
    """
    if params.get("early_stopping") or settings.min_count > 1:
        name = "early_stopping" if params.get("early_stopping") else "min_freq"
        raise InputError(
            f"{name} needs all of the data, but a stream has no end; use fit, or leave {name} out"
        )
    recipe = settings.recipe
    if recipe.suffix:
        raise InputError(
            f"{recipe.name}{recipe.suffix} needs all of the data, but a stream has no end; use fit"
        )
    if not recipe.streams:
        offered = ", ".join(["l2sgd", *(name for name, other in RECIPES.items() if other.streams)])
        raise InputError(
            f"partial_fit learns from a stream, which {recipe.name} cannot; use one of {offered}"
        )
