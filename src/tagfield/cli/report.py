"""`tagfield report`: the results of a comparison as tables, plots and an HTML page."""

from pathlib import Path
from typing import Annotated

import typer

from tagfield.cli.compare import files, print_report, print_summary
from tagfield.cli.shared.messages import AsJson, Messages, Quiet, print_json
from tagfield.compare.report import write_report
from tagfield.compare.results import load_results
from tagfield.compare.results_page import compare_with_paper, write_results
from tagfield.compare.tables import summary_record
from tagfield.train.progress.figures import count


def report(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="Folder that `tagfield compare` wrote to.")],
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="DIR", help="Folder for the report. \\[default: DIR/report]")
    ] = None,
    publish: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.md", help="Also write a Markdown page, with its plots in the folder figures next to it."
        ),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Write the report of a comparison.

    It has a summary table, plots, and an HTML page in one file that loads nothing from the network. You can report a
    comparison before it finishes. On CoNLL-2000 with the paper's feature sets, the table includes the paper's results.
    """
    results = load_results(folder)
    made = write_report(results, output or Path(folder) / "report")
    if publish is not None:
        write_results(results, Path(publish))
    if as_json:
        published = {} if publish is None else {"published": publish}
        print_json({"folder": folder, **summary_record(results), **files(made), **published})
        return
    messages = Messages(quiet)
    print_summary(results)
    for line in compare_with_paper(results):
        print(line)
    if results.missing:
        messages.note(f"{count(len(results.missing), 'run')} of {len(results.plan.runs())} not finished yet")
    print_report(made)
    if publish is not None:
        print(f"results: {publish}")
