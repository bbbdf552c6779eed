"""Tagging text: texts → sentences of words → a decoder's answers → TaggedText.

    texts ─▶ tokenize ─▶ Sentences (words, offsets) ─▶ a decoder ─▶ labels · probabilities · chunks ─▶ TaggedText

Model and CRF encode the words and make the decoder; this file knows neither of them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tagfield.data.labels.kinds import OUTSIDE, UNITS, LabelKind, label_kind
from tagfield.data.text.tokenizer.tokenizer import Tokenizer, tokenize
from tagfield.data.text.tokenizer.tokens import Offsets
from tagfield.errors import InputError
from tagfield.inference.decoder import Decoder
from tagfield.model.tagged import TaggedSentence, TaggedSpan, TaggedText, TaggedToken


@dataclass(frozen=True)
class Sentences:
    """Texts and their sentences, with the offsets of the tokens.

    >>> Sentences.of(["It works. Really!", ""]).words()
    [['It', 'works', '.'], ['Really', '!']]
    """

    texts: list[str]
    offsets: list[list[list[Offsets]]]  # by text, sentence and token

    @classmethod
    def of(cls, texts: str | Iterable[str], tokenizer: Tokenizer | None = None) -> "Sentences":
        """Tokenize one text or several; an error names the text."""
        if isinstance(texts, str):
            return cls([texts], [tokenize(texts, tokenizer)])
        if isinstance(texts, bytes) or not isinstance(texts, Iterable):
            raise InputError(f"text must be a string or a list of strings, got {type(texts).__name__}")
        kept: list[str] = []
        offsets = []
        for index, text in enumerate(texts):
            try:
                offsets.append(tokenize(text, tokenizer))
            except InputError as error:
                raise InputError(f"text {index}: {error}") from None
            kept.append(text)
        return cls(kept, offsets)

    def words(self) -> list[list[str]]:
        """The words of all sentences."""
        return [
            [text[start:end] for start, end in sentence]
            for text, sentences in zip(self.texts, self.offsets, strict=True)
            for sentence in sentences
        ]

    def tagged(
        self,
        decoder: Decoder,
        names: Sequence[str],
        called: Sequence[Any] | None = None,
        *,
        n_best: int = 0,
        probabilities: bool = True,
    ) -> list[TaggedText]:
        """The texts with the labels of a decoder of `words()`.

        names: the labels as strings [L], which say what chunks there are
        called: the labels as the results show them [L]
        """
        found = answers(decoder, names, called or names, n_best, probabilities)
        return [
            TaggedText(text, [_sentence(text, offsets, next(found)) for offsets in sentences])
            for text, sentences in zip(self.texts, self.offsets, strict=True)
        ]


@dataclass(frozen=True)
class Answer:
    """What a decoder says about one sentence."""

    labels: list[Any]
    sure: list[float] | None  # of each label
    probability: float | None  # of all labels
    chunks: list[tuple[str, int, int, float | None]]  # type, first token, token after the last, probability
    n_best: list[tuple[list[Any], float]]


def answers(
    decoder: Decoder, names: Sequence[str], called: Sequence[Any], n_best: int, probabilities: bool
) -> Iterator[Answer]:
    """What a decoder says about each of its sentences; the arguments are those of `Sentences.tagged`."""
    kind = span_kind(names)
    found = decoder.best_with_probabilities() if probabilities else None
    best = decoder.best() if found is None else found.labels
    ids = best.tolist()
    sure = None if found is None else found.token.tolist()
    chunks = None if kind is None else decoder.chunks(names, best, kind, probabilities=probabilities)
    untyped = "" if kind is None else UNITS[kind]  # the label of spans without a type
    paths = decoder.n_best(n_best) if n_best else None
    for s, (start, end) in enumerate(pairwise(decoder.tokens.tolist())):
        yield Answer(
            [called[i] for i in ids[start:end]],
            None if sure is None else sure[start:end],
            None if found is None else float(found.path[s]),
            [] if chunks is None else [(of or untyped, first, after, p) for of, first, after, p in chunks[s]],
            [([called[i] for i in path], p) for path, p in paths[s]] if paths is not None else [],
        )


def _sentence(text: str, offsets: list[Offsets], answer: Answer) -> TaggedSentence:
    first, last = (offsets[0][0], offsets[-1][1]) if offsets else (0, 0)
    sure: Sequence[float | None] = [None] * len(offsets) if answer.sure is None else answer.sure
    tokens = [
        TaggedToken(text[start:end], start, end, label, p)
        for (start, end), label, p in zip(offsets, answer.labels, sure, strict=True)
    ]
    spans = []
    for kind, begin, after, p in answer.chunks:
        start, end = offsets[begin][0], offsets[after - 1][1]
        spans.append(TaggedSpan(start, end, kind, text[start:end], p))
    return TaggedSentence(text[first:last], first, tokens, spans, answer.probability, answer.n_best)


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
