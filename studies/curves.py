"""The curves of the article: divergence, likelihood, objective and accuracy of four recipes, epoch by epoch.

measure_epochs, a thread for each core ─▶ FOLDER/RECIPE.json, one file for each finished recipe ─▶ Curves
"""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from studies.corpora import Pair
from studies.epoch_measures import EpochMeasures, measure_epochs
from tagfield.compare.compare import usable_cores
from tagfield.compare.line_styles import style_of
from tagfield.compare.plan import Plan, PlannedRun
from tagfield.compare.plots import requires_matplotlib
from tagfield.system.atomic import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RECIPES = ("sgd", "u1.g1", "u2.g1", "u2.g1p")
FEATURES = "observed"
PANELS = {
    "divergence": "own B(E, Ẽ) / its first value",
    "loss": "−log p per token, training",
    "objective": "−log p + c2·‖θ‖², per token",
    "accuracy": "test accuracy, %",
}
Curves = dict[str, list[EpochMeasures]]


def run_curves(data: Pair, folder: Path, epochs: int = 30, workers: int | None = None) -> Curves:
    """Measure each recipe; recipes that the folder has are not computed again."""
    folder.mkdir(parents=True, exist_ok=True)
    plan = Plan(RECIPES, (FEATURES,), seeds=1, epochs=epochs)
    missing = [name for name in RECIPES if not (folder / f"{name}.json").is_file()]

    def one(name: str) -> None:
        found = [point.to_dict() for point in measure_epochs(*data, plan, PlannedRun(name, FEATURES, 0))]
        with write_atomically(folder / f"{name}.json") as file:
            file.write(json.dumps(found).encode())

    with ThreadPoolExecutor(max(1, workers or usable_cores())) as pool:
        list(pool.map(one, missing))
    return load_curves(folder)


def load_curves(folder: Path) -> Curves:
    """What `run_curves` wrote."""
    return {
        name: [EpochMeasures(**each) for each in json.loads((folder / f"{name}.json").read_text())]
        for name in RECIPES
        if (folder / f"{name}.json").is_file()
    }


def relative(curve: list[EpochMeasures]) -> list[EpochMeasures]:
    """The curve with its divergence as a share of that after the first epoch: each recipe measures with its own G.

    >>> half = relative([EpochMeasures("sgd", 1, 4.0, 0, 0, 0), EpochMeasures("sgd", 2, 2.0, 0, 0, 0)])
    >>> [point.divergence for point in half]
    [1.0, 0.5]
    """
    first = curve[0].divergence or 1.0
    return [replace(point, divergence=point.divergence / first) for point in curve]


def curves_figure(curves: Curves) -> "Figure":
    """Four panels, a line for each recipe."""
    requires_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 5.2), layout="constrained")
    axes = figure.subplots(2, 2).ravel()
    for axis, (name, title) in zip(axes, PANELS.items(), strict=True):
        lowest = []
        for recipe, curve in curves.items():
            look = style_of(recipe)
            values = np.array([getattr(point, name) for point in relative(curve)])
            values = 100 * values if name == "accuracy" else values
            lowest.append(values.min() if name != "accuracy" else values.max())
            axis.plot(
                [point.epoch for point in curve],
                values,
                label=look.label,
                color=look.colour,
                linestyle=(0, look.dashes) if look.dashes else "-",
            )
        if name == "divergence":
            axis.set_yscale("log")
        elif name == "accuracy":
            axis.set_ylim(max(lowest) - 1.0, max(lowest) + 0.1)
        axis.set(title=title, xlabel="epoch")
        axis.grid(True)
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=len(curves), frameon=False, handlelength=3.2)
    return figure
