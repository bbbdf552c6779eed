"""Ledger: results.jsonl, one line for each thing that happened, safe at every moment.

    {"kind": "experiment", …}     the first line: plan and data
    {"kind": "session", …}        each start: versions and machine
    {"kind": "epoch", "run": …}   after every epoch of every run
    {"kind": "run", "run": …}     the closing line of a run: what it ended with, or why it failed

A line is written, flushed and synced before the next thing happens. Whatever ends the process can only tear the last
line. When the ledger is opened again, a torn line and the epochs of runs without a closing line are dropped: those runs
start anew, and since a seed decides every bit, they end where they would have ended.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, TypeAlias

from tagfield.atomic import write_atomically
from tagfield.errors import InputError, OutputError

try:
    import fcntl
except ImportError:  # Windows: nothing keeps two comparisons from one folder there
    fcntl = None  # type: ignore[assignment]

Line: TypeAlias = dict[str, Any]
NAME = "results.jsonl"
LOCK = ".lock"


class Ledger:
    """The open file of one comparison, for one process at a time.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with Ledger(folder) as ledger:
    ...     ledger.add({"kind": "epoch", "run": "sgd/all/0", "epoch": 1})
    ...     ledger.add({"kind": "run", "run": "sgd/all/0"})
    ...     ledger.add({"kind": "epoch", "run": "pa/all/0", "epoch": 1})
    >>> with Ledger(folder) as ledger:
    ...     [line["kind"] for line in ledger.lines], ledger.finished
    (['epoch', 'run'], {'sgd/all/0'})
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder) / NAME
        self.lines: list[Line] = []
        self._file: IO[bytes] | None = None
        self._lock: IO[bytes] | None = None

    @property
    def finished(self) -> set[str]:
        """The runs with a closing line."""
        return {line["run"] for line in self.lines if line["kind"] == "run"}

    def __enter__(self) -> "Ledger":
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = open(self.path.parent / LOCK, "wb")
        except OSError as error:
            raise OutputError(f"cannot write to {str(self.path.parent)!r}: {error.strerror}") from error
        if fcntl is not None:
            try:
                fcntl.lockf(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # no child inherits this lock
            except OSError:
                self._lock.close()
                raise InputError(
                    f"another comparison is writing to {str(self.path.parent)!r}; wait for it or choose "
                    "another folder"
                ) from None
        kept = closed_lines(read_lines(self.path)) if self.path.exists() else []
        text = b"".join(_encode(line) for line in kept)
        if not self.path.exists() or self.path.read_bytes() != text:
            with write_atomically(self.path) as file:
                file.write(text)
        self.lines = kept
        self._file = open(self.path, "ab")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file in (self._file, self._lock):
            if file is not None:
                file.close()
        self._file = self._lock = None

    def add(self, line: Mapping[str, Any]) -> None:
        """Appends a line; when this returns, it is on the disk."""
        if self._file is None:
            raise ValueError("the ledger is not open")
        try:
            self._file.write(_encode(line))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise OutputError(
                f"cannot write to {str(self.path)!r}: {error.strerror}; what is there is kept, and the same "
                "command goes on from it"
            ) from error
        self.lines.append(dict(line))


def read_lines(path: str | os.PathLike[str]) -> Iterator[Line]:
    """The lines of a ledger; a torn last line is left out.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "results.jsonl")
    >>> _ = path.write_text('{"kind": "session"}\\n{"kind": "ep')
    >>> list(read_lines(path))
    [{'kind': 'session'}]
    """
    raw = Path(path).read_bytes()
    rows = raw.split(b"\n")[:-1]  # what follows the last newline is torn, or nothing
    for number, row in enumerate(rows, 1):
        try:
            line = json.loads(row)
            if not isinstance(line, dict) or not isinstance(line.get("kind"), str):
                raise ValueError("no kind")
            if line["kind"] in ("epoch", "run") and not isinstance(line.get("run"), str):
                raise ValueError("no run")
        except ValueError:
            if number == len(rows):  # a power cut can leave a block of zeros, and even a newline after it
                return
            raise InputError(
                f"{os.fspath(path)}, line {number}: this is not a line of a comparison; remove the line, or "
                "start anew in another folder"
            ) from None
        yield line


def closed_lines(lines: Iterator[Line] | list[Line]) -> list[Line]:
    """The lines without the epochs of runs that have no closing line.

    >>> closed_lines([{"kind": "epoch", "run": "sgd/all/0", "epoch": 1}])
    []
    """
    every = list(lines)
    closed = {line["run"] for line in every if line["kind"] == "run"}
    return [line for line in every if line["kind"] != "epoch" or line["run"] in closed]


def _encode(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
