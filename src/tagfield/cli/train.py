"""`tagfield train`: files in, a model file out.

    check what can be checked ─▶ read ─▶ train (Ctrl-C, progress, log) ─▶ save, whole or not at all ─▶ summary

Everything that can be wrong is looked for before the first epoch: an hour of training must not end with "permission
denied".
"""

import json
import os
import shlex
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TextIO

import numpy as np
import typer
from rich.console import Console
from rich.text import Text

from tagfield.atomic import write_atomically
from tagfield.cli.figures import count, duration, has_chunks, objective, percent, size
from tagfield.cli.interrupts import Interrupts, run_beside
from tagfield.cli.progress import Course, describe, open_progress
from tagfield.encode import Encoded, Format, encode_files
from tagfield.errors import InputError, OutputError
from tagfield.model import Model
from tagfield.text.presets import PRESETS, load_template
from tagfield.train import RECIPES, Epoch, Settings, Trained
from tagfield.train import train as run_training
from tagfield.train.recipes import find_recipe

DEFAULTS = Settings()
DEFAULT_TEMPLATE = "chunking"
DATA, METHOD, MARGIN, OUTPUT = (
    "The data",
    "The training",
    "For --algorithm pa, as in CRFsuite",
    "What it tells",
)


def train(
    train: Annotated[
        list[str], typer.Argument(metavar="TRAIN", help="Files to learn from; - is standard input.")
    ],
    output: Annotated[str, typer.Option("-o", "--output", metavar="MODEL", help="The model file to write.")],
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
            help="What the columns are, in order: y is the label, _ is ignored.",
            rich_help_panel=DATA,
        ),
    ] = None,
    format: Annotated[
        str,
        typer.Option(metavar="columns|items", help="CoNLL columns or CRFsuite items.", rich_help_panel=DATA),
    ] = "columns",
    algorithm: Annotated[
        str, typer.Option(metavar="RECIPE", help=f"{', '.join(RECIPES)}.", rich_help_panel=METHOD)
    ] = DEFAULTS.recipe,
    features: Annotated[
        str,
        typer.Option(
            metavar="observed|all",
            help="Weights for the pairs of attribute and label in the data, or for all pairs.",
            rich_help_panel=METHOD,
        ),
    ] = DEFAULTS.features,
    min_count: Annotated[
        int, typer.Option(metavar="N", help="Leave out what occurs less often.", rich_help_panel=METHOD)
    ] = DEFAULTS.min_count,
    c2: Annotated[
        float,
        typer.Option("--c2", metavar="C", help="L2: the objective has + C·‖θ‖².", rich_help_panel=METHOD),
    ] = DEFAULTS.c2,
    epochs: Annotated[
        int, typer.Option(metavar="N", help="Passes over the data, at most.", rich_help_panel=METHOD)
    ] = DEFAULTS.epochs,
    rate: Annotated[
        float | None,
        typer.Option(
            metavar="R", help="The first step size. \\[default: found on a sample]", rich_help_panel=METHOD
        ),
    ] = DEFAULTS.rate,
    period: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Stop when the objective falls too little over N epochs.",
            rich_help_panel=METHOD,
        ),
    ] = DEFAULTS.period,
    delta: Annotated[
        float | None,
        typer.Option(
            metavar="D",
            help="What is too little, as a share. \\[default: 1e-6, for lbfgs 1e-5]",
            rich_help_panel=METHOD,
        ),
    ] = DEFAULTS.delta,
    seed: Annotated[
        int, typer.Option(metavar="S", help="The same seed gives the same model.", rich_help_panel=METHOD)
    ] = DEFAULTS.seed,
    threads: Annotated[
        int, typer.Option(metavar="N", help="Used by lbfgs and by scoring.", rich_help_panel=METHOD)
    ] = DEFAULTS.threads,
    pa_type: Annotated[
        int, typer.Option(metavar="0|1|2", help="PA, PA-I or PA-II.", rich_help_panel=MARGIN)
    ] = DEFAULTS.pa_type,
    pa_c: Annotated[
        float, typer.Option(metavar="C", help="Aggressiveness.", rich_help_panel=MARGIN)
    ] = DEFAULTS.pa_c,
    pa_cost_sensitive: Annotated[
        bool,
        typer.Option(
            help="A cost of √(wrong labels), as by default, or of 1.",
            show_default=False,
            rich_help_panel=MARGIN,
        ),
    ] = DEFAULTS.pa_cost_sensitive,
    pa_average: Annotated[
        bool,
        typer.Option(
            help="Keep the average of all steps, as by default, or the last.",
            show_default=False,
            rich_help_panel=MARGIN,
        ),
    ] = DEFAULTS.pa_average,
    log: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="One JSON object for each epoch.", rich_help_panel=OUTPUT),
    ] = None,
) -> None:
    """Train a model on column files or item files.

    The text is one token a line, its columns apart by white space, with the label last and an empty line after each
    sentence; or CRFsuite's item lines. Files ending in .gz are read as they are.
    """
    settings = Settings(
        recipe=algorithm,
        features=features,
        min_count=min_count,
        c2=c2,
        epochs=epochs,
        seed=seed,
        threads=threads,
        rate=rate,
        period=period,
        delta=delta,
        pa_type=pa_type,
        pa_c=pa_c,
        pa_cost_sensitive=pa_cost_sensitive,
        pa_average=pa_average,
    )
    data = Data(train, dev, template, columns, check_format(format))
    check_settings(settings, data)
    check_target(output)
    console = Console(highlight=False, soft_wrap=True)
    encoded, held_out = data.read(console)
    log_file = open_log(log)
    try:
        trained, interrupted = train_with_progress(encoded, held_out, settings, console, log_file)
    finally:
        if log_file is not None:
            log_file.close()
    model = Model.of(encoded, trained)
    model.save(output)
    summarise(console, trained, model, output, dev, interrupted)


