"""Answers: what a decoder says about each of its sentences, as label ids.

Decoder ─▶ answers ─▶ Answer for each sentence ─▶ TaggedText (sentences.py) · Arrow arrays (arrow/) · JSON (apps/serve)
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from tagfield.data.labels.kinds import UNITS, LabelKind, label_kind
from tagfield.data.labels.schemes import OUTSIDE
from tagfield.inference.decoder import Decoder


class Answer(NamedTuple):
    """What a decoder says about one sentence."""

    labels: list[int]  # ids
    sure: list[float] | None  # P(label | sentence) of each token
    probability: float | None  # of all labels
    chunks: list[tuple[str, int, int, float | None]]  # type, first token, token after the last, probability
    n_best: list[tuple[list[int], float]] | None  # ids and their probability, best first


def answers(
    decoder: Decoder,
    names: Sequence[str],
    kind: LabelKind | None,
    *,
    n_best: int = 0,
    probabilities: bool = True,
    together: bool = False,
) -> Iterator[Answer]:
    """What a decoder says about each of its sentences.

    names: the labels [L]
    kind: what spans they form, as `span_kind` says; None for no spans
    together: as in `Decoder.chunks`
    """
    found = decoder.best_with_probabilities() if probabilities else None
    best = decoder.best() if found is None else found.labels
    ids = best.tolist()
    sure, path = (None, None) if found is None else (found.token.tolist(), found.path.tolist())
    chunks, untyped = None, ""
    if kind is not None:
        chunks = decoder.chunks(names, best, kind, probabilities=probabilities, together=together)
        untyped = UNITS[kind]  # the label of spans without a type
    paths = decoder.n_best(n_best) if n_best else None
    for s, (start, end) in enumerate(pairwise(decoder.tokens.tolist())):
        yield Answer(
            ids[start:end],
            None if sure is None else sure[start:end],
            None if path is None else path[s],
            [] if chunks is None else [(of or untyped, first, after, p) for of, first, after, p in chunks[s]],
            None if paths is None else paths[s],
        )


def span_kind(labels: Sequence[str]) -> LabelKind | None:
    """What spans the labels form, in the terms of `tagfield.data.labels.kinds`; None if they form none.

    Labels without a prefix are types if one of them is O: then neighbouring tokens with the same label are one span.

    >>> span_kind(["O", "S-PER", "B-PER", "E-PER"]), span_kind(["B", "M", "E", "S"]), span_kind(["O", "PER"])
    ('iobes', 'words', 'runs')
    >>> span_kind(["NN", "VB"]) is None
    True
    """
    kind = label_kind(labels)
    if kind != "labels":
        return kind
    return "runs" if OUTSIDE in labels else None
