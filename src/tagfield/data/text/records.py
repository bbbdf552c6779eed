"""What every reader yields and every writer takes: sentences of tokens, or documents of text with spans.

    columns, CoNLL-U, items, CSV, JSONL with tokens ─▶ Sentence   rows of cells, a label for each token
    JSONL with text, brat, spaCy's DocBin ───────────▶ Document   text, and spans of characters

`spans.py` turns one into the other. Whatever a format has beyond that (ids, comments, further fields) travels along in
`id`, `comments` and `meta`, so that a conversion keeps what both sides can hold.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

Row: TypeAlias = tuple[str, ...]  # the cells of one token, without its label
Offsets: TypeAlias = tuple[int, int]  # start and end of a token in the text, in characters

WORD = "w"


class TextSpan(NamedTuple):
    """A labelled stretch of characters: text[start:end]."""

    start: int
    end: int
    label: str


@dataclass(frozen=True)
class Sentence:
    """One sequence of tokens.

    >>> Sentence((("The", "DT"), ("dog", "NN")), ("B-NP", "I-NP")).words
    ('The', 'dog')
    """

    tokens: tuple[Row, ...]
    labels: tuple[str | None, ...] | None = None  # None for a token: its label is not known
    roles: tuple[str, ...] = (WORD,)  # of the cells of a token
    text: str | None = None  # the text that the tokens come from
    offsets: tuple[Offsets, ...] | None = None  # where each token stands in `text`
    id: str | int | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)  # further fields, as JSON values
    comments: tuple[str, ...] = ()  # lines above the sentence, without their #
    where: str = ""  # file and line, for messages

    def column(self, role: str) -> tuple[str, ...]:
        """The cells of one column."""
        index = self.roles.index(role)
        return tuple(row[index] for row in self.tokens)

    @property
    def words(self) -> tuple[str, ...]:
        """The column of words; without one of that name, the first column."""
        return self.column(WORD if WORD in self.roles else self.roles[0])


@dataclass(frozen=True)
class Document:
    """A text with labelled spans, which may overlap or cut tokens.

    >>> document = Document("Anna sings.", (TextSpan(0, 4, "PER"),))
    >>> [document.text[start:end] for start, end, _ in document.spans]
    ['Anna']
    """

    text: str
    spans: tuple[TextSpan, ...] | None = None  # None: the text has not been labelled
    sentences: tuple[tuple[Offsets, ...], ...] | None = None  # tokens of each sentence, if the file has them
    id: str | int | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""


Record: TypeAlias = Sentence | Document
