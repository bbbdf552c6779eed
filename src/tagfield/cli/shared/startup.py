"""What the process starts with: standard streams that may be closed, and Ctrl-C while modules are imported.

Nothing but the standard library is imported here, so that it is in force before the imports that take time.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

INTERRUPTED = 130  # 128 + SIGINT, as shells count


def open_closed_streams() -> None:
    """Open the null device in place of each standard stream that is closed (`>&-`), for Python has None there."""
    for descriptor, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def flush_streams() -> None:
    """Write what is buffered; where the reader has closed the pipe, drop it, or Python would exit with code 120."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            silence(stream)


def silence(stream: Any) -> None:
    """Discard what a stream has buffered; otherwise Python reports an error at exit."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


@contextmanager
def leaving_at_once() -> Iterator[None]:
    """Within it, Ctrl-C ends the process with one line: an import that is interrupted shows a traceback.

    >>> with leaving_at_once():
    ...     import json
    """
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) in (
        signal.SIG_IGN,
        None,
    ):
        yield
        return
    before = signal.signal(signal.SIGINT, _leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _leave(*_: Any) -> None:
    os.write(2, b"tagfield: interrupted; nothing was written\n")
    os._exit(INTERRUPTED)
