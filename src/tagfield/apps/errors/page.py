"""The page: one self-contained HTML file that loads nothing.

model, labelled data ─▶ Errors ─▶ Records (JSON) ─┐
                   page.html · page.css · page.js ┴─▶ write_errors_page ─▶ errors.html
"""

import hashlib
import os
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from tagfield.apps.errors.finding import RARE, UNSURE, Errors, find_errors
from tagfield.apps.errors.labelled import Labelled
from tagfield.apps.errors.records import Records, Shown
from tagfield.apps.web.one_file import embed, one_file_page
from tagfield.data.text.reading import ReadOptions
from tagfield.errors import InputError, OutputError
from tagfield.model.model import Model
from tagfield.system.atomic import write_atomically

HERE = Path(__file__).parent
SENTENCES = 1_000  # shown by default
MARK = b'<meta name="generator" content="tagfield errors">'  # a page may replace a page, and no other file


@dataclass(frozen=True)
class ErrorsPage:
    """What was written."""

    path: str
    errors: Errors
    sentences: int  # on the page
    size: int  # bytes


def write_errors_page(
    model: Any,
    data: Any,
    path: str | os.PathLike[str] = "errors.html",
    *,
    train: Any = None,
    sentences: int = SENTENCES,
    rules: Any = None,
    threads: int = 1,
    reading: ReadOptions | None = None,
    name: str = "",
) -> ErrorsPage:
    """Write a page with a model's errors on labelled data: likely annotation errors first, each with its reasons.

    model: a Model, or a fitted CRF
    data: labelled files, or a pair (X, y) of sentences of words and their labels; without a template, of attributes
    train: the training data, in the same form; the page then shows similar training sentences
    sentences: how many sentences to show at most
    rules: as in `Model.decoder`
    reading: how files are read
    name: what the page calls the model

    >>> import tempfile
    >>> from tagfield import Model
    >>> X, y = [["Anna", "left"], ["It", "left"]], [["B-PER", "O"], ["O", "O"]]
    >>> model = Model.train_words(X * 3, y * 3)
    >>> path = tempfile.mkdtemp() + "/errors.html"
    >>> page = write_errors_page(model, ([["Anna", "left"]], [["O", "O"]]), path, train=(X, y))
    >>> page.errors.confusions()
    [('O', 'B-PER', 1)]
    """
    check_page_target(path)
    model = getattr(model, "model_", model)
    if not isinstance(model, Model):
        raise InputError(f"model must be a Model or a fitted CRF, got {type(model).__name__}")
    if isinstance(sentences, bool) or not isinstance(sentences, int) or sentences < 1:
        raise InputError(f"sentences must be at least 1, got {sentences!r}")
    labelled = Labelled.of(model, data, reading)
    errors = find_errors(model, labelled, rules, threads)
    training = None if train is None else Labelled.of(model, train, reading)
    shown = Records(model, labelled, errors, rules).shown(sentences, training)
    text = page_text(shown, errors, labelled.short_name, name).encode("utf-8", "backslashreplace")
    with write_atomically(path) as file:
        file.write(text)
    return ErrorsPage(os.fspath(path), errors, shown.sentences, len(text))


def check_page_target(path: str | os.PathLike[str]) -> None:
    """Raise OutputError if a file is there that is not a page of this kind."""
    path = os.fspath(path)  # a number would be taken for an open file, and closed
    try:
        if os.path.isfile(path) and os.path.getsize(path):
            with open(path, "rb") as file:
                if MARK not in file.read(2_000):
                    raise OutputError(
                        f"{os.fspath(path)} exists and is not a page of tagfield errors; give another name, or delete "
                        "the file first"
                    )
    except (OSError, ValueError):
        return  # writing says what is wrong


def page_text(shown: Shown, errors: Errors, data_name: str, model_name: str = "") -> str:
    """The page as one string."""
    data = embed(shown.data)
    key = hashlib.sha256(data.encode("utf-8", "backslashreplace")).hexdigest()[:16]  # decisions belong to this page
    title = f"Errors of {model_name}" if model_name else "Errors"
    title += f" on {data_name}" if data_name else ""
    values = {
        "title": escape(title),
        "lead": escape(_lead(errors)),
        "notice": "".join(f'<p class="notice">{escape(line)}</p>' for line in left_out(shown, errors)),
        "rare": f"{100 * RARE:.0f}\u00a0%",
        "unsure": f"{100 * UNSURE:.0f}\u00a0%",
    }
    shared = ("labels.css", "colours.js")
    return one_file_page(HERE, values, data, head=MARK.decode(), marks=f'data-key="{key}"', shared=shared)


def _lead(errors: Errors) -> str:
    if not len(errors):
        return f"No errors: the model gives all {errors.tokens:,} tokens their gold labels."
    return (
        f"The model gives {len(errors):,} of {errors.tokens:,} tokens another label than the gold one (token accuracy "
        f"{100 * errors.accuracy:.2f}\u00a0%), in {len(errors.ranked):,} of {errors.sentences:,} sentences. "
        "Neighbouring wrong tokens are one place."
    )


def left_out(shown: Shown, errors: Errors) -> list[str]:
    """What the page does not show, in sentences."""
    lines = []
    if shown.sentences < len(errors.ranked):
        lines.append(
            f"This page shows {shown.sentences:,} of the {len(errors.ranked):,} sentences with errors, likely "
            "annotation errors first. The matrix counts all errors."
        )
    hidden = sum(record["left"] for record in shown.data["sentences"])
    if hidden:
        lines.append(f"{hidden:,} places in sentences with many errors are left out.")
    if shown.without_examples:
        lines.append(f"The last {shown.without_examples:,} places come without training sentences.")
    return lines
