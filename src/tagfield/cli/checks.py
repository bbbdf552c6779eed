"""Checks before a command starts to work: an hour of training must not end with "permission denied"."""

import os

from tagfield.atomic import write_atomically
from tagfield.cli.exits import UsageError
from tagfield.encode import Format
from tagfield.errors import OutputError


def check_format(format: str) -> Format:
    """The format with this name; raises InputError for other names."""
    if format == "columns":
        return "columns"
    if format == "items":
        return "items"
    raise UsageError(f"no format named {format!r}; choose columns or items")


def check_target(path: str) -> None:
    """Raise OutputError if the file cannot be written; leaves nothing behind."""
    if path == "-":
        raise OutputError("cannot write a model to standard output; give a file name to -o")
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        return  # a device or a pipe: opening it would have an effect

    class Tried(Exception):
        pass

    try:
        with write_atomically(path):
            raise Tried
    except Tried:
        pass
