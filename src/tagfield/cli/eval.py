"""`tagfield eval`: conlleval's report, then what conlleval does not say."""

import json
import sys
from typing import Annotated

import typer

from tagfield.cli.checks import check_format
from tagfield.cli.figures import count, percent
from tagfield.evaluate import Scores
from tagfield.model import Model


def evaluate(
    model: Annotated[str, typer.Option("-m", "--model", metavar="MODEL", help="A model file.")],
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Labelled text; - is standard input.")],
    as_json: Annotated[bool, typer.Option("--json", help="Every figure as one JSON object.")] = False,
    labels: Annotated[bool, typer.Option("--labels", help="Add a table with a line for each label.")] = False,
    columns: Annotated[
        str | None, typer.Option(metavar="'w pos y'", help="The columns, where they are not as in training.")
    ] = None,
    format: Annotated[
        str | None, typer.Option(metavar="columns|items", help="The format, where it is not as in training.")
    ] = None,
    threads: Annotated[int, typer.Option(metavar="N", min=1, help="Threads to use.")] = 1,
) -> None:
    """Score a model against gold labels, as conlleval does.

    A gold label that the model does not know is counted as an error, never left out.
    """
    loaded = Model.load(model)
    encoded = loaded.encode_files(files, columns=columns, format=check_format(format) if format else None)
    scores = loaded.evaluate(encoded, threads=threads)
    if as_json:
        record = {"model": model, "files": files, **scores.to_dict(), "unseen_labels": encoded.unseen_labels}
        sys.stdout.write(json.dumps(record, indent=2, ensure_ascii=False) + "\n")
        return
    sys.stdout.write(scores.report() + "\n" + beyond_conlleval(scores, encoded.unseen_labels))
    if labels:
        sys.stdout.write("\n" + scores.table())


def beyond_conlleval(scores: Scores, unseen: list[str]) -> str:
    """Token and sequence accuracy with their counts, and which labels the model cannot know.

    >>> from tagfield.evaluate import evaluate
    >>> print(beyond_conlleval(evaluate([["A", "B"], ["A"]], [["A", "A"], ["A"]]), ["B"]), end="")
    token accuracy     66.67 %  (2 of 3)
    sequence accuracy  50.00 %  (1 of 2)
    unknown label      B: 1 token, counted as wrong
    """
    tokens, sequences = scores.tokens, scores.sequences
    lines = [
        f"token accuracy     {percent(scores.accuracy)}  ({tokens.correct:,} of {tokens.gold:,})",
        f"sequence accuracy  {percent(scores.sequence_accuracy)}  ({sequences.correct:,} of {sequences.gold:,})",
    ]
    for label in unseen:
        lines.append(
            f"unknown label      {label}: {count(scores.labels[label].gold, 'token')}, counted as wrong"
        )
    return "\n".join(lines) + "\n"
