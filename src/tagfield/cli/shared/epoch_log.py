"""The log of a training run: one line of JSON per epoch, written immediately."""

import json
from contextlib import suppress

from tagfield.errors import OutputError
from tagfield.train import Epoch


class Log:
    """A new log file; does nothing without a path. If writing fails, training continues and `trouble` has the reason.

    >>> log = Log(None)
    >>> log.add(Epoch(1, 2.5, 0.1))
    >>> log.trouble
    ''
    """

    def __init__(self, path: str | None) -> None:
        self.trouble = ""
        self._file = None
        if path is None:
            return
        try:
            self._file = open(path, "wb", buffering=0)  # noqa: SIM115 - it stays open during the run
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise OutputError(f"cannot write the log {path!r}: {reason}; give another name") from None

    def add(self, epoch: Epoch) -> None:
        if self._file is None or self.trouble:
            return
        try:
            self._file.write(json.dumps(epoch.to_dict()).encode() + b"\n")
        except OSError as error:
            self.trouble = error.strerror or str(error)

    def close(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
