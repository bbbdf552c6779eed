"""`tagfield compare`: trains every recipe × feature set × seed and records the results in one folder."""

import json
import shlex
import sys
import time
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from tagfield.cli.shared.exit_codes import usage
from tagfield.cli.shared.messages import AsJson, Messages, Quiet, Verbose, print_json
from tagfield.cli.shared.options import Template
from tagfield.cli.shared.reading_options import with_reading_options
from tagfield.cli.shared.startup import INTERRUPTED
from tagfield.cli.shared.training_run import describe_input
from tagfield.compare.compare import compare as run_comparison
from tagfield.compare.compare import usable_cores
from tagfield.compare.differences import plain_differences
from tagfield.compare.plan import PAPER, Plan, runs_by_iteration
from tagfield.compare.progress import ComparisonStatus
from tagfield.compare.report import Report, write_report
from tagfield.compare.results import Results, load_results
from tagfield.compare.tables import plain_table, summary_record
from tagfield.compare.tune_recipes import tune
from tagfield.data.encode import encode_files
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.templates.presets import load_template
from tagfield.errors import InputError
from tagfield.train import RECIPES
from tagfield.train.progress.figures import clock, count, duration, percent

DEFAULTS = Plan()
NEEDS_SETTINGS = {"ngd"}  # a family of recipes; without a loss and a generator it equals u2.g1


@with_reading_options(extends=True)
def compare(
    train: Annotated[list[str], typer.Option(metavar="FILE", help="Training data; may be repeated.")],
    test: Annotated[list[str], typer.Option(metavar="FILE", help="Test data; may be repeated.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="DIR", help="Folder for the results.")],
    recipes: Annotated[
        str,
        typer.Option(
            metavar="A,B,…",
            help=f"Recipes: paper, all, or any of {', '.join(r for r in RECIPES if r not in NEEDS_SETTINGS)}.",
        ),
    ] = "paper",
    features: Annotated[str, typer.Option(metavar="A,B", help="Feature sets: observed, all.")] = ",".join(
        DEFAULTS.features
    ),
    seeds: Annotated[
        int, typer.Option(metavar="N", help="Number of runs per recipe, each with its own random seed.")
    ] = (DEFAULTS.seeds),
    epochs: Annotated[int, typer.Option(metavar="N", help="Epochs per run.")] = DEFAULTS.epochs,
    iterations: Annotated[
        int, typer.Option(metavar="N", help="Maximum number of iterations for lbfgs.")
    ] = DEFAULTS.iterations,
    c2: Annotated[
        float, typer.Option("--c2", metavar="C", help="L2 regularisation: adds C·‖θ‖² to the objective.")
    ] = DEFAULTS.c2,
    tuned: Annotated[
        bool,
        typer.Option(
            "--tune", help="Choose c2 and the rate for each recipe on a tenth of the training data, then compare."
        ),
    ] = False,
    strength: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="What all recipes share: c2 (the paper's way), or effective (c2/f′(0), which is what c2 does).",
        ),
    ] = DEFAULTS.strength,
    template: Template = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Number of parallel processes. \\[default: one per core]")
    ] = None,
    report: Annotated[bool, typer.Option("--report", help="Also write the report, to DIR/report.")] = False,
    name: Annotated[str | None, typer.Option(metavar="TEXT", help="Title of the data in the report.")] = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    as_json: AsJson = False,
    *,
    reading: ReadOptions,
) -> None:
    """Compare recipes on your data, on all cores.

    It trains every recipe with every feature set and seed, and after every epoch writes the objective, token accuracy
    and chunk F1 on both files to DIR/results.jsonl. You can stop it at any time: the same command resumes it. Then
    [bold]tagfield report DIR[/bold] plots the learning curves.
    """
    messages = Messages(quiet, verbose, as_json)
    with usage():
        plan = Plan(
            parse_recipes(recipes),
            tuple(features.split(",")),
            seeds=seeds,
            epochs=epochs,
            iterations=iterations,
            c2=c2,
            strength=strength,
        )
        if tuned and strength != DEFAULTS.strength:
            raise InputError("--tune chooses c2 for each recipe; --strength would have no effect, so give one of them")
        if template is not None:
            load_template(template, reading.columns, reading.add)
    learned = encode_files(train, template=template, reading=reading)
    held_out = encode_files(
        test,
        template=learned.template,
        reading=reading if learned.template is not None else replace(reading, format="items"),
        attributes=learned.attributes,
        labels=learned.labels,
        edge_attributes=learned.edges,
    )
    about = {"name": name, "train file": ", ".join(map(_short, train)), "test file": ", ".join(map(_short, test))}
    used = "none: CRFsuite items" if learned.template is None else _short(template or learned.template.name)
    about |= {"template": used}
    messages.note(describe_input(train[0], learned))
    cores = workers or usable_cores()
    messages.note(
        f"{count(len(plan.runs()), 'run')} on {count(cores, 'core')}: {count(len(learned), 'training sequence')}, "
        f"{count(len(held_out), 'test sequence')}"
    )
    messages.detail(f"plan: {json.dumps(plan.to_dict())}")
    try:
        if tuned:
            with _display(messages) as display:
                plan = tune(learned, plan, output, workers=workers, on_progress=display.show, say=messages.note)
        with _display(messages) as display:
            results = run_comparison(
                learned, held_out, plan, output, workers=workers, about=about, on_progress=display.show
            )
    except KeyboardInterrupt:
        done = len(load_results(output).runs)
        print(
            f"tagfield: stopped after {done} of {len(plan.runs())} runs; run the same command to resume",
            file=sys.stderr,
        )
        raise typer.Exit(INTERRUPTED) from None
    made = write_report(results, Path(output) / "report") if report else None
    if as_json:
        print_json({"folder": output, **summary_record(results), **({} if made is None else files(made))})
        return
    print_summary(results)
    if made is not None:
        print_report(made)
    else:
        messages.note(f"next: tagfield report {shlex.quote(output)}")


