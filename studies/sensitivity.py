"""How much the parameter of a generator, the rate and c2 matter: a grid of runs, and heat maps of it.

    generator × parameter × strength × rate ─▶ runs on nine tenths of the training data ─▶ accuracy on the other tenth
                                                        └─▶ the epoch at which SGD's best accuracy is reached

A steep f makes larger steps and shrinks less, whatever its shape. So the axes are the effects of rate and c2 on small
differences: rate·f′(0) and c2/f′(0). The parameter ε, α or β then only determines where f bends.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tagfield.bregman import Response, parse_generator, update
from tagfield.compare.compare import OnProgress, compare
from tagfield.compare.plan import Plan, PlannedRun
from tagfield.compare.plots import LOOK, requires_matplotlib
from tagfield.compare.results import RunResult, load_results
from tagfield.compare.tune_recipes import parts
from tagfield.data.dataset import Doubles
from tagfield.data.encode import Encoded
from tagfield.system.atomic import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PARAMETERS = {
    "arctan": (0.01, 0.03, 0.1, 0.3, 1.0),
    "erf": (2.0, 4.0, 8.0, 16.0, 32.0),
    "gd": (2.5, 5.0, 10.0, 20.0, 40.0),
}
LETTERS = {"arctan": "ε", "erf": "α", "gd": "β"}
STRENGTHS = (0.03, 0.1, 0.3, 1.0)  # c2/f′(0)
RATES = (0.1, 0.3, 1.0)  # rate·f′(0)
EPOCHS = 15


@dataclass(frozen=True)
class Cell:
    """A point of the grid; the generator of plain SGD is "linear"."""

    generator: str
    parameter: float | None
    strength: float
    rate: float

    @property
    def run(self) -> PlannedRun:
        """The run of this cell.

        >>> Cell("arctan", 0.1, 0.3, 1.0).run.key
        'ngd/observed/0/c2 3/rate 0.1/arctan:0.1'
        """
        if self.parameter is None:
            return PlannedRun("sgd", "observed", 0, self.strength, self.rate)
        name = f"{self.generator}:{self.parameter:g}"
        slope = Response(update("U2"), parse_generator(name)).slope
        c2, rate = (float(f"{value:.6g}") for value in (self.strength * slope, self.rate / slope))
        return PlannedRun("ngd", "observed", 0, c2, rate, name)


def cells() -> list[Cell]:
    """The grid, SGD first.

    >>> len(cells())
    192
    """
    found = [Cell("linear", None, strength, rate) for strength in STRENGTHS for rate in RATES]
    for name, parameters in PARAMETERS.items():
        found += [Cell(name, p, strength, rate) for p in parameters for strength in STRENGTHS for rate in RATES]
    return found


def run_grid(
    train: Encoded,
    folder: str | os.PathLike[str],
    *,
    epochs: int = EPOCHS,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
) -> dict[Cell, RunResult]:
    """Train what the folder does not have yet, and return the run of each cell; uses training data only."""
    grid = cells()
    plan = Plan(
        ("sgd", "ngd"), ("observed",), seeds=1, epochs=epochs, only=tuple(cell.run for cell in grid), scored=("test",)
    )
    compare(*parts(train), plan, folder, workers=workers, on_progress=on_progress)
    runs = {run.run.key: run for run in load_results(folder).runs}
    return {cell: runs[cell.run.key] for cell in grid}


def best_of_sgd(grid: dict[Cell, RunResult]) -> float:
    """The highest accuracy that plain SGD ends with, over its rates and strengths."""
    return max(_last(run) for cell, run in grid.items() if cell.parameter is None and not run.failed)


def epochs_to(run: RunResult, accuracy: float) -> float:
    """The first epoch with at least this accuracy; infinite if none has it."""
    above = np.flatnonzero(run.curve("test_accuracy") >= accuracy)
    return float(above[0]) + 1 if len(above) else float("inf")


def _last(run: RunResult) -> float:
    return float(run.curve("test_accuracy")[-1]) if run.epochs else 0.0


def draw(grid: dict[Cell, RunResult], path: str | os.PathLike[str]) -> None:
    """Two rows of maps for each rate: accuracy at the end, and the epoch that reaches SGD's best."""
    epochs = max(len(run.epochs) for run in grid.values())
    matplotlib = requires_matplotlib()
    from matplotlib.figure import Figure

    goal = best_of_sgd(grid)
    figures: tuple[Callable[[RunResult], float], ...] = (_last, lambda run: epochs_to(run, goal))
    low = 100 * (goal - 0.01)
    with matplotlib.rc_context(LOOK):
        figure = Figure(figsize=(9.6, 9.6), layout="constrained")
        axes = figure.subplots(
            2 * len(RATES), 1 + len(PARAMETERS), width_ratios=[1, *[5] * len(PARAMETERS)], squeeze=False
        )
        for row, rate in enumerate(RATES):
            for column, name in enumerate(["linear", *PARAMETERS]):
                for half, worth in enumerate(figures):
                    axis = axes[2 * row + half][column]
                    values = PARAMETERS.get(name, (None,))
                    table = np.array([[worth(grid[Cell(name, p, s, rate)]) for p in values] for s in STRENGTHS])
                    shown = 100 * table if half == 0 else np.where(np.isinf(table), np.nan, table)
                    span = (low, 100 * goal + 0.2) if half == 0 else (1, epochs)
                    axis.imshow(
                        shown, cmap="viridis" if half == 0 else "viridis_r", vmin=span[0], vmax=span[1], aspect="auto"
                    )
                    _numbers(axis, shown, half, span)
                    _labels(axis, name, values, first=column == 0)
                    title = "SGD" if column == 0 else f"{name}, U2"
                    words = "accuracy, %" if half == 0 else f"epochs to {100 * goal:.2f} %"
                    axis.set_title(f"{title}: {words}, rate·f′(0) {rate:g}" if column == 1 else title, fontsize=8)
        with write_atomically(path) as file:
            figure.savefig(file, format="png", dpi=150, metadata={"Software": None})


def _numbers(axis: "Axes", shown: Doubles, half: int, span: tuple[float, float]) -> None:
    middle = sum(span) / 2
    for (i, j), value in np.ndenumerate(shown):
        text = "–" if np.isnan(value) else f"{value:.2f}" if half == 0 else f"{value:.0f}"
        dark = np.isnan(value) or (value < middle) == (half == 1)
        axis.text(j, i, text, ha="center", va="center", fontsize=6.5, color="black" if dark else "white")


def _labels(axis: "Axes", name: str, values: tuple[float | None, ...], first: bool) -> None:
    axis.set_xticks(range(len(values)), ["" if v is None else f"{v:g}" for v in values])
    axis.set_yticks(range(len(STRENGTHS)), [f"{s:g}" for s in STRENGTHS] if first else [""] * len(STRENGTHS))
    axis.set_xlabel(LETTERS.get(name, ""))
    if first:
        axis.set_ylabel("c2/f′(0)")
