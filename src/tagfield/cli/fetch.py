"""`tagfield fetch`: downloads a public corpus to the cache folder."""

import sys
from typing import Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from tagfield.cli.shared.exit_codes import UsageError
from tagfield.cli.shared.messages import AsJson, Messages, Quiet, print_json
from tagfield.cli.shared.training_options import offer
from tagfield.demo.fetch import CORPORA
from tagfield.demo.fetch import fetch as fetch_corpus
from tagfield.errors import did_you_mean
from tagfield.train.progress.figures import size


def fetch(
    corpus: Annotated[
        str, typer.Argument(metavar="|".join(CORPORA), help="Name of the corpus.", autocompletion=offer(CORPORA))
    ],
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FILE|URL",
            help="Read from a folder, a .zip or .tar file, or a URL instead of the corpus's website.",
        ),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Download a public corpus.

    The files go to $XDG_CACHE_HOME/tagfield, by default ~/.cache/tagfield, once their checksums match. An interrupted
    download is resumed, and files that are complete are not downloaded again. Prints the folder.
    """
    if corpus not in CORPORA:
        raise UsageError(f"no corpus named {corpus!r}; {did_you_mean(corpus, CORPORA)}")
    messages = Messages(quiet)
    with _Bars(messages) as bars:
        folder = fetch_corpus(CORPORA[corpus], source, on_bytes=bars.show)
    sizes = {name: (folder / name).stat().st_size for name in CORPORA[corpus].sha256}
    for name, sha in CORPORA[corpus].sha256.items():
        messages.note(f"{name}: {size(sizes[name])}, sha256 {sha[:8]}… matches")
    if as_json:
        files = [
            {"file": str(folder / name), "bytes": sizes[name], "sha256": sha}
            for name, sha in CORPORA[corpus].sha256.items()
        ]
        print_json({"corpus": corpus, "folder": str(folder), "files": files})
    else:
        print(folder)


class _Bars:
    """One progress bar per file on a terminal; no output otherwise."""

    def __init__(self, messages: Messages) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=messages.console, disable=messages.quiet or not sys.stderr.isatty())
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> "_Bars":
        self._progress.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.__exit__(None, None, None)

    def show(self, name: str, done: int, total: int | None) -> None:
        if name not in self._tasks:
            self._tasks[name] = self._progress.add_task(name, total=total)
        self._progress.update(self._tasks[name], completed=done, total=total)
