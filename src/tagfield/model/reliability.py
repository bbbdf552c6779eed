"""The probabilities of a model on labelled data, each with whether it is right.

Decoder ─▶ best labels with P(label), chunks with P(chunk) ─▶ Reliability of tokens and of spans
"""

from collections.abc import Sequence
from itertools import pairwise

from tagfield.data.encode import Encoded
from tagfield.evaluate import chosen_kind
from tagfield.evaluate.reliability import Reliability
from tagfield.inference.decoder import Decoder
from tagfield.inference.spans import SpanFinder


def reliability_of(
    decoder: Decoder, encoded: Encoded, labels: Sequence[str], scheme: str | None = None
) -> dict[str, Reliability]:
    """The reliability of "tokens", and of "spans" if the labels mark any.

    labels: the labels of the model; those of the data may be more
    scheme: what spans are, as in `tagfield.evaluate.evaluate`
    """
    best = decoder.best_with_probabilities()
    found = {"tokens": Reliability.of(best.token.clip(0, 1), best.labels == encoded.gold)}
    names = encoded.names.strings()
    kind = chosen_kind(names, scheme)
    if kind == "labels":
        return found
    claims = decoder.chunks(labels, best.labels, kind, together=True)
    finder, every = SpanFinder(names, kind), encoded.gold.tolist()
    claimed, right = [], []
    for chunks, (start, end) in zip(claims, pairwise(decoder.tokens.tolist()), strict=True):
        gold = set(finder.chunks(every[start:end]))
        for *chunk, p in chunks:
            claimed.append(min(1.0, float(p or 0.0)))
            right.append(tuple(chunk) in gold)
    return found | {"spans": Reliability.of(claimed, right)}
