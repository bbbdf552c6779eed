"""Progress on a terminal: a live display, or one line per epoch elsewhere; nothing if the console is quiet.

RunStatus ─┬─▶ LiveProgress   one display that redraws itself
        └─▶ PlainProgress  one line per epoch, flushed
"""

import math
from collections.abc import Callable
from types import TracebackType

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from tagfield.train import Epoch
from tagfield.train.progress.figures import clock, count, duration, percent
from tagfield.train.progress.status import Progress, RunStatus

CTRL_C = "Ctrl-C stops after this pass and saves"
STOPPING = "stopping after this pass, then saving · press Ctrl-C again to quit without saving"
SHOWN = 8  # epochs in the live table
BARS = "▁▂▃▄▅▆▇█"


class PlainProgress:
    """One line per epoch. If a line cannot be written (closed pipe, full disk), training continues silently."""

    def __init__(self, course: RunStatus, write: Callable[[str], None]) -> None:
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

        >>> course = RunStatus(50, 1000, False, False, now=lambda: 0.0)
        >>> course.add(Epoch(1, 36170.123, 0.4, rate=0.1))
        >>> PlainProgress(course, print).line()
        'epoch  1/50  objective 36,170.12  rate 0.1  0.0 s'
        >>> course.add(Epoch(2, 36170.123, 0.4, loss=0.25))
        >>> PlainProgress(course, print).line().partition("  at most")[0]
        'epoch  2/50  loss/token 0.2500  0.0 s'
        """
        course = self.course
        epoch = course.history[-1]
        parts = [f"{course.unit} {epoch.number:>{len(str(course.epochs))}}/{course.epochs}"]
        for name, value, text in course.figures():
            found = value(epoch)
            parts += [f"{name} {text(found)}"] if found is not None else []
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
        if course.dev and epoch.best:
            parts.append("best so far")
        return "  ".join(parts)

    def _line(self, text: str) -> None:
        try:
            self._write(text)
        except OSError:
            self._write = lambda text: None


class LiveProgress:
    """A live display: the last epochs, a progress bar, and a hint, such as what Ctrl-C does."""

    def __init__(self, course: RunStatus, console: Console, hint: str = CTRL_C) -> None:
        self.course = course
        self._hint = hint
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
        (first, value, text), *more = course.figures()
        heads = [course.unit, first, "change", *(name for name, _, _ in more)]
        heads += ["dev accuracy"] * course.dev + ["dev F1"] * (course.dev and course.chunks)
        for head in [*heads, "tokens/s", "elapsed", *(["kept"] * course.dev)]:
            table.add_column(head, justify="right", no_wrap=True)
        last, kept = len(course.history) - 1, course.kept()
        for at in range(max(0, last + 1 - SHOWN), last + 1):
            epoch = course.history[at]
            now, before = value(epoch), value(course.history[at - 1]) if at else None
            change = f"{100 * (now / before - 1):+.2f} %" if before and now is not None else ""
            cells = [Text(str(epoch.number)), Text("" if now is None else text(now)), Text(change)]
            cells += [Text("" if (found := get(epoch)) is None else form(found)) for _, get, form in more]
            style = "green" if epoch is kept else ""
            if epoch.scores is not None:
                cells.append(Text(percent(epoch.scores.accuracy), style))
                if course.chunks:
                    cells.append(Text(percent(epoch.scores.f1), style))
            speed = course.speed(at)
            cells += [Text(f"{speed:,.0f}" if speed else ""), Text(clock(course.ends[at + 1] - course.ends[0]))]
            cells += [Text("best" if epoch is kept else "", style)] * course.dev
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
        _, value, _ = course.figures()[0]
        curve = [found for epoch in course.history if (found := value(epoch)) is not None and math.isfinite(found)]
        cells.append(Text(sparkline(curve), "cyan"))
        bar.add_row(*cells)
        return bar

    def _foot(self) -> list[Text]:
        if self._over:
            return []
        if self._asked:
            return [Text(STOPPING, "yellow")]
        return [Text(self._hint, "dim")] if self._hint else []


def sparkline(values: list[float], width: int = 20) -> str:
    """A curve as at most `width` characters, on a log scale if all values are positive.

    >>> sparkline([8, 4, 2, 1])
    '█▆▃▁'
    """
    if not values:
        return ""
    step = max(1, -(-len(values) // width))
    shown = values[::-1][::step][::-1]
    if min(shown) > 0:
        shown = [math.log(value) for value in shown]
    low, high = min(shown), max(shown)
    if high <= low:
        return BARS[0] * len(shown)
    return "".join(BARS[round((value - low) / (high - low) * (len(BARS) - 1))] for value in shown)


def open_progress(course: RunStatus, console: Console, hint: str = CTRL_C) -> Progress:
    """A live display on a terminal, else plain lines; nothing if the console is quiet."""
    if console.quiet:
        return PlainProgress(course, lambda text: None)
    if console.is_terminal and not console.is_dumb_terminal:
        return LiveProgress(course, console, hint)
    return PlainProgress(course, lambda text: print(text, file=console.file, flush=True))


def describe(sequences: int, tokens: int) -> str:
    """The size of a corpus, in words.

    >>> describe(1, 23)
    '1 sequence, 23 tokens'
    """
    return f"{count(sequences, 'sequence')}, {count(tokens, 'token')}"
