"""ResultsFile: the append-only file results.jsonl, which survives a crash at any moment.

    {"kind": "experiment", …}     the first line: plan and data
    {"kind": "session", …}        one per start of `compare`: versions and machine
    {"kind": "epoch", "run": …}   one per epoch of every run
    {"kind": "run", "run": …}     the last line of a run: its results, or why it failed

Each line is synced to disk before training continues, so a crash can damage only the last line. Opening the file drops
a damaged last line and the epochs of unfinished runs. Those runs start again, and because the seed determines every
bit, they give the same results.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, TypeAlias

from tagfield.errors import InputError, OutputError
from tagfield.system.atomic import write_atomically

try:
    import fcntl
except ImportError:  # Windows: two comparisons in one folder are not detected
    fcntl = None  # type: ignore[assignment]

Line: TypeAlias = dict[str, Any]
RESULTS_FILE = "results.jsonl"
LOCK_FILE = ".lock"


class ResultsFile:
    """The results file of one comparison, open in one process at a time.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with ResultsFile(folder) as file:
    ...     file.add({"kind": "epoch", "run": "sgd/all/0", "epoch": 1})
    ...     file.add({"kind": "run", "run": "sgd/all/0"})
    ...     file.add({"kind": "epoch", "run": "pa/all/0", "epoch": 1})
    >>> with ResultsFile(folder) as file:
    ...     [line["kind"] for line in file.lines], file.finished
    (['epoch', 'run'], {'sgd/all/0'})
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder) / RESULTS_FILE
        self.lines: list[Line] = []
        self._file: IO[bytes] | None = None
        self._lock: IO[bytes] | None = None

    @property
    def finished(self) -> set[str]:
        """The keys of the finished runs, failed ones included."""
        return {line["run"] for line in self.lines if line["kind"] == "run"}

    def __enter__(self) -> "ResultsFile":
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = open(self.path.parent / LOCK_FILE, "wb")
        except OSError as error:
            raise OutputError(f"cannot write to {str(self.path.parent)!r}: {error.strerror}") from error
        if fcntl is not None:
            try:
                fcntl.lockf(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # no child inherits this lock
            except OSError:
                self._lock.close()
                raise InputError(
                    f"another comparison is writing to {str(self.path.parent)!r}; wait until it finishes, or "
                    "choose another folder"
                ) from None
        kept = without_unfinished_runs(read_lines(self.path)) if self.path.exists() else []
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
        """Append a line and sync it to disk."""
        if self._file is None:
            raise ValueError("the results file is not open")
        try:
            self._file.write(_encode(line))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise OutputError(
                f"cannot write to {str(self.path)!r}: {error.strerror}; the results so far are kept, and the "
                "same command resumes from them"
            ) from error
        self.lines.append(dict(line))


def read_lines(path: str | os.PathLike[str]) -> Iterator[Line]:
    """The lines of a results file, without a damaged last line.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "results.jsonl")
    >>> _ = path.write_text('{"kind": "session"}\\n{"kind": "ep')
    >>> list(read_lines(path))
    [{'kind': 'session'}]
    """
    raw = Path(path).read_bytes()
    rows = raw.split(b"\n")[:-1]  # text after the last newline is an unfinished line
    for number, row in enumerate(rows, 1):
        try:
            line = json.loads(row)
            if not isinstance(line, dict) or not isinstance(line.get("kind"), str):
                raise ValueError("no kind")
            if line["kind"] in ("epoch", "run") and not isinstance(line.get("run"), str):
                raise ValueError("no run")
        except ValueError:
            if number == len(rows):  # a power cut can leave zero bytes, even before a newline
                return
            raise InputError(
                f"{os.fspath(path)}, line {number}: not a line of a comparison; delete this line, or use another folder"
            ) from None
        yield line


def without_unfinished_runs(lines: Iterator[Line] | list[Line]) -> list[Line]:
    """Drop the epochs of runs that have not finished.

    >>> without_unfinished_runs([{"kind": "epoch", "run": "sgd/all/0", "epoch": 1}])
    []
    """
    every = list(lines)
    finished = {line["run"] for line in every if line["kind"] == "run"}
    return [line for line in every if line["kind"] != "epoch" or line["run"] in finished]


def _encode(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
