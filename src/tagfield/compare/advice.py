"""The recommendation at the end of a report: which recipe to use, and why.

    SummaryRow ─▶ the best, those within the noise of the seeds, the fastest of them ─▶ Advice ─▶ sentences

Two recipes count as equal if their means differ by less than two standard errors of the difference. One of them is
faster if it takes at most four fifths of the time.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tagfield.compare.line_styles import style_of
from tagfield.compare.results import Results
from tagfield.compare.summary import MeanSd, SummaryRow, summarise
from tagfield.train import DEFAULT

SAVING = 0.8  # an equal recipe must take at most this share of the best one's time to be preferred


@dataclass(frozen=True)
class Advice:
    """Which recipe to use."""

    metric: str  # "chunk F1" or "token accuracy"
    best: SummaryRow  # with the highest mean
    equals: list[SummaryRow]  # within the noise of the seeds; empty with one seed
    use: SummaryRow  # the fastest of the equals if it saves time, otherwise the best

    @property
    def sentences(self) -> list[str]:
        """The advice as text."""
        use, best, score = self.use, self.best, score_of
        lines = [f"Use {_name(use)}: {self.metric} {score(use)} % in {_seconds(use)} of training."]
        if use is not best:
            gap = round(100 * score(best).mean, 2) - round(100 * score(use).mean, 2)  # of the figures that are shown
            lines.append(
                f"{_name(best)} has the highest mean, {score(best)} %, but {gap:.2f} points are within the noise of "
                f"{best.seeds} seeds, and it takes {_seconds(best)}."
            )
        elif best.seeds == 1:
            lines.append(
                "It is the highest of one run each; with --seeds 5 the report says which differences are real."
            )
        elif self.equals:
            same = all(row.features == use.features for row in self.equals)
            names = _listed([style_of(row.recipe).label if same else _name(row) for row in self.equals])
            lines.append(
                f"It has the highest mean. {best.seeds} seeds cannot tell it from {names}, but none of these saves a "
                "fifth of the time."
            )
        else:
            lines.append(f"No other recipe comes within the noise of {best.seeds} seeds.")
        lines.append(f"To train with it: `tagfield train FILE --recipe {use.recipe} --features {use.features}`.")
        if use.recipe == DEFAULT["recipe"]:
            lines.append("This is the default recipe of tagfield train, averaged and for six passes.")
        lines.append(
            "These figures are of the test set. If you choose a recipe by them, report its score on other data; "
            "`tagfield tune` chooses by cross-validation on the training set."
        )
        return lines


def advise(results: Results) -> Advice | None:
    """The advice of a comparison; None where no run has a score."""
    rows = [row for row in summarise(results) if row.accuracy is not None]
    if not rows:
        return None
    best = max(rows, key=lambda row: (score_of(row).mean, -_cost(row)))
    equals = [row for row in rows if row is not best and alike(score_of(best), score_of(row))]
    quicker = [row for row in equals if _cost(row) <= SAVING * _cost(best)]
    use = min(quicker, key=_cost, default=best)
    return Advice("chunk F1" if best.f1 else "token accuracy", best, equals, use)


def score_of(row: SummaryRow) -> MeanSd:
    """Chunk F1, or accuracy where the labels mark no chunks."""
    found = row.f1 or row.accuracy
    assert found is not None
    return found


def alike(one: MeanSd, other: MeanSd) -> bool:
    """Whether two means over seeds differ by less than two standard errors; never so with one seed.

    >>> alike(MeanSd(0.96, 0.001, 5), MeanSd(0.9595, 0.001, 5)), alike(MeanSd(0.96, None, 1), MeanSd(0.96, None, 1))
    (True, False)
    """
    if one.sd is None or other.sd is None:
        return False
    error = math.sqrt(one.sd**2 / one.count + other.sd**2 / other.count)
    return abs(one.mean - other.mean) <= 2 * error


def _cost(row: SummaryRow) -> float:
    return row.seconds.mean if row.seconds else math.inf


def _name(row: SummaryRow) -> str:
    return f"{style_of(row.recipe).label} with {row.features} features"


def _seconds(row: SummaryRow) -> str:
    return f"{_cost(row):.1f} s"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
