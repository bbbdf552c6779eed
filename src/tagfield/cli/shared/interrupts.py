"""Ctrl-C during training: the first stops after the current pass, the second stops at once.

    main thread    waits, and receives Ctrl-C ──▶ first: sets `asked` ──▶ second: KeyboardInterrupt
    worker thread  trains; the kernels release the GIL, and training checks `asked` after each pass

With one thread, Python would handle the signal only after the pass, which can take minutes.

`timeout -s INT` and programs that start other programs send the signal to the process and to its group. So signals that
come within TOGETHER seconds of the first are the same Ctrl-C.
"""

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, TypeVar

T = TypeVar("T")
TOGETHER = 0.2


class Interrupts:
    """Handles Ctrl-C while a block runs.

    >>> with Interrupts(lambda: None) as interrupts:
    ...     signal.raise_signal(signal.SIGINT)
    ...     interrupts.asked
    True
    """

    def __init__(self, on_first: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self.asked = False
        self._clock, self._first = clock, 0.0
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
        now = self._clock()
        if self.asked and now - self._first > TOGETHER:
            raise KeyboardInterrupt
        if not self.asked:
            self.asked, self._first = True, now
            self._on_first()


def run_beside(work: Callable[[], T]) -> T:
    """Run `work` in a second thread and wait; returns its result or raises its exception.

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
