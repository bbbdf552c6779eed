"""Plots like the paper's Figures 3–6, and accuracy over time, which the paper does not have.

    baselines   SGD, PA and L-BFGS against U1*.G1 and U2*.G1      training set | test set
    sigmoids    SGD against the four U2* recipes                  training set | test set
    beyond      SGD and U2*.G1 against tagfield's own recipes     training set | test set
    time        every recipe, over seconds                        token accuracy | chunk F1 on the test set

Lines are means over the seeds, bands are ± one standard deviation. Every plot is a PNG and an SVG.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tagfield.compare.line_styles import style_of
from tagfield.compare.plan import FEATURES, PAPER, runs_by_iteration
from tagfield.compare.results import Results
from tagfield.compare.summary import LearningCurves
from tagfield.errors import InputError
from tagfield.system.atomic import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BASELINES = ("sgd", "pa", "lbfgs", "u1.g1", "u2.g1")
SIGMOIDS = ("sgd", "u2.g1", "u2.g1p", "u2.g2", "u2.g3")
FEATURE_CAPTIONS = {"observed": "observed features", "all": "all features"}
LOOK: dict[Any, Any] = {
    "font.size": 8.5,
    "axes.titlesize": 9.5,
    "axes.labelsize": 8.5,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "legend.fontsize": 8.5,
    "grid.linewidth": 0.5,
    "grid.color": "#DDDDDD",
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "lines.linewidth": 1.4,
    "svg.hashsalt": "tagfield",  # the same results give the same bytes
    "svg.fonttype": "path",
}


def write_plots(results: Results, folder: Path) -> list[Path]:
    """Draw every plot that the results have data for; return the PNG files (each has an SVG next to it)."""
    matplotlib = requires_matplotlib()
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    with matplotlib.rc_context(LOOK):
        for name, figure in _plots(results):
            for kind in ("svg", "png"):
                path = folder / f"{name}.{kind}"
                metadata: Any = {"Date": None} if kind == "svg" else {"Software": None}
                with write_atomically(path) as file:
                    figure.savefig(file, format=kind, dpi=200, metadata=metadata)
                figure.set_layout_engine("none")  # keep the layout; a second one would double the time
            paths.append(path)
    return paths


def requires_matplotlib() -> Any:
    """Matplotlib; raises an InputError if it is not installed."""
    try:
        import matplotlib
    except ImportError:
        raise InputError("plots need matplotlib; install it with: pip install 'tagfield[plots]'") from None
    return matplotlib


def _plots(results: Results) -> list[tuple[str, "Figure"]]:
    made = []
    for features in FEATURES:
        curves = {
            recipe: LearningCurves.of([run for run in runs if not run.failed])
            for (recipe, kind), runs in results.groups().items()
            if kind == features and not all(run.failed for run in runs)
        }
        ours = [recipe for recipe in curves if recipe not in PAPER]
        for name, chosen in (
            ("baselines", BASELINES),
            ("sigmoids", SIGMOIDS),
            ("beyond", ("sgd", "u2.g1", *ours) if ours else ()),
        ):
            shown = {recipe: curves[recipe] for recipe in chosen if recipe in curves}
            if len(shown) > 1 and set(shown) != {"sgd", "u2.g1"}:
                made.append((f"{name}-{features}", _against_epochs(shown, results.plan.epochs, features)))
        if curves:
            made.append((f"time-{features}", _against_time(curves, features)))
    return made


def _against_epochs(curves: dict[str, LearningCurves], epochs: int, features: str) -> "Figure":
    """Token accuracy after each epoch, on the training set and on the test set."""
    figure, axes = _panels()
    for axis, part, title in zip(axes, ("train", "test"), ("Training set", "Test set"), strict=True):
        draw_curves(axis, curves, f"{part}_accuracy", epochs)
        axis.set(title=f"{title}, {FEATURE_CAPTIONS[features]}", xlabel="epoch (iteration for L-BFGS)")
        axis.set_ylabel("token accuracy, %")
    _legend(figure, axes[0], len(curves))
    return figure


def draw_curves(axis: "Axes", curves: dict[str, LearningCurves], metric: str, epochs: int) -> None:
    """One of METRICS after each epoch, a line with its band for each recipe."""
    from matplotlib.ticker import MaxNLocator

    for place, (recipe, group) in enumerate(curves.items()):
        x = np.arange(1, min(epochs, len(group.mean[metric])) + 1)
        _line(axis, recipe, x, group.mean[metric][: len(x)], group.sd[metric][: len(x)], place)
    axis.set_xlim(0, epochs + 0.5)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.set_ylim(*limits([_must_show(c.mean[metric], r, epochs) for r, c in curves.items()]))


def _against_time(curves: dict[str, LearningCurves], features: str) -> "Figure":
    """Test scores against seconds of training, with calibration and without scoring."""
    shown = [("test_accuracy", "token accuracy, %"), ("test_f1", "chunk F1, %")]
    shown = [(metric, title) for metric, title in shown if all(metric in group.mean for group in curves.values())]
    figure, axes = _panels(len(shown))
    for axis, (metric, title) in zip(axes, shown, strict=True):
        for place, (recipe, group) in enumerate(curves.items()):
            _line(axis, recipe, group.mean["seconds"], group.mean[metric], group.sd[metric], place)
        axis.set(title=f"Test set, {FEATURE_CAPTIONS[features]}", xlabel="seconds of training, one core", ylabel=title)
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axis.set_ylim(*limits([_must_show(c.mean[metric], r, len(c.mean[metric])) for r, c in curves.items()]))
    _legend(figure, axes[0], len(curves))
    return figure


def _must_show(curve: Any, recipe: str, epochs: int) -> list[float]:
    """The values that must be inside the frame; of L-BFGS only the best, since its first iterations are far below."""
    best = float(curve[:epochs].max())
    return [best] if runs_by_iteration(recipe) else [float(curve[0]), best, float(curve[-1])]


def limits(shown: Sequence[Sequence[float]], deepest: float = 0.15) -> tuple[float, float]:
    """The lower and upper limit of the y axis in percent, with a margin; at most `deepest` below the best value.

    >>> limits([[0.90, 0.95], [0.94, 0.96]])
    (89.7, 96.3)
    """
    values = [value for curve in shown for value in curve]
    high = max(values)
    low = max(min(values), high - deepest)
    margin = max(0.05 * (high - low), 1e-4)
    return round(100 * (low - margin), 6), round(100 * (high + margin), 6)


def _panels(count: int = 2) -> tuple["Figure", Sequence["Axes"]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 3.2), layout="constrained")
    return figure, list(figure.subplots(1, count, squeeze=False)[0])


def _line(axis: "Axes", recipe: str, x: Any, mean: Any, sd: Any, place: int) -> None:
    look = style_of(recipe)
    step = max(1, len(x) // 8)
    axis.plot(
        x,
        100 * mean,
        label=look.label,
        color=look.colour,
        linestyle=(0, look.dashes) if look.dashes else "-",
        marker=look.marker,
        markersize=5.5 if look.marker == "*" else 4,
        markeredgecolor="white",
        markeredgewidth=0.4,
        markevery=(place * step // 6 if len(x) > 8 else 0, step),
    )
    if sd.any():
        axis.fill_between(x, 100 * (mean - sd), 100 * (mean + sd), color=look.colour, alpha=0.15, linewidth=0)
    axis.grid(True)


def _legend(figure: "Figure", axis: "Axes", count: int) -> None:
    figure.legend(
        *axis.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=count if count <= 5 else -(-count // 2),  # at most five fit in one row
        frameon=False,
        handlelength=3.2,
        columnspacing=1.4,
    )
