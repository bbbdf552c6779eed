"""The history of a training run: its epochs, its best weights so far, and when to stop.

    an epoch ends ─▶ add: scores on held-out data, on_epoch ─▶ remember the weights that do best there
                  ─▶ out of patience? errors rising? ─▶ fall back on what was remembered

The library calls back and logs; only commands print. A callback gets an `Epoch` after every pass and may return True
to stop there: the best weights so far are kept.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tagfield.evaluate import Scores
from tagfield.train.recipes.settings import Settings
from tagfield.train.trainers.trainer import Figures, Trainer
from tagfield.weights.layout import Weights

ASKED = "a callback asked it to stop"


@dataclass(frozen=True)
class Epoch:
    """One pass over the data, or one iteration of L-BFGS."""

    number: int
    objective: (
        float  # NLL (of stochastic recipes: along the pass) + c2·‖θ‖² (not in a stream); pa, ap, arow: summed loss
    )
    seconds: float  # since training started, without the time that scoring took
    norm: float = 0.0  # ‖θ‖; 0 in a stream, where it would take a pass over all weights
    rate: float | None = None  # the initial learning rate of a stochastic recipe
    scores: Scores | None = None  # on the held-out data
    watched: Mapping[str, Scores] = field(default_factory=dict)  # on whatever else is scored along the way
    best: bool = False  # the weights that would be kept if training ended here
    loss: float | None = None  # −log p(y|x) per token of this epoch's weights, averaged if they are; pa, ap, arow: None
    figures: Figures = field(default_factory=Figures)

    def to_dict(self) -> dict[str, object]:
        """For a log line: numbers only.

        >>> Epoch(1, 2.5, 0.1).to_dict()["objective"]
        2.5
        """
        row: dict[str, object] = {"epoch": self.number, "objective": self.objective, "seconds": self.seconds}
        row |= {"norm": self.norm, "best": self.best}
        if self.loss is not None and math.isfinite(self.loss):  # JSON knows no infinity
            row["loss"] = self.loss
        if self.rate is not None:
            row["rate"] = self.rate
        row |= self.figures.to_dict()
        if self.scores is not None:
            row |= {name: getattr(self.scores, name) for name in self.scores.figures}
        for name, scores in self.watched.items():
            row |= {f"{name}_{figure}": getattr(scores, figure) for figure in ("accuracy", "f1") if scores.has(figure)}
        return row


OnEpoch: TypeAlias = Callable[[Epoch], bool | None]
Clock: TypeAlias = Callable[[], float]


@dataclass
class Stopping:
    """CRFsuite's rule: stop when the objective is not `delta` (relative) below the one `period` epochs earlier.

    >>> rule = Stopping(period=2, delta=0.01)
    >>> [rule.add(x) for x in (10.0, 8.0, 7.0, 6.99, 6.98)]
    [False, False, False, False, True]
    """

    period: int = 10
    delta: float = 1e-6
    seen: list[float] = field(default_factory=list)

    def add(self, objective: float) -> bool:
        self.seen.append(objective)
        if self.period <= 0 or len(self.seen) <= self.period:
            return False
        before = self.seen[-1 - self.period]
        return before - objective < self.delta * abs(objective)


@dataclass
class RunState:
    """Everything that the loop remembers from epoch to epoch, beside the trainer's own state: what a checkpoint holds.

    `kept` and `peak` differ where `kept` is chosen by another score, or by the loss.
    """

    epochs: list[Epoch] = field(default_factory=list)
    kept: Weights | None = None  # the best weights so far; at the end the result, unless it is where training started
    peak: Weights | None = None  # the weights with the highest accuracy on held-out data, to fall back on
    lowest: float = math.inf  # of what the trainer monitors
    watched: list[float] = field(default_factory=list)  # what the stopping rule has seen
    fell_back: bool = False  # training went wrong, and earlier weights are kept
    converged: bool = False
    reason: str = ""  # why training stopped; empty while it runs


class History:
    """The epochs of one run, the best weights so far, and a clock that stands still while scores are taken.

    run: where an interrupted run was; its seconds count
    """

    def __init__(
        self,
        settings: Settings,
        scorers: Mapping[str, Callable[[Weights], Scores]],
        on_epoch: OnEpoch | None,
        clock: Clock = time.perf_counter,
        run: RunState | None = None,
    ) -> None:
        self.run = run or RunState()
        self._settings = settings
        self._scorers = scorers
        self._on_epoch = on_epoch
        self._highest, self._since = -math.inf, 0  # the best score on dev, and its epoch
        self._peak_epoch, self._peak_accuracy = 0, -math.inf  # those of `run.peak`
        self._clock = clock
        self._start = clock() - (self.epochs[-1].seconds if self.epochs else 0.0)
        for epoch in self.epochs:
            self._rank(epoch.number, epoch.scores)
            if epoch.scores is not None and epoch.scores.accuracy > self._peak_accuracy:
                self._peak_epoch, self._peak_accuracy = epoch.number, epoch.scores.accuracy

    @property
    def epochs(self) -> list[Epoch]:
        return self.run.epochs

    def add(
        self,
        objective: float,
        norm: float,
        rate: float | None,
        directions: Callable[[], Weights],
        best: bool,
        loss: Callable[[], float | None] = lambda: None,
        figures: Figures | None = None,
    ) -> bool:
        """Records an epoch, tells the callback, and returns whether it wants to stop.

        With held-out data the best epoch is the one with the best score there, whatever `best` says; unless the
        settings say not to keep it.
        """
        paused = self._clock()
        weights = directions() if self._scorers else None
        watched = {name: score(weights) for name, score in self._scorers.items() if weights is not None}
        scores = watched.pop("dev", None)
        seconds = paused - self._start
        number = len(self.epochs) + 1
        best = self._rank(number, scores, best)
        epoch = Epoch(number, objective, seconds, norm, rate, scores, watched, best, loss(), figures or Figures())
        self.epochs.append(epoch)
        stop = bool(self._on_epoch(epoch)) if self._on_epoch else False
        self._start += self._clock() - paused
        return stop

    def _rank(self, number: int, scores: Scores | None, best: bool = False) -> bool:
        """Whether an epoch is the best so far: by its score on held-out data, or else what `best` says."""
        if not self.by_score or scores is None:
            return best
        monitor = self._settings.monitor
        figure = float(getattr(scores, "accuracy" if monitor == "auto" else monitor))
        best = figure >= self._highest  # of equal epochs the last: a dev set without chunks has F1 0 throughout
        if figure > self._highest:
            self._highest, self._since = figure, number
        return best

    @property
    def by_score(self) -> bool:
        """Whether the score on held-out data decides which epoch is kept."""
        return "dev" in self._scorers and (self._settings.keep_best or self._settings.patience > 0)

    @property
    def best(self) -> bool:
        """Whether the last epoch is the best so far."""
        return self.epochs[-1].best

    @property
    def out_of_patience(self) -> bool:
        """Whether the score on the held-out data has not risen for `patience` epochs."""
        return 0 < self._settings.patience <= len(self.epochs) - self._since

    def ending(self, trainer: Trainer, asked: bool, settled: bool) -> tuple[bool, str] | None:
        """Whether training has converged, and why it stops after this epoch; None if it goes on.

        asked: the callback wants to stop; settled: the rule of Stopping says so
        """
        settings, unit, done = self._settings, trainer.recipe.unit, len(self.epochs)
        finished = trainer.finished()
        if asked:
            return False, ASKED
        if self.out_of_patience:
            return True, f"{settings.monitor} on the held-out data has not risen for {settings.patience} {unit}s"
        if finished:
            return True, finished
        if settled:
            figure = "loss" if trainer.watches_loss else "objective"
            return True, f"the {figure} has settled over {settings.period} {unit}s"
        if done < settings.max_epochs:
            return None
        if trainer.settled:
            return True, f"every sequence is labelled right after {done} {unit}{'s' * (done > 1)}"
        return False, f"it reached the maximum of {done} {unit}{'s' * (done > 1)}"

    def remember(self, weights: Callable[[Weights | None], Weights]) -> None:
        """Keeps the weights of the epoch with the highest accuracy on the held-out data, to fall back on."""
        scores = self.epochs[-1].scores
        if scores is not None and scores.accuracy > self._peak_accuracy:
            self._peak_epoch, self._peak_accuracy = len(self.epochs), scores.accuracy
            self.run.peak = weights(self.run.peak)

    def dev_rise(self) -> str:
        """Says so when the errors on dev have risen by more than `max_dev_rise`, and by four times their noise."""
        scores, share = self.epochs[-1].scores, self._settings.max_dev_rise
        if scores is None or share is None or self.run.peak is None:
            return ""
        highest = self._peak_accuracy
        tokens = max(1, scores.tokens.gold)
        noise = math.sqrt(max(1 - highest, 1 / tokens) / tokens)  # four times this is four tokens or more
        if scores.accuracy >= highest - max(share * (1 - highest), 4 * noise):
            return ""
        return f"the accuracy on held-out data fell from {100 * highest:.2f} to {100 * scores.accuracy:.2f} %"

    def fall_back(self) -> Weights | None:
        """The best weights before a run went wrong, if there are any; their epoch is marked as the best."""
        self.run.fell_back = True
        if self.run.peak is None:
            return self.run.kept
        self._mark_best(self._peak_epoch)
        return self.run.peak

    def keep_last(self) -> None:
        """Marks the last epoch as the best one of a run that went wrong."""
        self.run.fell_back = True
        self._mark_best(len(self.epochs))

    def _mark_best(self, number: int) -> None:
        self.epochs[:] = [replace(epoch, best=epoch.number == number) for epoch in self.epochs]
