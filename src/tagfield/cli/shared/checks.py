"""Checks before a command starts to work: an hour of training must not end with "permission denied"."""

import os
from collections.abc import Iterable

from tagfield.cli.shared.exit_codes import UsageError
from tagfield.errors import InputError, OutputError
from tagfield.model.model import Model
from tagfield.system.atomic import descriptor_of, write_atomically


def check_inputs(path: str, inputs: Iterable[str | None]) -> None:
    """Raise UsageError if an output file is also an input file: your data must not be replaced by accident."""
    for each in inputs:
        if each and os.path.exists(each) and os.path.exists(path) and os.path.samefile(each, path):
            raise UsageError(f"{path} is an input file; give another name to the output")


def check_reads_files(model: Model, path: str) -> None:
    """Raise InputError for a model that no file can feed: without a template, nothing gives the edge attributes."""
    if model.template is None and model.edges:
        raise InputError(
            f"{path} has transitions that look at the input and no template, so it reads no files; in Python, use "
            "model.tag(X, edges=…) (docs/formats.md, also for Wapiti's raw mode)"
        )


def check_model_target(path: str, inputs: Iterable[str | None]) -> None:
    """Raise an error before training if the model cannot or should not be written to this file."""
    check_inputs(path, inputs)
    check_target(path)
    if os.path.isfile(path) and os.path.getsize(path):
        with open(path, "rb") as file:
            start = file.read(9)
        if start[8:] != b"{":
            raise OutputError(f"{path} exists and is not a model; give another name to -o, or delete the file first")


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
