"""Ctrl-C while a model trains: once asks to stop after this pass, twice ends at once.

    main thread    waits, and so can hear Ctrl-C ──▶ first: `asked` ──▶ second: KeyboardInterrupt
    worker thread  trains; the kernels run without the interpreter's lock, and look at `asked` after each pass

Without the second thread a signal would be heard only when a pass is over, which may be minutes later.
"""

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, TypeVar

T = TypeVar("T")


class Interrupts:
    """Listens to Ctrl-C while a block runs.

    >>> with Interrupts(lambda: None) as interrupts:
    ...     signal.raise_signal(signal.SIGINT)
    ...     interrupts.asked
    True
    """

    def __init__(self, on_first: Callable[[], None]) -> None:
        self.asked = False
        self._on_first = on_first
        self._before: Any = None

    def __enter__(self) -> "Interrupts":
        self._before = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        self._on_first()


def run_beside(work: Callable[[], T]) -> T:
    """Runs `work` in a second thread while this one waits; returns what it returns, raises what it raises.

    >>> run_beside(lambda: 3)
    3
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=body, name="training", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.2)
    if errors:
        raise errors[0]
    return results[0]
