"""`tagfield compare`: every recipe × seed × feature set, on all cores, into one folder."""

import shlex
import sys
import time
from collections import deque
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from tagfield.cli.checks import check_format
from tagfield.cli.exits import INTERRUPTED
from tagfield.cli.figures import clock, count, duration, percent
from tagfield.encode import encode_files
from tagfield.errors import InputError
from tagfield.experiment.compare import compare as run_comparison
from tagfield.experiment.compare import usable_cores
from tagfield.experiment.plan import PAPER, Plan, is_batch
from tagfield.experiment.progress import Progress
from tagfield.experiment.report import Report, write_report
from tagfield.experiment.results import Results, load_results
from tagfield.experiment.tables import text_table
from tagfield.text.presets import PRESETS
from tagfield.train import RECIPES

DEFAULTS = Plan()
NEEDS_SETTINGS = {"ngd"}  # a family rather than a recipe: without its settings it is u2.g1 under another name


def compare(
    train: Annotated[list[str], typer.Option(metavar="FILE", help="Data to learn from; may be repeated.")],
    test: Annotated[list[str], typer.Option(metavar="FILE", help="Data to score on; may be repeated.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="DIR", help="The folder for the results.")],
    recipes: Annotated[
        str, typer.Option(metavar="A,B,…", help=f"From {', '.join(RECIPES)}; or paper, or all.")
    ] = "paper",
    features: Annotated[str, typer.Option(metavar="A,B", help="Feature sets: observed, all.")] = ",".join(
        DEFAULTS.features
    ),
    seeds: Annotated[
        int, typer.Option(metavar="N", help="Runs of each recipe, each with its own shuffles.")
    ] = (DEFAULTS.seeds),
    epochs: Annotated[int, typer.Option(metavar="N", help="Passes over the data.")] = DEFAULTS.epochs,
    iterations: Annotated[
        int, typer.Option(metavar="N", help="Iterations of lbfgs, where it has not converged before.")
    ] = DEFAULTS.iterations,
    c2: Annotated[
        float, typer.Option("--c2", metavar="C", help="L2: the objective has + C·‖θ‖².")
    ] = DEFAULTS.c2,
    template: Annotated[
        str, typer.Option(metavar="NAME|FILE", help=f"{', '.join(PRESETS)}, or a CRF++ template file.")
    ] = "chunking",
    columns: Annotated[
        str | None, typer.Option(metavar="'w pos y'", help="What the columns are, in order.")
    ] = None,
    format: Annotated[
        str, typer.Option(metavar="columns|items", help="CoNLL columns or CRFsuite items.")
    ] = "columns",
    workers: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes at a time. \\[default: one a core]")
    ] = None,
    report: Annotated[bool, typer.Option("--report", help="Write the report too, to DIR/report.")] = False,
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What to call the data in the report.")
    ] = None,
) -> None:
    """Compare recipes: every recipe × seed × feature set, on all cores.

    After every epoch the objective, token accuracy and chunk F1 on both files go to DIR/results.jsonl. Ended at any
    point and started again, it goes on where it was. Then [bold]tagfield report DIR[/bold] draws the curves.
    """
    plan = Plan(
        chosen(recipes), tuple(features.split(",")), seeds=seeds, epochs=epochs, iterations=iterations, c2=c2
    )
    kind = check_format(format)
    learned = encode_files(train, template=template, columns=columns, format=kind)
    held_out = encode_files(
        test,
        template=template if learned.template is None else learned.template,
        columns=columns,
        format=kind,
        attributes=learned.attributes,
        labels=learned.labels,
    )
    about = {
        "name": name,
        "train file": ", ".join(map(_short, train)),
        "test file": ", ".join(map(_short, test)),
    }
    about |= {"template": _short(template) if kind == "columns" else "none: CRFsuite items"}
    cores = workers or usable_cores()
    print(
        f"{count(len(plan.runs()), 'run')} on {count(cores, 'core')}: {count(len(learned), 'sequence')} to learn "
        f"from, {count(len(held_out), 'sequence')} to score on",
        flush=True,
    )
    try:
        with _display() as display:
            results = run_comparison(
                learned, held_out, plan, output, workers=workers, about=about, on_progress=display.show
            )
    except KeyboardInterrupt:
        done = len(load_results(output).runs)
        print(
            f"tagfield: stopped with {done} of {len(plan.runs())} runs finished; the same command goes on from there",
            file=sys.stderr,
        )
        raise typer.Exit(INTERRUPTED) from None
    print_summary(results)
    if report:
        print_report(write_report(results, Path(output) / "report"))
    else:
        print(f"next: tagfield report {shlex.quote(output)}")


