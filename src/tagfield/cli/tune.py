"""`tagfield tune`: tries settings and templates by cross-validation, and writes the best to a file.

check ─▶ read, once per template ─▶ rounds of training runs (progress, Ctrl-C) ─▶ table, sentence, file, command
"""

import math
import os
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from tagfield.cli.shared.checks import check_inputs, check_target
from tagfield.cli.shared.exit_codes import UsageError
from tagfield.cli.shared.interrupts import Interrupts, run_beside
from tagfield.cli.shared.messages import AsJson, Messages, Quiet, Verbose, print_json
from tagfield.cli.shared.reading_options import flags_of, with_reading_options
from tagfield.cli.shared.startup import INTERRUPTED
from tagfield.cli.shared.training_options import offer
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.templates.presets import PRESETS
from tagfield.scale.tuning import Tuning
from tagfield.scale.tuning.config import command, to_toml, train_options
from tagfield.scale.tuning.statistics import Estimate, estimate
from tagfield.scale.tuning.tuning import BUDGET, FOLDS
from tagfield.scale.tuning.tuning import Progress as Run
from tagfield.scale.tuning.tuning import tune as run_tuning
from tagfield.system.atomic import write_atomically
from tagfield.train.progress.figures import count


@with_reading_options(extends=True)
def tune(
    train: Annotated[list[str], typer.Argument(metavar="TRAIN", help="Training files; never the test data.")],
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="File for the best settings.")
    ] = "tagfield.toml",
    budget: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of training runs.")] = BUDGET,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a tuning that was stopped.")] = False,
    template: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE",
            help=f"Feature template to try: {', '.join(PRESETS)}, or a CRF++ template file; may be repeated. "
            "\\[default: every preset that fits the file]",
            autocompletion=offer(PRESETS),
        ),
    ] = None,
    folds: Annotated[int, typer.Option(metavar="N", min=2, help="Folds of the cross-validation.")] = FOLDS,
    seed: Annotated[
        int, typer.Option(metavar="S", min=0, help="Random seed: the same seed gives the same result.")
    ] = 0,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Number of training runs at a time. \\[default: one per core]"),
    ] = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    as_json: AsJson = False,
    *,
    reading: ReadOptions,
) -> None:
    """Find the best settings for your data, on all cores.

    It tries recipes, penalties, feature sets and templates by cross-validation on the training data: many candidates on
    one fold, the better ones on more. The default always takes part. You can stop it with Ctrl-C: finished runs stay in
    FILE.state, and --resume continues. In the end it writes the best settings to FILE, for tagfield train --config.
    """
    messages = Messages(quiet, verbose, as_json)
    check_inputs(output, train)
    check_target(output)
    state = f"{output}.state"
    if os.path.exists(state) and not resume:
        raise UsageError(f"{state} holds the runs of a tuning that was stopped; add --resume, or delete the file")
    if reading.format == "items" and template:
        raise UsageError("--template has no effect on item files, which already contain attributes; leave it out")
    with (
        messages.library_log(),
        Interrupts(lambda: messages.note("stopping after the current epochs")) as interrupts,
        _display(messages) as show,
    ):
        tuning = run_beside(
            lambda: run_tuning(
                train,
                template=template or None,
                reading=reading,
                budget=budget,
                folds=folds,
                seed=seed,
                workers=workers,
                state=state,
                resume=resume,
                on_run=show.run,
                stop=lambda: interrupts.asked,
            )
        )
    named = train_options(tuning.options, tuning.template, flags_of(reading))
    if tuning.finished:
        with write_atomically(output) as file:
            file.write(to_toml(named, f"chosen by tagfield tune: {tuning.sentence}").encode())
    if as_json:
        print_json(record(tuning, named, output, command(named, train)))
    else:
        print_table(tuning)
    if not tuning.finished:
        messages.note(
            f"stopped: the same command with --resume continues; {count(len(tuning.rows), 'candidate')} so far"
        )
        raise typer.Exit(INTERRUPTED)
    if not as_json:
        print(f"{tuning.sentence[0].upper()}{tuning.sentence[1:]}.")
        print(f"saved  {output}")
    messages.note(f"next   {command(named, train)}")


def record(tuning: Tuning, named: dict[str, Any], output: str, command: str) -> dict[str, Any]:
    """What was found, for --json; figures are in %, and null where there is none."""

    def plain(estimate: Estimate) -> dict[str, float | None]:
        return {name: x if math.isfinite(x) else None for name, x in estimate._asdict().items()}

    rows = [
        {
            "candidate": str(row.candidate),
            "options": row.candidate.options,
            "template": row.candidate.template or None,
            "figures": [x if math.isfinite(x) else None for x in row.figures],
            **plain(estimate(row.figures, tuning.folds)),
            "against_default": None if row is tuning.default else plain(tuning.ahead(row)),
            "chosen": row is tuning.chosen,
        }
        for row in tuning.rows
    ]
    found: dict[str, Any] = {"sentence": tuning.sentence, "finished": tuning.finished, "figure": tuning.figure}
    found |= {"folds": tuning.folds, "candidates": rows, "options": named}
    return found | ({"config": output, "command": command} if tuning.finished else {})


def print_table(tuning: Tuning) -> None:
    """One line per candidate, the most folds and the best figure first."""
    console = Console(highlight=False)
    if not console.is_terminal:
        print(tuning.table)
        return
    table = Table(box=None, pad_edge=False)
    for k, name in enumerate(tuning.head):
        table.add_column(name, justify="left" if k == 0 else "right")
    for row, cells in zip(tuning.rows, tuning.cells, strict=True):
        table.add_row(*cells, style="bold green" if row is tuning.chosen else "")
    console.print(table)


class _Lines:
    """Prints one line per finished run."""

    def __init__(self, messages: Messages) -> None:
        self._voice = messages

    def __enter__(self) -> "_Lines":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, run: Run) -> None:
        figure = f"{run.figure:.2f}" if run.figure == run.figure else "failed"
        self._voice.note(f"{run.done}/{run.total} fold {run.fold + 1}: {run.candidate}: {figure}")


class _Bar(_Lines):
    """A progress bar with the last run beside it."""

    def __init__(self, messages: Messages) -> None:
        super().__init__(messages)
        self._bar = Progress(
            BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"),
            console=messages.console, transient=True,
        )  # fmt: skip
        self._task = self._bar.add_task("reading", total=None)

    def __enter__(self) -> "_Lines":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def run(self, run: Run) -> None:
        figure = f"{run.figure:.2f}" if run.figure == run.figure else "failed"
        self._bar.update(self._task, completed=run.done, total=run.total, description=f"{run.candidate}: {figure}")


def _display(messages: Messages) -> _Lines:
    shown = messages.console.is_terminal and not messages.console.is_dumb_terminal
    return _Bar(messages) if shown else _Lines(messages)
