"""The table of commands. To add one, write its file and add its line here.

    tagfield NAME ... ─▶ COMMANDS[NAME] ─▶ import its module ─▶ Typer reads the function's parameters ─▶ guarded call

The summaries are in the table so that `tagfield --help` imports no command. Shell completion goes the same way: a
command's file is imported when its options are completed.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from tagfield import __version__
from tagfield.cli.shared.exit_codes import EXITS, SUCCESS, USAGE, UsageError, guarded
from tagfield.cli.shared.startup import leaving_at_once
from tagfield.errors import did_you_mean, nearest


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
    "errors": Entry("tagfield.cli.errors:errors", "Show a model's errors on one HTML page."),
    "tune": Entry("tagfield.cli.tune:tune", "Find the best settings for your data, on all cores."),
    "pack": Entry("tagfield.cli.pack:pack", "Pack text to train on more than fits in memory."),
    "convert": Entry("tagfield.cli.convert:convert", "Convert labelled data from one format to another."),
    "convert-model": Entry("tagfield.cli.convert_model:convert_model", "Convert a model from one program to another."),
    "serve": Entry("tagfield.cli.serve:serve", "Serve models over HTTP, with a page to try them on."),
    "annotate": Entry("tagfield.cli.annotate:annotate", "Label text by hand, while a model learns and suggests."),
    "template": Entry("tagfield.cli.template:template", "Print a feature template, to change or extend."),
    "info": Entry("tagfield.cli.info:info", "Show what is in a model file and how it was trained."),
    "compare": Entry("tagfield.cli.compare:compare", "Compare recipes on your data, on all cores.", EXPERIMENTS),
    "report": Entry("tagfield.cli.report:report", "Write the report of a comparison.", EXPERIMENTS),
    "demo-data": Entry("tagfield.cli.demo_data:demo_data", "Generate a small labelled corpus.", EXPERIMENTS),
    "fetch": Entry("tagfield.cli.fetch:fetch", "Download a public corpus.", EXPERIMENTS),
    "responses": Entry("tagfield.cli.responses:responses", "Plot response functions f(u).", EXPERIMENTS),
}

CONTEXT = {"help_option_names": ["-h", "--help"]}
EPILOG = "Exit codes: " + ", ".join(f"{code} {text.partition(':')[0]}" for code, text in EXITS.items()) + "."


class Readable:
    """Help without Python's types: a flag takes no value, and an argument's name says what it is."""

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
            elif param.param_type_name == "argument":
                param.display_type_rich = lambda ctx: ""
        return params


class Command(Readable, TyperCommand):
    """A command with readable help."""


class Commands(Readable, TyperGroup):
    """The group of commands with readable help."""


class Deferred(TyperCommand):
    """A command that is only a name and a summary until it runs; then its file is imported."""

    def __init__(self, name: str, entry: Entry) -> None:
        super().__init__(name, help=entry.summary, rich_help_panel=entry.panel)
        self._where = entry.where

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        module, _, function = self._where.partition(":")
        app = typer.Typer(add_completion=False, rich_markup_mode="rich", context_settings=CONTEXT)
        with leaving_at_once():
            found = import_module(module)
        command = guarded(getattr(found, function))
        app.command(self.name, cls=Command, help=paragraphs(command.__doc__), context_settings=CONTEXT)(command)
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
    ['annotate', 'compare']
    """
    app = typer.Typer(cls=Commands, add_completion=True, rich_markup_mode="rich", context_settings=CONTEXT)
    app.callback(epilog=EPILOG)(_tagfield)
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
    if arguments and not arguments[0].startswith("-") and arguments[0] not in COMMANDS:
        print(f"tagfield: no command named {arguments[0]!r}; {did_you_mean(arguments[0], COMMANDS)}", file=sys.stderr)
        return USAGE
    try:
        code = group().main(list(arguments) or ["--help"], prog_name="tagfield", standalone_mode=False)
    except UsageError as error:
        print(f"tagfield: {' '.join(str(error).split())}", file=sys.stderr)
        return USAGE
    except SystemExit:
        return SUCCESS  # rich ends the process so where the reader has closed the pipe, as `| head` does
    except Exception as error:
        # A usage error of Typer. Its class differs between versions, so look for its method instead.
        if not hasattr(error, "format_message"):
            raise
        print(explain(error), file=sys.stderr)
        return USAGE
    return code if isinstance(code, int) else 0


def explain(error: Any) -> str:
    """A usage error of Typer as one sentence, with the nearest option if there is no such option."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "tagfield"
    wrong = getattr(error, "option_name", None)
    if wrong and context is not None and error.message.lower().startswith("no such option"):
        known = [name for each in context.command.get_params(context) for name in (*each.opts, *each.secondary_opts)]
        close = nearest(wrong.lstrip("-"), [name[2:] for name in known if name.startswith("--")])
        hint = f"did you mean --{close}?" if close else f"see {path} --help"
        return f"{path}: no option named {wrong}; {hint}"
    message = " ".join(error.format_message().split()).rstrip(".")
    parameter = getattr(getattr(error, "param", None), "name", None)
    file = file_of(context, parameter) if context else None
    where = f", in {file}" if file else ""
    return f"{path}: {message[:1].lower()}{message[1:]}{where}; see {path} --help"


def file_of(context: Any, parameter: Any) -> str | None:
    """The config file that the value of a parameter comes from; None if the command line gives it, or nothing does."""
    source = context.get_parameter_source(parameter)
    found: dict[Any, str] = context.meta.get(FROM_FILE, {})
    return found.get(parameter) if source is not None and source.name == "DEFAULT_MAP" else None


FROM_FILE = "tagfield.config"  # in a context's meta: parameter → the config file that it comes from (config_file.py)