def chosen(recipes: str) -> tuple[str, ...]:
    """The recipes of a list, of the paper, or all of the table.

    >>> chosen("sgd,pa"), len(chosen("paper"))
    (('sgd', 'pa'), 8)
    """
    names: list[str] = []
    for name in recipes.split(","):
        if name == "paper":
            names += PAPER
        elif name == "all":
            names += [*PAPER, *(recipe for recipe in RECIPES if recipe not in NEEDS_SETTINGS)]
        elif name in NEEDS_SETTINGS:
            raise InputError(
                f"{name} takes a loss and a generator; compare the recipes made of it, such as u2.g1"
            )
        else:
            names.append(name)
    return tuple(dict.fromkeys(names))


def print_summary(results: Results) -> None:
    """The table on the terminal, and what failed."""
    print()
    print(text_table(results, "", "  ", "", "", set()), end="")
    for run in results.runs:
        if run.failed:
            print(f"{run.run.key} failed: {run.closing['error']}")
    print()


def print_report(made: Report) -> None:
    """Where the report is."""
    print(f"page:    {made.page}")
    print(f"summary: {made.summary}, .csv, .json; curves.csv")
    if made.figures:
        print(f"figures: {made.figures[0].parent}, {count(len(made.figures), 'figure')} as PNG and SVG")
    if made.no_figures:
        print(made.no_figures)


def _short(path: str) -> str:
    """A file's name without where it is: reports are shown to others."""
    return path if path == "-" else Path(path).name


class _Lines:
    """One line for each run that ends."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def __enter__(self) -> "_Lines | _Live":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def show(self, progress: Progress) -> None:
        if progress.latest.get("kind") != "run":
            if not progress.latest and progress.done:
                print(f"{progress.done} of {progress.total} runs were finished before", flush=True)
            return
        left = progress.seconds_left()
        more = f"; about {duration(left)} left" if left else ""
        print(f"{progress.done}/{progress.total} {_ended(progress.latest)}{more}", flush=True)


class _Live(_Lines):
    """A display that redraws itself: what runs, what ended last, how long it will take."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._live = Live(console=console, refresh_per_second=6, transient=True)
        self._ended: deque[str] = deque(maxlen=6)
        self._scores: dict[str, float] = {}

    def __enter__(self) -> "_Live":
        self._live.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.__exit__(None, None, None)

    def show(self, progress: Progress) -> None:
        line = progress.latest
        if line.get("kind") == "run":
            self._ended.append(_ended(line))
        elif line:
            self._scores[line["run"]] = line["test_accuracy"]
        table = Table.grid(padding=(0, 2))
        for key, epoch in progress.running.items():
            score = percent(self._scores[key]) if key in self._scores else "reading, calibrating"
            table.add_row(Text(key, style="bold"), f"epoch {epoch}", score)
        left = progress.seconds_left()
        head = Table.grid(padding=(0, 1))
        head.add_row(
            ProgressBar(total=1.0, completed=progress.share(), width=36),
            f"{progress.done} of {progress.total} runs",
            f"· {clock(time.monotonic() - self._start)} so far",
            f"· about {clock(left)} left" if left is not None else "",
        )
        past = [Text(text, style="dim") for text in self._ended]
        self._live.update(Group(*past, table, head))


def _ended(line: dict[str, object]) -> str:
    if "error" in line:
        return f"{line['run']} failed: {line['error']}"
    test: dict[str, float] = line["test"]  # type: ignore[assignment]
    unit = "iterations" if is_batch(str(line["recipe"])) else "epochs"
    return (
        f"{line['run']}: {percent(test['accuracy'])} after {line['epochs']} {unit}, {line['seconds']:.1f} s"
    )


def _display() -> _Lines:
    console = Console()
    return _Live(console) if console.is_terminal and not console.is_dumb_terminal else _Lines()
