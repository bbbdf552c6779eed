"""Summary: mean and standard deviation over the seeds.

    runs of one recipe and feature set ─▶ LearningCurves (per epoch) ─┐
                                      └─▶ last lines of the runs ─────┴─▶ SummaryRow

A row scores the weights that training keeps, which are those that `tagfield train` would save.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tagfield.compare.results import METRICS, Results, RunResult
from tagfield.data.dataset import Doubles
from tagfield.train import RECIPES

BASELINE = "sgd"


@dataclass(frozen=True)
class MeanSd:
    """Mean and standard deviation over seeds; `sd` is None for a single run.

    >>> str(MeanSd.of([0.9598, 0.9602], scale=100)), str(MeanSd.of([0.5]))
    ('96.00 ± 0.03', '0.50')
    """

    mean: float
    sd: float | None
    count: int
    scale: float = 1.0  # for printing

    @classmethod
    def of(cls, values: Sequence[float], scale: float = 1.0) -> "MeanSd":
        """The mean and standard deviation of some values."""
        array = np.asarray(values, float)
        sd = float(array.std(ddof=1)) if len(array) > 1 else None
        return cls(float(array.mean()), sd, len(array), scale)

    def __str__(self) -> str:
        spread = "" if self.sd is None else f" ± {self.scale * self.sd:.2f}"
        return f"{self.scale * self.mean:.2f}{spread}"


@dataclass(frozen=True)
class LearningCurves:
    """Mean and standard deviation over the seeds, after each epoch."""

    mean: dict[str, Doubles]  # metric → [epochs]
    sd: dict[str, Doubles]

    @classmethod
    def of(cls, runs: Sequence[RunResult]) -> "LearningCurves":
        """The curves of some runs. A run that stopped early is extended with its last values."""
        length = max((len(run.epochs) for run in runs), default=0)
        mean, sd = {}, {}
        for metric in METRICS:
            curves = [run.curve(metric) for run in runs if run.epochs and metric in run.epochs[0]]
            if not curves:
                continue  # labels that mark no chunks have no F1
            stacked = np.stack([np.pad(c, (0, length - len(c)), mode="edge") for c in curves])
            mean[metric] = stacked.mean(axis=0)
            sd[metric] = stacked.std(axis=0, ddof=1) if len(curves) > 1 else np.zeros(length)
        return cls(mean, sd)


@dataclass(frozen=True)
class SummaryRow:
    """One row of the summary: a recipe on a feature set."""

    recipe: str
    features: str
    seeds: int
    failed: int
    weights: int = 0
    rates: tuple[float, ...] = ()  # the calibrated λ̂ of each seed
    c2: float | None = None
    epochs: float = 0.0
    seconds: MeanSd | None = None
    accuracy: MeanSd | None = None
    f1: MeanSd | None = None
    known_accuracy: MeanSd | None = None  # as CRFsuite counts; see worker_process.known_tokens
    reached: tuple[int, float] | None = None  # epoch and seconds to reach the baseline's final accuracy

    @property
    def rate(self) -> str:
        """The calibrated learning rate, or the range over the seeds."""
        low, high = min(self.rates, default=0.0), max(self.rates, default=0.0)
        if not self.rates:
            return "–"
        return f"{low:g}" if low == high else f"{low:g}–{high:g}"


def summarise(results: Results) -> list[SummaryRow]:
    """One row for each recipe and feature set that has a finished run."""
    groups = results.groups()
    rows = []
    for (recipe, features), runs in groups.items():
        good = [run for run in runs if not run.failed]
        failed = len(runs) - len(good)
        if not good:
            rows.append(SummaryRow(recipe, features, len(runs), failed))
            continue
        closing = [run.closing for run in good]
        known = [line["known"]["correct"] / max(1, line["known"]["tokens"]) for line in closing]
        base = [run for run in groups.get((BASELINE, features), []) if not run.failed]
        rows.append(
            SummaryRow(
                recipe,
                features,
                len(runs),
                failed,
                weights=closing[0]["weights"],
                rates=tuple(line["rate"] for line in closing if line["rate"] is not None),
                c2=closing[0].get("c2") if RECIPES[recipe].settles else None,
                epochs=float(np.mean([line["epochs"] for line in closing])),
                seconds=MeanSd.of([line["seconds"] for line in closing]),
                accuracy=MeanSd.of([line["test"]["accuracy"] for line in closing], 100),
                f1=_f1(closing),
                known_accuracy=MeanSd.of(known, 100),
                reached=first_reaching(LearningCurves.of(good), final_accuracy(base)) if base else None,
            )
        )
    return rows


def _f1(closing: Sequence[Mapping[str, Any]]) -> MeanSd | None:
    """Chunk F1 of some runs; None if the labels mark no chunks."""
    figures = [line["test"]["chunks"]["f1"] for line in closing if "chunks" in line["test"]]
    return MeanSd.of(figures, 100) if figures else None


def final_accuracy(runs: Sequence[RunResult]) -> float:
    """The mean test accuracy after the last epoch."""
    return float(LearningCurves.of(runs).mean["test_accuracy"][-1])


def first_reaching(curves: LearningCurves, accuracy: float) -> tuple[int, float] | None:
    """The first epoch with a mean test accuracy of at least `accuracy`, and the seconds until then.

    >>> c = LearningCurves({"test_accuracy": np.array([0.8, 0.9]), "seconds": np.array([1.0, 2.0])}, {})
    >>> first_reaching(c, 0.85), first_reaching(c, 0.95)
    ((2, 2.0), None)
    """
    above = np.flatnonzero(curves.mean["test_accuracy"] >= accuracy)
    return (int(above[0]) + 1, float(curves.mean["seconds"][above[0]])) if len(above) else None
