"""`tagfield pack`: labelled text of any size ─▶ a folder that `tagfield train` reads by windows.

check the options ─▶ pack (a live line on a terminal, elsewhere one a minute; Ctrl-C keeps what is done) ─▶ summary
"""

import time
from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress as Bar
from rich.progress import TextColumn, TimeElapsedColumn

from tagfield.cli.shared.exit_codes import usage
from tagfield.cli.shared.messages import AsJson, Messages, Quiet, print_json
from tagfield.cli.shared.options import Template
from tagfield.cli.shared.reading_options import with_reading_options
from tagfield.cli.shared.training_run import describe_input, show_row
from tagfield.data.corpus import Corpus, PackOptions, Progress
from tagfield.data.corpus import pack as pack_files
from tagfield.data.corpus.packing import SHARD_SIZE
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.templates.presets import load_template
from tagfield.system.memory import parse_size
from tagfield.train.progress.figures import count, duration, size
from tagfield.train.progress.terminal import describe

PAUSE = 60.0  # seconds between lines where there is no terminal


@with_reading_options(extends=True)
def pack(
    files: Annotated[list[str], typer.Argument(metavar="FILES", help="Files to pack; - is standard input.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="CORPUS", help="Folder to pack into.")],
    template: Template = None,
    min_count: Annotated[
        int, typer.Option(metavar="N", help="Leave out attributes that occur fewer than N times.")
    ] = 1,
    hash_bits: Annotated[
        int,
        typer.Option(
            metavar="B",
            help="Hash attributes into 2^B rows instead of keeping their names. \\[default: keep names]",
            show_default=False,
        ),
    ] = 0,
    shard_size: Annotated[
        str, typer.Option(metavar="SIZE", help="Maximum size of a file of the corpus, at least 1MB.")
    ] = SHARD_SIZE,
    threads: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Number of threads. \\[default: all cores]", show_default=False),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    *,
    reading: ReadOptions,
) -> None:
    """Pack text to train on more than fits in memory.

    Reads what tagfield train reads, a piece at a time. If it is stopped, the same command continues. Train
    with: tagfield train CORPUS -o MODEL
    """
    messages = Messages(quiet, False, as_json)
    with usage():
        PackOptions(min_count, hash_bits, parse_size(shard_size)).check()
        chosen = None if template is None else load_template(template, reading.columns, reading.add)
    start = time.monotonic()
    with _progress(messages.console) as show:
        corpus = pack_files(
            files,
            output,
            template=chosen,
            reading=reading,
            min_count=min_count,
            hash_bits=hash_bits,
            shard_size=shard_size,
            threads=threads,
            on_progress=show,
        )
    if messages.json:
        print_json(record(corpus))
        return
    console = Console(highlight=False)
    show_row(messages.console, "input", describe_input(files[0], corpus))
    show_row(messages.console, "packed", f"{contents(corpus)}, in {duration(time.monotonic() - start)}")
    show_row(console, "saved", f"{output}, {places(corpus)}", "green")
    show_row(messages.console, "next", f"tagfield train {output} -o MODEL", "cyan")


def contents(corpus: Corpus) -> str:
    """How many sequences, tokens, labels and attributes there are."""
    kind = "hashed attribute" if corpus.manifest.hash_bits else "attribute"
    sizes = f"{count(len(corpus.labels), 'label')}, {count(len(corpus.attributes), kind)}"
    return f"{describe(len(corpus), corpus.tokens)}, {sizes}"


def places(corpus: Corpus) -> str:
    """How much the folder takes, and for what."""
    shards, per_token = count(len(corpus.shards), "shard"), corpus.bytes / max(1, corpus.tokens)
    whole = corpus.disk_bytes
    return f"{size(whole)}: {shards} of {per_token:.0f} bytes per token, and {size(whole - corpus.bytes)} of names"


def record(corpus: Corpus) -> dict[str, Any]:
    """The summary as a dict, for --json."""
    return {
        "corpus": corpus.path,
        "bytes": corpus.disk_bytes,
        "shards": len(corpus.shards),
        "sequences": len(corpus),
        "tokens": corpus.tokens,
        "labels": len(corpus.labels),
        "attributes": len(corpus.attributes),
        "hash_bits": corpus.manifest.hash_bits,
    }


class _progress:
    """How far it has come: a live line on a terminal, elsewhere a line every minute."""

    def __init__(self, console: Console) -> None:
        columns = (TextColumn("packing    {task.description}"), TimeElapsedColumn())
        self._bar = Bar(*columns, console=console, transient=True) if console.is_terminal else None
        self._console = console

    def __enter__(self) -> Callable[[Progress], None]:
        if self._bar is None or self._console.quiet:
            return self._line_now_and_then()
        bar = self._bar.__enter__()
        task = bar.add_task("the first piece")
        return lambda done: bar.update(task, description=_so_far(done))

    def _line_now_and_then(self) -> Callable[[Progress], None]:
        start = shown = time.monotonic()

        def show(done: Progress) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - shown >= PAUSE:
                shown = now
                show_row(self._console, "packing", f"{_so_far(done)}, {duration(now - start)}")

        return show

    def __exit__(self, *error: Any) -> None:
        if self._bar is not None and not self._console.quiet:
            self._bar.__exit__(*error)


def _so_far(done: Progress) -> str:
    """What is packed so far.

    >>> _so_far(Progress(1, 4_000_000, 20, 300, 7000))
    '4.0 MB of text, 300 tokens, 7,000 attributes'
    """
    return f"{size(done.text)} of text, {done.tokens:,} tokens, {done.attributes:,} attributes"
