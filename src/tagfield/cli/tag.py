"""`tagfield tag`: prints the input with predicted labels, sentence by sentence.

    blocks of sentences ─▶ encode with the model's template ─▶ best labels ─▶ lines with the label appended, flushed

For column files, the label becomes one more column, in the format that conlleval reads. For item files, only the labels
are printed, as `crfsuite tag` does.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import typer

from tagfield.cli.arguments import ColumnNames, InputFormat, ModelFile, Threads
from tagfield.cli.blocks import read_blocks
from tagfield.cli.checks import check_format
from tagfield.cli.training import DEFAULT_TEMPLATE
from tagfield.encode import Encoded, Format, encode_files
from tagfield.model import Model
from tagfield.text.sources import STDIN, Source


def tag(
    model: ModelFile,
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE", help="Text files to label. \\[default: standard input]")
    ] = None,
    only_labels: Annotated[bool, typer.Option("--only-labels", help="Print labels without the input columns.")] = False,
    marginals: Annotated[
        bool, typer.Option("--marginals", help="Add a column with the probability of the predicted label.")
    ] = False,
    all_marginals: Annotated[
        bool, typer.Option("--all-marginals", help="Add a column LABEL:PROBABILITY for every label.")
    ] = False,
    probability: Annotated[
        bool,
        typer.Option("--probability", help="Print the probability of all labels of a sentence, on a line before it."),
    ] = False,
    columns: ColumnNames = None,
    format: InputFormat = None,
    threads: Threads = 1,
) -> None:
    """Label text with a model.

    Prints each line of the input with the predicted label as one more column. If the input already has a label column,
    the output is in the format that conlleval reads. For item files it prints only the labels. Output starts as soon as
    the first sentence is complete.
    """
    loaded = Model.load(model)
    kind = check_format(format) if format else ("items" if loaded.template is None else "columns")
    writer = TagWriter(loaded, kind, columns, only_labels, marginals, all_marginals, probability, threads)
    if not files and sys.stdin.isatty():
        print(
            "tagfield: reading from the terminal; end a sentence with an empty line and the text with Ctrl-D",
            file=sys.stderr,
        )
    for block in read_blocks(files or [STDIN]):
        encoded = block.read(writer.encode)
        sys.stdout.buffer.write("".join(writer.write(encoded)).encode())
        sys.stdout.buffer.flush()


@dataclass(frozen=True)
class TagWriter:
    """A model and the columns to print."""

    model: Model
    format: Format
    columns: str | None
    only_labels: bool
    marginals: bool
    all_marginals: bool
    probability: bool
    threads: int

    def encode(self, source: Source) -> Encoded:
        return encode_files(
            [source],
            template=self.model.template or DEFAULT_TEMPLATE,
            columns=self.columns,
            format=self.format,
            attributes=self.model.attributes,
            labels=self.model.labels,
        )

    def write(self, encoded: Encoded) -> Iterator[str]:
        """The lines of each sentence, with an empty line at its end."""
        names = self.model.labels.strings()
        number = {name: index for index, name in enumerate(names)}
        tagged = self.model.tag(encoded, threads=self.threads)
        wanted = self.marginals or self.all_marginals
        nodes = self.model.marginals(encoded, threads=self.threads) if wanted else None
        chances = self._probabilities(encoded, tagged) if self.probability else None
        echo = self.format == "columns" and not self.only_labels
        for s, labels in enumerate(tagged):
            rows = encoded.lines(s) if echo else [""] * len(labels)
            gap = " " if echo and "\t" not in rows[0] else "\t"
            if chances is not None:
                yield (f"# {chances[s]:.6f}\n" if self.format == "columns" else f"@probability\t{chances[s]:.6f}\n")
            for t, (row, label) in enumerate(zip(rows, labels, strict=True)):
                cells = [row.rstrip(), label] if echo else [label]
                if nodes is not None and self.marginals:
                    cells.append(f"{nodes[s][t, number[label]]:.6f}")
                if nodes is not None and self.all_marginals:
                    cells += [f"{name}:{nodes[s][t, k]:.6f}" for k, name in enumerate(names)]
                yield gap.join(cells) + "\n"
            yield "\n"

    def _probabilities(self, encoded: Encoded, tagged: list[list[str]]) -> list[float]:
        log_probability = self.model.log_probability(encoded, tagged, threads=self.threads)
        return [float(p) for p in np.exp(log_probability)]
