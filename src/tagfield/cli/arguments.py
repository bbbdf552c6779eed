"""Arguments that several commands share, as types for Typer."""

from typing import Annotated, TypeAlias

import typer

COLUMNS = "Names of the columns, in order, if they differ from training: y is the label, _ is ignored."
FORMAT = "Input format, if it differs from training: CoNLL columns or CRFsuite items."

ModelFile: TypeAlias = Annotated[str, typer.Option("-m", "--model", metavar="MODEL", help="Model file.")]
ColumnNames: TypeAlias = Annotated[str | None, typer.Option("--columns", metavar="'w pos y'", help=COLUMNS)]
InputFormat: TypeAlias = Annotated[str | None, typer.Option("--format", metavar="columns|items", help=FORMAT)]
Threads: TypeAlias = Annotated[int, typer.Option("--threads", metavar="N", min=1, max=4096, help="Number of threads.")]