def parse_recipes(recipes: str) -> tuple[str, ...]:
    """The recipes in a comma-separated list, where `paper` and `all` stand for several.

    >>> parse_recipes("sgd,pa"), len(parse_recipes("paper"))
    (('sgd', 'pa'), 8)
    """
    names: list[str] = []
    for name in recipes.split(","):
        if name == "paper":
            names += PAPER
        elif name == "all":
            names += [*PAPER, *(recipe for recipe in RECIPES if recipe not in NEEDS_SETTINGS)]
        elif name in NEEDS_SETTINGS:
            raise InputError(f"{name} needs a loss and a generator; compare a recipe with fixed ones, such as u2.g1")
        else:
            names.append(name)
    return tuple(dict.fromkeys(names))


def print_summary(results: Results) -> None:
    """Prints the summary table and the failed runs."""
    print()
    print(plain_table(results), end="")
    if differences := plain_differences(results):
        print(f"\n{differences}", end="")
    for run in results.runs:
        if run.failed:
            print(f"{run.run.key} failed: {run.closing['error']}")
    print()


def print_report(made: Report) -> None:
    """Prints where the report is."""
    print(f"page:    {made.page}")
    print(f"summary: {made.summary}, .csv, .json; curves.csv")
    if made.plots:
        print(f"plots:   {made.plots[0].parent}, {count(len(made.plots), 'plot')} as PNG and SVG")
    if made.no_plots:
        print(made.no_plots)


def files(made: Report) -> dict[str, Any]:
    """The files of a report, for --json."""
    return {"page": str(made.page), "summary": str(made.summary), "plots": [str(plot) for plot in made.plots]}


def _short(path: str) -> str:
    """The file name without its folder, because reports are shared."""
    return path if path == "-" else Path(path).name


class _Lines:
    """Prints one line per finished run, and with --verbose one per epoch."""

    def __init__(self, messages: Messages) -> None:
        self._start = time.monotonic()
        self._voice = messages

    def __enter__(self) -> "_Lines | _Live":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def show(self, status: ComparisonStatus) -> None:
        line = status.latest
        if line.get("kind") != "run":
            if not line and status.done:
                self._voice.note(f"resuming: {status.done} of {status.total} runs are finished")
            if line:
                self._voice.detail(f"{line['run']} epoch {line['epoch']}: {percent(line['test_accuracy'])}")
            return
        left = status.seconds_left()
        more = f"; about {duration(left)} left" if left else ""
        self._voice.note(f"{status.done}/{status.total} {_result(line)}{more}")


class _Live(_Lines):
    """A live display: the current runs, the last results, and the time left."""

    def __init__(self, messages: Messages) -> None:
        super().__init__(messages)
        self._live = Live(console=messages.console, refresh_per_second=6, transient=True)
        self._results: deque[str] = deque(maxlen=6)
        self._scores: dict[str, float] = {}

    def __enter__(self) -> "_Live":
        self._live.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.__exit__(None, None, None)

    def show(self, status: ComparisonStatus) -> None:
        line = status.latest
        if line.get("kind") == "run":
            self._results.append(_result(line))
        elif line:
            self._scores[line["run"]] = line["test_accuracy"]
        table = Table.grid(padding=(0, 2))
        for key, epoch in status.running.items():
            score = percent(self._scores[key]) if key in self._scores else "loading, calibrating"
            table.add_row(Text(key, style="bold"), f"epoch {epoch}", score)
        left = status.seconds_left()
        head = Table.grid(padding=(0, 1))
        head.add_row(
            ProgressBar(total=1.0, completed=status.share(), width=36),
            f"{status.done} of {status.total} runs",
            f"· {clock(time.monotonic() - self._start)} elapsed",
            f"· about {clock(left)} left" if left is not None else "",
        )
        past = [Text(text, style="dim") for text in self._results]
        self._live.update(Group(*past, table, head))


def _result(line: dict[str, object]) -> str:
    if "error" in line:
        return f"{line['run']} failed: {line['error']}"
    test: dict[str, float] = line["test"]  # type: ignore[assignment]
    unit = "iterations" if runs_by_iteration(str(line["recipe"])) else "epochs"
    return f"{line['run']}: {percent(test['accuracy'])} after {line['epochs']} {unit}, {line['seconds']:.1f} s"


def _display(messages: Messages) -> _Lines:
    console = messages.console
    live = console.is_terminal and not console.is_dumb_terminal and not messages.quiet and not messages.verbose
    return _Live(messages) if live else _Lines(messages)
