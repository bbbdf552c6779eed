"""The summary as a table: one list of columns, four ways to write it (Markdown, CSV, JSON, HTML).

Row ─▶ COLUMNS: head, text, number ─▶ markdown() · csv_text() · html_table()      Results ─▶ summary_record() (JSON)
"""

import csv
import io
from collections.abc import Callable
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from tagfield.experiment.paper import difference, is_paper, paper_figure
from tagfield.experiment.results import Results
from tagfield.experiment.style import style_of
from tagfield.experiment.summary import BASELINE, Curves, Figure, Row, summarise

SETS = {"observed": "observed (small)", "all": "all (large)"}


@dataclass(frozen=True)
class Column:
    """A column of the table: its head, the text of a cell, and the number to sort by (None: by the text)."""

    head: str
    text: Callable[[Row], str]
    number: Callable[[Row], float | None] | None = None
    best: bool = False  # whether the highest figure is set in bold


def _figure(figure: Figure | None) -> str:
    return "failed" if figure is None else str(figure)


def _reached(row: Row) -> str:
    return "–" if row.reached is None else f"epoch {row.reached[0]}, {row.reached[1]:.1f} s"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}".replace("-", "−")


def _mean(figure: Figure | None) -> float | None:
    return None if figure is None else figure.scale * figure.mean


def columns(paper: bool) -> list[Column]:
    """The table's columns; on the paper's data with the paper's figures.

    >>> [column.head for column in columns(False)][:3]
    ['recipe', 'features', 'rate found']
    """
    beside = [
        Column("the paper's", paper_figure),
        Column("difference", lambda row: _signed(difference(row)), difference),
    ]
    return [
        Column("recipe", lambda row: row.recipe),
        Column("features", lambda row: row.features),
        Column("rate found", lambda row: row.rate, lambda row: min(row.rates, default=None)),
        Column("epochs", lambda row: f"{row.epochs:.1f}".removesuffix(".0"), lambda row: row.epochs),
        Column(
            "seconds",
            lambda row: f"{row.seconds.mean:.1f}" if row.seconds else "–",
            lambda r: _mean(r.seconds),
        ),
        Column(
            "token accuracy %", lambda row: _figure(row.accuracy), lambda row: _mean(row.accuracy), best=True
        ),
        *(beside if paper else []),
        Column("chunk F1 %", lambda row: _figure(row.f1), lambda row: _mean(row.f1), best=True),
        Column(f"passes {BASELINE}'s last", _reached, lambda row: row.reached[1] if row.reached else None),
    ]


def markdown(results: Results) -> str:
    """The table in Markdown, aligned, a part for each feature set."""
    return text_table(results, "| ", " | ", " |", "---", set())


def text_table(results: Results, left: str, between: str, right: str, rule: str, leave_out: set[str]) -> str:
    """The table as aligned text."""
    rows = summarise(results)
    shown = [column for column in columns(is_paper(results)) if column.head not in leave_out]
    cells = [[column.head for column in shown], *([column.text(row) for column in shown] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(shown))]

    def line(texts: list[str]) -> str:
        padded = [
            text.ljust(width) if i < 2 else text.rjust(width)
            for i, (text, width) in enumerate(zip(texts, widths, strict=True))
        ]
        return (left + between.join(padded) + right).rstrip()

    ruled = [rule.ljust(w, "-") if i < 2 else rule[:-1].rjust(w - 1, "-") + ":" for i, w in enumerate(widths)]
    middle = line(ruled) if left else "─" * len(line(cells[0]))
    return "\n".join([line(cells[0]), middle, *(line(texts) for texts in cells[1:])]) + "\n"


def csv_text(results: Results) -> str:
    """Every figure of the table with all its digits, a line for each recipe and feature set."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    heads = ["recipe", "features", "seeds", "failed", "weights", "rate_low", "rate_high", "epochs", "seconds"]
    figures = ("accuracy", "f1", "known_accuracy")
    heads += [f"{name}_{part}" for name in figures for part in ("mean", "sd")]
    table.writerow([*heads, "epoch_past_baseline", "seconds_past_baseline"])
    for row in summarise(results):
        line: list[Any] = [row.recipe, row.features, row.seeds, row.failed, row.weights]
        line += [min(row.rates, default=None), max(row.rates, default=None), row.epochs, _mean(row.seconds)]
        for name in figures:
            figure: Figure | None = getattr(row, name)
            line += [None, None] if figure is None else [figure.mean, figure.sd]
        table.writerow(["" if cell is None else cell for cell in [*line, *(row.reached or ("", ""))]])
    return out.getvalue()


def curves_csv(results: Results) -> str:
    """The curves: mean and standard deviation over seeds after each epoch."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    head: list[str] | None = None
    for (recipe, features), runs in results.groups().items():
        curves = Curves.of([run for run in runs if not run.failed])
        if head is None and curves.mean:
            head = [f"{metric}_{part}" for metric in curves.mean for part in ("mean", "sd")]
            table.writerow(["recipe", "features", "epoch", *head])
        for i in range(len(curves.mean.get("seconds", ()))):
            figures = [f"{side[m][i]:.6g}" for m in curves.mean for side in (curves.mean, curves.sd)]
            table.writerow([recipe, features, i + 1, *figures])
    return out.getvalue()


def summary_record(results: Results) -> dict[str, Any]:
    """The whole summary as a JSON record."""
    return {
        "plan": results.plan.to_dict(),
        "data": dict(results.data),
        "versions": results.sessions[-1]["versions"] if results.sessions else {},
        "missing": [run.key for run in results.missing],
        "failed": {run.run.key: run.closing["error"] for run in results.runs if run.failed},
        "rows": [{**asdict(row), "difference_to_paper": _beside(results, row)} for row in summarise(results)],
    }


def _beside(results: Results, row: Row) -> float | None:
    return difference(row) if is_paper(results) else None


def html_table(results: Results) -> str:
    """The table for the page; cells carry their numbers, and the best figure of a feature set is bold."""
    rows = summarise(results)
    shown = columns(is_paper(results))
    heads = "".join(
        f'<th scope="col"{"" if column.number else " class=text"}>{escape(column.head)}</th>'
        for column in shown
    )
    lines = []
    for row in rows:
        cells = []
        for column in shown:
            text = escape(column.text(row))
            if column.head == "recipe":
                label = escape(style_of(row.recipe).label)
                cells.append(
                    f'<td class="text"><span class="swatch" data-swatch="{escape(row.recipe)}">{label}</span></td>'
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
        f'<table class="data" id="summary-table"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>"
    )
