"""Cross-validation: the data in folds, and one run, which trains on all folds but one and scores that one.

Sequences are dealt out at random, so each fold is a sample of the data. The vocabularies are those of all folds; an
attribute that occurs only in the held-out fold has no weight or a weight of 0, as an unknown one does.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tagfield.data.dataset import Longs
from tagfield.data.encode import Encoded
from tagfield.errors import InputError, TrainingError
from tagfield.evaluate import has_chunks
from tagfield.model.model import Model
from tagfield.train import Epoch, Settings, train
from tagfield.train.loop.held_out import fitting


def deal(sequences: int, folds: int, seed: int) -> list[Longs]:
    """The sequences of each fold, in ascending order.

    >>> [len(fold) for fold in deal(11, 3, seed=0)]
    [4, 4, 3]
    """
    if sequences < folds:
        raise InputError(f"{sequences} sequences are too few for {folds} folds; give more data or fewer folds")
    order = np.random.default_rng([seed, folds]).permutation(sequences)
    return [np.sort(order[k::folds]) for k in range(folds)]


def figure_for(encoded: Encoded) -> str:
    """The figure to choose by: chunk F1 if the labels mark chunks, else token accuracy.

    >>> from tagfield.data.encode import encode_sequences
    >>> figure_for(encode_sequences([[["a"], ["b"]]], [["B-X", "O"]]))
    'f1'
    """
    return "f1" if has_chunks(encoded.labels.strings()) else "accuracy"


def run(
    encoded: Encoded, folds: list[Longs], held_out: int, settings: Settings, stop: Callable[[], bool] = lambda: False
) -> float:
    """The figure on one fold, in %, after training on the others; NaN where the settings cannot be trained.

    stop: asked after every epoch; where it says True the run ends, and its figure means nothing

    >>> from tagfield.data.encode import encode_sequences
    >>> encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]] * 3, [["X", "Y"], ["Y", "X"]] * 3)
    >>> run(encoded, deal(6, 3, seed=0), 0, Settings())
    100.0
    """
    rest = np.sort(np.concatenate([fold for k, fold in enumerate(folds) if k != held_out]))
    part = encoded.take(rest)

    def on_epoch(_: Epoch) -> bool:
        return stop()

    try:
        trained = train(part, replace(settings, calibrate=False, prune=0.0), on_epoch=on_epoch)
    except (TrainingError, InputError):
        return math.nan
    left_out = encoded.take(folds[held_out])
    data = fitting(left_out, trained.attributes, trained.edges)
    test = replace(left_out, dataset=data, attributes=trained.attributes, edges=trained.edges)
    return 100 * float(getattr(Model.of(part, trained).evaluate(test), figure_for(encoded)))
