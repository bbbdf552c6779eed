"""Sentences of words, as Python objects → the arrays of a Dataset, by a template.

[["The", "dog"], [("Dogs", "NNS"), ("bark", "VBP")]] ─▶ WordTable ─▶ native: cells ─▶ patterns ─▶ ids

A WordTable keeps what it has learned about words and patterns, so that sentences encoded one by one are as fast as many
at once. What it keeps is bounded. Threads can share it: each call takes a native encoder that no other call is using.
"""

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tagfield.data.dataset import Ints, Longs
from tagfield.data.text.templates.plan import open_encoder
from tagfield.data.text.templates.slow_search import SlowExpression
from tagfield.data.text.templates.template import LABEL, WAPITI, Template
from tagfield.errors import InputError
from tagfield.native._text import ArrowWords, TemplateEncoder, Vocabulary
from tagfield.system.checks import not_none

if TYPE_CHECKING:
    from tagfield.native._text import DatasetArrays, SlotArrays

IDLE = 4  # native encoders that are kept for the next call
CAPACITY = 1 << 22  # words and ids that each of them remembers: 50 to 150 MB when it is full


class WordTable:
    """The words of sentences, and the ids of their patterns.

    >>> from tagfield.data.text.templates.presets import PRESETS
    >>> attributes = Vocabulary()
    >>> table = WordTable(PRESETS["words"])
    >>> arrays, gold, _ = table.encode([["The", "dog"]], None, attributes, False, Vocabulary(), True)
    >>> attributes.strings()[:3]
    ['w[0]=The', 'w[1]=dog', 'w[0]|w[1]=The|dog']
    """

    def __init__(self, template: Template, capacity: int = CAPACITY) -> None:
        if not template.columns:
            raise InputError(f"template {template.name} names no columns; use template.with_columns('w pos y')")
        self.template = template
        self._capacity = capacity
        self._present = [k for k, role in enumerate(template.columns) if role != LABEL]
        self._idle: list[TemplateEncoder] = [self._open()]

    def encode(
        self,
        X: Iterable[object],
        y: object,
        attributes: Vocabulary,
        frozen: bool,
        labels: Vocabulary,
        gather: bool,
        edges: Vocabulary | None = None,
        grouped: bool = True,
    ) -> "tuple[DatasetArrays, Ints, SlotArrays | None]":
        """The arrays of a Dataset, the ids of the labels, and the slots of transitions; see `encode.encode_words`.

        edges: the vocabulary of the attributes of transitions; None leaves them out
        grouped: as in `read_columns`
        """
        encoder, X = self._take(X), self._without_spare(X)
        try:
            return encoder.encode_words(X, y, attributes, frozen, labels, gather, edges, grouped)
        finally:
            self._give_back(encoder)

    def tag(
        self, X: Iterable[object], attributes: Vocabulary, native_decoder: object, names: tuple[str, ...]
    ) -> list[list[str]]:
        """The best labels, by the weights of a native decoder."""
        encoder, X = self._take(X), self._without_spare(X)
        try:
            return encoder.tag_words(X, attributes, native_decoder, names)
        finally:
            self._give_back(encoder)

    def tag_arrow(self, words: ArrowWords, attributes: Vocabulary, native_decoder: object) -> "tuple[Ints, Longs]":
        """The ids of the best labels [T] and the first token of each row [S+1]; no other call may use the decoder."""
        encoder = self._take(())
        try:
            return encoder.tag_arrow(words, attributes, native_decoder)
        finally:
            self._give_back(encoder)

    def _take(self, X: Iterable[object]) -> TemplateEncoder:
        """A native encoder for one call."""
        not_none("X", X, "pass a list of sentences")
        # pop and append are atomic, so two threads, or a sentence that itself encodes, never share an encoder
        try:
            return self._idle.pop()
        except IndexError:
            return self._open()

    def _without_spare(self, X: Iterable[object]) -> Iterable[object]:
        """For patterns of Wapiti: tokens without the cells that no pattern reads, which Wapiti skips too."""
        if self.template.syntax != WAPITI:
            return X
        width = len(self._present)

        def cut(sentence: object) -> object:
            if not isinstance(sentence, list | tuple):
                return sentence
            return [token[:width] if isinstance(token, list | tuple) else token for token in sentence]

        return map(cut, X)

    def _give_back(self, encoder: TemplateEncoder) -> None:
        if len(self._idle) < IDLE and not isinstance(sys.exception(), SlowExpression):
            self._idle.append(encoder)

    def __len__(self) -> int:
        """How many words and ids are remembered."""
        return sum(map(len, self._idle))

    def _open(self) -> TemplateEncoder:
        return open_encoder(self.template, self._present, "a token", self._capacity)


def number_columns(template: Template, X: Iterable[object]) -> tuple[Template, Iterable[object]]:
    """The template with columns x0, x1, … and the label, as many as the first token has, if it names none.

    X is returned too, as a list if it had to be read to find its first token.

    >>> from tagfield.data.text.templates.parsing import parse_template
    >>> number_columns(parse_template("U0:%x[0,1]"), [[("The", "DT")]])[0].columns
    ('x0', 'x1', 'y')
    """
    if template.columns:
        return template, X
    X = as_lists(X)
    return template.with_columns((*(f"x{k}" for k in range(columns_of(X))), LABEL)), X


def as_lists(X: Any) -> Any:
    """Sentences as a list of lists; non-sequences pass through, and the native reader names them in its error.

    >>> as_lists(iter([("The", "dog"), "Bark"]))
    [['The', 'dog'], 'Bark']
    """
    return [list(each) if _readable(each) else each for each in X] if _readable(X) else X


def tokens_of(X: Any, most: int | None = None) -> Iterator[Any]:
    """The tokens of what `as_lists` made, or of its first sentences; non-sequences are left out."""
    for sentence in X[:most] if isinstance(X, list) else ():
        yield from sentence if isinstance(sentence, list) else ()


def columns_of(X: Any) -> int:
    """How many strings the first token has.

    >>> columns_of([[], [("The", "DT")]]), columns_of([["The"]])
    (2, 1)
    """
    first = next(tokens_of(X), "")
    return max(1, len(first)) if isinstance(first, tuple | list) else 1


def _readable(X: object) -> bool:
    return isinstance(X, Iterable) and not isinstance(X, str | bytes | dict)
