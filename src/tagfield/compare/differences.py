"""The table of differences: every recipe compared with plain SGD on the same features, and what is significant.

    Results ─▶ differences() ─▶ DifferenceRow: tokens, interval, p, verdict ─▶ Markdown, text, HTML, JSON

The p values of one feature set are adjusted together. Results without the errors of each sentence have no such table.
"""

from dataclasses import asdict, dataclass
from functools import cache
from html import escape
from typing import Any

import numpy as np

from tagfield.compare.line_styles import style_of
from tagfield.compare.results import Results, RunResult
from tagfield.compare.significance import LEVEL, Difference, compare_pair, holm
from tagfield.compare.summary import BASELINE
from tagfield.data.dataset import Longs

HEADS = ("recipe", "features", "points", "test tokens", "95 % interval", "p, sentences", "p, seeds", "verdict")


@dataclass(frozen=True)
class DifferenceRow:
    """A recipe compared with the baseline on the same feature set."""

    recipe: str
    features: str
    difference: Difference
    adjusted: float  # the larger p, corrected for the number of recipes

    @property
    def verdict(self) -> str:
        """better, worse, or not significant."""
        if self.adjusted >= LEVEL:
            return "not significant"
        return "better" if self.difference.tokens > 0 else "worse"

    @property
    def cells(self) -> list[str]:
        """The row as text, under HEADS."""
        found = self.difference
        seeds = "–" if found.by_seeds is None else shown_p(found.by_seeds)
        return [
            self.recipe,
            self.features,
            _signed(f"{found.points:+.2f}"),
            _signed(f"{found.tokens:+.0f}"),
            _signed(f"{found.low:+.0f} to {found.high:+.0f}"),
            shown_p(found.by_sentences),
            seeds,
            f"{self.verdict} (p {shown_p(self.adjusted)})",
        ]


def differences(results: Results) -> list[DifferenceRow]:
    """One row for each recipe but the baseline, where both have finished runs that kept their errors."""
    groups = {key: matrix for key, runs in results.groups().items() if (matrix := _errors(runs)) is not None}
    tokens = results.data["test"]["tokens"]
    rows = []
    for kind in dict.fromkeys(features for _, features in groups):
        base = groups.get((BASELINE, kind))
        if base is None:
            continue
        found = {name: _pair(one.tobytes(), base.tobytes(), one.shape, base.shape, tokens)
                 for (name, features), one in groups.items() if features == kind and name != BASELINE}  # fmt: skip
        for (name, each), p in zip(found.items(), holm([each.p for each in found.values()]), strict=True):
            rows.append(DifferenceRow(name, kind, each, p))
    return rows


@cache
def _pair(one: bytes, base: bytes, shape: tuple[int, int], base_shape: tuple[int, int], tokens: int) -> Difference:
    """Compare a pair once; a report shows it in several forms."""
    arrays = np.frombuffer(one, np.int64).reshape(shape), np.frombuffer(base, np.int64).reshape(base_shape)
    return compare_pair(*arrays, tokens)


def _errors(runs: list[RunResult]) -> Longs | None:
    """Wrong tokens, [seeds, sentences]."""
    found = [run.wrong for run in runs if not run.failed]
    if not found or any(wrong is None for wrong in found):
        return None
    return np.stack([wrong for wrong in found if wrong is not None])


def markdown_differences(results: Results) -> str:
    """The table in Markdown; empty if there is none."""
    rows = differences(results)
    if not rows:
        return ""
    lines = [HEADS, ["---", "---", "---:", "---:", "---:", "---:", "---:", "---"], *(row.cells for row in rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def plain_differences(results: Results) -> str:
    """The table for a terminal; empty if there is none."""
    rows = differences(results)
    if not rows:
        return ""
    cells = [list(HEADS), *(row.cells for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    sides = "<<>>>>><"
    lines = [
        "  ".join(f"{cell:{side}{w}}" for cell, side, w in zip(line, sides, widths, strict=True)).rstrip()
        for line in cells
    ]
    head, *rest = lines
    return "\n".join([f"compared with {BASELINE}, on the same feature set:", "", head, "─" * len(head), *rest]) + "\n"


def html_differences(results: Results) -> str:
    """The table for the page, in its section; empty if there is none."""
    rows = differences(results)
    if not rows:
        return ""
    lines = []
    for row in rows:
        label = f'<span class="swatch" data-swatch="{escape(row.recipe)}">{escape(style_of(row.recipe).label)}</span>'
        first = f'<td class="text">{label}<span class="kind">{escape(row.features)}</span></td>'
        points, *numbers, verdict = (escape(cell) for cell in row.cells[2:])  # a phone shows the first three columns
        figures = "".join(f"<td>{cell}</td>" for cell in numbers)
        lines.append(f'<tr>{first}<td>{points}</td><td class="text verdict">{verdict}</td>{figures}</tr>')
    sides = {HEADS[0]: " class=text", HEADS[-1]: " class=text"}
    order = (HEADS[0], HEADS[2], HEADS[-1], *HEADS[3:-1])
    heads = "".join(f'<th scope="col"{sides.get(head, "")}>{head}</th>' for head in order)
    return f'<table class="data"><thead><tr>{heads}</tr></thead><tbody>{"".join(lines)}</tbody></table>'


def explanation(results: Results) -> str:
    """How to read the table."""
    return (
        f"How many more of the {results.data['test']['tokens']:,} test tokens each recipe labels right than {BASELINE} "
        "on the same features, averaged over seeds. The interval covers other sentences and other seeds. The first "
        "p asks whether the difference would hold on other sentences (approximate randomisation), the second whether "
        "for other seeds (paired t test). A verdict needs both, below 0.05 after Holm's correction for the number of "
        "recipes; its p is the larger one, corrected."
    )


def records(results: Results) -> list[dict[str, Any]]:
    """The rows for JSON, with all digits."""
    return [{**asdict(row), "points": row.difference.points, "verdict": row.verdict} for row in differences(results)]


def shown_p(p: float) -> str:
    """A p value with as many digits as it deserves.

    >>> shown_p(0.0321), shown_p(0.0001), shown_p(0.8)
    ('0.032', '<0.001', '0.80')
    """
    return "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def _signed(text: str) -> str:
    return text.replace("-", "−")
