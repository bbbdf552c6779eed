"""The course of one training run: its epochs, its best weights so far, and whether it is going wrong.

an epoch ends ─▶ add: scores on held-out data, on_epoch ─▶ remember the weights that do best there
              ─▶ impatient? collapsed? ─▶ fall back on what was remembered
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from tagfield.dataset import Dataset
from tagfield.evaluate import Scores
from tagfield.features import FeatureSet, Weights
from tagfield.native import kernels
from tagfield.train.calibration import nll
from tagfield.train.partial import Limits
from tagfield.train.progress import Epoch, OnEpoch
from tagfield.train.settings import Settings
from tagfield.train.stochastic import StochasticTrainer

Clock: TypeAlias = Callable[[], float]
SAMPLE = 1000  # sentences that are looked at again when a pass went badly
WORSE = 1.05  # where there is little to learn, noise alone makes weights a little worse than none


class Run:
    """The history of one run, the best weights so far, and the clock that stands still while scores are taken."""

    def __init__(
        self,
        settings: Settings,
        features: FeatureSet,
        score: Mapping[str, Callable[[Weights], Scores]],
        on_epoch: OnEpoch | None,
        clock: Clock = time.perf_counter,
    ) -> None:
        self.settings = settings
        self.features = features
        self.history: list[Epoch] = []
        self._score = score
        self._on_epoch = on_epoch
        self.fell_back = False
        self.untrained = np.inf  # the loss of zero weights
        self._highest, self._since = -np.inf, 0
        self._peak: tuple[int, float, Weights | None] = (0, -np.inf, None)  # epoch, accuracy on dev, weights
        self._clock = clock
        self._start = clock()

    @property
    def best(self) -> bool:
        """Whether the last epoch is the best so far."""
        return self.history[-1].best

    @property
    def impatient(self) -> bool:
        """Whether the score on dev has not risen for `patience` epochs."""
        return 0 < self.settings.patience <= len(self.history) - self._since

    def remember(self, weights: Callable[[Weights | None], Weights]) -> None:
        """Keeps the weights of the epoch with the highest accuracy on dev, to fall back on."""
        scores = self.history[-1].scores
        if scores is not None and scores.accuracy > self._peak[1]:
            self._peak = (len(self.history), scores.accuracy, weights(self._peak[2]))

    def collapse(self) -> str:
        """Says so when the errors on dev have risen by more than their share, and by four times their noise."""
        scores, share = self.history[-1].scores, self.settings.collapse
        if scores is None or share is None or self._peak[2] is None:
            return ""
        errors = 1 - self._peak[1]
        tokens = max(1, scores.tokens.gold)
        noise = math.sqrt(max(errors, 1 / tokens) / tokens)  # four times this is four tokens or more
        if scores.accuracy >= self._peak[1] - max(share * errors, 4 * noise):
            return ""
        return f"the accuracy on held-out data fell from {100 * self._peak[1]:.2f} to {100 * scores.accuracy:.2f} %"

    def fall_back(self, otherwise: Weights) -> Weights:
        """The best weights before a run went wrong, whose epoch is marked as the best."""
        self.fell_back = True
        number, _, weights = self._peak
        if weights is None:
            return otherwise
        self.history[:] = [replace(epoch, best=epoch.number == number) for epoch in self.history]
        return weights

    def keep_last(self, weights: Weights) -> Weights:
        """Marks the last epoch as the best, and gives its weights back."""
        self.fell_back = True
        self.history[:] = [replace(epoch, best=epoch is self.history[-1]) for epoch in self.history]
        return weights

    def add(self, objective: float, norm: float, directions: Callable[[], Weights], best: bool) -> bool:
        """Records an epoch, tells the callback, and returns whether it wants to stop.

        With patience the best epoch is not the caller's choice: it is the one with the best score on dev.
        """
        paused = self._clock()
        weights = directions() if self._score else None
        watched = {name: score(weights) for name, score in self._score.items() if weights is not None}
        scores = watched.pop("dev", None)
        seconds = paused - self._start
        number = len(self.history) + 1
        if self.settings.patience and scores is not None:
            figure = float(getattr(scores, self.settings.monitor))
            best = figure > self._highest
            if best:
                self._highest, self._since = figure, number
        epoch = Epoch(number, objective, seconds, norm, self.settings.rate, scores, watched, best)
        self.history.append(epoch)
        stop = bool(self._on_epoch(epoch)) if self._on_epoch else False
        self._start += self._clock() - paused
        return stop


def worse_than_nothing(
    trainer: StochasticTrainer, corpus: kernels.Corpus, features: FeatureSet, limits: Limits | None
) -> bool:
    """Whether zero weights explain a sample of the sentences better, by what the trainer minimises.

    The loss along a pass is that of weights which were changing; this is asked when it looks bad.
    """
    sample = np.arange(0, corpus.sentences, max(1, corpus.sentences // SAMPLE), dtype=np.int64)
    nothing = nll(corpus, features, features.zeros(), sample, limits)
    found = nll(corpus, features, trainer.weights(), sample, limits)
    penalty = (trainer.monitor - trainer.nll) * len(sample) / max(1, corpus.sentences)
    return not found + penalty <= WORSE * nothing


def labels_better(
    trainer: StochasticTrainer,
    dataset: Dataset,
    corpus: kernels.Corpus,
    features: FeatureSet,
    than: Weights,
) -> bool:
    """Whether the trainer's weights label the known tokens better than others: too sure of oneself is not yet wrong."""
    right = [
        int((kernels.tag(corpus, features.field(w))[0] == dataset.labels).sum())
        for w in (trainer.weights(), than)
    ]
    return right[0] > right[1]
