"""The loop over epochs on a cluster: as train/loop/driver.py runs it, but it can be taken up again after any mix.

    trainer.run ─▶ History.add (scores, callback) ─▶ keep the best weights ─▶ a rule says stop? ─▶ checkpoint ─┐
         ▲                                                                                                     │
         └─────────────────────────────────────────────────────────────────────────────────────────────────────┘

Everything that the loop remembers is in Course, and Course is in the checkpoint.
"""

from collections.abc import Callable

import numpy as np

from tagfield.errors import TrainingError
from tagfield.scale.cluster.checkpoint import Checkpoint, Course
from tagfield.scale.cluster.mixed import MixedTrainer
from tagfield.train.loop.driver import labels_better
from tagfield.train.loop.history import History, Stopping
from tagfield.train.loop.loss import LossMeter
from tagfield.train.trainers.trainer import Finished, Trainer
from tagfield.weights.layout import Weights

NOTHING = np.empty(0, np.int64)  # shares have orders of their own


class Runner:
    """A trainer on its way through the epochs."""

    def __init__(
        self, trainer: Trainer, history: History, meter: LossMeter | None, checkpoint: Checkpoint | None
    ) -> None:
        self._trainer, self._history, self._meter, self._checkpoint = trainer, history, meter, checkpoint
        self.course = Course()
        if isinstance(trainer, MixedTrainer):
            trainer.after_mix = self.after_mix
        self._tokens = max(1.0, trainer.problem.data.weighted_tokens()[0])
        found = checkpoint.load() if checkpoint else None
        if found is not None:
            state, self.course = found
            trainer.resume(state)
            history.resume(self.course.epochs)

    def after_mix(self) -> None:
        """What happens between the rounds of an epoch: a checkpoint, if the last one is old."""
        if self._checkpoint is not None and self._checkpoint.due:
            self._checkpoint.save(self._trainer.state(), self.course)

    def run(self) -> Weights:
        """Runs to the end and returns the weights to keep; `course` says why it ended."""
        while not self.course.reason:
            self._epoch()
            if self._checkpoint is not None:
                self._checkpoint.save(self._trainer.state(), self.course)
        if self.course.kept is not None:
            return self.course.kept
        return self._trainer.weights()

    def _epoch(self) -> None:
        trainer, course, history, recipe = self._trainer, self.course, self._history, self._trainer.recipe
        try:
            objective = trainer.run(NOTHING)
        except Finished as end:
            course.converged, course.reason = True, str(end)
            return
        except TrainingError:
            if not recipe.keeps_best or course.kept is None:
                raise
            reason = f"in epoch {len(history.epochs) + 1} the weights left the range of numbers"
            course.reason = f"{reason}; the best weights so far are kept"
            history.fell_back = True
            return
        best = trainer.monitor < course.lowest or not recipe.keeps_best
        course.lowest = min(course.lowest, trainer.monitor)
        made: list[Weights] = []

        def latest() -> Weights:
            if not made:
                made.append(trainer.weights())
            return made[0]

        rate = getattr(recipe, "rate", None)
        directions = trainer.directions if self._meter is None else latest
        asked = history.add(objective, trainer.norm(), rate, directions, best, self._loss(latest), trainer.figures())
        course.epochs = history.epochs
        loss = history.epochs[-1].loss
        if recipe.keeps_best and self._worse_than_none(loss):
            self._give_up(latest)
            return
        if history.best and (recipe.keeps_best or history.by_score):
            course.kept = latest()
        watched = loss if trainer.watches_loss and loss is not None else trainer.monitor
        self._decide(asked, watched)

    def _loss(self, latest: Callable[[], Weights]) -> Callable[[], float | None]:
        def measure() -> float | None:
            known = self._trainer.training_nll()
            if self._meter is None or (known is not None and not self._meter.held_out):
                return None if known is None else known / self._tokens
            return self._meter(latest())

        return measure

    def _worse_than_none(self, loss: float | None) -> bool:
        labels = self._trainer.problem.features.labels
        return loss is not None and not loss <= 1.05 * max(np.log(labels), 1e-3)

    def _give_up(self, latest: Callable[[], Weights]) -> None:
        """Ends a run whose weights explain the data worse than no weights do."""
        course, history = self.course, self._history
        course.reason = "the weights explain the data worse than no weights do"
        history.fell_back = True
        if course.kept is not None:
            course.reason += "; the best weights so far are kept"
        elif labels_better(self._trainer, self._trainer.problem):
            course.kept = history.keep_last(latest())
            course.reason += "; the weights of this epoch are kept; a smaller rate may help"
        else:
            raise TrainingError(f"{course.reason}; nothing was saved. Give a smaller rate, or mix more often")

    def _decide(self, asked: bool, watched: float) -> None:
        """Whether, and why, the run ends here."""
        course, recipe, settings = self.course, self._trainer.recipe, self._trainer.problem.settings
        period = settings.period if recipe.settles and recipe.by_period else 0
        settled = Stopping(period, settings.min_improvement, course.watched).add(watched)
        ending = self._history.ending(self._trainer, asked, settled)
        if ending is not None:
            course.converged, course.reason = ending
