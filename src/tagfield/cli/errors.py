"""`tagfield errors`: writes a page with the errors of a model, for annotators, and prints what it found."""

from pathlib import Path
from typing import Annotated

import typer

from tagfield.apps.errors.page import SENTENCES, ErrorsPage, check_page_target, write_errors_page
from tagfield.cli.shared.checks import check_inputs, check_reads_files, check_target
from tagfield.cli.shared.exit_codes import usage
from tagfield.cli.shared.messages import AsJson, Messages, Quiet, print_json
from tagfield.cli.shared.options import Constraints, ModelFile, Threads
from tagfield.cli.shared.reading_options import with_reading_options
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.sources import listed
from tagfield.model.model import Model
from tagfield.system.cores import usual_threads
from tagfield.train.progress.figures import count

MOST = 5  # confusions that are printed


@with_reading_options(with_model=True)
def errors(
    model: ModelFile,
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Labelled text files; - is standard input.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="PAGE", help="HTML file to write.")] = "errors.html",
    train: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Training data, to show similar training sentences; may be repeated."),
    ] = None,
    sentences: Annotated[
        int, typer.Option(metavar="N", min=1, help="Maximum number of sentences on the page.")
    ] = SENTENCES,
    constraints: Constraints = None,
    threads: Threads = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    *,
    reading: ReadOptions,
) -> None:
    """Show a model's errors on one HTML page.

    Likely annotation errors come first: sentences where the model is confident against the gold label. The page shows
    gold and predicted labels side by side, why the model chose its own, and with --train similar training sentences.
    Filter by confusion, confidence or unseen words, note your decisions and download them. It is one file that loads
    nothing from the network, so you can send it to your annotators.
    """
    with usage():
        listed([*files, *(train or [])])  # standard input can be read only once
    check_inputs(output, [model, *files, *(train or [])])
    check_target(output)
    check_page_target(output)
    loaded = Model.load(model)
    check_reads_files(loaded, model)
    page = write_errors_page(
        loaded,
        files,
        output,
        train=train or None,
        sentences=sentences,
        rules=constraints,
        threads=threads or usual_threads(),
        reading=reading,
        name=Path(model).name,
    )
    found = page.errors
    confusions = found.confusions()
    if as_json:
        print_json(
            {
                "model": model,
                "files": files,
                "page": page.path,
                "tokens": found.tokens,
                "errors": len(found),
                "places": len(found.places),
                "likely_annotation_errors": found.likely,
                "sentences": {"all": found.sentences, "with_errors": len(found.ranked), "shown": page.sentences},
                "confusions": [{"gold": g, "predicted": p, "count": n} for g, p, n in confusions],
            }
        )
        return
    print(summary(page))
    for gold, predicted, times in confusions[:MOST]:
        print(f"{times:>7,}  gold {gold}, predicted {predicted}")
    if len(confusions) > MOST:
        print(f"         and {count(len(confusions) - MOST, 'other confusion')}")
    messages = Messages(quiet)
    if page.sentences < len(found.ranked):
        full = "; more would make it too large" if page.sentences < sentences else ""
        messages.note(f"the page shows {page.sentences:,} of {count(len(found.ranked), 'sentence')} with errors{full}")
    messages.note(f"open {Path(page.path).absolute().as_uri()} in a browser")


def summary(page: ErrorsPage) -> str:
    """What the page shows, in one line."""
    found = page.errors
    if not len(found):
        return f"{page.path}: no errors in {count(found.tokens, 'token')}"
    return (
        f"{page.path}: {count(len(found), 'error')} in {len(found.ranked):,} of {count(found.sentences, 'sentence')}, "
        f"{count(found.likely, 'likely annotation error')}"
    )
