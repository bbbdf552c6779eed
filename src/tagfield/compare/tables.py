"""The summary table as Markdown, plain text, HTML, CSV and JSON.

SummaryRow ─▶ columns(): head, text, number ─▶ markdown_table · plain_table · html_table
Results ─▶ csv_text · curves_csv · summary_record (JSON), with all digits
"""

import csv
import io
from collections.abc import Callable
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from tagfield.compare.differences import records
from tagfield.compare.line_styles import style_of
from tagfield.compare.paper_results import difference_to_paper, matches_paper, paper_accuracy
from tagfield.compare.results import Results
from tagfield.compare.summary import BASELINE, LearningCurves, MeanSd, SummaryRow, summarise

FEATURE_TITLES = {"observed": "observed (small)", "all": "all (large)"}


@dataclass(frozen=True)
class Column:
    """A column: its head, the text of a cell, and the number to sort by, if it does not sort by text."""

    head: str
    text: Callable[[SummaryRow], str]
    number: Callable[[SummaryRow], float | None] | None = None
    best: bool = False  # whether the highest value is bold


def _text(value: MeanSd | None) -> str:
    return "failed" if value is None else str(value)


def _reached(row: SummaryRow) -> str:
    return "–" if row.reached is None else f"epoch {row.reached[0]}, {row.reached[1]:.1f} s"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}".replace("-", "−")


def _mean(value: MeanSd | None) -> float | None:
    return None if value is None else value.scale * value.mean


def columns(paper: bool, chunks: bool = True, c2: bool = False) -> list[Column]:
    """The columns of the table; with `paper`, also the paper's accuracy and the difference to it.

    chunks: Whether the labels mark chunks, so that there is an F1.
    c2: Whether c2 differs from row to row.

    >>> [column.head for column in columns(False)][:3]
    ['recipe', 'features', 'token accuracy %']
    """
    paper_columns = [
        Column("the paper's", paper_accuracy),
        Column("difference", lambda row: _signed(difference_to_paper(row)), difference_to_paper),
    ]
    f1 = Column("chunk F1 %", lambda row: _text(row.f1), lambda row: _mean(row.f1), best=True)
    return [
        Column("recipe", lambda row: row.recipe),
        Column("features", lambda row: row.features),
        Column("token accuracy %", lambda row: _text(row.accuracy), lambda row: _mean(row.accuracy), best=True),
        *(paper_columns if paper else []),
        *([f1] if chunks else []),
        Column("seconds", lambda row: f"{row.seconds.mean:.1f}" if row.seconds else "–", lambda r: _mean(r.seconds)),
        Column("epochs", lambda row: f"{row.epochs:.1f}".removesuffix(".0"), lambda row: row.epochs),
        *([Column("c2", lambda row: "–" if row.c2 is None else f"{row.c2:g}", lambda row: row.c2)] if c2 else []),
        Column("learning rate", lambda row: row.rate, lambda row: min(row.rates, default=None)),
        Column(f"reaches {BASELINE}'s final", _reached, lambda row: row.reached[1] if row.reached else None),
    ]


def markdown_table(results: Results) -> str:
    """The table in Markdown."""
    head, *rows = _padded_cells(results)
    rule = ["-" * len(cell) if i < 2 else "-" * (len(cell) - 1) + ":" for i, cell in enumerate(head)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, rule, *rows))


def plain_table(results: Results) -> str:
    """The table for a terminal."""
    head, *rows = ("  ".join(cells).rstrip() for cells in _padded_cells(results))
    return "\n".join([head, "─" * len(head), *rows]) + "\n"


def _padded_cells(results: Results) -> list[list[str]]:
    """The head and the rows, with equal widths in each column; the first two columns are names."""
    rows = summarise(results)
    shown = columns(matches_paper(results), any(row.f1 for row in rows), len({row.c2 for row in rows} - {None}) > 1)
    cells = [[column.head for column in shown]]
    cells += [[column.text(row) for column in shown] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        [f"{cell:<{w}}" if i < 2 else f"{cell:>{w}}" for i, (cell, w) in enumerate(zip(line, widths, strict=True))]
        for line in cells
    ]


