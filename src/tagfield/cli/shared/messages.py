"""Where a command speaks: results on standard output, progress and notes on standard error, and how much of them.

--quiet      results and errors only
(default)    progress, notes, and what to do next
--verbose    also the details: every option in effect, the objective and ‖θ‖ of each epoch, what the library logs
--json       results as one JSON object; progress and notes stay on standard error
"""

import json
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, TypeAlias

import typer
from rich.console import Console

from tagfield.cli.shared.exit_codes import UsageError

Quiet: TypeAlias = Annotated[bool, typer.Option("-q", "--quiet", help="Print only results and errors.")]
Verbose: TypeAlias = Annotated[bool, typer.Option("-v", "--verbose", help="Print more details on the way.")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]


class NotesConsole(Console):
    """For progress and notes on standard error. A closed pipe silences them and does not stop the work."""

    def __init__(self, quiet: bool) -> None:
        super().__init__(stderr=True, highlight=False, quiet=quiet)

    def on_broken_pipe(self) -> None:
        self.quiet = True


@dataclass(frozen=True)
class Messages:
    """How much a command says, and whether its result is JSON.

    >>> Messages(quiet=True).note("reading")  # nothing: that is not a result
    """

    quiet: bool = False
    verbose: bool = False
    json: bool = False

    def __post_init__(self) -> None:
        if self.quiet and self.verbose:
            raise UsageError("--quiet and --verbose contradict each other; leave one out")

    @cached_property
    def console(self) -> Console:
        """For progress and notes; it prints nothing with --quiet."""
        return NotesConsole(self.quiet)

    def note(self, text: str) -> None:
        """A line on standard error, unless --quiet."""
        if not self.quiet:
            with suppress(OSError):  # a closed pipe must not end the work
                print(text, file=sys.stderr, flush=True)

    def detail(self, text: str) -> None:
        """A line on standard error with --verbose."""
        if self.verbose:
            self.note(text)

    @contextmanager
    def library_log(self) -> Iterator[None]:
        """With --verbose, what the library logs goes to standard error while a block runs."""
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        with logging_to(handler, "tagfield") if self.verbose else nullcontext():
            yield


@contextmanager
def logging_to(handler: logging.Handler, name: str) -> Iterator[None]:
    """Send what a logger says to a handler while a block runs; restores the logger afterwards.

    >>> with logging_to(logging.NullHandler(), "tagfield"):
    ...     logging.getLogger("tagfield").level == logging.INFO
    True
    """
    log = logging.getLogger(name)
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def print_json(record: Mapping[str, Any]) -> None:
    """One JSON object on standard output, indented.

    >>> print_json({"label": "Ö"})
    {
      "label": "Ö"
    }
    """
    sys.stdout.write(json.dumps(record, indent=2, ensure_ascii=False) + "\n")
