"""`tagfield train`: trains a model on files and saves it.

check the options ─▶ read ─▶ train (progress, log, Ctrl-C) ─▶ save atomically ─▶ print a summary
"""

from typing import Annotated, Any

import typer

from tagfield.cli.checks import check_format, check_target
from tagfield.cli.config import use_config
from tagfield.cli.exits import usage
from tagfield.cli.log import Log
from tagfield.cli.options import FLAGS, offer, with_training_options
from tagfield.cli.training import DEFAULT_TEMPLATE, Data, summarise, train_with_progress
from tagfield.cli.voice import AsJson, Quiet, Verbose, Voice
from tagfield.errors import InputError
from tagfield.model import Model
from tagfield.text.presets import PRESETS
from tagfield.train import RECIPES, Settings
from tagfield.train.choose import dominated
from tagfield.train.recipes import DEFAULT, SKEWED

DATA = "The data"
UPDATE = ("loss", "gamma", "generator", "batch")  # setting one of these selects the recipe ngd


@with_training_options
def train(
    train: Annotated[list[str], typer.Argument(metavar="TRAIN", help="Training files; - is standard input.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="MODEL", help="File to save the model to.")],
    config: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.toml",
            help="Config file with a table \\[train]; options given here win over it.",
            callback=use_config,
            is_eager=True,
        ),
    ] = None,
    log: Annotated[
        str | None, typer.Option(metavar="FILE", help="File for a log with one JSON object per epoch.")
    ] = None,
    dev: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Held-out data, which is scored after each epoch.", rich_help_panel=DATA),
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help=f"Feature template: {', '.join(PRESETS)}, or a CRF++ template file. \\[default: {DEFAULT_TEMPLATE}]",
            rich_help_panel=DATA,
            autocompletion=offer(PRESETS),
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="'w pos y'",
            help="Names of the columns, in order: y is the label, _ is ignored.",
            rich_help_panel=DATA,
        ),
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            metavar="columns|items", help="Input format: CoNLL columns or CRFsuite items.", rich_help_panel=DATA
        ),
    ] = "columns",
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="RECIPE",
            help=f"Training algorithm: {', '.join(RECIPES)}. \\[default: {DEFAULT}, averaged; "
            f"if one label has most of the tokens, {' or '.join(SKEWED.values())}, averaged]",
            rich_help_panel="The training",
            autocompletion=offer(RECIPES),
        ),
    ] = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Train a model on labelled text.

    A column file has one token per line, with columns separated by spaces or tabs and the label last, and an empty line
    after each sentence. With --format items, tagfield reads CRFsuite's item files instead. Files ending in .gz are
    unpacked.
    """
    given = {name: value for name, value in options.items() if value is not None}
    usual = algorithm is None and not any(given.get(name, False) is not False for name in UPDATE)
    if usual:
        given.setdefault("average", True)
    voice = Voice(quiet, verbose, as_json)
    with usage():
        settings = Settings.of(algorithm or (DEFAULT if usual else "ngd"), FLAGS, **given)
        if settings.patience and dev is None:
            raise InputError("--patience needs held-out data; give it with --dev")
        data = Data(train, dev, template, columns, check_format(format))
        data.check()
    check_target(output)
    encoded, held_out = data.read(voice.console)
    if usual and dominated(encoded.dataset):
        settings = Settings.of(SKEWED[settings.features], FLAGS, **given)
        voice.note(f"algorithm  {settings.recipe.name}, averaged, instead of {DEFAULT}, because one label dominates")
    voice.detail("settings   " + ", ".join(f"{name}={value}" for name, value in settings.to_dict().items()))
    trained, interrupted = train_with_progress(encoded, held_out, settings, voice, Log(log))
    model = Model.of(encoded, trained).without_spare_attributes()
    model.save(output)
    summarise(voice, trained, model, output, dev, interrupted)
