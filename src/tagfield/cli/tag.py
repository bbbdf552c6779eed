"""`tagfield tag`: prints the input with predicted labels, sentence by sentence.

    blocks of sentences ─▶ encode with the model's template ─▶ best labels ─▶ lines with the label appended, flushed

For column files, the label becomes one more column, in the format that conlleval reads. For item files, only the labels
are printed, as `crfsuite tag` does. `tag_records.py` does the other formats, and writes JSON.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, BinaryIO

import numpy as np
import typer

from tagfield.cli.shared.checks import check_reads_files
from tagfield.cli.shared.cluster_options import ClusterAddress, Workers, mapped
from tagfield.cli.shared.exit_codes import UsageError
from tagfield.cli.shared.input_blocks import Block, read_blocks
from tagfield.cli.shared.options import Constraints, ModelFile, Threads
from tagfield.cli.shared.reading_options import with_reading_options
from tagfield.cli.shared.tag_records import RecordTagger
from tagfield.cli.shared.training_options import offer
from tagfield.data.dataset import UNKNOWN
from tagfield.data.encode import Encoded, encode_files
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.sources import STDIN, Source
from tagfield.errors import InputError
from tagfield.model.model import Model
from tagfield.system.atomic import write_atomically
from tagfield.system.cores import usual_threads

OUTPUTS = ("columns", "items", "jsonl", "inline")
WHOLE = ("jsonl", "inline")  # a record at a time, not a line for each token


@with_reading_options("--from", with_model=True)
def tag(
    model: ModelFile,
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE", help="Text files to label. \\[default: standard input]")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="columns|jsonl|inline",
            help="Output format: columns with the label as the last one, JSON lines with tokens, spans, offsets and "
            "probabilities, or the text with spans in brackets. \\[default: columns; jsonl for JSON input]",
            autocompletion=offer(("columns", *WHOLE)),
        ),
    ] = None,
    text: Annotated[
        bool, typer.Option("--text", help="Read untokenised text, a line at a time; short for --from text.")
    ] = False,
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
    constraints: Constraints = None,
    threads: Threads = None,
    cluster: ClusterAddress = None,
    workers: Workers = None,
    to: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="File to write. \\[default: standard output]")
    ] = None,
    *,
    reading: ReadOptions,
) -> None:
    """Label text with a model.

    Prints each line of the input with the predicted label as one more column. If the input already has a label column,
    the output is in the format that conlleval reads. For item files it prints only the labels. Output starts as soon as
    the first sentence is complete. With --format jsonl, it prints one JSON object for each sentence or text, and with
    --format inline the text itself: \\[Anna PER] lives in \\[Oslo LOC].
    """
    if output is not None and output not in OUTPUTS:
        raise UsageError(
            f"cannot print the format {output!r}; choose columns, jsonl or inline, and name the input with --from"
        )
    if output in WHOLE and (only_labels or all_marginals):
        given = "--only-labels" if only_labels else "--all-marginals"
        raise UsageError(f"{given} applies only to columns, not to --format {output}")
    threads = threads or (1 if cluster else usual_threads())
    loaded = Model.load(model)
    check_reads_files(loaded, model)
    reading = replace(reading, format=_input_format(reading.format, output, text, loaded))
    asked = (reading, only_labels, marginals, all_marginals, probability, constraints, threads)
    if not files and sys.stdin.isatty():
        _note("reading from the terminal; end a sentence with an empty line and the text with Ctrl-D")
    blocks = read_blocks(files or [STDIN], reading=reading, template=loaded.template)
    if cluster is None:
        make: Callable[[], Callable[[Block], bytes]] = partial(BlockTagger, TagWriter(loaded, *asked), output)
    else:
        make = partial(BlockTagger.load, os.path.abspath(model), asked, output)
    with mapped(cluster, workers, threads, make, blocks, _note) as tagged, _opened(to) as stream:
        for made in tagged:
            stream.write(made)
            stream.flush()


def _note(text: str) -> None:
    print(f"tagfield: {text}", file=sys.stderr, flush=True)


@contextmanager
def _opened(path: str | None) -> Iterator[BinaryIO]:
    """Standard output, or a file that appears when it is complete."""
    if path is None:
        yield sys.stdout.buffer
    else:
        with write_atomically(path) as file:
            yield file


def _input_format(given: str | None, output: str | None, text: bool, model: Model) -> str | None:
    """The input format that was asked for; None if the content decides."""
    if text and given not in (None, "text"):
        raise UsageError(f"--text and --from {given} contradict each other; give one of them")
    if model.template is None and (text or given not in (None, "items")):
        raise UsageError("the model was trained on attributes, not on words; give it CRFsuite items")
    if text or model.template is None:
        return "text" if text else "items"
    return output if given is None and output == "items" else given  # items in, items out


class BlockTagger:
    """A model that turns blocks of the input into blocks of the output."""

    def __init__(self, writer: "TagWriter", output: str | None) -> None:
        self._writer, self._output = writer, output
        self._records: RecordTagger | None = None

    @classmethod
    def load(cls, model: str, asked: tuple[Any, ...], output: str | None) -> "BlockTagger":
        """The same in a worker of a cluster, which reads the model from its file."""
        from tagfield.scale.cluster.tagging import load

        return cls(TagWriter(load(model), *asked), output)

    def __call__(self, block: Block) -> bytes:
        writer, output = self._writer, self._output
        lines = None if output in WHOLE else writer.native(block)
        if lines is None:
            records = self._records or RecordTagger(writer.model, writer.reading, writer.rules, writer.threads)
            self._records = records
            if output == "inline":
                lines = records.as_text(block)
            elif output == "jsonl" or (output is None and block.kind in ("jsonl", "json")):
                lines = records.as_json(block)
            else:
                lines = writer.rows(*records.as_rows(block))
        return "".join(lines).encode()


@dataclass(frozen=True)
class TagWriter:
    """A model and the columns to print."""

    model: Model
    reading: ReadOptions
    only_labels: bool
    marginals: bool
    all_marginals: bool
    probability: bool
    rules: str | None
    threads: int

    def native(self, block: Block) -> Iterator[str] | None:
        """The output for plain columns and items, which have native readers; None for other formats."""
        if block.kind not in ("columns", "items"):
            return None
        encoded = block.read(lambda source: self._encode(source, block))
        self._check_gold(encoded)
        if encoded.form is None or not (encoded.form.plain or block.kind == "items"):
            return None
        echo = block.kind == "columns" and not self.only_labels
        lines = [encoded.lines(s) if echo else [] for s in range(len(encoded))]
        return self.rows(encoded, lines if echo else None, items=block.kind == "items")

    def _encode(self, source: Source, block: Block) -> Encoded:
        try:
            return encode_files(
                [source],
                template=self.model.template,
                attributes=self.model.attributes,
                labels=self.model.labels,
                edge_attributes=self.model.edges,
                reading=replace(
                    self.reading,
                    format=block.kind,
                    header=block.header(self.reading.header),
                    columns=self.reading.columns or block.columns,
                ),
            )
        except InputError as error:
            if self.reading.format is not None or block.kind != "columns":
                raise
            raise InputError(f"{error}; or add --text, if this is running text") from None

    def _check_gold(self, encoded: Encoded) -> None:
        """Raise InputError if what stands in the place of gold labels cannot be labels: lines of two words, say."""
        known, gold = encoded.dataset.labels, encoded.gold
        if self.reading.format is None and len(gold) and (gold != UNKNOWN).all() and (known == UNKNOWN).all():
            found = encoded.names[int(gold[0])]
            raise InputError(
                f"{encoded.where(0)}: the last column has no label of the model (found {found!r}); add --text, if this "
                "is running text, or name the columns with --columns"
            )

    def rows(self, encoded: Encoded, lines: Sequence[Sequence[str]] | None, *, items: bool = False) -> Iterator[str]:
        """The lines of each sentence with their labels, with an empty line at its end."""
        names = self.model.labels.strings()
        odd = [name for name in names if not name or any(c.isspace() for c in name)]
        if odd:
            raise InputError(f"the label {odd[0]!r} cannot stand in a column; print the labels with --format jsonl")
        number = {name: index for index, name in enumerate(names)}
        tagged = self.model.tag(encoded, rules=self.rules, threads=self.threads)
        wanted = self.marginals or self.all_marginals
        nodes = self.model.marginals(encoded, rules=self.rules, threads=self.threads) if wanted else None
        chances = self._probabilities(encoded, tagged) if self.probability else None
        echo = lines is not None and not self.only_labels
        for s, labels in enumerate(tagged):
            rows = lines[s] if lines is not None and echo else [""] * len(labels)
            gap = " " if echo and rows and "\t" not in rows[0] else "\t"
            if chances is not None:
                yield (f"@probability\t{chances[s]:.6f}\n" if items else f"# {chances[s]:.6f}\n")
            for t, (row, label) in enumerate(zip(rows, labels, strict=True)):
                cells = [row.rstrip(), label] if echo else [label]
                if nodes is not None and self.marginals:
                    cells.append(f"{nodes[s][t, number[label]]:.6f}")
                if nodes is not None and self.all_marginals:
                    cells += [f"{name}:{nodes[s][t, k]:.6f}" for k, name in enumerate(names)]
                yield gap.join(cells) + "\n"
            yield "\n"

    def _probabilities(self, encoded: Encoded, tagged: list[list[str]]) -> list[float]:
        log_probability = self.model.log_probability(encoded, tagged, rules=self.rules, threads=self.threads)
        return [float(p) for p in np.exp(log_probability)]