@dataclass(frozen=True)
class Data:
    """Which files, and how they are read."""

    train: list[str]
    dev: str | None
    template: str | None
    columns: str | None
    format: Format

    def read(self, console: Console) -> tuple[Encoded, Encoded | None]:
        """Training and held-out data, the second in the terms of the first."""
        start = time.monotonic()
        encoded = encode_files(
            self.train, template=self.template or DEFAULT_TEMPLATE, columns=self.columns, format=self.format
        )
        what = describe(len(encoded), int(encoded.dataset.tokens[-1]))
        sizes = f"{count(len(encoded.labels), 'label')}, {count(len(encoded.attributes), 'attribute')}"
        _row(console, "train", f"{what}, {sizes}, read in {duration(time.monotonic() - start)}")
        if self.dev is None:
            return encoded, None
        held_out = encode_files(
            self.dev,
            template=encoded.template or DEFAULT_TEMPLATE,
            format=self.format,
            attributes=encoded.attributes,
            labels=encoded.labels,
        )
        if not held_out.labelled:
            bare = int(np.flatnonzero(held_out.gold < 0)[0])
            sentence = int(np.searchsorted(held_out.dataset.tokens, bare, side="right")) - 1
            raise InputError(
                f"{held_out.where(sentence)}: the sequence has no labels, so --dev cannot score it"
            )
        _row(console, "dev", describe(len(held_out), int(held_out.dataset.tokens[-1])))
        if held_out.unseen_labels:
            unseen = ", ".join(held_out.unseen_labels)
            _row(console, "", f"not in the training data, so always counted as wrong: {unseen}")
        return encoded, held_out


def check_format(format: str) -> Format:
    """The format, if there is one of that name."""
    if format == "columns":
        return "columns"
    if format == "items":
        return "items"
    raise InputError(f"there is no format {format!r}; choose columns or items")


def check_settings(settings: Settings, data: Data) -> None:
    """What would go wrong only after the data is read, or would be quietly ignored."""
    find_recipe(settings.recipe)
    if settings.features not in ("observed", "all"):
        raise InputError(f"there is no feature set {settings.features!r}; choose observed or all")
    if settings.min_count < 1:
        raise InputError(f"the minimum count is a number from 1 on, not {settings.min_count}")
    if settings.seed < 0:
        raise InputError(f"the seed is a number from 0 on, not {settings.seed}")
    if data.format == "items":
        given = "--template" if data.template is not None else "--columns" if data.columns is not None else ""
        if given:
            raise InputError(
                f"item files hold attributes already, so {given} means nothing here; leave it out"
            )
    else:
        load_template(data.template or DEFAULT_TEMPLATE)


