"""Scores of predicted labels: tokens, sequences, labels, and chunks or words where the labels mark them.

    lists of label strings ─▶ evaluate ─┐
    arrays of label ids ──────────────▶ ChunkScorer.score ─▶ Scores ─▶ report() · table() · to_dict()

`kinds.py` decides what labels mark, `chunks.py` has the rules of chunks, conlleval's among them, `scorer.py` counts,
and `scores.py` computes the figures and formats them.
"""

from collections.abc import Sequence

import numpy as np

from tagfield.data.labels.kinds import KINDS, SCHEMES, LabelKind, chosen_kind, has_chunks, label_kind
from tagfield.data.labels.schemes import split_label
from tagfield.errors import InputError
from tagfield.evaluate.scorer import ChunkScorer
from tagfield.evaluate.scores import Scores, Tally

__all__ = ["KINDS", "SCHEMES", "ChunkScorer", "LabelKind", "Scores", "Tally", "chosen_kind", "evaluate"]
__all__ += ["has_chunks", "label_kind", "split_label"]


def evaluate(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], *, scheme: str | None = None) -> Scores:
    """Score predicted label sequences against the gold ones.

    A gold label that training never saw counts like any other label.

    scheme: What to count: "iob", "iobes", "words", "runs" or "labels" (`KINDS` describes them). Default: what the
        labels mark.

    >>> scores = evaluate([["B-NP", "I-NP", "O"], ["B-VP"]], [["B-NP", "I-NP", "O"], ["O"]])
    >>> print(scores.report(), end="")
    processed 4 tokens with 2 phrases; found: 1 phrases; correct: 1.
    accuracy:  75.00%; precision: 100.00%; recall:  50.00%; FB1:  66.67
                   NP: precision: 100.00%; recall: 100.00%; FB1: 100.00  1
                   VP: precision:   0.00%; recall:   0.00%; FB1:   0.00  0
    >>> evaluate([["author", "author", "title"]], [["author", "author", "title"]], scheme="runs").chunks.correct
    2
    """
    if len(gold) != len(predicted):
        raise InputError(
            f"found {len(gold)} gold sequences but {len(predicted)} predicted ones; pass both for the same sequences"
        )
    starts = [0]
    for index, (g, p) in enumerate(zip(gold, predicted, strict=True)):
        if isinstance(g, str) or isinstance(p, str):
            raise InputError(f"sequence {index} is a string; pass a list with one label for each token")
        if len(g) != len(p):
            raise InputError(
                f"sequence {index} has {len(g)} gold labels but {len(p)} predicted ones; both need one per token"
            )
        starts.append(starts[-1] + len(g))
    number: dict[str, int] = {}
    sides = [np.empty(starts[-1], np.int64) for _ in range(2)]
    for ids, sequences in zip(sides, (gold, predicted), strict=True):
        ids[:] = [number.setdefault(label, len(number)) for labels in sequences for label in labels]
    wrong = [label for label in number if not isinstance(label, str)]
    if wrong:
        raise InputError(f"labels must be strings, got {wrong[0]!r} of type {type(wrong[0]).__name__}")
    return ChunkScorer(list(number), scheme).score(sides[0], sides[1], starts)
