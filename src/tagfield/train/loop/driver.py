"""train(): from encoded data to weights, by any recipe.

    Encoded ─▶ Problem ─▶ recipe.trainer ─▶ epochs ─▶ the weights to keep ─▶ pruned, calibrated (ending.py)
                                              │
                         on_epoch(Epoch) ◀────┘   loss, scores on held-out data, stopping

All randomness comes from the seed: it makes the generator that draws the calibration sample and every shuffle. On one
thread the same seed gives the same bits.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from tagfield.data.corpus import Corpus
from tagfield.data.encode import Encoded
from tagfield.data.labels.kinds import label_kind
from tagfield.inference.constraints import Rules
from tagfield.system.memory import parse_size
from tagfield.train.loop.ending import end
from tagfield.train.loop.epochs import Save, run_epochs
from tagfield.train.loop.footprint import check_training
from tagfield.train.loop.held_out import check_held_out, fitting, fitting_dev, held_out_scorer, with_monitor
from tagfield.train.loop.history import Clock, History, OnEpoch, RunState
from tagfield.train.loop.loss import LossMeter
from tagfield.train.loop.trained import Trained
from tagfield.train.problem.on_disk import problem_of
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.settings import Settings, settings_from
from tagfield.train.trainers.trainer import Trainer
from tagfield.weights.layout import FeatureSet, Weights

WINDOW = "256MB"  # of a corpus on disk


def train(
    encoded: Encoded | Corpus,
    settings: Settings | str | None = None,
    *,
    dev: Encoded | None = None,
    watch: Mapping[str, Encoded] | None = None,
    on_epoch: OnEpoch | None = None,
    start: tuple[FeatureSet, Weights] | None = None,
    rules: Rules | None = None,
    class_weight: ArrayLike | None = None,
    clock: Clock = time.perf_counter,
    window: str | float = WINDOW,
) -> Trained:
    """Trains on encoded data, or on a corpus on disk; `dev` and `watch` (with the same vocabularies) are only scored.

    start: features and weights to go on from; the vocabularies of `encoded` must begin with theirs
    rules: labels that may not follow each other; they and unknown labels need a recipe with a likelihood
    class_weight: one number above 0 for each label: what its tokens weigh in the likelihood
    clock: what the seconds of the history are read from
    window: how much of a corpus on disk is in memory at a time, in bytes or as "256MB"; it does not change the result

    >>> from tagfield.data.encode import encode_sequences
    >>> encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    >>> trained = train(encoded, Settings("sgd", epochs=3))
    >>> len(trained.history), trained.stop_reason
    (3, 'it reached the maximum of 3 epochs')
    """
    settings = with_monitor(settings_from(settings), encoded.labels, dev)
    began = clock()
    problem = problem_of(encoded, settings, rules, start, class_weight, parse_size(window))
    check_training(problem, scored=dev is not None)
    feature_seconds = clock() - began
    make = partial(problem.settings.recipe.trainer, problem)
    trained = fit(problem, make, encoded, dev=dev, watch=watch, on_epoch=on_epoch, clock=clock)
    return replace(end(trained, problem, fitting_dev(dev, problem)), feature_seconds=feature_seconds)


def fit(
    problem: Problem,
    make: Callable[[np.random.Generator], Trainer],
    encoded: Encoded | Corpus,
    *,
    dev: Encoded | None = None,
    watch: Mapping[str, Encoded] | None = None,
    on_epoch: OnEpoch | None = None,
    clock: Clock = time.perf_counter,
    run: RunState | None = None,
    save: Save | None = None,
) -> Trained:
    """Trains on a problem: held-out data, history, then the loop over epochs.

    make: makes the trainer from a random stream, which also shuffles the sentences
    encoded: what the problem was made of
    run, save: where an interrupted run was, and what saves this one after each epoch
    """
    watched = {**(watch or {}), **({} if dev is None else {"dev": dev})}
    for data in watched.values():
        check_held_out(data, encoded)
    fitted = {name: fitting(data, problem.attributes, problem.edges) for name, data in watched.items()}
    kind = label_kind(encoded.labels)  # a label that only held-out data has must not change what is counted
    scorers = {name: held_out_scorer(data, fitted[name], problem, kind) for name, data in watched.items()}
    meter = LossMeter(problem, fitted.get("dev")) if problem.settings.recipe.settles else None
    rng = np.random.default_rng(problem.settings.seed)
    history = History(problem.settings, scorers, on_epoch, clock, run)
    trainer = make(rng)
    weights = run_epochs(trainer, history, rng, meter, save)
    ended = history.run
    return Trained(
        weights,
        problem.features,
        problem.attributes,
        ended.epochs,
        replace(problem.settings, recipe=trainer.recipe),
        ended.converged,
        ended.reason,
        ended.fell_back,
        problem.edges,
    )
