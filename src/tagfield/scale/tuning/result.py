"""Tuning: what was tried, how it did, and what to use.

rows (figures by fold) ─▶ means, and differences from the default on the same folds ─▶ the choice ─▶ table, sentence
"""

import math
from dataclasses import dataclass
from typing import Any

from tagfield.scale.tuning.candidates import Candidate
from tagfield.scale.tuning.statistics import Estimate, difference, estimate
from tagfield.train import Settings

FIGURES = {"f1": "F1", "accuracy": "accuracy"}


@dataclass(frozen=True)
class Row:
    """A candidate and its figure on each fold that it was scored on, in %."""

    candidate: Candidate
    figures: list[float]


@dataclass(frozen=True)
class Tuning:
    """The result of `tune`.

    rows: every candidate with a figure, the most folds and the best mean first
    chosen: the row to use: the best one that was scored on every fold, or the default where none is clearly better
    """

    rows: list[Row]
    chosen: Row
    default: Row
    figure: str  # f1 or accuracy
    folds: int
    finished: bool  # False if it was stopped; then `chosen` is the best so far

    @classmethod
    def of(cls, rows: list[Row], default: Candidate, figure: str, folds: int, finished: bool) -> "Tuning":
        """Ranks the rows and chooses one.

        Another candidate takes the default's place only where it is ahead by more than the standard error of the
        difference: of many noisy figures, the best is seldom as good as it looks.

        >>> usual, other = Candidate({}), Candidate({"c2": 0.3})
        >>> rows = [Row(usual, [80.0, 81.0, 82.0]), Row(other, [81.0, 82.0, 83.5])]
        >>> Tuning.of(rows, usual, "f1", 3, True).sentence
        'use default, c2 0.3: F1 82.17 ± 1.15, ahead of the default by 1.17 ± 0.26'
        """
        there = [row for row in rows if row.candidate == default]
        usual = there[0] if there else Row(default, [])
        ranked = sorted(rows, key=lambda row: (len(row.figures), _mean(row)), reverse=True)
        chosen = usual
        for row in ranked:
            ahead = difference(row.figures, usual.figures, folds)
            if len(row.figures) == folds and ahead.mean > ahead.error:
                chosen = row
                break
        return cls(ranked, chosen, usual, figure, folds, finished)

    @property
    def options(self) -> dict[str, Any]:
        """The options of the choice, for `Settings.of`."""
        return dict(self.chosen.candidate.options)

    @property
    def best(self) -> Settings:
        """The settings to use."""
        return self.chosen.candidate.settings()

    @property
    def template(self) -> str:
        """The template to use; "" where the data was encoded already."""
        return self.chosen.candidate.template

    def ahead(self, row: Row) -> Estimate:
        """By how much a candidate is ahead of the default, on the same folds."""
        return difference(row.figures, self.default.figures, self.folds)

    @property
    def cells(self) -> list[tuple[str, str, str, str]]:
        """The table: candidate, folds, mean figure, and the difference from the default."""
        return [
            (
                str(row.candidate),
                str(len(row.figures)),
                str(estimate(row.figures, self.folds)) if math.isfinite(_mean(row)) else "failed",
                "" if row is self.default or math.isnan(self.ahead(row).mean) else f"{_signed(self.ahead(row))}",
            )
            for row in self.rows
        ]

    @property
    def head(self) -> tuple[str, str, str, str]:
        return ("candidate", "folds", f"{FIGURES[self.figure]} %", "against the default")

    @property
    def table(self) -> str:
        """Every candidate in one line of text, the best first."""
        rows = [self.head, *self.cells]
        widths = [max(len(row[k]) for row in rows) for k in range(4)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
        )

    def __str__(self) -> str:
        return f"{self.table}\n{self.sentence}"

    @property
    def sentence(self) -> str:
        """What to use, in one sentence."""
        name = FIGURES[self.figure]
        if not self.chosen.figures:
            return "no run has finished, so nothing is known yet; keep the default"
        found = estimate(self.chosen.figures, self.folds)
        if self.chosen is self.default:
            with_template = f" with template {self.template}" if self.template else ""
            return f"use the default{with_template}: {name} {found}; nothing else that was tried is clearly better"
        ahead = self.ahead(self.chosen)
        return f"use {self.chosen.candidate}: {name} {found}, ahead of the default by {ahead}"


def _mean(row: Row) -> float:
    """For ranking: a candidate that could not be trained comes last."""
    return float("-inf") if any(map(math.isnan, row.figures)) else estimate(row.figures).mean


def _signed(found: Estimate) -> str:
    return f"{found.mean:+.2f}".replace("-", "−") + ("" if math.isnan(found.error) else f" ± {found.error:.2f}")
