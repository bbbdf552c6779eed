"""Checks before a command starts to work: an hour of training must not end with "permission denied"."""

import os

from tagfield.atomic import descriptor_of, write_atomically
from tagfield.errors import OutputError


def check_target(path: str) -> None:
    """Raise OutputError if the file cannot be written; leaves nothing behind."""
    if path == "-" or descriptor_of(path) in (0, 1, 2):
        raise OutputError("cannot write to standard output, which is for results; give a file name to -o")
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        return  # a device or a pipe: opening it would have an effect

    class Tried(Exception):
        pass

    try:
        with write_atomically(path):
            raise Tried
    except Tried:
        pass
