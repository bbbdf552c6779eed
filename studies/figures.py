"""The figures of the article, drawn from the findings; each is a PNG in docs/figures.

paper-gains       test tokens more right than SGD, by protocol, with intervals: CoNLL-2000
paper-elsewhere   the same in points on three other corpora
paper-tuned       test accuracy after each epoch, each recipe tuned: CoNLL-2000
paper-corpora     test accuracy after each epoch, by the paper's protocol: three other corpora
paper-maps        sensitivity: rate × parameter × c2
paper-curves      divergence, likelihood, objective, accuracy
    paper-minibatches accuracy and the bias over the size of a mini-batch
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from studies import minibatches
from studies.accuracy_claims import OTHERS, TUNED
from studies.curves import curves_figure
from studies.evidence import Gain, Place, gains
from studies.run_studies import Findings
from studies.sensitivity import draw as draw_maps
from studies.study_list import TRANSFORMED
from studies.wording import PLACES
from tagfield.compare.line_styles import BLACK, BLUE, ORANGE, style_of
from tagfield.compare.plots import LOOK, draw_curves, requires_matplotlib
from tagfield.compare.summary import LearningCurves
from tagfield.system.atomic import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = 140
PROTOCOLS = {"paper's protocol": (BLACK, "o"), "equal strength": (ORANGE, "s"), "tuned": (BLUE, "D")}
Rows = dict[str, list[Gain]]  # protocol → a gain for each recipe


def write_figures(found: Findings, folder: Path) -> list[Path]:
    """Draw the figures that there are results for."""
    matplotlib = requires_matplotlib()
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    makers: dict[str, Callable[[Findings], Figure | None]] = {
        "paper-gains": _gains,
        "paper-elsewhere": _elsewhere,
        "paper-tuned": lambda f: _learning(f, {"tuned-observed": "observed", "tuned-all": "all"}),
        "paper-corpora": lambda f: _learning(f, dict.fromkeys(OTHERS, "all")),
        "paper-curves": lambda f: curves_figure(f.curves) if f.curves else None,
    }
    with matplotlib.rc_context(LOOK):
        for name, maker in makers.items():
            figure = maker(found)
            if figure is not None:
                made.append(folder / f"{name}.png")
                with write_atomically(made[-1]) as file:
                    figure.savefig(
                        file, format="png", dpi=DPI, metadata={"Software": None}, pil_kwargs={"optimize": True}
                    )
    if "minibatches" in found.extra:
        made.append(folder / "paper-minibatches.png")
        minibatches.figure(found.extra["minibatches"], made[-1])
    if found.grid:
        made.append(folder / "paper-maps.png")
        draw_maps(found.grid, made[-1])
    return made


def _gains(found: Findings) -> "Figure | None":
    """Two panels, small and large set: a row for each recipe, a mark for each protocol."""
    panels = {}
    for features, title in (("observed", "small set"), ("all", "large set")):
        studies = {"paper's protocol": "table", "equal strength": "strength", "tuned": f"tuned-{features}"}
        panels[title] = _rows(found, {name: Place(study, features) for name, study in studies.items()})
    return _forest(
        panels, lambda row: (row.tokens.tokens, row.tokens.low, row.tokens.high), "test tokens more right than SGD"
    )


def _elsewhere(found: Findings) -> "Figure | None":
    panels = {}
    for name in OTHERS:
        studies = {"paper's protocol": Place(name, "all"), "tuned": Place(f"{name}-tuned", "all")}
        panels[PLACES[name]] = _rows(found, studies)
    return _forest(panels, _in_points, "points of accuracy above SGD")


def _in_points(row: Gain) -> tuple[float, float, float]:
    found = row.tokens
    per = 100 / max(1, found.test_tokens)
    return per * found.tokens, per * found.low, per * found.high


def _rows(found: Findings, studies: dict[str, Place]) -> Rows:
    return {
        protocol: gains(found.results, [(place, name, "sgd") for name in (*TRANSFORMED, "adaptive")])
        for protocol, place in studies.items()
    }


def _forest(
    panels: dict[str, Rows], values: Callable[[Gain], tuple[float, float, float]], xlabel: str
) -> "Figure | None":
    """A panel for each place; intervals of 95 %."""
    if not any(rows for panel in panels.values() for rows in panel.values()):
        return None
    from matplotlib.figure import Figure

    recipes = (*TRANSFORMED, "adaptive")
    figure = Figure(figsize=(7.2, 3.4), layout="constrained")
    axes: Sequence[Axes] = figure.subplots(1, len(panels), sharey=True)
    for axis, (title, panel) in zip(axes, panels.items(), strict=True):
        for k, (protocol, rows) in enumerate(panel.items()):
            colour, marker = PROTOCOLS[protocol]
            for row in rows:
                middle, low, high = values(row)
                y = recipes.index(row.one) + 0.22 * (k - (len(panel) - 1) / 2)
                axis.plot([low, high], [y, y], color=colour, linewidth=1.2)
                axis.plot(middle, y, marker, color=colour, markersize=4.5, label=protocol)
        axis.axvline(0, color="#888888", linewidth=0.8)
        axis.set(title=title, xlabel=xlabel)
        axis.grid(True, axis="x")
    axes[0].set_yticks(range(len(recipes)), [style_of(name).label for name in recipes])
    axes[0].invert_yaxis()
    seen = {text: line for axis in axes for line, text in zip(*axis.get_legend_handles_labels(), strict=True)}
    figure.legend(list(seen.values()), list(seen), loc="outside lower center", ncols=len(seen), frameon=False)
    return figure


def _learning(found: Findings, studies: dict[str, str]) -> "Figure | None":
    """Test accuracy after each epoch, a panel for each study."""
    there = {name: kind for name, kind in studies.items() if name in found.results}
    if not there:
        return None
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 3.2), layout="constrained")
    axes = figure.subplots(1, len(there), squeeze=False)[0]
    shown = ("sgd", *TUNED, "adaptive")
    for axis, (name, kind) in zip(axes, there.items(), strict=True):
        groups = found.results[name].groups()
        curves = {
            recipe: LearningCurves.of([run for run in groups[recipe, kind] if not run.failed])
            for recipe in shown
            if (recipe, kind) in groups and not all(run.failed for run in groups[recipe, kind])
        }
        draw_curves(axis, curves, "test_accuracy", found.results[name].plan.epochs)
        ends = [100 * float(np.median(each.mean["test_accuracy"][-3:])) for each in curves.values()]
        starts = sorted(
            100 * float(each.mean["test_accuracy"][min(1, len(each.mean["test_accuracy"]) - 1)])
            for each in curves.values()
        )
        axis.set_ylim(max(starts[len(starts) // 2 - 1] - 0.1, min(ends) - 3), max(ends) + 0.15)
        size = f", {'small' if kind == 'observed' else 'large'} set" if len(there) == 2 else ""
        axis.set(title=f"{PLACES[name].split(',')[0]}{size}", xlabel="epoch")
    axes[0].set_ylabel("test accuracy, %")
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=5, frameon=False, handlelength=3.2)
    return figure
