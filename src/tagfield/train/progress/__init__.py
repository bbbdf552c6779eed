"""Progress of training, for the command line, notebooks and interactive sessions.

    Epoch ─▶ RunStatus (history, speed, time left) ─┬─▶ terminal.py   a live display, or one line per epoch
                                                 └─▶ notebook.py   one HTML table that is updated

`Model.train(progress=None)` shows it in notebooks and interactive sessions; a script stays silent.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tagfield.data.corpus import Corpus
from tagfield.data.encode import Encoded
from tagfield.train import Settings
from tagfield.train.loop.history import Epoch, OnEpoch
from tagfield.train.progress.notebook import NotebookProgress, in_notebook
from tagfield.train.progress.status import Progress, RunStatus

__all__ = ["Progress", "RunStatus", "show_progress"]


@contextmanager
def show_progress(
    encoded: Encoded | Corpus,
    settings: Settings,
    *,
    dev: bool = False,
    progress: bool | None = None,
    on_epoch: OnEpoch | None = None,
) -> Iterator[OnEpoch | None]:
    """An `on_epoch` for `train` that shows progress and then calls yours.

    progress: True shows it, False does not; None shows it in notebooks and interactive sessions.

    >>> from tagfield.data.encode import encode_sequences
    >>> with show_progress(encode_sequences([[["a"]]], [["X"]]), Settings()) as on_epoch:
    ...     on_epoch is None  # not in a script
    True
    """
    if not (interactive() if progress is None else progress):
        yield on_epoch
        return
    with _display(RunStatus.of(encoded, settings, dev=dev)) as display:

        def show(epoch: Epoch) -> bool | None:
            display.epoch(epoch)
            return on_epoch(epoch) if on_epoch is not None else None

        yield show


def interactive() -> bool:
    """Whether progress is shown by default: in a notebook, and in an interactive session on a terminal."""
    return in_notebook() or (hasattr(sys, "ps1") and sys.stderr is not None and sys.stderr.isatty())


def _display(course: RunStatus) -> Progress:
    if in_notebook():
        return NotebookProgress(course)
    from rich.console import Console

    from tagfield.train.progress.terminal import open_progress

    return open_progress(course, Console(stderr=True, highlight=False), hint="")
