"""Spans of characters ⇄ labels of tokens.

    Document ─▶ tokens (given, or by the tokenizer) ─▶ spans cover tokens ─▶ labels by a scheme ─▶ Sentences
    Sentence ─▶ chunks of tokens ─▶ offsets (given, or words joined by spaces) ─▶ Document

A span that cuts a token, and spans that overlap, cannot be written as labels. `Policy` says what to do with them; by
default they are errors that show the span, its place and the token.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from tagfield.data.labels.schemes import Chunk, check_scheme, chunks_of, labels_of
from tagfield.data.text.records import WORD, Document, Offsets, Sentence, TextSpan
from tagfield.errors import InputError

ON_CUT = ("error", "widen", "drop")
ON_OVERLAP = ("error", "longest")

Split = Callable[[str], Sequence[Sequence[Offsets]]]  # text ─▶ the tokens of each sentence


@dataclass(frozen=True)
class Policy:
    """How spans become labels.

    >>> Policy(on_cut="shrink")
    Traceback (most recent call last):
    tagfield.errors.InputError: on_cut must be error, widen or drop, got 'shrink'
    """

    scheme: str | None = None  # of the labels; None: BIO for spans, and labels of tokens as they are
    on_cut: str = "error"  # a span that begins or ends inside a token: widen it to whole tokens, or drop it
    on_overlap: str = "error"  # spans that share a token: keep the longest
    counts: Counter[str] = field(default_factory=Counter, compare=False)  # what was widened or dropped

    def __post_init__(self) -> None:
        if self.scheme is not None:
            object.__setattr__(self, "scheme", check_scheme(self.scheme))
        for name, choices in (("on_cut", ON_CUT), ("on_overlap", ON_OVERLAP)):
            if getattr(self, name) not in choices:
                spoken = f"{', '.join(choices[:-1])} or {choices[-1]}"
                raise InputError(f"{name} must be {spoken}, got {getattr(self, name)!r}")


def to_sentences(document: Document, split: Split, policy: Policy) -> Iterator[Sentence]:
    """The sentences of a document; a sentence boundary inside a span is not one.

    >>> document = Document("Anna sings. Bo too.", (TextSpan(0, 4, "PER"),))
    >>> halves = lambda text: [[(0, 4), (5, 10), (10, 11)], [(12, 14), (15, 18), (18, 19)]]
    >>> [(s.words, s.labels) for s in to_sentences(document, halves, Policy())][0]
    (('Anna', 'sings', '.'), ('B-PER', 'O', 'O'))
    """
    given = split(document.text) if document.sentences is None else document.sentences
    sentences = [tuple(tokens) for tokens in given if tokens]
    tokens = list(chain.from_iterable(sentences))
    labels = None
    if document.spans is not None:
        chunks = cover(tokens, document, policy)
        labels = labels_of(chunks, len(tokens), policy.scheme or "bio")
        sentences = _joined(sentences, chunks)
    start = 0
    for number, offsets in enumerate(sentences):
        end = start + len(offsets)
        yield Sentence(
            tuple((document.text[a:b],) for a, b in offsets),
            None if labels is None else tuple(labels[start:end]),
            (WORD,),
            document.text,
            offsets,
            document.id,
            document.meta if number == 0 else {},
            where=document.where,
        )
        start = end


def cover(tokens: Sequence[Offsets], document: Document, policy: Policy) -> list[Chunk]:
    """The tokens that each span of a document covers, without overlaps, in order.

    >>> document = Document("New Yorkers", (TextSpan(0, 8, "LOC"),), where="a.jsonl, line 1")
    >>> cover([(0, 3), (4, 11)], document, Policy(on_cut="widen"))
    [Chunk(start=0, end=2, label='LOC')]
    >>> cover([(0, 3), (4, 11)], document, Policy())
    Traceback (most recent call last):
    tagfield.errors.InputError: a.jsonl, line 1: the span 'New York' (0 to 8, LOC) cuts the token 'Yorkers' (4 to 11); \
