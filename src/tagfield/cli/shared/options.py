"""Arguments that several commands share, as types for Typer."""

from typing import Annotated, TypeAlias

import typer

ModelFile: TypeAlias = Annotated[str, typer.Option("-m", "--model", metavar="MODEL", help="Model file.")]
Threads: TypeAlias = Annotated[
    int | None, typer.Option("--threads", metavar="N", min=1, max=4096, help="Number of threads. Default: all cores.")
]
Constraints: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--constraints",
        metavar="BIO|IOB1|IOBES|BILOU",
        help="Allow only labels that follow this scheme: no I-PER after O, say. \\[default: any label may follow any]",
    ),
]
