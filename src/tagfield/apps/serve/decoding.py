"""Decoding: sentences of many clients → their answers, a slice at a time.

    sentences ─▶ slices of at most SLICE tokens ─▶ model.decoder ─▶ Answer for each sentence

A slice bounds the memory of a call and the time for which it holds the interpreter's lock. A request that has taken too
long ends between two slices.
"""

from collections.abc import Iterator, Sequence
from time import monotonic
from typing import Any, NamedTuple

from tagfield.apps.serve.limits import Limits
from tagfield.apps.serve.refusals import TOO_LARGE, Refusal, bad, too_late
from tagfield.apps.serve.registry import Served
from tagfield.apps.serve.requests import Wanted
from tagfield.data.encode import Encoded
from tagfield.inference.decoder import Decoder
from tagfield.model.answers import Answer, answers

SLICE = 4_096  # tokens of a call
CELLS = 20_000_000  # tokens · labels · paths of a sentence: some hundred megabytes
PARALLEL = 2_000  # tokens from which a call uses several threads; for fewer, starting them takes longer


class Call(NamedTuple):
    """A model, what is wanted of it, and until when."""

    served: Served
    wanted: Wanted
    limits: Limits
    deadline: float  # as `time.monotonic` counts
    threads: int


def decode(call: Call, sentences: Sequence[Any], known: Sequence[Any] | None) -> Iterator[Answer]:
    """An answer for each sentence: words, or tokens of attributes.

    known: the known labels of each sentence, as in `Model.decoder`
    """
    for start, end in _slices(sentences, SLICE):
        if monotonic() > call.deadline:
            raise too_late(call.limits)
        longest = max(map(len, sentences[start:end]))
        if longest * len(call.served.labels) * max(1, call.wanted.n_best) > CELLS:
            paths = f" and {call.wanted.n_best} paths" if call.wanted.n_best else ""
            said = (
                f"a sentence of {longest:,} tokens is too long for {len(call.served.labels):,} labels{paths}; split it"
            )
            raise Refusal(TOO_LARGE, said)
        part = None if known is None else known[start:end]
        if part is not None and not any(entry is not None for entry in part):
            part = None
        yield from answers(
            _decoder(call, sentences[start:end], part),
            call.served.labels,
            call.served.kind if call.wanted.spans else None,
            n_best=call.wanted.n_best,
            probabilities=call.wanted.probabilities,
            together=True,
        )


def encode(served: Served, reads: str, sentences: Sequence[Any]) -> Encoded:
    """Sentences in the form that the model reads, or a refusal; reads: "text", "words" or "attributes"."""
    model = served.model
    if reads == "attributes" and model.template is not None:
        raise bad(f"model {served.name} makes its attributes from words; send text, words or sentences")
    if reads != "attributes" and model.template is None:
        raise bad(f"model {served.name} has no template, so it reads attributes or sequences, not {reads}")
    if reads == "attributes":
        return model.encode(sentences, gather=False)
    return model.read_text(list(sentences)) if reads == "text" else model.read_words(sentences)


def _decoder(call: Call, sentences: Sequence[Any], known: Sequence[Any] | None) -> Decoder:
    model = call.served.model
    encoded = encode(call.served, call.wanted.reads, sentences)
    threads = call.threads if encoded.dataset.tokens[-1] >= PARALLEL else 1
    return model.decoder(encoded, rules=call.served.rules(call.wanted.constraints), known=known, threads=threads)


def _slices(sentences: Sequence[Any], most: int) -> Iterator[tuple[int, int]]:
    """(start, end) of neighbouring sentences with at most so many tokens; a longer sentence is alone.

    >>> list(_slices([[1, 2], [1], [1, 2, 3, 4], []], 3))
    [(0, 2), (2, 3), (3, 4)]
    """
    start = count = 0
    for end, sentence in enumerate(sentences):
        count += len(sentence)
        if count > most and end > start:
            yield start, end
            start, count = end, len(sentence)
    if start < len(sentences):
        yield start, len(sentences)
