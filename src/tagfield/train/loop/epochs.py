"""The loop over epochs, on one machine and on a cluster: passes until a rule says stop, and the weights to keep.

    order ─▶ trainer.run ─▶ History.add (scores, callback) ─▶ trouble? ─▶ a rule says stop? ─▶ keep the best ─▶ save ─┐
      ▲                                                                                                               │
      └───────────────────────────────────────────────────────────────────────────────────────────────────────────────┘

What the loop remembers is in `History.run`, and what the next pass depends on is in the trainer's state. A checkpoint
holds both, so an interrupted run continues with the same bits.
"""

import logging
from collections.abc import Callable

import numpy as np

from tagfield.errors import TrainingError
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.train.loop.history import History, RunState, Stopping
from tagfield.train.loop.loss import LossMeter
from tagfield.train.problem.order import epoch_order
from tagfield.train.problem.problem import Problem
from tagfield.train.trainers.trainer import Finished, State, Trainer
from tagfield.weights.layout import Weights

log = logging.getLogger(__name__)

LABELLED = 32_768  # sentences that are labelled at a time
NO_ORDER = np.empty(0, np.int64)  # for trainers that take the sentences in an order of their own
DIVERGED = "the weights explain the data worse than no weights do"
BEST_KEPT, SMALLER_RATE = "; the best weights so far are kept", "; a smaller rate may help"

Save = Callable[[State, RunState], None]


def run_epochs(
    trainer: Trainer,
    history: History,
    rng: np.random.Generator,
    meter: LossMeter | None = None,
    save: Save | None = None,
) -> Weights:
    """Runs epochs until a rule says stop; returns the weights to keep. `history.run` says why training stopped.

    save: called after each epoch, to write a checkpoint
    """
    loop, run, weights = _Loop(trainer, history, rng, meter, releases=save is None), history.run, None
    while not run.reason:
        weights = loop.epoch()
        if save is not None:
            save(trainer.state(), run)
    return weights or run.kept or trainer.weights()  # the last two: a checkpoint of a run that has ended


class _Loop:
    """What one epoch needs.

    releases: whether the trainer may free what only another pass would need; a checkpoint needs it
    """

    def __init__(
        self, trainer: Trainer, history: History, rng: np.random.Generator, meter: LossMeter | None, releases: bool
    ) -> None:
        self._trainer, self._history, self._rng, self._meter, self._releases = trainer, history, rng, meter, releases
        self._problem, self._latest = trainer.problem, Latest(trainer, history.run)
        self._tokens = max(1.0, trainer.problem.data.weighted_tokens()[0])
        settings, recipe = trainer.problem.settings, trainer.recipe
        period = settings.period if recipe.settles and recipe.by_period else 0
        self._stopping = Stopping(period, settings.min_improvement, history.run.watched)

    def epoch(self) -> Weights | None:
        """Runs one epoch; returns the weights to keep if training ends with it."""
        trainer, history, latest = self._trainer, self._history, self._latest
        recipe, run = trainer.recipe, history.run
        try:
            objective = trainer.run(epoch_order(self._rng, self._problem.count) if trainer.shuffles else NO_ORDER)
        except Finished as end:
            run.converged, run.reason = True, str(end)
            return self._end(run.kept if history.by_score else None)
        except TrainingError as error:
            if not recipe.keeps_lowest_loss or not history.epochs:
                raise
            log.info("%s", error)
            run.reason = f"in epoch {len(history.epochs) + 1} the weights left the range of numbers{BEST_KEPT}"
            return self._fall_back()
        diverged = trainer.diverged()
        best = not diverged and (trainer.monitor < run.lowest or not recipe.keeps_lowest_loss)
        run.lowest = min(run.lowest, trainer.monitor)
        latest.after_pass(keep=best and recipe.keeps_lowest_loss and not history.by_score)
        directions = trainer.directions if self._meter is None else latest
        rate = getattr(recipe, "rate", None)
        asked = history.add(objective, trainer.norm(), rate, directions, best, self._loss, trainer.figures())
        trouble = DIVERGED if diverged else history.dev_rise()
        if trouble and recipe.keeps_lowest_loss:
            return self._give_up(trouble)
        watched = history.epochs[-1].loss if trainer.watches_loss else None
        settled = self._stopping.add(trainer.monitor if watched is None else watched)
        ending = history.ending(trainer, asked, settled)
        if ending is not None:
            run.converged, run.reason = ending
            return self._end(None if history.best else run.kept)
        if history.best and (recipe.keeps_lowest_loss or history.by_score):
            latest.keep()
        if recipe.keeps_lowest_loss:
            history.remember(trainer.weights)
        return None

    def _loss(self) -> float | None:
        """The loss per token: on held-out data, as the trainer knows it, or on a sample."""
        known = self._trainer.training_nll()
        if self._meter is None or (known is not None and not self._meter.held_out):
            return None if known is None else known / self._tokens
        return self._meter(self._latest())

    def _end(self, kept: Weights | None) -> Weights:
        """The weights that training ends with: `kept`, or the last ones."""
        if self._releases:
            self._trainer.release()
        self._history.run.kept = kept or self._latest()
        return self._history.run.kept

    def _give_up(self, trouble: str) -> Weights:
        """The weights to keep of a run that went wrong."""
        run = self._history.run
        if run.kept is None and labels_better(self._trainer, self._problem):  # overconfident, but it labels well
            self._history.keep_last()
            run.reason = f"{trouble}; the weights of this epoch are kept{SMALLER_RATE}"
            run.kept = self._trainer.weights()
            return run.kept
        run.reason = trouble + BEST_KEPT + ("" if run.kept else SMALLER_RATE)
        return self._fall_back()

    def _fall_back(self) -> Weights:
        """The weights of an earlier epoch, or those that training started from."""
        self._history.run.kept = self._history.fall_back()
        return self._history.run.kept or self._problem.start.copy()


class Latest:
    """The weights after the last pass, copied at most once, beside the best ones: at most two copies at a time."""

    def __init__(self, trainer: Trainer, run: RunState) -> None:
        self._trainer, self._run = trainer, run
        self._made: Weights | None = None
        self._spare: Weights | None = None

    def after_pass(self, keep: bool) -> None:
        """Forgets the copy of the pass before; with `keep` the next copy may overwrite the kept weights."""
        self._spare, self._made = self._made or self._spare, None
        if keep and self._spare is None:
            self._spare = self._run.kept

    def __call__(self) -> Weights:
        if self._made is None:
            self._made, self._spare = self._trainer.weights(self._spare), None
        return self._made

    def keep(self) -> None:
        """Makes the last weights the best ones."""
        made = self()
        self._spare, self._run.kept, self._made = (None if made is self._run.kept else self._run.kept), made, None


def labels_better(trainer: Trainer, problem: Problem) -> bool:
    """Whether the trainer's weights label the known tokens better than the start's."""
    fields = [problem.features.field(weights) for weights in (trainer.weights(), problem.start)]
    right = np.zeros(2, np.int64)
    for first in range(0, problem.count, LABELLED):
        data = problem.data.take(np.arange(first, min(first + LABELLED, problem.count)))
        corpus = open_corpus(data)
        right += [int((kernels.tag(corpus, field)[0] == data.labels).sum()) for field in fields]
    return bool(right[0] > right[1])