def check_target(path: str) -> None:
    """Whether a file can be written there, tried out without leaving a trace."""
    if path == "-":
        raise OutputError("a model is written to a file; give its name, or /dev/stdout for standard output")
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        return  # a device or a pipe: opening it would already be an act

    class Tried(Exception):
        pass

    try:
        with write_atomically(path):
            raise Tried
    except Tried:
        pass


def open_log(path: str | None) -> TextIO | None:
    """A fresh log file, line by line on the disk."""
    if path is None:
        return None
    try:
        return open(path, "w", encoding="utf-8", buffering=1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"cannot write the log {path!r}: {reason}; give another name") from None


def train_with_progress(
    encoded: Encoded, dev: Encoded | None, settings: Settings, console: Console, log: TextIO | None
) -> tuple[Trained, bool]:
    """Trains while the terminal shows how it goes; returns also whether Ctrl-C ended it."""
    unit = "iteration" if RECIPES[settings.recipe].family == "batch" else "epoch"
    tokens = int(encoded.dataset.tokens[-1])
    course = Course(settings.epochs, tokens, dev is not None, has_chunks(encoded.labels.strings()), unit)
    progress = open_progress(course, console)
    log_error: list[OSError] = []

    def on_epoch(epoch: Epoch) -> bool:
        progress.epoch(epoch)
        if log is not None and not log_error:
            try:
                log.write(json.dumps(epoch.to_dict()) + "\n")
                log.flush()
            except OSError as error:  # the model matters more than its log: go on, and say so at the end
                log_error.append(error)
        return interrupts.asked

    with Interrupts(progress.stopping) as interrupts, progress:
        trained = run_beside(lambda: run_training(encoded, settings, dev=dev, on_epoch=on_epoch))
    if log_error:
        reason = log_error[0].strerror or log_error[0]
        print(f"tagfield: the log is not complete: {reason}; the training went on", file=sys.stderr)
    return trained, interrupts.asked


def summarise(
    console: Console, trained: Trained, model: Model, path: str, dev: str | None, interrupted: bool
) -> None:
    """What came out, where it is, and what to run next."""
    settings, best = trained.settings, trained.best
    unit = "iteration" if RECIPES[settings.recipe].family == "batch" else "epoch"
    end = "Ctrl-C was pressed" if interrupted else trained.stop_reason
    rate = f", rate {settings.rate:g}" if settings.rate is not None else ""
    passes = f"after {count(len(trained.history), unit)} and {duration(trained.history[-1].seconds)}"
    states, edges = model.info["state_features"], model.info["transition_features"]
    _row(console, "recipe", f"{settings.recipe}{rate}, c2 {settings.c2:g} · {RECIPES[settings.recipe].about}")
    _row(console, "ended", f"{passes}: {end}; the weights of {unit} {best.number} are kept")
    _row(console, "objective", objective(best.objective))
    if best.scores is not None:
        chunks = f", chunk F1 {percent(best.scores.f1)}" if has_chunks(model.labels.strings()) else ""
        _row(console, "dev", f"token accuracy {percent(best.scores.accuracy)}{chunks}")
    weight = f", {size(Path(path).stat().st_size)}" if os.path.isfile(path) else ""
    _row(console, "model", f"{path}{weight}: {states:,} state and {edges:,} transition features", "green")
    data = shlex.quote(dev) if dev not in (None, "-") else "FILE"
    name = shlex.quote(path)
    _row(console, "next", f"tagfield eval -m {name} {data}", "cyan")
    _row(console, "", f"tagfield tag -m {name} {data}", "cyan")


def _row(console: Console, name: str, text: str, style: str = "") -> None:
    if console.is_terminal:
        console.print(Text.assemble((f"{name:<11}", "dim"), (text, style)))
        return
    with suppress(BrokenPipeError):  # rich would end the process here; a model is still wanted
        print(f"{name:<11}{text}", flush=True)
