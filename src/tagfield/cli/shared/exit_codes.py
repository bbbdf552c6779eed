"""Exit codes, and errors as one sentence on stderr.

2 is what shells and Python's own parsers use for wrong usage, and 130 is 128 + SIGINT. Bad data has a code of its own,
because a script can repair a file or skip it, but cannot repair its own command line. It is 3 rather than the 65 and 66
of sysexits.h, which few programs use and few people know. Any other exception is a bug in tagfield and shows its
traceback, with Python's exit code 1.
"""

import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec

import typer

from tagfield.cli.shared.startup import INTERRUPTED, silence
from tagfield.errors import InputError, MemoryLimitError, ModelFileError, TagfieldError

SUCCESS, FAILED, USAGE, DATA = 0, 1, 2, 3
EXITS = {  # what `tagfield --help` and docs/cli.md list
    SUCCESS: "success",
    FAILED: "failure: no space, no memory, no network, or training that diverged",
    USAGE: "wrong usage: a command, an option, a template or a config file",
    DATA: "bad data: an input file or a model that is missing or damaged",
    INTERRUPTED: "interrupted by Ctrl-C",
}


class UsageError(InputError):
    """An option or an argument of a command is wrong."""


@contextmanager
def usage() -> Iterator[None]:
    """Within it, an InputError is about an option, not about data.

    >>> with usage():
    ...     raise InputError("--c2 must be ≥ 0, got -1")
    Traceback (most recent call last):
    tagfield.cli.shared.exit_codes.UsageError: --c2 must be ≥ 0, got -1
    """
    try:
        yield
    except InputError as error:
        raise UsageError(str(error)) from None


def code_of(error: TagfieldError) -> int:
    """The exit code of an error.

    >>> code_of(UsageError("")), code_of(InputError("")), code_of(TagfieldError(""))
    (2, 3, 1)
    """
    if isinstance(error, UsageError):
        return USAGE
    if isinstance(error, MemoryLimitError):
        return FAILED
    return DATA if isinstance(error, InputError | ModelFileError) else FAILED


P = ParamSpec("P")


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """The command, with exceptions turned into one sentence and an exit code.

    >>> def fail() -> None:
    ...     raise TagfieldError("it rains")
    >>> try:
    ...     guarded(fail)()
    ... except typer.Exit as end:
    ...     end.exit_code
    1
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()  # a full disk or a closed pipe must fail here, while it can be reported
        except BrokenPipeError:
            # The reader has closed the pipe, as `| head` does. That is not an error.
            silence(sys.stdout)
        except KeyboardInterrupt:
            _interrupted()
        except TagfieldError as error:
            _fail(str(error), code_of(error))
        except MemoryError:
            _fail("out of memory; try --features observed, a higher --min-count, or less data")
        except OSError as error:
            what = "standard output" if error.filename is None else repr(error.filename)
            silence(sys.stdout)
            _fail(f"cannot use {what}: {error.strerror or error}")

    return run


def _fail(message: str, code: int = FAILED) -> None:
    _say(f"tagfield: {' '.join(message.split())}")
    raise typer.Exit(code)


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
        silence(sys.stderr)
