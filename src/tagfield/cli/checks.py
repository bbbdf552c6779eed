"""What a command looks at before it starts to work: an hour of training must not end with "permission denied"."""

import os

from tagfield.atomic import write_atomically
from tagfield.encode import Format
from tagfield.errors import InputError, OutputError
from tagfield.train import Settings
from tagfield.train.recipes import find_recipe
from tagfield.train.trainers import update_of


def check_format(format: str) -> Format:
    """The format, if there is one of that name."""
    if format == "columns":
        return "columns"
    if format == "items":
        return "items"
    raise InputError(f"there is no format {format!r}; choose columns or items")


def check_settings(settings: Settings, *, has_dev: bool) -> None:
    """What would go wrong only after the data is read, looked for at once."""
    find_recipe(settings.recipe)
    for kind in (settings.features, settings.transitions):
        if kind not in ("observed", "all", None):
            raise InputError(f"there is no feature set {kind!r}; choose observed or all")
    if settings.patience and not has_dev:
        raise InputError("--patience needs held-out data to look at; give --dev")
    settings.check_values(has_dev)
    if settings.recipe == "ngd" and settings.generator != "auto":
        update_of(settings)
    if settings.min_count < 1:
        raise InputError(f"the minimum count is a number from 1 on, not {settings.min_count}")
    if settings.seed < 0:
        raise InputError(f"the seed is a number from 0 on, not {settings.seed}")


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
