"""`tagfield fetch`: a public corpus into the cache folder."""

import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from tagfield.cli.figures import size
from tagfield.errors import InputError
from tagfield.experiment.fetch import CORPORA
from tagfield.experiment.fetch import fetch as bring


def fetch(
    corpus: Annotated[str, typer.Argument(metavar="|".join(CORPORA), help="Which corpus.")],
    source: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FILE|URL", help="A folder, a .zip or .tar file, or a URL, instead of its home."
        ),
    ] = None,
) -> None:
    """Fetch a public corpus, checked to the bit.

    It goes to $XDG_CACHE_HOME/tagfield, by default ~/.cache/tagfield. A download that broke is resumed; what is there
    and right is left alone. The last line printed is the folder.
    """
    if corpus not in CORPORA:
        raise InputError(f"there is no corpus {corpus!r}; there is {', '.join(CORPORA)}")
    with _Bars() as bars:
        folder = bring(CORPORA[corpus], source, on_bytes=bars.show)
    for name, sha in CORPORA[corpus].sha256.items():
        print(f"{name}: {size((folder / name).stat().st_size)}, sha256 {sha[:8]}… is right")
    print(folder)


class _Bars:
    """A bar for each file on a terminal; nothing anywhere else."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=console, disable=not sys.stderr.isatty())
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
