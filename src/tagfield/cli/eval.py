"""`tagfield eval`: prints conlleval's report, or that of labels which mark no chunks, then what was counted."""

import sys
from typing import Annotated

import typer

from tagfield.cli.shared.checks import check_reads_files
from tagfield.cli.shared.exit_codes import UsageError, usage
from tagfield.cli.shared.messages import AsJson, print_json
from tagfield.cli.shared.options import Constraints, ModelFile, Threads
from tagfield.cli.shared.reading_options import with_reading_options
from tagfield.cli.shared.training_options import offer
from tagfield.cli.shared.training_run import open_corpus
from tagfield.data.corpus import is_corpus
from tagfield.data.encode import Encoded
from tagfield.data.text.reading import ReadOptions
from tagfield.evaluate import KINDS, SCHEMES, Scores, chosen_kind
from tagfield.model.model import Model
from tagfield.system.cores import usual_threads
from tagfield.train.progress.figures import count, percent


@with_reading_options(with_model=True)
def evaluate(
    model: ModelFile,
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE", help="Labelled text files, or a folder of tagfield pack; - is standard input."),
    ],
    as_json: AsJson = False,
    labels: Annotated[
        bool, typer.Option("--labels", help="Add a table with precision, recall and F1 of each label.")
    ] = False,
    scheme: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(SCHEMES),
            help="What to count: chunks (iob, iobes), words of a segmentation, runs of one label, or single labels. "
            "\\[default: what the labels mark]",
            autocompletion=offer(SCHEMES),
        ),
    ] = None,
    runs: Annotated[
        bool, typer.Option("--runs", help="Count runs of one label as chunks; short for --scheme runs.")
    ] = False,
    reliability: Annotated[
        bool,
        typer.Option(
            "--reliability",
            help="Add a table of claimed probabilities against how often they are right, for tokens and spans, with "
            "the expected calibration error (ECE).",
        ),
    ] = False,
    constraints: Constraints = None,
    threads: Threads = None,
    *,
    reading: ReadOptions,
) -> None:
    """Evaluate a model on labelled text.

    If the labels mark chunks (B-NP, I-NP, …) or words (B, M, E, S), prints their precision, recall and F1 in the format
    of conlleval, and else accuracy and the scores of each label. Then token and sequence accuracy, and what it counted.
    Gold labels that do not occur in the training data count as errors.
    """
    if runs and scheme not in (None, "runs"):
        raise UsageError(f"--runs is short for --scheme runs, so it does not go with --scheme {scheme}; leave one out")
    scheme = "runs" if runs else scheme
    with usage():
        chosen_kind([], scheme)  # an unknown name, before anything is read
    loaded = Model.load(model)
    check_reads_files(loaded, model)
    data = open_corpus(files, reading) if is_corpus(files[0]) else loaded.encode_files(files, reading=reading)
    threads = threads or usual_threads()
    scores = loaded.evaluate(data, scheme=scheme, rules=constraints, threads=threads)
    found = loaded.reliability(data, scheme=scheme, rules=constraints, threads=threads) if reliability else {}
    known = set(loaded.labels.strings())
    unseen = [name for name, tally in scores.labels.items() if tally.gold and name not in known]
    if isinstance(data, Encoded):
        unseen = data.unseen_labels  # in the order of the file
    if as_json:
        more = {"reliability": {name: each.to_dict() for name, each in found.items()}} if found else {}
        print_json({"model": model, "files": files, **scores.to_dict(), "unseen_labels": unseen, **more})
        return
    sys.stdout.write(scores.report() + "\n" + beyond_conlleval(scores, unseen))
    if labels and scores.kind != "labels":
        sys.stdout.write("\n" + scores.table())
    for name, each in found.items():
        sys.stdout.write("\n" + each.table(name))


def beyond_conlleval(scores: Scores, unseen: list[str]) -> str:
    """Token and sequence accuracy with their counts, and the gold labels unknown to the model.

    >>> from tagfield.evaluate import evaluate
    >>> print(beyond_conlleval(evaluate([["A", "B"], ["A"]], [["A", "A"], ["A"]]), ["B"]), end="")
    token accuracy     66.67 %  (2 of 3)
    sequence accuracy  50.00 %  (1 of 2)
    counted            labels of single tokens
    unknown label      B: 1 token, counted as wrong
    """
    tokens, sequences = scores.tokens, scores.sequences
    lines = [
        f"token accuracy     {percent(scores.accuracy)}  ({tokens.correct:,} of {tokens.gold:,})",
        f"sequence accuracy  {percent(scores.sequence_accuracy)}  ({sequences.correct:,} of {sequences.gold:,})",
        f"counted            {KINDS[scores.kind]}",
    ]
    for label in unseen:
        lines.append(f"unknown label      {label}: {count(scores.labels[label].gold, 'token')}, counted as wrong")
    return "\n".join(lines) + "\n"
