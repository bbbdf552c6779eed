"""Progress of training: a live display on a terminal, plain lines elsewhere.

Epoch ─▶ Course (history, speed, time left) ─┬─▶ LiveProgress   one display that redraws itself
                                             └─▶ PlainProgress  one line per epoch, flushed
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from tagfield.cli.figures import clock, count, duration, objective, percent
from tagfield.train import Epoch

STOPPING = "stopping after this pass, then saving · press Ctrl-C again to quit without saving"
SHOWN = 8  # epochs in the live table
BARS = "▁▂▃▄▅▆▇█"


@dataclass
class Course:
    """The epochs of a run so far, with their times."""

    epochs: int  # maximum
    tokens: int  # in one pass
    dev: bool  # whether held-out data is scored
    chunks: bool  # whether the labels mark chunks, so that F1 makes sense
    unit: str = "epoch"
    first: str = "the first pass"  # shown until the first epoch ends
    now: Callable[[], float] = time.monotonic
    history: list[Epoch] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)  # [epochs so far + 1]  start time, then the end of each epoch

    def __post_init__(self) -> None:
        self.ends.append(self.now())

    def add(self, epoch: Epoch) -> None:
        self.history.append(epoch)
        self.ends.append(self.now())

    def elapsed(self) -> float:
        return self.now() - self.ends[0]

    def left(self) -> float | None:
        """Estimated seconds left, from the last five epochs; the first is skipped, because it includes calibration.

        >>> ticks = iter([0.0, 5.0, 6.0, 7.0, 7.5])
        >>> course = Course(10, 100, False, False, now=lambda: next(ticks))
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

    def best_dev(self) -> Epoch | None:
        scored = [epoch for epoch in self.history if epoch.scores is not None]
        return max(scored, key=self._quality) if scored else None

    def _quality(self, epoch: Epoch) -> float:
        assert epoch.scores is not None
        return epoch.scores.f1 if self.chunks else epoch.scores.accuracy


class Progress(Protocol):
    """Shows a run; as a context manager it always restores the terminal."""

    def __enter__(self) -> "Progress": ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def epoch(self, epoch: Epoch) -> None: ...
    def stopping(self) -> None: ...


class PlainProgress:
    """One line per epoch. If a line cannot be written (closed pipe, full disk), training continues silently."""

    def __init__(self, course: Course, write: Callable[[str], None]) -> None:
        self.course = course
        self._write = write

    def __enter__(self) -> "PlainProgress":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def epoch(self, epoch: Epoch) -> None:
        self.course.add(epoch)
        self._line(self.line())

    def stopping(self) -> None:
        self._line(STOPPING)

    def line(self) -> str:
        """The line of the last epoch.

        >>> course = Course(50, 1000, False, False, now=lambda: 0.0)
        >>> course.add(Epoch(1, 36170.123, 0.4, rate=0.1))
        >>> PlainProgress(course, print).line()
        'epoch  1/50  objective 36,170.12  rate 0.1  0.0 s'
        """
        course = self.course
        epoch = course.history[-1]
        parts = [f"{course.unit} {epoch.number:>{len(str(course.epochs))}}/{course.epochs}"]
        parts.append(f"objective {objective(epoch.objective)}")
        if epoch.scores is not None:
            parts.append(f"dev accuracy {percent(epoch.scores.accuracy)}")
            if course.chunks:
                parts.append(f"F1 {percent(epoch.scores.f1)}")
        if epoch.rate is not None:
            parts.append(f"rate {epoch.rate:g}")
        speed = course.speed(len(course.history) - 1)
        if speed is not None:
            parts.append(f"{speed:,.0f} tokens/s")
        parts.append(duration(course.elapsed()))
        left = course.left()
        if left is not None and epoch.number < course.epochs:
            parts.append(f"at most {duration(left)} left")
        return "  ".join(parts)

    def _line(self, text: str) -> None:
        try:
            self._write(text)
        except OSError:
            self._write = lambda text: None


