"""The course of a run: its epochs so far, its speed, and what is shown of each epoch.

The first figure is the loss per token (train/loop/loss.py), which falls while the model improves; recipes without one
show their objective.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol

from tagfield.data.corpus import Corpus
from tagfield.data.encode import Encoded
from tagfield.evaluate import has_chunks
from tagfield.train import Epoch, Settings
from tagfield.train.progress.figures import objective
from tagfield.train.recipes.crfsuite_recipes import ErrorDriven, QuasiNewton
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.recipes.variants import WholeCorpus

Figure = tuple[str, Callable[[Epoch], float | None], Callable[[float], str]]  # name, value, format


def measured_on(settings: Settings, dev: bool) -> str:
    """What the loss per token is called after the data that it is measured on.

    >>> measured_on(Settings(), True), measured_on(Settings(), False), measured_on(Settings("lbfgs"), False)
    ('dev loss', 'sample loss', 'training loss')
    """
    if dev:
        return "dev loss"
    return "training loss" if isinstance(settings.recipe, QuasiNewton | WholeCorpus) else "sample loss"


@dataclass
class RunStatus:
    """The epochs of a run so far, with their times."""

    epochs: int  # maximum
    tokens: int  # in one pass
    dev: bool  # whether held-out data is scored
    chunks: bool  # whether the labels mark chunks, so that F1 makes sense
    unit: str = "epoch"
    loss: str = "loss"  # what the loss per token is measured on, as a column's name
    objective: str = "objective"  # what the recipe minimises
    verbose: bool = False  # whether the objective and ‖θ‖ are shown beside the loss
    first: str = "the first pass"  # shown until the first epoch ends
    now: Callable[[], float] = time.monotonic
    history: list[Epoch] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)  # [epochs so far + 1]  start time, then the end of each epoch

    @classmethod
    def of(cls, encoded: Encoded | Corpus, settings: Settings, *, dev: bool, verbose: bool = False) -> "RunStatus":
        """The course of training on encoded data.

        >>> from tagfield.data.encode import encode_sequences
        >>> RunStatus.of(encode_sequences([[["a"]]], [["X"]]), Settings("lbfgs"), dev=False).loss
        'training loss'
        """
        recipe = settings.recipe
        calibrates = isinstance(recipe, Stochastic) and recipe.calibrates
        return cls(
            settings.max_epochs,
            encoded.tokens,
            dev=dev,
            chunks=has_chunks(encoded.labels.strings()),
            unit=recipe.unit,
            loss=measured_on(settings, dev),
            objective="summed loss" if isinstance(recipe, ErrorDriven) else "objective",
            first="calibrating the learning rate, then the first pass" if calibrates else "the first pass",
            verbose=verbose,
        )

    def __post_init__(self) -> None:
        self.ends.append(self.now())

    def begin(self, first: str) -> None:
        """The work starts only now; `first` is shown until the first epoch ends.

        >>> ticks = iter([0.0, 20.0, 21.0])
        >>> course = RunStatus(10, 100, False, False, first="starting the cluster", now=lambda: next(ticks))
        >>> course.begin("the first pass")
        >>> course.elapsed()
        1.0
        """
        self.first, self.ends[0] = first, self.now()

    def add(self, epoch: Epoch) -> None:
        self.history.append(epoch)
        self.ends.append(self.now())

    def elapsed(self) -> float:
        return self.now() - self.ends[0]

    def left(self) -> float | None:
        """Estimated seconds left, from the last five epochs; the first is skipped, because it includes calibration.

        >>> ticks = iter([0.0, 5.0, 6.0, 7.0, 7.5])
        >>> course = RunStatus(10, 100, False, False, now=lambda: next(ticks))
        >>> for number in (1, 2, 3):
        ...     course.add(Epoch(number, 1.0, 1.0))
        >>> course.left()
        6.5
        """
        if len(self.history) < 2:
            return None
        recent = self.ends[1:][-6:]
        pace = (recent[-1] - recent[0]) / (len(recent) - 1)
        return max(0.0, pace * (self.epochs - len(self.history)) - (self.now() - recent[-1]))

    def speed(self, at: int) -> float | None:
        """Tokens per second in one epoch, excluding scoring."""
        if at == 0:
            return None
        spent = self.history[at].seconds - self.history[at - 1].seconds
        return self.tokens / spent if spent > 0 else None

    def kept(self) -> Epoch | None:
        """The epoch whose weights would be saved if training ended now."""
        return next((epoch for epoch in reversed(self.history) if epoch.best), None)

    def figures(self) -> list[Figure]:
        """What is shown of an epoch: the name of a column, its value, and its format."""
        minimised: Figure = (self.objective, lambda epoch: epoch.objective, objective)
        if not any(epoch.loss is not None for epoch in self.history):
            return [minimised]
        found: list[Any] = [(f"{self.loss}/token", lambda epoch: epoch.loss, "{:.4f}".format)]
        return found + ([minimised, ("‖θ‖", lambda epoch: epoch.norm, "{:.4g}".format)] if self.verbose else [])


class Progress(Protocol):
    """Shows a run; as a context manager it always restores the terminal."""

    def __enter__(self) -> "Progress": ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def epoch(self, epoch: Epoch) -> None: ...
    def stopping(self) -> None: ...
