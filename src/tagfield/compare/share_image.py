"""The share image of a comparison, in the size that links and chats show (1200 × 630 pixels).

Results ─▶ test score against epochs, the recipes of the advised feature set, and the advice in one line ─▶ share.png
"""

from pathlib import Path
from typing import Any

from tagfield.compare.advice import advise
from tagfield.compare.plots import FEATURE_CAPTIONS, LOOK, draw_curves, requires_matplotlib
from tagfield.compare.results import Results
from tagfield.compare.summary import LearningCurves
from tagfield.system.atomic import write_atomically

INCHES, DPI = (12.0, 6.3), 100


def write_share_image(results: Results, path: Path) -> Path | None:
    """Write the image; return None if no run has a score."""
    matplotlib = requires_matplotlib()
    advice = advise(results)
    if advice is None:
        return None
    from matplotlib.figure import Figure

    features = advice.use.features
    curves = {
        recipe: LearningCurves.of([run for run in runs if not run.failed])
        for (recipe, kind), runs in results.groups().items()
        if kind == features and not all(run.failed for run in runs)
    }
    name = " on ".join(filter(None, ("Recipes compared", str(results.data.get("name") or ""))))
    look: dict[Any, Any] = LOOK | {"font.size": 13, "axes.labelsize": 13, "legend.fontsize": 13, "lines.linewidth": 2.2}
    with matplotlib.rc_context(look):
        figure = Figure(figsize=INCHES, facecolor="white")
        axis = figure.add_axes((0.075, 0.12, 0.64, 0.63))
        metric = "test_f1" if advice.metric == "chunk F1" else "test_accuracy"
        draw_curves(axis, curves, metric, results.plan.epochs)
        axis.set_xlabel(f"epoch; {FEATURE_CAPTIONS[features]}")
        axis.set_ylabel(f"{advice.metric} on the test set, %")
        figure.text(0.04, 0.915, _cut(name, 52), fontsize=26, weight="bold", va="center")
        figure.text(0.04, 0.835, _cut(advice.sentences[0], 84), fontsize=17, color="#444444", va="center")
        figure.legend(*axis.get_legend_handles_labels(), loc="center left", bbox_to_anchor=(0.74, 0.45), frameon=False)
        figure.text(0.96, 0.06, "tagfield", fontsize=15, color="#0072B2", weight="bold", ha="right")
        with write_atomically(path) as file:
            figure.savefig(file, format="png", dpi=DPI, metadata={"Software": None})
    return path


def _cut(text: str, long: int) -> str:
    """The text, shortened to what fits; $ would start a formula.

    >>> _cut("a long name", 6)
    'a lon…'
    """
    text = text if len(text) <= long else f"{text[: long - 1]}…"
    return text.replace("$", r"\$")
