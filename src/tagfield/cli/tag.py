"""`tagfield tag`: labels for text, as it comes.

    blocks of sentences ─▶ encode with the model's template ─▶ best labels ─▶ lines with the label appended, flushed

Column lines are echoed with the label as one more column, which is what conlleval reads; for item lines only the
labels are written, as `crfsuite tag` does.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import typer

from tagfield.cli.blocks import read_blocks
from tagfield.cli.checks import check_format
from tagfield.cli.training import DEFAULT_TEMPLATE
from tagfield.encode import Encoded, Format, encode_files
from tagfield.model import Model
from tagfield.text.sources import STDIN, Source


def tag(
    model: Annotated[str, typer.Option("-m", "--model", metavar="MODEL", help="A model file.")],
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="Text to label; standard input if none is given."),
    ] = None,
    only_labels: Annotated[
        bool, typer.Option("--only-labels", help="Write labels without the text.")
    ] = False,
    marginals: Annotated[
        bool, typer.Option("--marginals", help="Add the probability of each label, given the sentence.")
    ] = False,
    all_marginals: Annotated[
        bool, typer.Option("--all-marginals", help="Add LABEL:probability for every label.")
    ] = False,
    probability: Annotated[
        bool,
        typer.Option("--probability", help="Before each sentence, the probability of its labels as a whole."),
    ] = False,
    columns: Annotated[
        str | None, typer.Option(metavar="'w pos y'", help="The columns, where they are not as in training.")
    ] = None,
    format: Annotated[
        str | None, typer.Option(metavar="columns|items", help="The format, where it is not as in training.")
    ] = None,
    threads: Annotated[int, typer.Option(metavar="N", min=1, help="Threads to use.")] = 1,
) -> None:
    """Label text with a model, line by line.

    Columns are echoed with the label appended; with the gold label in the text, the output is what conlleval reads.
    The text may have a label column or not. Item lines give their labels only.
    """
    loaded = Model.load(model)
    kind = check_format(format) if format else ("items" if loaded.template is None else "columns")
    tagger = Tagger(loaded, kind, columns, only_labels, marginals, all_marginals, probability, threads)
    if not files and sys.stdin.isatty():
        print(
            "tagfield: reading from the terminal; an empty line ends a sentence, Ctrl-D the text",
            file=sys.stderr,
        )
    for block in read_blocks(files or [STDIN]):
        encoded = block.read(tagger.encode)
        sys.stdout.buffer.write("".join(tagger.write(encoded)).encode())
        sys.stdout.buffer.flush()


@dataclass(frozen=True)
class Tagger:
    """A model, and what to write about each sentence."""

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
        """The text of each sentence, with the empty line that ends it."""
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
                yield (
                    f"# {chances[s]:.6f}\n"
                    if self.format == "columns"
                    else f"@probability\t{chances[s]:.6f}\n"
                )
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
