"""`tagfield train`: files in, a model file out.

check what can be checked ─▶ read ─▶ train (Ctrl-C, progress, log) ─▶ save, whole or not at all ─▶ summary
"""

from typing import Annotated, Any

import typer
from rich.console import Console

from tagfield.cli.checks import check_format, check_target
from tagfield.cli.log import Log
from tagfield.cli.options import FLAGS, with_training_options
from tagfield.cli.training import DEFAULT_TEMPLATE, Data, summarise, train_with_progress
from tagfield.errors import InputError
from tagfield.model import Model
from tagfield.text.presets import PRESETS
from tagfield.train import RECIPES, Settings
from tagfield.train.choose import dominated
from tagfield.train.recipes import DEFAULT, SKEWED

DATA = "The data"
UPDATE = ("loss", "gamma", "generator", "batch")  # naming one of these asks for the recipe ngd


@with_training_options
def train(
    train: Annotated[
        list[str], typer.Argument(metavar="TRAIN", help="Files to learn from; - is standard input.")
    ],
    output: Annotated[str, typer.Option("-o", "--output", metavar="MODEL", help="Model file to write.")],
    log: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write one JSON object per epoch to this file.")
    ] = None,
    dev: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Held-out data, scored after each epoch.", rich_help_panel=DATA),
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help=f"{', '.join(PRESETS)}, or a CRF++ template file. \\[default: {DEFAULT_TEMPLATE}]",
            rich_help_panel=DATA,
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
        typer.Option(metavar="columns|items", help="CoNLL columns or CRFsuite items.", rich_help_panel=DATA),
    ] = "columns",
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="RECIPE",
            help=f"{', '.join(RECIPES)}. "
            f"\\[default: {DEFAULT}, averaged; where one label dominates, {' or '.join(SKEWED.values())}, averaged]",
            rich_help_panel="The training",
        ),
    ] = None,
    **options: Any,
) -> None:
    """Train a model on column files or item files.

    Write one token per line, with its columns separated by white space and the label last, and an empty line after
    each sentence; or use CRFsuite's item lines. Files ending in .gz are unpacked as they are read.
    """
    given = {name: value for name, value in options.items() if value is not None}
    usual = algorithm is None and not given.keys() & set(UPDATE)
    if usual:
        given.setdefault("average", True)
    settings = Settings.of(algorithm or (DEFAULT if usual else "ngd"), FLAGS, **given)
    if settings.patience and dev is None:
        raise InputError("--patience needs held-out data to score on; give --dev")
    data = Data(train, dev, template, columns, check_format(format))
    data.check()
    check_target(output)
    console = Console(highlight=False)
    encoded, held_out = data.read(console)
    if usual and dominated(encoded.dataset):
        settings = Settings.of(SKEWED[settings.features], FLAGS, **given)
        console.print(
            f"algorithm  {settings.recipe.name}, averaged, instead of {DEFAULT}, since one label dominates"
        )
    trained, interrupted = train_with_progress(encoded, held_out, settings, console, Log(log))
    model = Model.of(encoded, trained)
    model.save(output)
    summarise(console, trained, model, output, dev, interrupted)
