"""Parts of fit and partial_fit: held-out data, the classes of a stream, and checks for streams."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from tagfield.compat.sklearn.labels import LabelNames
from tagfield.compat.sklearn.reading import read_labelled
from tagfield.compat.sklearn.spelling import Spelling
from tagfield.data.corpus import Corpus, is_corpus
from tagfield.data.dataset import Dataset
from tagfield.data.encode import Encoded
from tagfield.errors import InputError
from tagfield.system.checks import number
from tagfield.train import RECIPES, Settings
from tagfield.train.recipes.stochastic import Stochastic

LOOKED = 10_000  # sequences of a packed corpus that constraints are compared with


def open_packed(X: Any, y: Any, weighted: bool, warm_start: bool, splits: bool) -> Corpus | None:
    """The corpus on disk that X is; None if X is sequences.

    weighted: sample_weight is given; splits: held-out data would have to be split off

    >>> open_packed([["a"]], [["X"]], False, False, False)
    """
    if not isinstance(X, Corpus) and not is_corpus(X):
        return None
    corpus = X if isinstance(X, Corpus) else Corpus.open(X)
    for given, what in (
        (y is not None, "y must be left out: a packed corpus has its labels"),
        (
            weighted,
            "sample_weight does not apply to a packed corpus; write @weight lines into item files and pack them",
        ),
        (warm_start, "warm_start does not apply to a packed corpus, whose attributes have ids of their own; fit anew"),
        (splits, "early_stopping on a packed corpus needs held-out data; pass eval_set"),
    ):
        if given:
            raise InputError(what)
    return corpus


def some_data(encoded: Encoded | Corpus) -> Dataset:
    """The data, or the beginning of a corpus on disk."""
    if isinstance(encoded, Encoded):
        return encoded.dataset
    return encoded.take(np.arange(min(LOOKED, len(encoded))))


def held_out(
    X_dev: Iterable[Any] | None,
    y_dev: Iterable[Any] | None,
    eval_set: Any,
    encoded: Encoded | Corpus,
    names: LabelNames,
) -> Encoded | None:
    """Held-out data, encoded with the vocabularies of the training data; a label unknown to them counts as an error."""
    if eval_set is not None:
        if X_dev is not None or y_dev is not None:
            raise InputError("X_dev and eval_set cannot be used together; pass one of them, not both")
        pair = eval_set[0] if isinstance(eval_set, list) and len(eval_set) == 1 else eval_set
        several = isinstance(pair, list) and all(isinstance(each, tuple) and len(each) == 2 for each in pair)
        if not isinstance(pair, tuple | list) or len(pair) != 2 or several:
            raise InputError("eval_set must be a single pair (X, y)")
        X_dev, y_dev = pair
    if X_dev is None and y_dev is None:
        return None
    if X_dev is None or y_dev is None:
        raise InputError("X_dev and y_dev go together; pass both or neither")
    try:
        dev = read_labelled(
            X_dev if encoded.template is not None else Spelling().read(X_dev),
            y_dev,
            names,
            template=encoded.template,
            attributes=encoded.attributes,
            labels=encoded.labels,
            edge_attributes=encoded.edges,
        )
    except InputError as error:
        raise InputError(f"held-out data: {error}") from None
    if not dev.labelled:
        raise InputError("held-out data has tokens without a label; label every token, or leave those sequences out")
    return dev


def split_held_out(encoded: Encoded, fraction: float, seed: int) -> tuple[Encoded, Encoded]:
    """Split off a random fraction of the sequences for early stopping."""
    if not 0 < number("validation_fraction", fraction) < 1:
        raise InputError(f"validation_fraction must be between 0 and 1, got {fraction}")
    if not encoded.labelled:
        raise InputError("early_stopping needs fully labelled held-out data; pass eval_set")
    size = max(1, round(fraction * len(encoded)))
    if size >= len(encoded):
        raise InputError(f"{len(encoded)} sequences are too few to hold out a fraction of {fraction:g}; pass eval_set")
    order = np.random.default_rng(seed).permutation(len(encoded))
    return encoded.take(np.sort(order[size:])), encoded.take(np.sort(order[:size]))


def read_classes(classes: Iterable[Any] | None, known: list[Any] | None) -> list[Any] | None:
    """The argument `classes` of partial_fit as a list; raises InputError if it is invalid or has new labels.

    >>> read_classes((c for c in "XY"), None)
    ['X', 'Y']
    """
    if classes is None:
        return None
    if isinstance(classes, str | bytes) or not hasattr(classes, "__iter__"):
        raise InputError(f"classes must be a list of labels, got {type(classes).__name__}")
    listed = [label.item() if isinstance(label, np.generic) else label for label in classes]
    listed = [label.decode(errors="replace") if isinstance(label, bytes) else label for label in listed]
    if any(label is None or not isinstance(label, Hashable) for label in listed):
        raise InputError("classes must be hashable labels, without None, which stands for an unknown label")
    new = [] if known is None else [label for label in listed if label not in known]
    if new:
        raise InputError(f"classes has the new label {new[0]!r}; pass every label to the first call of partial_fit")
    return listed


def check_stream(params: Mapping[str, Any], settings: Settings) -> None:
    """Raise InputError if an argument of CRF cannot be used with partial_fit, before any data is read.

    >>> check_stream({"algorithm": "u2.g1"}, Settings("u2.g1"))
    """
    if isinstance(params.get("class_weight"), str):
        raise InputError("class_weight='balanced' needs all of the data, so partial_fit cannot use it; give a dict")
    if params.get("early_stopping") or settings.min_count > 1:
        name = "early_stopping" if params.get("early_stopping") else "min_freq"
        raise InputError(f"{name} needs all of the data, so partial_fit cannot use it; use fit, or leave {name} out")
    recipe = settings.recipe
    if recipe.suffix:
        raise InputError(f"{recipe.name}{recipe.suffix} needs all of the data, so partial_fit cannot use it; use fit")
    if isinstance(recipe, Stochastic) and recipe.preconditioner is not None and not recipe.streams:
        raise InputError(
            f"partial_fit cannot use the metric {recipe.preconditioner.kind}, which measures curvature over all of the "
            "data; use flat, adaptive or newton"
        )
    if not recipe.streams:
        offered = ", ".join(["l2sgd", *(name for name, other in RECIPES.items() if other.streams)])
        raise InputError(f"partial_fit cannot use {recipe.name}, which needs all of the data; choose one of {offered}")
