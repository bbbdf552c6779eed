"""A config file for `tagfield train --config FILE`: options in TOML, so that a run can be repeated and shared.

    [train]                      ─▶ one key per long option, without its dashes
    train = "train.txt"             TRAIN: a file name, or a list of them
    output = "model"
    algorithm = "adaptive"
    average = true                  --average; false is --no-average
    min-count = 2                   min_count is the same

    command line  over  config file  over  defaults

The file is read only if you name it; there is no file that tagfield looks for. Other tables are left alone.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from tagfield.cli.commands import FROM_FILE
from tagfield.cli.shared.exit_codes import UsageError
from tagfield.errors import did_you_mean

NOT_IN_FILES = {"config", "help"}


def read_config(path: str, table: str, names: Mapping[str, str]) -> dict[str, Any]:
    """The options in one table of a config file, as parameter → value.

    names: The options that there are: their names without dashes → parameter.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "tagfield.toml")
    >>> _ = file.write_text("[train]\\nmin-count = 2\\nepochs = 5\\n")
    >>> read_config(str(file), "train", {"min-count": "min_count", "epochs": "epochs"})
    {'min_count': 2, 'epochs': 5}
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"cannot read the config file {path!r}: {reason}") from None
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a plain ValueError
        raise UsageError(f"{path}: not a TOML file: {error}") from None
    options = found.get(table)
    if not isinstance(options, dict):
        stray = next((key for key, value in found.items() if not isinstance(value, dict)), None)
        hint = f"; put {stray!r} and the other options below a line [{table}]" if stray else f"; add a line [{table}]"
        raise UsageError(f"{path}: there is no table [{table}]{hint}")
    values: dict[str, Any] = {}
    for key, value in options.items():
        name = key.replace("_", "-")
        if name not in names:
            raise UsageError(f"{path}: [{table}] has no option named {key!r}; {did_you_mean(name, names, 8)}")
        if names[name] in values:
            raise UsageError(f"{path}: [{table}] has the option {name!r} twice")
        plain = (str, int, float, bool)
        if not isinstance(value, plain) and not (isinstance(value, list) and all(isinstance(v, str) for v in value)):
            raise UsageError(f"{path}: [{table}] {key} must be a text, a number or true or false, got {value!r}")
        values[names[name]] = value
    return values


def use_config(context: typer.Context, path: str | None) -> str | None:
    """The callback of --config: what the file says becomes the default of each option of the command."""
    if path is None or context.resilient_parsing:
        return path
    table = str(context.info_name)
    names = {
        max(each.opts, key=len).lstrip("-").replace("_", "-"): str(each.name)
        for each in context.command.get_params(context)
    }
    names = {shown: name for shown, name in names.items() if shown not in NOT_IN_FILES}
    values = read_config(path, table, names)
    flags = {each.name for each in context.command.get_params(context) if getattr(each, "is_flag", False)}
    several = {each.name for each in context.command.params if each.nargs == -1 or getattr(each, "multiple", False)}
    for name, value in values.items():
        if isinstance(value, list) and name not in several:
            raise UsageError(f"{path}: [{table}] {name.replace('_', '-')} takes one value, got a list")
        if (name in flags) != isinstance(value, bool):
            wanted = "true or false" if name in flags else "a text or a number"
            raise UsageError(f"{path}: [{table}] {name.replace('_', '-')} must be {wanted}, got {value!r}")
    values |= {name: [value] for name, value in values.items() if name in several and not isinstance(value, list)}
    context.default_map = {**(context.default_map or {}), **values}
    context.meta[FROM_FILE] = dict.fromkeys(values, path)
    return path
