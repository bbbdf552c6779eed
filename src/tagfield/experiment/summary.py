"""Summary: seeds together, as mean and standard deviation.

    runs of one recipe and feature set ─▶ Curves (after each epoch) ─┐
                                      └─▶ closing lines ─────────────┴─▶ Row of the table

The figures of a row are those of the weights that training keeps, as `tagfield train` would save them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tagfield.dataset import Doubles
from tagfield.experiment.results import METRICS, Results, RunResult

BASELINE = "sgd"


@dataclass(frozen=True)
class Figure:
    """A mean over seeds and its standard deviation; none for a single run.

    >>> str(Figure.of([0.9598, 0.9602], scale=100)), str(Figure.of([0.5]))
    ('96.00 ± 0.03', '0.50')
    """

    mean: float
    sd: float | None
    count: int
    scale: float = 1.0

    @classmethod
    def of(cls, values: Sequence[float], scale: float = 1.0) -> "Figure":
        array = np.asarray(values, float)
        sd = float(array.std(ddof=1)) if len(array) > 1 else None
        return cls(float(array.mean()), sd, len(array), scale)

    def __str__(self) -> str:
        spread = "" if self.sd is None else f" ± {self.scale * self.sd:.2f}"
        return f"{self.scale * self.mean:.2f}{spread}"


@dataclass(frozen=True)
class Curves:
    """Mean and standard deviation after each epoch, over the seeds."""

    mean: dict[str, Doubles]  # metric → [epochs]
    sd: dict[str, Doubles]

    @classmethod
    def of(cls, runs: Sequence[RunResult]) -> "Curves":
        """A run that ended early, because nothing was left to learn, counts on with its last figures."""
        length = max((len(run.epochs) for run in runs), default=0)
        mean, sd = {}, {}
        for metric in METRICS:
            curves = [run.curve(metric) for run in runs if run.epochs]
            if not curves:
                continue
            stacked = np.stack([np.pad(c, (0, length - len(c)), mode="edge") for c in curves])
            mean[metric] = stacked.mean(axis=0)
            sd[metric] = stacked.std(axis=0, ddof=1) if len(curves) > 1 else np.zeros(length)
        return cls(mean, sd)


@dataclass(frozen=True)
class Row:
    """One line of the table: a recipe on a feature set."""

    recipe: str
    features: str
    seeds: int
    failed: int
    weights: int = 0
    rates: tuple[float, ...] = ()  # λ̂ of each seed
    epochs: float = 0.0
    seconds: Figure | None = None
    accuracy: Figure | None = None
    f1: Figure | None = None
    known_accuracy: Figure | None = None  # without what follows a label that training never saw
    reached: tuple[int, float] | None = (
        None  # epoch and second at which the baseline's last accuracy is passed
    )

    @property
    def rate(self) -> str:
        """The rate that calibration found, or the span of them."""
        low, high = min(self.rates, default=0.0), max(self.rates, default=0.0)
        if not self.rates:
            return "–"
        return f"{low:g}" if low == high else f"{low:g}–{high:g}"


def summarise(results: Results) -> list[Row]:
    """The table: a row for each recipe and feature set that has a finished run."""
    groups = results.groups()
    rows = []
    for (recipe, features), runs in groups.items():
        good = [run for run in runs if not run.failed]
        failed = len(runs) - len(good)
        if not good:
            rows.append(Row(recipe, features, len(runs), failed))
            continue
        closing = [run.closing for run in good]
        known = [line["known"]["correct"] / max(1, line["known"]["tokens"]) for line in closing]
        base = [run for run in groups.get((BASELINE, features), []) if not run.failed]
        rows.append(
            Row(
                recipe,
                features,
                len(runs),
                failed,
                weights=closing[0]["weights"],
                rates=tuple(line["rate"] for line in closing if line["rate"] is not None),
                epochs=float(np.mean([line["epochs"] for line in closing])),
                seconds=Figure.of([line["seconds"] for line in closing]),
                accuracy=Figure.of([line["test"]["accuracy"] for line in closing], 100),
                f1=Figure.of([line["test"]["chunks"]["f1"] for line in closing], 100),
                known_accuracy=Figure.of(known, 100),
                reached=passes(Curves.of(good), target(base)) if base else None,
            )
        )
    return rows


def target(runs: Sequence[RunResult]) -> float:
    """The mean test accuracy that some runs end with."""
    return float(Curves.of(runs).mean["test_accuracy"][-1])


def passes(curves: Curves, accuracy: float) -> tuple[int, float] | None:
    """The first epoch, and its second, whose mean test accuracy is at least `accuracy`.

    >>> c = Curves({"test_accuracy": np.array([0.8, 0.9]), "seconds": np.array([1.0, 2.0])}, {})
    >>> passes(c, 0.85), passes(c, 0.95)
    ((2, 2.0), None)
    """
    above = np.flatnonzero(curves.mean["test_accuracy"] >= accuracy)
    return (int(above[0]) + 1, float(curves.mean["seconds"][above[0]])) if len(above) else None
