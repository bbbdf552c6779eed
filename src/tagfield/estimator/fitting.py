"""Parts of fit: held-out data, and one pass over a part of a stream."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tagfield.constraints import Rules
from tagfield.encode import Encoded
from tagfield.errors import InputError
from tagfield.estimator.labels import LabelNames
from tagfield.estimator.parameters import recipe_of
from tagfield.estimator.reading import read_labelled
from tagfield.features import grow
from tagfield.model import Model
from tagfield.train import RECIPES, Epoch, Settings, Trained
from tagfield.train.driver import select
from tagfield.train.partial import limits_of
from tagfield.train.stochastic import StochasticTrainer
from tagfield.train.trainers import make_trainer


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


def check_online(params: Mapping[str, Any]) -> None:
    """An error where an algorithm cannot learn from a stream; before anything of the stream is read.

    >>> check_online({"algorithm": "u2.g1"})
    """
    algorithm = params["algorithm"]
    if params.get("early_stopping") or (params.get("min_freq") or 0) > 1:
        name = "early_stopping" if params.get("early_stopping") else "min_freq"
        raise InputError(f"{name} needs all of the data, and a stream has no end; use fit, or leave it out")
    if RECIPES[recipe_of(algorithm)].family != "stochastic":
        offered = ", ".join(["l2sgd", *(r.name for r in RECIPES.values() if r.family == "stochastic")])
        given = "lbfgs, the default," if algorithm is None else algorithm
        raise InputError(
            f"partial_fit learns from a stream, which {given} cannot; choose an algorithm that can, as in "
            f"CRF('u2.g1'): one of {offered}"
        )


def check_likelihood(encoded: Encoded, algorithm: str | None, constrained: bool) -> None:
    """An error where labels are unknown or training is constrained, and the algorithm has no likelihood.

    >>> from tagfield.encode import encode_sequences
    >>> check_likelihood(encode_sequences([[["a"]]], [["X"]]), "pa", constrained=False)
    """
    if RECIPES[recipe_of(algorithm)].family != "margin":
        return
    instead = "use lbfgs, l2sgd or a recipe such as u2.g1"
    unknown = int((encoded.dataset.labels < 0).sum())
    if unknown:
        raise InputError(
            f"the label of {unknown} of {len(encoded.dataset.labels)} tokens is None, but {algorithm} needs one for "
            f"every token; {instead}, which also learn from sequences with unknown labels"
        )
    if constrained:
        raise InputError(
            f"constrain_training=True does not go with {algorithm}; {instead}, or leave constraints to predict"
        )


def online_pass(
    encoded: Encoded,
    settings: Settings,
    before: Model | None,
    seen: int,
    rate: float | None,
    rules: Rules | None = None,
) -> tuple[Model, Epoch]:
    """One pass at the rate that the stream has come to; the decay of c2 is spread over all sequences so far."""
    dataset, attributes, features, corpus = select(encoded, settings.features, 1, settings.transitions)
    start = features.zeros()
    if before is not None:
        features, start = grow(before.features, before.weights, features)
    limits = limits_of(rules, dataset, corpus, features, encoded.labels)
    rng = np.random.default_rng([settings.seed, seen])
    settings = replace(settings, rate=rate or settings.rate)
    trainer = make_trainer(settings, corpus, features, start, rng, limits=limits)
    assert isinstance(trainer, StochasticTrainer)
    # As if `seen` sequences had been learned from: a slower rate, and c2 shared by all of them.
    trainer._pass.t = float(seen)
    trainer._pass.decay = 2 * settings.c2 / (seen + len(encoded))
    objective = trainer.run(rng.permutation(len(encoded)).astype(np.int64))
    epoch = Epoch(1, objective, 0.0, trainer.norm(), trainer.rate, best=True)
    trained = Trained(
        trainer.weights(), features, attributes, [epoch], settings, False, "partial_fit makes one pass"
    )
    return Model.of(encoded, trained), epoch
