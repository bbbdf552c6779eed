"""Checks that a command makes before it starts to work: an hour of training must not end with "permission denied"."""

import os

from tagfield.atomic import write_atomically
from tagfield.encode import Format
from tagfield.errors import InputError, OutputError


def check_format(format: str) -> Format:
    """The format, if there is one of that name."""
    if format == "columns":
        return "columns"
    if format == "items":
        return "items"
    raise InputError(f"there is no format {format!r}; choose columns or items")


def check_target(path: str) -> None:
    """Whether a file can be written there, tried out without leaving a trace."""
    if path == "-":
        raise OutputError("a model is written to a file; give its name")
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        return  # a device or a pipe: opening it would already be an act

    class Tried(Exception):
        pass

    try:
        with write_atomically(path):
            raise Tried
    except Tried:
        pass
