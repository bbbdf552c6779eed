"""`tagfield train`: files in, a model file out.

check what can be checked ─▶ read ─▶ train (Ctrl-C, progress, log) ─▶ save, whole or not at all ─▶ summary
"""

from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.console import Console

from tagfield.cli.checks import check_format, check_settings, check_target
from tagfield.cli.log import Log
from tagfield.cli.training import DEFAULT_TEMPLATE, Data, summarise, train_with_progress
from tagfield.errors import InputError
from tagfield.model import Model
from tagfield.text.presets import PRESETS
from tagfield.train import RECIPES, Settings
from tagfield.train.choose import dominated
from tagfield.train.recipes import DEFAULT, SKEWED
from tagfield.train.settings import FIGURES

DEFAULTS = Settings()
BATCH_EPOCHS = 1000  # lbfgs runs until it converges, in some 160 iterations on CoNLL-2000
DATA, METHOD, STOPPING, MARGIN, BEYOND = (
    "The data",
    "The training",
    "When it stops",
    "For pa and arow, as in CRFsuite",
    "For stochastic recipes: beyond the paper's",
)


def train(
    train: Annotated[
        list[str], typer.Argument(metavar="TRAIN", help="Files to learn from; - is standard input.")
    ],
    output: Annotated[str, typer.Option("-o", "--output", metavar="MODEL", help="The model file to write.")],
    log: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write one JSON object for each epoch.")
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
            help="What the columns are, in order: y is the label, _ is ignored.",
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
            rich_help_panel=METHOD,
        ),
    ] = None,
    features: Annotated[
        str,
        typer.Option(
            metavar="observed|all",
            help="Weights for the pairs of attribute and label in the data, or for all pairs.",
            rich_help_panel=METHOD,
        ),
    ] = DEFAULTS.features,
    transitions: Annotated[
        str | None,
        typer.Option(
            metavar="observed|all",
            help="The same for pairs of labels. \\[default: as --features]",
            rich_help_panel=METHOD,
        ),
    ] = DEFAULTS.transitions,
    min_count: Annotated[
        int, typer.Option(metavar="N", help="Leave out what occurs less often.", rich_help_panel=METHOD)
    ] = DEFAULTS.min_count,
    c1: Annotated[
        float,
        typer.Option("--c1", metavar="C", help="L1, for lbfgs: + C·‖θ‖₁.", rich_help_panel=METHOD),
    ] = DEFAULTS.c1,
    c2: Annotated[
        float, typer.Option("--c2", metavar="C", help="L2: + C·‖θ‖².", rich_help_panel=METHOD)
    ] = DEFAULTS.c2,
    rate: Annotated[
        float | None,
        typer.Option(
            metavar="R", help="The first step size. \\[default: found on a sample]", rich_help_panel=METHOD
        ),
    ] = DEFAULTS.rate,
    seed: Annotated[
        int, typer.Option(metavar="S", help="The same seed gives the same model.", rich_help_panel=METHOD)
    ] = DEFAULTS.seed,
    threads: Annotated[
        int, typer.Option(metavar="N", help="Used by lbfgs and by scoring.", rich_help_panel=METHOD)
    ] = DEFAULTS.threads,
    epochs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help=f"Passes over the data, at most. \\[default: {DEFAULTS.epochs}, for lbfgs {BATCH_EPOCHS}]",
            rich_help_panel=STOPPING,
        ),
    ] = None,
    period: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Stop when the objective falls too little over N epochs; 0: never.",
            rich_help_panel=STOPPING,
        ),
    ] = DEFAULTS.period,
    delta: Annotated[
        float | None,
        typer.Option(
            metavar="D",
            help="What is too little, as a share. \\[default: 1e-6, for lbfgs 1e-5]",
            rich_help_panel=STOPPING,
        ),
    ] = DEFAULTS.delta,
    patience: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Stop after N epochs without a better score on --dev, and keep the best; 0: do not.",
            rich_help_panel=STOPPING,
        ),
    ] = DEFAULTS.patience,
    monitor: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"The score for --patience: {', '.join(FIGURES)}; auto: f1 of chunks, or else accuracy.",
            rich_help_panel=STOPPING,
        ),
    ] = DEFAULTS.monitor,
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
    arow_variance: Annotated[
        float, typer.Option(metavar="V", help="The first variance of every weight.", rich_help_panel=MARGIN)
    ] = DEFAULTS.arow_variance,
    arow_gamma: Annotated[
        float, typer.Option(metavar="G", help="How slowly the variances fall.", rich_help_panel=MARGIN)
    ] = DEFAULTS.arow_gamma,
    loss: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"For ngd: B1 to B4, or U1 to U6. \\[default: {DEFAULTS.loss}]",
            rich_help_panel=BEYOND,
        ),
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(
            metavar="G",
            help=f"For ngd: the γ of B1 to B4. \\[default: {DEFAULTS.gamma:g}]",
            rich_help_panel=BEYOND,
        ),
    ] = None,
    batch: Annotated[
        bool, typer.Option("--batch", help="ngd: the whole corpus at each step, on all --threads.")
    ] = DEFAULTS.batch,
    generator: Annotated[
        str | None,
        typer.Option(
            metavar="NAME:X|auto",
            help="For ngd: the convex function and its number; auto tries a family on a part of the data. "
            f"\\[default: {DEFAULTS.generator}]",
            rich_help_panel=BEYOND,
        ),
    ] = None,
    respond: Annotated[
        str,
        typer.Option(
            metavar="all|states",
            help="Where the response applies; transitions may stay linear.",
            rich_help_panel=BEYOND,
        ),
    ] = DEFAULTS.respond,
    metric: Annotated[
        str,
        typer.Option(
            metavar="flat|adaptive",
            help="Of the step: every weight alike, or a scale for each, learned along the way.",
            rich_help_panel=BEYOND,
        ),
    ] = DEFAULTS.metric,
    average: Annotated[
        bool, typer.Option("--average", help="Keep the mean of the weights.", rich_help_panel=BEYOND)
    ] = DEFAULTS.average,
    anneal: Annotated[
        float,
        typer.Option(
            metavar="A",
            help="Go from f(u) to u over the epochs: κ = 1/e^A in f(κu)/κ.",
            rich_help_panel=BEYOND,
        ),
    ] = DEFAULTS.anneal,
) -> None:
    """Train a model on column files or item files.

    The text is one token a line, its columns apart by white space, with the label last and an empty line after each
    sentence; or CRFsuite's item lines. Files ending in .gz are read as they are.
    """
    update: dict[str, Any] = {
        name: value
        for name, value in (("loss", loss), ("gamma", gamma), ("generator", generator))
        if value is not None
    }
    usual = algorithm is None and not update and not batch
    recipe = algorithm or (DEFAULT if usual else "ngd")
    if update and recipe != "ngd":
        raise InputError(
            f"--{next(iter(update))} goes with --algorithm ngd, not with {recipe}; leave one of them out"
        )
    settings = Settings(
        recipe=recipe,
        features=features,
        transitions=transitions,
        min_count=min_count,
        c1=c1,
        c2=c2,
        epochs=(BATCH_EPOCHS if algorithm == "lbfgs" else DEFAULTS.epochs) if epochs is None else epochs,
        seed=seed,
        threads=threads,
        rate=rate,
        period=period,
        delta=delta,
        pa_type=pa_type,
        pa_c=pa_c,
        pa_cost_sensitive=pa_cost_sensitive,
        pa_average=pa_average,
        arow_variance=arow_variance,
        arow_gamma=arow_gamma,
        patience=patience,
        monitor=monitor,
        batch=batch,
        respond=respond,
        metric=metric,
        average=average or usual,
        anneal=anneal,
        **update,
    )
    data = Data(train, dev, template, columns, check_format(format))
    data.check()
    check_settings(settings, has_dev=dev is not None)
    check_target(output)
    console = Console(highlight=False)
    encoded, held_out = data.read(console)
    if usual and dominated(encoded.dataset):
        settings = replace(settings, recipe=SKEWED[settings.features])
        console.print(
            f"algorithm  {settings.recipe}, averaged, instead of {DEFAULT}, since one label dominates"
        )
    trained, interrupted = train_with_progress(encoded, held_out, settings, console, Log(log))
    model = Model.of(encoded, trained)
    model.save(output)
    summarise(console, trained, model, output, dev, interrupted)
