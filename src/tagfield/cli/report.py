"""`tagfield report`: the results of a comparison as tables, figures and a page."""

from pathlib import Path
from typing import Annotated

import typer

from tagfield.cli.compare import print_report, print_summary
from tagfield.cli.figures import count
from tagfield.experiment.publish import verdicts, write_results
from tagfield.experiment.report import write_report
from tagfield.experiment.results import load_results


def report(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder that `tagfield compare` wrote.")],
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="DIR", help="Where to. \\[default: DIR/report]")
    ] = None,
    publish: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.md",
            help="Also write one Markdown page for a repository, with a folder of figures beside it.",
        ),
    ] = None,
) -> None:
    """Report a comparison: summary, figures and an HTML page.

    The page is one file and fetches nothing. Results that are not finished can be reported too. On CoNLL-2000 with the
    paper's feature sets, the paper's figures stand beside ours.
    """
    results = load_results(folder)
    made = write_report(results, output or Path(folder) / "report")
    print_summary(results)
    for line in verdicts(results):
        print(line)
    if results.missing:
        print(f"{count(len(results.missing), 'run')} of {len(results.plan.runs())} not finished yet")
    print_report(made)
    if publish is not None:
        write_results(results, Path(publish))
        print(f"results: {publish}")
