"""Turns the options of tagfield/train into parameters of a command, so that each is written only once."""

import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeVar

import typer

from tagfield.train.recipes.catalogue import all_options
from tagfield.train.recipes.fields import Found
from tagfield.train.recipes.settings import shown_default

F = TypeVar("F", bound=Callable[..., None])


def flag(name: str) -> str:
    """The name of an option on the command line.

    >>> flag("min_count")
    '--min-count'
    """
    return f"--{name.replace('_', '-')}"


FLAGS = {name: flag(name) for name in all_options()}


def with_training_options(command: F) -> F:
    """Add one parameter per training option to a command with `**options`; None means that it is not set."""
    own = [p for p in inspect.signature(command).parameters.values() if p.kind is not p.VAR_KEYWORD]
    made = [_parameter(found) for found in all_options().values()]
    command.__signature__ = inspect.Signature([*own, *made])  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in [*own, *made]} | {"return": None}
    return command


def offer(names: Iterable[str]) -> Callable[[str], list[str]]:
    """For shell completion: the names that begin with what was typed.

    >>> offer(["lbfgs", "sgd"])("s")
    ['sgd']
    """
    offered = list(names)
    return lambda incomplete: [name for name in offered if name.startswith(incomplete)]


def _parameter(found: Found) -> inspect.Parameter:
    option, kind = found.option, found.kind
    names = [flag(found.name)]
    if kind is bool:
        names = [f"{names[0]}/--no-{names[0][2:]}"]
    metavar = None if kind is bool else option.metavar or ("|".join(option.choices) if option.choices else "N")
    typed: Any = kind if kind in (bool, int, float) and option.choices is None else str
    shown = typer.Option(
        *names,
        metavar=metavar,
        help=f"{option.help} \\[default: {shown_default(found)}]",
        rich_help_panel=option.group or None,
        show_default=False,
        autocompletion=offer(option.choices) if option.choices else None,
    )
    annotation = Annotated[typed | None, shown]
    return inspect.Parameter(found.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
