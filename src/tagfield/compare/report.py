"""write_report(): write the report of a comparison to a folder.

Results ─▶ index.html            the page
        ─▶ summary.md .csv .json the summary table
        ─▶ curves.csv            mean and standard deviation after each epoch
        ─▶ figures/*.png *.svg   the plots, if matplotlib is installed
        ─▶ share.png             the main chart and the advice, as an image to share
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from tagfield.compare.differences import explanation, markdown_differences
from tagfield.compare.plots import write_plots
from tagfield.compare.report_page import page_text
from tagfield.compare.results import Results
from tagfield.compare.share_image import write_share_image
from tagfield.compare.tables import csv_text, curves_csv, markdown_table, summary_record
from tagfield.errors import InputError, OutputError
from tagfield.system.atomic import write_atomically


@dataclass(frozen=True)
class Report:
    """The files of a report."""

    page: Path
    summary: Path
    plots: list[Path]
    share_image: Path | None = None  # share.png
    no_plots: str = ""  # why there are no plots


def _differences(results: Results) -> str:
    """The second table of summary.md, with an explanation."""
    table = markdown_differences(results)
    return f"\n{explanation(results)}\n\n{table}" if table else ""


def write_report(results: Results, folder: str | os.PathLike[str]) -> Report:
    """Write the report to `folder`, replacing an earlier one."""
    if not results.runs:
        raise InputError("no run has finished yet; run `tagfield compare` until at least one has")
    home = Path(folder)
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot create folder {str(home)!r}: {error.strerror}") from error
    texts = {
        "index.html": page_text(results),
        "summary.md": markdown_table(results) + _differences(results),
        "summary.csv": csv_text(results),
        "summary.json": json.dumps(summary_record(results), indent=2, ensure_ascii=False) + "\n",
        "curves.csv": curves_csv(results),
    }
    for name, text in texts.items():
        with write_atomically(home / name) as file:
            file.write(text.encode())
    plots: list[Path] = []
    reason, image = "", None
    try:
        plots = write_plots(results, home / "figures")
        image = write_share_image(results, home / "share.png")
    except InputError as error:
        reason = str(error)
    return Report(home / "index.html", home / "summary.md", plots, image, reason)
