"""train(): from encoded data to weights, by any recipe.

    Encoded ─▶ Problem ─▶ recipe.trainer ─▶ epochs ─▶ the weights to keep
                                              │
                         on_epoch(Epoch) ◀────┘   loss, scores on held-out data, stopping

All randomness comes from the seed: it makes the generator that draws the calibration sample and every shuffle. On one
thread the same seed gives the same bits.
"""

import logging
import time
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tagfield.data.corpus import Corpus
from tagfield.data.encode import Encoded
from tagfield.data.labels.kinds import label_kind
from tagfield.errors import TrainingError
from tagfield.inference.constraints import Rules
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.system.memory import parse_size
from tagfield.train.loop.footprint import check_training
from tagfield.train.loop.held_out import check_held_out, fitting, held_out_scorer, with_monitor
from tagfield.train.loop.history import Clock, History, OnEpoch, Stopping
from tagfield.train.loop.loss import LossMeter
from tagfield.train.loop.on_disk import problem_of
from tagfield.train.loop.order import epoch_order
from tagfield.train.loop.trained import Trained
from tagfield.train.recipes.settings import Settings, settings_from
from tagfield.train.trainers.problem import Problem
from tagfield.train.trainers.trainer import Finished, Trainer
from tagfield.weights.layout import FeatureSet, Weights

log = logging.getLogger(__name__)

LOOKED = 32_768  # sentences that are labelled at a time
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
    watched = {**(watch or {}), **({} if dev is None else {"dev": dev})}
    for data in watched.values():
        check_held_out(data, encoded)
    fitted = {name: fitting(data, problem.attributes, problem.edges) for name, data in watched.items()}
    kind = label_kind(encoded.labels)  # a label that only held-out data has must not change what is counted
    scorers = {name: held_out_scorer(data, fitted[name], problem, kind) for name, data in watched.items()}
    meter = LossMeter(problem, fitted.get("dev")) if settings.recipe.settles else None
    rng = np.random.default_rng(settings.seed)
    history = History(settings, scorers, on_epoch, clock)
    trainer = settings.recipe.trainer(problem, rng)
    weights, converged, reason = run_epochs(trainer, history, rng, meter)
    settings = replace(problem.settings, recipe=trainer.recipe)
    return Trained(
        weights,
        problem.features,
        problem.attributes,
        history.epochs,
        settings,
        converged,
        reason,
        history.fell_back,
        problem.edges,
        feature_seconds,
    )


class Latest:
    """The weights after the last pass, copied at most once, and the best ones; two copies in all, if need be."""

    def __init__(self, trainer: Trainer) -> None:
        self.kept: Weights | None = None
        self._trainer = trainer
        self._made: Weights | None = None
        self._spare: Weights | None = None

    def after_pass(self, keep: bool) -> None:
        """Forgets the copy of the pass before; with `keep` the next copy may overwrite the kept weights."""
        self._spare, self._made = self._made or self._spare, None
        if keep and self._spare is None:
            self._spare = self.kept

    def __call__(self) -> Weights:
        if self._made is None:
            self._made, self._spare = self._trainer.weights(self._spare), None
        return self._made

    def keep(self) -> None:
        made = self()
        self._spare, self.kept, self._made = (None if made is self.kept else self.kept), made, None


def run_epochs(
    trainer: Trainer, history: History, rng: np.random.Generator, meter: LossMeter | None = None
) -> tuple[Weights, bool, str]:
    """Passes until a rule says stop; returns the weights to keep, whether training converged, and why it stopped."""
    problem, recipe = trainer.problem, trainer.recipe
    settings = problem.settings
    rate = getattr(recipe, "rate", None)
    stopping = Stopping(settings.period if recipe.settles and recipe.by_period else 0, settings.min_improvement)
    lowest, latest = np.inf, Latest(trainer)
    tokens = max(1.0, problem.data.weighted_tokens()[0])

    def loss() -> float | None:
        known = trainer.training_nll()
        if meter is None or (known is not None and not meter.held_out):
            return None if known is None else known / tokens
        return meter(latest())

    while True:
        try:
            objective = trainer.run(epoch_order(rng, problem.count))
        except Finished as end:
            trainer.release()
            return (latest.kept if history.by_score and latest.kept else trainer.weights()), True, str(end)
        except TrainingError as error:
            if not recipe.keeps_best or not history.epochs:
                raise
            log.info("%s", error)
            reason = f"in epoch {len(history.epochs) + 1} the weights left the range of numbers"
            return (
                history.fall_back(latest.kept or problem.start.copy()),
                False,
                f"{reason}; the best weights so far are kept",
            )
        diverged = trainer.diverged()
        best = not diverged and (trainer.monitor < lowest or not recipe.keeps_best)
        lowest = min(lowest, trainer.monitor)
        latest.after_pass(keep=best and recipe.keeps_best and not history.by_score)
        directions = trainer.directions if meter is None else latest
        asked = history.add(objective, trainer.norm(), rate, directions, best, loss, trainer.figures())
        kept = latest.kept
        trouble = "the weights explain the data worse than no weights do" if diverged else history.dev_rise()
        if trouble and recipe.keeps_best:
            if kept is None and labels_better(trainer, problem):  # far too sure of itself, but it labels
                kept = history.keep_last(trainer.weights())
                return kept, False, f"{trouble}; the weights of this epoch are kept; a smaller rate may help"
            trouble += "; the best weights so far are kept" + ("" if kept else "; a smaller rate may help")
            return history.fall_back(kept or problem.start.copy()), False, trouble
        watched = history.epochs[-1].loss if trainer.watches_loss else None
        settled = stopping.add(trainer.monitor if watched is None else watched)
        ending = history.ending(trainer, asked, settled)
        if ending is not None:
            trainer.release()
            return (latest() if history.best or kept is None else kept), *ending
        if history.best and (recipe.keeps_best or history.by_score):
            latest.keep()
        if recipe.keeps_best:
            history.remember(trainer.weights)


def labels_better(trainer: Trainer, problem: Problem) -> bool:
    """Whether the trainer's weights label the known tokens better than the start's."""
    fields = [problem.features.field(weights) for weights in (trainer.weights(), problem.start)]
    right = np.zeros(2, np.int64)
    for first in range(0, problem.count, LOOKED):
        data = problem.data.take(np.arange(first, min(first + LOOKED, problem.count)))
        corpus = open_corpus(data)
        right += [int((kernels.tag(corpus, field)[0] == data.labels).sum()) for field in fields]
    return bool(right[0] > right[1])