class LiveProgress:
    """A live display: the last epochs, a progress bar, and a hint about Ctrl-C."""

    def __init__(self, course: Course, console: Console) -> None:
        self.course = course
        self._asked = self._over = False
        self._spinner = Spinner("dots")
        self._live = Live(console=console, get_renderable=self.render, refresh_per_second=8)

    def __enter__(self) -> "LiveProgress":
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        self._live.stop()

    def epoch(self, epoch: Epoch) -> None:
        self.course.add(epoch)

    def stopping(self) -> None:
        self._asked = True

    def render(self) -> RenderableType:
        course = self.course
        if not course.history:
            self._spinner.update(text=Text(f" {course.first} · {clock(course.elapsed())}"))
            return Group(*([Text("")] if self._over else [self._spinner]), *self._foot())
        return Group(self._table(), self._bar(), *self._foot())

    def _table(self) -> Table:
        course = self.course
        table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim")
        heads = [course.unit, "objective", "change"]
        heads += ["dev accuracy"] * course.dev + ["dev F1"] * (course.dev and course.chunks)
        for head in [*heads, "tokens/s", "elapsed"]:
            table.add_column(head, justify="right", no_wrap=True)
        last, best = len(course.history) - 1, course.best_dev()
        for at in range(max(0, last + 1 - SHOWN), last + 1):
            epoch = course.history[at]
            before = course.history[at - 1].objective if at else None
            change = f"{100 * (epoch.objective / before - 1):+.2f} %" if before else ""
            cells = [Text(str(epoch.number)), Text(objective(epoch.objective)), Text(change)]
            if epoch.scores is not None:
                style = "green" if epoch is best else ""
                cells.append(Text(percent(epoch.scores.accuracy), style))
                if course.chunks:
                    cells.append(Text(percent(epoch.scores.f1), style))
            speed = course.speed(at)
            cells += [Text(f"{speed:,.0f}" if speed else ""), Text(clock(course.ends[at + 1] - course.ends[0]))]
            table.add_row(*cells, style="bold" if at == last else "dim")
        return table

    def _bar(self) -> Table:
        course = self.course
        done, left = len(course.history), course.left()
        bar = Table.grid(padding=(0, 2))
        cells: list[RenderableType] = [
            ProgressBar(total=course.epochs, completed=done, width=30),
            Text(f"{done}/{course.epochs}"),
            Text(f"{clock(course.elapsed())} elapsed"),
        ]
        if left is not None and not self._over:
            cells.append(Text(f"at most {clock(left)} left"))
        rate = course.history[-1].rate
        if rate is not None:
            cells.append(Text(f"rate {rate:g}", "dim"))
        cells.append(Text(sparkline([epoch.objective for epoch in course.history]), "cyan"))
        bar.add_row(*cells)
        return bar

    def _foot(self) -> list[Text]:
        if self._over:
            return []
        if self._asked:
            return [Text(STOPPING, "yellow")]
        return [Text("Ctrl-C stops after this pass and saves", "dim")]


def sparkline(values: list[float], width: int = 20) -> str:
    """A curve as at most `width` characters, on a log scale if all values are positive.

    >>> sparkline([8, 4, 2, 1])
    '█▆▃▁'
    """
    step = max(1, -(-len(values) // width))
    shown = values[::-1][::step][::-1]
    if min(shown) > 0:
        shown = [math.log(value) for value in shown]
    low, high = min(shown), max(shown)
    if high <= low:
        return BARS[0] * len(shown)
    return "".join(BARS[round((value - low) / (high - low) * (len(BARS) - 1))] for value in shown)


def open_progress(course: Course, console: Console) -> Progress:
    """A live display on a terminal, else plain lines."""
    if console.is_terminal and not console.is_dumb_terminal:
        return LiveProgress(course, console)
    return PlainProgress(course, lambda text: print(text, flush=True))


def describe(sequences: int, tokens: int) -> str:
    """The size of a corpus, in words.

    >>> describe(1, 23)
    '1 sequence, 23 tokens'
    """
    return f"{count(sequences, 'sequence')}, {count(tokens, 'token')}"
