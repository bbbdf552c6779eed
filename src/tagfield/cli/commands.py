"""The table of commands. To add one, write its file and add its line here.

    tagfield NAME ... ─▶ COMMANDS[NAME] ─▶ import its module ─▶ Typer reads the function's parameters ─▶ guarded call

The summaries are in the table so that `tagfield --help` imports no command.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
import typer.main
from typer.core import TyperCommand

from tagfield import __version__
from tagfield.cli.exits import FAILED, guarded


class Entry(NamedTuple):
    """A command: its function and a one-line summary."""

    where: str  # module:function
    summary: str
    panel: str | None = None  # its panel in `tagfield --help`; None is "Commands"


EXPERIMENTS = "Experiments"

COMMANDS: dict[str, Entry] = {
    "train": Entry("tagfield.cli.train:train", "Train a model on labelled text."),
    "tag": Entry("tagfield.cli.tag:tag", "Label text with a model."),
    "eval": Entry("tagfield.cli.eval:evaluate", "Evaluate a model on labelled text."),
    "tune": Entry("tagfield.cli.tune:tune", "Find the best settings for your data, on all cores."),
    "convert": Entry("tagfield.cli.convert:convert", "Convert labelled data from one format to another."),
    "info": Entry("tagfield.cli.info:info", "Show what is in a model file and how it was trained."),
    "compare": Entry("tagfield.cli.compare:compare", "Compare recipes on your data, on all cores.", EXPERIMENTS),
    "report": Entry("tagfield.cli.report:report", "Write the report of a comparison.", EXPERIMENTS),
    "demo-data": Entry("tagfield.cli.demo_data:demo_data", "Generate a small labelled corpus.", EXPERIMENTS),
    "fetch": Entry("tagfield.cli.fetch:fetch", "Download a public corpus.", EXPERIMENTS),
    "responses": Entry("tagfield.cli.responses:responses", "Plot response functions f(u).", EXPERIMENTS),
}

CONTEXT = {"help_option_names": ["-h", "--help"]}


class Deferred(TyperCommand):
    """A command that is only a name and a summary until it runs; then its file is imported."""

    def __init__(self, name: str, entry: Entry) -> None:
        super().__init__(name, help=entry.summary, rich_help_panel=entry.panel)
        self._where = entry.where

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        module, _, function = self._where.partition(":")
        app = typer.Typer(add_completion=False, rich_markup_mode="rich", context_settings=CONTEXT)
        command = guarded(getattr(import_module(module), function))
        app.command(self.name, help=paragraphs(command.__doc__), context_settings=CONTEXT)(command)
        return typer.main.get_command(app).make_context(info_name, args, parent, **extra)


def paragraphs(text: str | None) -> str:
    """A docstring with each paragraph on one line; the terminal wraps it.

    >>> paragraphs("One line\\n    and one more.\\n\\n    Another paragraph.")
    'One line and one more.\\n\\nAnother paragraph.'
    """
    return "\n\n".join(" ".join(part.split()) for part in (text or "").split("\n\n"))


def _version(wanted: bool) -> None:
    if wanted:
        print(f"tagfield {__version__}")
        raise typer.Exit


def _tagfield(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Label sequences with conditional random fields: names, addresses, chunks, tags.

    tagfield demo-data addresses -o demo
    tagfield train demo/train.txt --dev demo/test.txt -o demo/model
    tagfield eval -m demo/model demo/test.txt
    tagfield tag -m demo/model demo/test.txt
    """


def group() -> Any:
    """The group of all commands.

    >>> sorted(group().commands)[:2]
    ['compare', 'convert']
    """
    app = typer.Typer(add_completion=False, rich_markup_mode="rich", context_settings=CONTEXT)
    app.callback()(_tagfield)
    made: Any = typer.main.get_command(app)
    for name, entry in COMMANDS.items():
        made.add_command(Deferred(name, entry))
    return made


def run(arguments: Sequence[str]) -> int:
    """Run a command line; returns its exit code.

    >>> run(["--version"])
    tagfield 0.1.0
    0
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # do not fail on letters that the terminal cannot show
    try:
        code = group().main(list(arguments) or ["--help"], prog_name="tagfield", standalone_mode=False)
    except Exception as error:
        # A usage error of Typer. Its class differs between versions, so look for its method instead.
        if not hasattr(error, "format_message"):
            raise
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "tagfield"
        message = error.format_message().strip().rstrip(".")
        print(f"{path}: {message[:1].lower()}{message[1:]}; see {path} --help", file=sys.stderr)
        return FAILED
    return code if isinstance(code, int) else 0
