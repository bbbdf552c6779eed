"""`tagfield convert`: reads labelled data in one format and writes it in another.

    IN ─▶ detect ─▶ records ─▶ sentences or documents, as OUT needs them ─▶ OUT, whole or not at all

Tokens, labels and spans are kept or the command fails. Ids, comments and further fields that OUT cannot hold are left
out, and the command says so. Columns become CRFsuite's items by a template.
"""

import io
import sys
from collections import Counter
from typing import Annotated

import typer

from tagfield.cli.shared.checks import check_inputs
from tagfield.cli.shared.exit_codes import UsageError
from tagfield.cli.shared.messages import AsJson, Messages, Quiet, print_json
from tagfield.cli.shared.reading_options import with_reading_options
from tagfield.cli.shared.training_run import describe_input
from tagfield.data.encode import Encoded, encode_files
from tagfield.data.text.formats.items import write_items
from tagfield.data.text.formats.table import WRITTEN
from tagfield.data.text.reading import ReadOptions, read_files
from tagfield.data.text.sources import STDIN
from tagfield.data.text.templates.presets import PRESETS
from tagfield.data.text.writing import Written, target_of, write
from tagfield.system.atomic import write_atomically
from tagfield.train.progress.figures import count

ITEMS = "items"
SPOKEN = {"id": "ids", "text": "the text between tokens", "comments": "comments", "meta": "further fields"}
SPOKEN |= {"columns": "further columns"}


@with_reading_options("--from")
def convert(
    source: Annotated[
        list[str],
        typer.Argument(metavar="IN… OUT", help="Files to read, then the file to write; - is standard input or output."),
    ],
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help=f"Output format: {', '.join([*WRITTEN, ITEMS])}. \\[default: found from the name of OUT]",
        ),
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE", help=f"Template that makes items: {', '.join(PRESETS)}, or a CRF++ template."
        ),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    *,
    reading: ReadOptions,
) -> None:
    """Convert labelled data from one format to another.

    Keeps everything that both formats can hold. Spans become labels of tokens, and labels become spans, as the output
    needs it. A span that cuts a token is an error that shows it; --on-cut widens or drops such spans instead.
    """
    messages = Messages(quiet, json=as_json)
    if len(source) < 2:
        raise UsageError("convert needs two names: the file to read, and the file to write; - is standard output")
    *paths, target = source
    check_inputs(target, paths)
    if target == STDIN and as_json:
        raise UsageError("--json prints a report to standard output, where the data goes already; name a file for OUT")
    if target == STDIN and to is None:
        raise UsageError("standard output has no name that says which format to write; name it with --to")
    format = to or (ITEMS if target.endswith(".items") else target_of(target))
    if format == ITEMS:
        encoded = encode_files(paths, template=template, reading=reading)
        found, about, unit = describe_input(paths[0], encoded), "CRFsuite items", "sequence"
        written = Written(_write_items(encoded, target), Counter())
    elif template is not None:
        raise UsageError("--template makes CRFsuite items; it has no effect on other formats, so leave it out")
    else:
        corpus = read_files(paths, reading)
        written = write(corpus, target, format)
        found, about, unit = f"{paths[0]}: {corpus.describe()}", WRITTEN[format].about, "record"
    messages.note(f"read   {found}")
    messages.note(f"wrote  {target}: {about}, {count(written.count, unit)}")
    for line in left_out(written, format, reading):
        messages.note(line)
    if as_json:
        spans = {name: number for name, number in reading.policy.counts.items() if number}
        facts = {"files": paths, "input": found, "output": target, "format": format, "records": written.count}
        print_json(facts | {"left_out": dict(written.lost), "spans": spans})


def left_out(written: Written, format: str, reading: ReadOptions) -> list[str]:
    """The lines that say what the output does not hold.

    >>> from collections import Counter
    >>> left_out(Written(3, Counter(id=2)), "columns", ReadOptions())
    ['left out: ids of 2 records, which columns cannot hold']
    """
    lines = [
        f"left out: {SPOKEN[name]} of {count(number, 'record')}, which {format} cannot hold"
        for name, number in sorted(written.lost.items())
    ]
    counts = reading.policy.counts
    done = {"widened": "widened to whole tokens", "dropped": "dropped", "overlapping": "dropped, because they overlap"}
    return lines + [f"spans {what}: {counts[name]:,}" for name, what in done.items() if counts[name]]


def _write_items(encoded: Encoded, target: str) -> int:
    stream = io.BytesIO()
    made = write_items(encoded.sequences(), stream)
    if target == STDIN:
        sys.stdout.buffer.write(stream.getvalue())
        return made
    with write_atomically(target) as file:
        file.write(stream.getvalue())
    return made
