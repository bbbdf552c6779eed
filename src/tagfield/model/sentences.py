"""Sentences of texts: texts → words → a decoder's answers → TaggedText.

    texts ─▶ tokenize ─▶ Sentences (words, offsets) ─▶ a decoder ─▶ answers ─▶ TaggedText

Model and CRF encode the words and make the decoder; this file knows neither of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tagfield.data.text.encoders.footprint import LINE, check_long_words
from tagfield.data.text.tokenizer.tokenizer import Tokenizer, tokenize
from tagfield.data.text.tokenizer.tokens import Offsets
from tagfield.errors import InputError
from tagfield.inference.decoder import Decoder
from tagfield.model.answers import Answer, answers, span_kind
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
        """The words of all sentences; MemoryLimitError if one is too long to encode."""
        for index, (text, sentences) in enumerate(zip(self.texts, self.offsets, strict=True)):
            if len(text) > LINE:
                check_long_words((end - start for each in sentences for start, end in each), f"text {index}")
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
        called = called or names
        found = answers(decoder, names, span_kind(names), n_best=n_best, probabilities=probabilities)
        return [
            TaggedText(text, [_sentence(text, offsets, next(found), called) for offsets in sentences])
            for text, sentences in zip(self.texts, self.offsets, strict=True)
        ]


def _sentence(text: str, offsets: list[Offsets], answer: Answer, called: Sequence[Any]) -> TaggedSentence:
    first, last = (offsets[0][0], offsets[-1][1]) if offsets else (0, 0)
    sure: Sequence[float | None] = [None] * len(offsets) if answer.sure is None else answer.sure
    tokens = [
        TaggedToken(text[start:end], start, end, called[i], p)
        for (start, end), i, p in zip(offsets, answer.labels, sure, strict=True)
    ]
    spans = []
    for kind, begin, after, p in answer.chunks:
        start, end = offsets[begin][0], offsets[after - 1][1]
        spans.append(TaggedSpan(start, end, kind, text[start:end], p))
    paths = [([called[i] for i in path], p) for path, p in answer.n_best or ()]
    return TaggedSentence(text[first:last], first, tokens, spans, answer.probability, paths)
