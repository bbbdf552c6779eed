"""Arguments that several commands share, as types for Typer."""

from typing import Annotated, TypeAlias

import typer

from tagfield.cli.shared.training_options import offer
from tagfield.data.text.templates.presets import PRESETS

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
Template: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|FILE",
        help=f"Feature template: {', '.join(PRESETS)}, or a CRF++ template file. \\[default: what fits the data]",
        autocompletion=offer(PRESETS),
    ),
]
Port: TypeAlias = Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Port; 0 takes a free one.")]
Host: TypeAlias = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Address to listen on; a token is required if others can reach it.")
]
