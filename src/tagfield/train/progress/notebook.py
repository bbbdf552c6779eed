"""Progress in a notebook: one HTML table that is updated in place, and a bar. It needs nothing but IPython itself.

    RunStatus ─▶ NotebookProgress ─▶ IPython.display.display(..., display_id=…) ─▶ update after each epoch

Colours are inherited or half transparent, so that the table reads in light and dark themes.
"""

import sys
import time
from types import TracebackType
from typing import Any

from tagfield.system.html import table
from tagfield.train import Epoch
from tagfield.train.progress.figures import clock, percent
from tagfield.train.progress.status import RunStatus

SHOWN = 8  # epochs in the table
PAUSE = 0.2  # seconds between updates: a browser needs no more


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook.

    >>> in_notebook()
    False
    """
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


class NotebookProgress:
    """The last epochs and a bar, updated in the output of a cell."""

    def __init__(self, course: RunStatus) -> None:
        self.course = course
        self._handle: Any = None
        self._shown_at = 0.0
        self._over = False

    def __enter__(self) -> "NotebookProgress":
        from IPython import display as ipython

        show: Any = ipython.display
        self._handle = show(_Html(self.html()), display_id=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        self._update()

    def epoch(self, epoch: Epoch) -> None:
        self.course.add(epoch)
        if time.monotonic() - self._shown_at >= PAUSE:
            self._update()

    def stopping(self) -> None:
        """Nothing to show: a notebook interrupts the cell."""

    def _update(self) -> None:
        self._shown_at = time.monotonic()
        self._handle.update(_Html(self.html()))

    def html(self) -> str:
        """The table and the bar.

        >>> course = RunStatus(4, 100, False, False, now=lambda: 0.0)
        >>> course.add(Epoch(1, 9.0, 0.1, loss=0.5))
        >>> "loss/token" in NotebookProgress(course).html()
        True
        """
        course = self.course
        done, left = len(course.history), course.left()
        words = [f"{course.unit} {done} of {course.epochs}" if done else course.first]
        words += [f"{clock(course.elapsed())} elapsed"]
        words += [f"at most {clock(left)} left"] if left is not None and not self._over else []
        bar = "" if self._over else f'<progress max="{course.epochs}" value="{done}"></progress> '
        return f"<div>{bar}{', '.join(words)}</div>" + (self._table() if done else "")

    def _table(self) -> str:
        course = self.course
        figures, kept = course.figures(), course.kept()
        scored = any(epoch.scores is not None for epoch in course.history)
        heads = [course.unit, *(name for name, _, _ in figures)]
        heads += ["dev accuracy"] * scored + ["dev F1"] * (scored and course.chunks) + ["kept"] * course.dev
        rows = []
        for epoch in course.history[-SHOWN:]:
            row = [str(epoch.number)]
            row += ["" if (found := value(epoch)) is None else text(found) for _, value, text in figures]
            if epoch.scores is not None:
                row += [percent(epoch.scores.accuracy)] + [percent(epoch.scores.f1)] * course.chunks
            rows.append(row + ["best" if epoch is kept else ""] * course.dev)
        return table(heads, rows)


class _Html:
    """What IPython displays, without importing its classes; the text is for consoles that show no HTML."""

    def __init__(self, html: str) -> None:
        self._html = html

    def _repr_html_(self) -> str:
        return self._html

    def __repr__(self) -> str:
        return "training progress (HTML)"