correct it, or use on_cut="widen" or "drop" (--on-cut)
    """
    starts, ends = [start for start, _ in tokens], [end for _, end in tokens]
    chunks = []
    for span in sorted(set(document.spans or ())):
        first, last = bisect_right(ends, span.start), bisect_left(starts, span.end)
        cuts = [k for k in {first, last - 1} if first < last and (starts[k] < span.start or ends[k] > span.end)]
        empty = first >= last
        if cuts or empty:
            if policy.on_cut == "error":
                raise InputError(_cut_message(document, span, tokens[min(cuts)] if cuts else None))
            if empty or policy.on_cut == "drop":
                policy.counts["dropped"] += 1
                continue
            policy.counts["widened"] += 1
        chunks.append(Chunk(first, last, span.label))
    return _disjoint(chunks, tokens, document, policy)


def to_document(sentence: Sentence) -> Document:
    """A sentence as text with spans; words without a text of their own are joined by single spaces.

    >>> document = to_document(Sentence((("New",), ("York",)), ("B-LOC", "I-LOC")))
    >>> document.text, document.spans
    ('New York', (TextSpan(start=0, end=8, label='LOC'),))
    """
    text, offsets = placed(sentence)
    spans = None
    if sentence.labels is not None and None not in sentence.labels:
        chunks = chunks_of([label or "" for label in sentence.labels], sentence.where)
        spans = tuple(TextSpan(offsets[c.start][0], offsets[c.end - 1][1], c.label) for c in chunks)
    elif sentence.labels is not None and any(label is not None for label in sentence.labels):
        raise InputError(
            f"{sentence.where or 'a sentence'}: some tokens have no label, which spans cannot hold; "
            "label every token or none"
        )
    return Document(text, spans, (offsets,), sentence.id, sentence.meta, sentence.where)


def placed(sentence: Sentence) -> tuple[str, tuple[Offsets, ...]]:
    """Text and offsets of a sentence, cut out of its document or made from its words.

    >>> placed(Sentence((("a",), ("bc",))))
    ('a bc', ((0, 1), (2, 4)))
    """
    if sentence.text is not None and sentence.offsets is not None:
        if not sentence.offsets:
            return "", ()
        begin, end = sentence.offsets[0][0], sentence.offsets[-1][1]
        return sentence.text[begin:end], tuple((a - begin, b - begin) for a, b in sentence.offsets)
    offsets, at = [], 0
    for word in sentence.words:
        offsets.append((at, at + len(word)))
        at += len(word) + 1
    return " ".join(sentence.words), tuple(offsets)


def align(words: Sequence[str], text: str) -> tuple[Offsets, ...] | None:
    """The place of each word in the text, in order with nothing but spaces between them; None if they do not fit.

    >>> align(["Do", "n't", "!"], "Don't !"), align(["a", "c"], "a b c")
    (((0, 2), (2, 5), (6, 7)), None)
    """
    offsets, at = [], 0
    for word in words:
        while not text.startswith(word, at):
            if at >= len(text) or not text[at].isspace():
                return None
            at += 1
        offsets.append((at, at + len(word)))
        at += len(word)
    return None if text[at:].strip() else tuple(offsets)


def _joined(sentences: list[tuple[Offsets, ...]], chunks: list[Chunk]) -> list[tuple[Offsets, ...]]:
    """The sentences, with those joined that a chunk reaches across."""
    within = {t for chunk in chunks for t in range(chunk.start + 1, chunk.end)}  # no sentence may begin here
    joined: list[tuple[Offsets, ...]] = []
    start = 0
    for offsets in sentences:
        if start in within:
            joined[-1] += offsets
        else:
            joined.append(offsets)
        start += len(offsets)
    return joined


def _disjoint(chunks: list[Chunk], tokens: Sequence[Offsets], document: Document, policy: Policy) -> list[Chunk]:
    """The chunks without overlaps: the longest first, and of two equal ones the first."""
    taken: list[Chunk | None] = [None] * len(tokens)
    kept = []
    for chunk in sorted(dict.fromkeys(chunks), key=lambda c: (c.start - c.end, c.start)):
        other = next((owner for owner in taken[chunk.start : chunk.end] if owner is not None), None)
        if other is None:
            taken[chunk.start : chunk.end] = [chunk] * (chunk.end - chunk.start)
            kept.append(chunk)
        elif policy.on_overlap == "error":
            one, two = (_quoted(document, tokens[c.start][0], tokens[c.end - 1][1], c.label) for c in (other, chunk))
            raise InputError(
                f"{document.where or 'a text'}: the spans {one} and {two} overlap, which labels of tokens cannot hold; "
                'correct them, or use on_overlap="longest" (--on-overlap)'
            )
        else:
            policy.counts["overlapping"] += 1
    return sorted(kept)


def _cut_message(document: Document, span: TextSpan, token: Offsets | None) -> str:
    what = f"{document.where or 'a text'}: the span {_quoted(document, *span)}"
    if token is None:
        return f'{what} covers no token; remove it, or use on_cut="drop" (--on-cut)'
    word = f"{_short(document.text[token[0] : token[1]])} ({token[0]} to {token[1]})"
    return f'{what} cuts the token {word}; correct it, or use on_cut="widen" or "drop" (--on-cut)'


def _quoted(document: Document, start: int, end: int, label: str) -> str:
    return f"{_short(document.text[start:end])} ({start} to {end}, {label})"


def _short(text: str, most: int = 60) -> str:
    return repr(text if len(text) <= most else text[: most - 1] + "…")
