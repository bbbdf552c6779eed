"""`tagfield train`: trains a model on files and saves it.

check the options ─▶ read ─▶ train (progress, log, Ctrl-C) ─▶ save atomically ─▶ print a summary
"""

import os
from typing import Annotated, Any

import typer

from tagfield.cli.commands import file_of
from tagfield.cli.shared.checks import check_model_target
from tagfield.cli.shared.cluster_options import (
    Checkpoints,
    ClusterAddress,
    Mixes,
    Shares,
    Workers,
    starting,
    trainer_of,
)
from tagfield.cli.shared.config_file import use_config
from tagfield.cli.shared.epoch_log import Log
from tagfield.cli.shared.exit_codes import usage
from tagfield.cli.shared.messages import AsJson, Messages, Quiet, Verbose
from tagfield.cli.shared.reading_options import with_reading_options
from tagfield.cli.shared.training_options import FLAGS, offer, with_training_options
from tagfield.cli.shared.training_run import Data, summarise, train_with_progress
from tagfield.data.corpus import Corpus, is_corpus
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.templates.presets import PRESETS
from tagfield.errors import InputError
from tagfield.model.model import Model
from tagfield.system.memory import parse_size
from tagfield.train import RECIPES, Settings
from tagfield.train.loop.driver import WINDOW
from tagfield.train.problem.on_disk import needs_all
from tagfield.train.progress.figures import count, size
from tagfield.train.recipes.default import NAME, attributes_per_token, weight_bytes

DATA = "The data"


@with_reading_options(extends=True)
@with_training_options
def train(
    context: typer.Context,
    train: Annotated[
        list[str],
        typer.Argument(metavar="TRAIN", help="Training files, or a folder of tagfield pack; - is standard input."),
    ],
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
            help=f"Feature template: {', '.join(PRESETS)}, or a CRF++ template file. \\[default: what fits the data]",
            rich_help_panel=DATA,
            autocompletion=offer(PRESETS),
        ),
    ] = None,
    algorithm: Annotated[
        str,
        typer.Option(
            "--algorithm",
            "--recipe",
            metavar="RECIPE",
            help=f"Training algorithm: {', '.join(RECIPES)}. \\[default: {Settings().recipe}]",
            show_default=False,
            rich_help_panel="The training",
            autocompletion=offer(RECIPES),
        ),
    ] = NAME,
    window: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="How much of a packed corpus to hold in memory at a time; it does not change the model. "
            f"\\[default: {WINDOW}]",
            rich_help_panel=DATA,
            show_default=False,
        ),
    ] = None,
    work_dir: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder to pack text into that does not fit into memory; removed after training. "
            "\\[default: the model's]",
            rich_help_panel=DATA,
            show_default=False,
        ),
    ] = None,
    cluster: ClusterAddress = None,
    workers: Workers = None,
    shares: Shares = None,
    mixes: Mixes = None,
    checkpoint: Checkpoints = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    as_json: AsJson = False,
    *,
    reading: ReadOptions,
    **options: Any,
) -> None:
    """Train a model on labelled text.

    Reads columns (one token per line, the label last, an empty line after each sentence), CoNLL-U, JSON lines with
    tokens or with text and spans, CSV, brat, spaCy's DocBin and CRFsuite's items. The first line of the output says
    what your file was taken for. Files ending in .gz are unpacked.
    """
    given = {name: value for name, value in options.items() if value is not None}
    messages = Messages(quiet, verbose, as_json)
    with usage():
        files = {name: file_of(context, name) for name in given}
        called = FLAGS | {name: f"{FLAGS[name][2:]} in {file}" for name, file in files.items() if file}
        settings = Settings.of(algorithm, called, **given)
        if settings.patience and dev is None:
            raise InputError("--patience needs held-out data; give it with --dev")
        data = Data(train, dev, template, reading)
        data.check()
        if window is not None and not is_corpus(train[0]):
            raise InputError("--window applies only to a packed corpus; pack the text first (tagfield pack)")
        run = trainer_of(cluster, workers, shares, mixes, checkpoint, settings, window)
    check_model_target(output, [*train, dev, log])
    folder = work_dir or os.path.dirname(os.path.abspath(output))
    with data.opened(messages.console, folder) as (encoded, held_out):
        if isinstance(encoded, Corpus) and (why := needs_all(settings)) and encoded.bytes > parse_size(WINDOW):
            messages.note(f"memory     {why} the whole corpus at once: about {size(encoded.memory)} of memory")
        messages.detail("settings   " + ", ".join(f"{name}={value}" for name, value in settings.to_dict().items()))
        decided = settings.for_data(encoded)
        if decided.recipe != settings.recipe:
            attributes = f"{attributes_per_token(encoded):.1f} attributes per token"
            passes = count(decided.max_epochs, "pass", "passes")
            messages.note(
                f"default    rate {decided.recipe.rate:g} for {attributes}, {decided.features} features, {passes}"
            )
        if settings.features != decided.features == "observed":
            needed = size(int(weight_bytes(len(encoded.attributes), len(encoded.labels))))
            messages.note(f"features   observed, because a weight for every pair would take {needed} of memory")
        trained, interrupted = train_with_progress(
            encoded, held_out, settings, messages, Log(log), run, starting(cluster, workers)
        )
        model = Model.of(encoded, trained).without_spare_attributes()
        model.save(output)
    summarise(messages, trained, model, output, dev, interrupted)
