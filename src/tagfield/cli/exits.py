"""Exit codes: 0 for success, 2 for an error with one sentence on stderr, 130 after Ctrl-C.

Any other exception is a bug in tagfield and shows its traceback.
"""

import functools
import os
import sys
import threading
from collections.abc import Callable
from typing import ParamSpec

import typer

from tagfield.errors import TagfieldError

FAILED = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells count

P = ParamSpec("P")


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """The command, with exceptions turned into one sentence and an exit code.

    >>> def fail() -> None:
    ...     raise TagfieldError("it rains")
    >>> try:
    ...     guarded(fail)()
    ... except typer.Exit as end:
    ...     end.exit_code
    2
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()  # a full disk or a closed pipe must fail here, while it can be reported
        except BrokenPipeError:
            # The reader has closed the pipe, as `| head` does. That is not an error.
            _silence(sys.stdout)
        except KeyboardInterrupt:
            _interrupted()
        except TagfieldError as error:
            _fail(str(error))
        except MemoryError:
            _fail("out of memory; try --features observed, a higher --min-count, or less data")
        except OSError as error:
            what = "standard output" if error.filename is None else repr(error.filename)
            _silence(sys.stdout)
            _fail(f"cannot use {what}: {error.strerror or error}")

    return run


def _fail(message: str) -> None:
    _say(f"tagfield: {' '.join(message.split())}")
    raise typer.Exit(FAILED)


def _interrupted() -> None:
    _say("tagfield: interrupted; nothing was written")
    if threading.active_count() > 1:
        # A kernel cannot be interrupted during a pass, so end the process.
        os._exit(INTERRUPTED)
    raise typer.Exit(INTERRUPTED)


def _say(text: str) -> None:
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        _silence(sys.stderr)


def _silence(stream: object) -> None:
    """Discard buffered output; otherwise Python reports an error at exit."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # type: ignore[attr-defined]
        os.close(nowhere)
    except (OSError, ValueError, AttributeError):
        pass