def csv_text(results: Results) -> str:
    """The summary as CSV, one line per recipe and feature set."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    heads = ["recipe", "features", "seeds", "failed", "weights", "rate_low", "rate_high", "epochs", "seconds"]
    scores = ("accuracy", "f1", "known_accuracy")
    heads += [f"{name}_{part}" for name in scores for part in ("mean", "sd")]
    table.writerow([*heads, "epoch_past_baseline", "seconds_past_baseline"])
    for row in summarise(results):
        line: list[Any] = [row.recipe, row.features, row.seeds, row.failed, row.weights]
        line += [min(row.rates, default=None), max(row.rates, default=None), row.epochs, _mean(row.seconds)]
        for name in scores:
            score: MeanSd | None = getattr(row, name)
            line += [None, None] if score is None else [score.mean, score.sd]
        table.writerow(["" if cell is None else cell for cell in [*line, *(row.reached or ("", ""))]])
    return out.getvalue()


def curves_csv(results: Results) -> str:
    """The learning curves as CSV: mean and standard deviation over the seeds after each epoch."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    head: list[str] | None = None
    for (recipe, features), runs in results.groups().items():
        curves = LearningCurves.of([run for run in runs if not run.failed])
        if head is None and curves.mean:
            head = [f"{metric}_{part}" for metric in curves.mean for part in ("mean", "sd")]
            table.writerow(["recipe", "features", "epoch", *head])
        for i in range(len(curves.mean.get("seconds", ()))):
            values = [f"{side[m][i]:.6g}" for m in curves.mean for side in (curves.mean, curves.sd)]
            table.writerow([recipe, features, i + 1, *values])
    return out.getvalue()


def summary_record(results: Results) -> dict[str, Any]:
    """The summary as a JSON record."""
    on_papers_data = matches_paper(results)
    return {
        "plan": results.plan.to_dict(),
        "data": dict(results.data),
        "versions": results.sessions[-1]["versions"] if results.sessions else {},
        "missing": [run.key for run in results.missing],
        "failed": {run.run.key: run.closing["error"] for run in results.runs if run.failed},
        "rows": [
            {**asdict(row), "difference_to_paper": difference_to_paper(row) if on_papers_data else None}
            for row in summarise(results)
        ],
        "differences": records(results),
    }


def html_table(results: Results) -> str:
    """The table for the page. Cells carry the number to sort by; the best of a feature set is bold."""
    rows = summarise(results)
    shown = columns(matches_paper(results), any(row.f1 for row in rows), len({row.c2 for row in rows} - {None}) > 1)
    heads = "".join(
        f'<th scope="col"{"" if column.number else " class=text"}>{escape(column.head)}</th>' for column in shown
    )
    lines = []
    for row in rows:
        cells = []
        for column in shown:
            text = escape(column.text(row))
            if column.head == "recipe":
                label = escape(style_of(row.recipe).label)
                cells.append(
                    f'<td class="text"><span class="swatch" data-swatch="{escape(row.recipe)}">{label}</span>'
                    f'<span class="kind">{escape(row.features)}</span></td>'
                )
                continue
            value = column.number(row) if column.number else None
            number = f' data-value="{"" if value is None else value}"' if column.number else ""
            peers = [column.number(r) for r in rows if r.features == row.features] if column.number else []
            best = column.best and value is not None and value == max(p for p in peers if p is not None)
            kind = "best" if best else "" if column.number else "text"
            cells.append(f'<td class="{kind}"{number}>{text}</td>')
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'<table class="data" id="summary-table"><thead><tr>{heads}</tr></thead><tbody>{"".join(lines)}</tbody></table>'
    )
