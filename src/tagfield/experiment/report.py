"""write_report(): everything that can be made of a comparison's results, in one folder.

Results ─▶ index.html            the page
        ─▶ summary.md .csv .json the table
        ─▶ curves.csv            mean and spread after each epoch
        ─▶ figures/*.png *.svg   where matplotlib is installed
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from tagfield.atomic import write_atomically
from tagfield.errors import InputError, OutputError
from tagfield.experiment.page import page_text
from tagfield.experiment.results import Results
from tagfield.experiment.tables import csv_text, curves_csv, markdown, summary_record


@dataclass(frozen=True)
class Report:
    """What was written."""

    page: Path
    summary: Path
    figures: list[Path]
    no_figures: str = ""  # why there are none


def write_report(results: Results, folder: str | os.PathLike[str]) -> Report:
    """Writes the report of some results; what a former report left there is replaced."""
    if not results.runs:
        raise InputError(
            "no run has finished yet, so there is nothing to report; let `tagfield compare` go on"
        )
    home = Path(folder)
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {str(home)!r}: {error.strerror}") from error
    texts = {
        "index.html": page_text(results),
        "summary.md": markdown(results),
        "summary.csv": csv_text(results),
        "summary.json": json.dumps(summary_record(results), indent=2, ensure_ascii=False) + "\n",
        "curves.csv": curves_csv(results),
    }
    for name, text in texts.items():
        with write_atomically(home / name) as file:
            file.write(text.encode())
    figures: list[Path] = []
    reason = ""
    try:
        from tagfield.experiment.figures import write_figures

        figures = write_figures(results, home / "figures")
    except InputError as error:
        reason = str(error)
    return Report(home / "index.html", home / "summary.md", figures, reason)
