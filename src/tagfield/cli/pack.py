"""`tagfield pack`: labelled text of any size ─▶ a folder that `tagfield train` reads by windows.

check the options ─▶ pack (progress on a terminal; Ctrl-C keeps what is done) ─▶ print a summary
"""

import time
from contextlib import nullcontext
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress as Bar
from rich.progress import TextColumn, TimeElapsedColumn

from tagfield.cli.exits import usage
from tagfield.cli.figures import count, duration, size
from tagfield.cli.options import offer
from tagfield.cli.reading import with_reading_options
from tagfield.cli.training import show_row
from tagfield.cli.voice import AsJson, Quiet, Voice, print_json
from tagfield.corpus import Corpus, PackOptions, Progress
from tagfield.corpus import pack as pack_files
from tagfield.corpus.packing import SHARD_SIZE
from tagfield.errors import InputError
from tagfield.memory import parse_size
from tagfield.progress.terminal import describe
from tagfield.text.presets import PRESETS, load_template
from tagfield.text.reading import ReadOptions


@with_reading_options()
def pack(
    files: Annotated[list[str], typer.Argument(metavar="FILES", help="Files to pack; - is standard input.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="CORPUS", help="Folder to pack into.")],
    template: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help=f"Feature template: {', '.join(PRESETS)}, or a CRF++ template file. \\[default: what fits the data]",
            autocompletion=offer(PRESETS),
        ),
    ] = None,
    min_count: Annotated[
        int, typer.Option(metavar="N", help="Leave out attributes that occur fewer than N times.")
    ] = 1,
    hash_bits: Annotated[
        int,
        typer.Option(
            metavar="B",
            help="Keep no names of attributes: each is one of 2^B rows, by its hash. \\[default: keep names]",
            show_default=False,
        ),
    ] = 0,
    shard_size: Annotated[str, typer.Option(metavar="SIZE", help="Size of a file of the corpus.")] = SHARD_SIZE,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Threads that encode. \\[default: all cores]", show_default=False)
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    *,
    reading: ReadOptions,
) -> None:
    """Pack text to train on more than fits in memory.

    Reads what tagfield train reads, a piece at a time. If it is stopped, the same command goes on where it was. Train
    with: tagfield train CORPUS -o MODEL
    """
    voice = Voice(quiet, False, as_json)
    with usage():
        PackOptions(min_count, hash_bits, parse_size(shard_size)).check()
        if workers is not None and workers < 1:
            raise InputError(f"--workers must be at least 1, got {workers}")
        chosen = None if template is None else load_template(template, reading.columns)
    start = time.monotonic()
    with _progress(voice.console) as show:
        corpus = pack_files(
            files,
            output,
            template=chosen,
            reading=reading,
            min_count=min_count,
            hash_bits=hash_bits,
            shard_size=shard_size,
            workers=workers,
            on_progress=show,
        )
    if voice.json:
        print_json(record(corpus))
        return
    console = Console(highlight=False)
    show_row(voice.console, "input", f"{files[0]}: {corpus.describe()}")
    names = "hashed" if corpus.manifest.hash_bits else ""
    sizes = f"{count(len(corpus.labels), 'label')}, {count(len(corpus.attributes), f'{names} attribute'.strip())}"
    show_row(
        voice.console,
        "packed",
        f"{describe(len(corpus), corpus.tokens)}, {sizes}, in {duration(time.monotonic() - start)}",
    )
    shards = count(len(corpus.shards), "shard")
    per_token = corpus.bytes / max(1, corpus.tokens)
    show_row(console, "saved", f"{output}, {size(corpus.bytes)} in {shards}, {per_token:.0f} bytes per token", "green")
    show_row(voice.console, "next", f"tagfield train {output} -o MODEL", "cyan")


def record(corpus: Corpus) -> dict[str, Any]:
    """The summary as a dict, for --json."""
    return {
        "corpus": corpus.path,
        "bytes": corpus.bytes,
        "shards": len(corpus.shards),
        "sequences": len(corpus),
        "tokens": corpus.tokens,
        "labels": len(corpus.labels),
        "attributes": len(corpus.attributes),
        "hash_bits": corpus.manifest.hash_bits,
    }


class _progress:
    """A line on a terminal that says how far it has come; nothing elsewhere."""

    def __init__(self, console: Console) -> None:
        shown = console.is_terminal and not console.quiet
        columns = (TextColumn("{task.description}"), TimeElapsedColumn())
        self._bar = Bar(*columns, console=console, transient=True) if shown else None

    def __enter__(self) -> Any:
        (self._bar or nullcontext()).__enter__()
        if self._bar is None:
            return None
        task = self._bar.add_task("packing")

        def show(done: Progress) -> None:
            assert self._bar is not None
            told = f"packing    {size(done.text)} of text, {done.tokens:,} tokens, {done.attributes:,} attributes"
            self._bar.update(task, description=told)

        return show

    def __exit__(self, *error: Any) -> None:
        if self._bar is not None:
            self._bar.__exit__(*error)
