"""The log: one JSON object per line on standard error. It never has the text of a request.

    {"time": "2026-01-31T12:00:00.000Z", "level": "info", "message": "listening", "address": "http://127.0.0.1:8000"}

On a terminal, where a person reads it, a line is plain: 12:00:00 listening  address http://127.0.0.1:8000
"""

import json
import logging
import os
import sys
import time
import traceback
from contextlib import suppress
from typing import Any, TextIO


def log(level: str, message: str, **fields: Any) -> None:
    """Write a line. A closed or full standard error must not stop the service.

    >>> import contextlib, io
    >>> with contextlib.redirect_stderr(io.StringIO()) as said:
    ...     log("info", "listening", port=8000)
    >>> json.loads(said.getvalue())["port"]
    8000
    """
    now = time.time()
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"
    record = {"time": stamp, "level": level, "message": message, **fields}
    with suppress(OSError, ValueError):
        plain = sys.stderr.isatty()
        line = spoken(record) if plain else json.dumps(record, ensure_ascii=False, default=str)
        print(line, file=sys.stderr, flush=True)


def spoken(record: dict[str, Any]) -> str:
    """A line of the log for a person.

    >>> spoken({"time": "2026-01-31T12:00:00.000Z", "level": "info", "message": "listening", "port": 8000})
    '12:00:00 listening  port 8000'
    """
    more = [f"{name} {value}" for name, value in record.items() if name not in ("time", "level", "message")]
    return "  ".join([f"{record['time'][11:19]} {record['message']}", *more])


class JsonHandler(logging.Handler):
    """The errors that uvicorn and asyncio log, as lines of the same kind; their warnings are about what is not HTTP.

    >>> JsonHandler().level == logging.ERROR
    True
    """

    def __init__(self) -> None:
        super().__init__(logging.ERROR)

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        fields = {} if error is None else place_of(error)
        log(record.levelname.lower(), record.getMessage().strip(), source=record.name, **fields)


def log_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning of Python for the log, in place of `warnings.showwarning`; its message may have text of a request."""
    log("warning", "Python warns", kind=category.__name__, where=f"{os.path.basename(filename)}:{lineno}")


def place_of(error: BaseException) -> dict[str, Any]:
    """An unexpected error for the log: its type and where it was raised. Its message may have text of a request.

    >>> try:
    ...     int("a secret")
    ... except ValueError as error:
    ...     place_of(error)["error"]
    'ValueError'
    """
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    places = [f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames]
    return {"error": type(error).__name__, "where": places}
