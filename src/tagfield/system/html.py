"""Small HTML tables for notebooks: what `_repr_html_` of Model, Encoded, Dataset, Scores, Settings and Trained show.

Every cell is escaped. Colours are inherited or half transparent, so that a table reads in light and dark themes.
"""

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

RULE = "border-bottom:1px solid rgba(127,127,127,.5)"
CELL = "padding:2px 10px;background:none;color:inherit"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """A table with a head; the first column is text, the others are numbers.

    >>> "&lt;b&gt;" in table(["label"], [["<b>"]])
    True
    """
    title = f'<caption style="text-align:left;{CELL}">{escape(caption)}</caption>' if caption else ""
    cells = "".join(
        f'<th style="text-align:{_side(i)};{CELL};{RULE}">{escape(head)}</th>' for i, head in enumerate(heads)
    )
    body = "".join(
        "<tr>"
        + "".join(f'<td style="text-align:{_side(i)};{CELL}">{escape(str(cell))}</td>' for i, cell in enumerate(row))
        + "</tr>"
        for row in rows
    )
    return (
        f'<table style="border-collapse:collapse">{title}<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>'
    )


def facts(title: str, rows: Iterable[tuple[str, object]]) -> str:
    """A table of names and values, with a title.

    >>> "2 labels" in facts("Model", [("labels", "2 labels")])
    True
    """
    body = "".join(
        f'<tr><th style="text-align:left;{CELL};font-weight:normal;opacity:.7">{escape(name)}</th>'
        f'<td style="text-align:left;{CELL}">{escape(str(value))}</td></tr>'
        for name, value in rows
    )
    head = f'<caption style="text-align:left;{CELL};{RULE}"><b>{escape(title)}</b></caption>'
    return f'<table style="border-collapse:collapse">{head}<tbody>{body}</tbody></table>'


def some(names: Iterable[str], most: int = 6, long: int = 40) -> str:
    """The first few names, and … if there are more; a long name is cut.

    >>> some(["A", "B", "C"], 2)
    'A, B, …'
    """
    first = list(islice(names, most + 1))
    shown = [name if len(name) <= long else f"{name[: long - 1]}…" for name in first[:most]]
    return ", ".join(shown + ["…"] * (len(first) > most))


def _side(column: int) -> str:
    return "right" if column else "left"
