"""Tokenizers: running text → sentences of tokens with exact character offsets.

    text ─▶ words · lines · whitespace · characters · your own function ─▶ checks ─▶ [[(start, end), …], …]

    words        words and punctuation as in the Penn Treebank, sentences by punctuation (tokens.py, sentences.py)
    lines        the same, and a line break always ends a sentence: for addresses, citations or messages
    whitespace   tokens as they are separated by spaces; a line is a sentence. For text that is tokenized already.
    characters   every character but spaces, for models that segment Chinese, Japanese or Thai into words

A tokenizer of your own is a function of the text that returns a list of sentences; a sentence is a list of (start, end)
pairs or of strings as they stand in the text. A list of tokens instead of a list of sentences is one sentence.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from tagfield.data.text.tokenizer.sentences import cut_sentences
from tagfield.data.text.tokenizer.tokens import Offsets, find_tokens, shadow_of
from tagfield.errors import InputError, did_you_mean

Tokenizer: TypeAlias = str | Callable[[str], Iterable[Any]]

_RUN = re.compile(r"\S+")
_CHARACTER = re.compile(r"\S")
_SENTENCE = re.compile(r"[^\n。！？｡!?]*(?:[。！？｡!?]+[」』”’）)\"']*|\n|\Z)")


def tokenize(text: str, tokenizer: Tokenizer | None = None) -> list[list[Offsets]]:
    """Split text into sentences, and sentences into tokens; a token is the pair (start, end) of `text[start:end]`.

    tokenizer: 'words' (the default), 'lines', 'whitespace', 'characters', or a function of the text. The function
        returns a list of sentences; a sentence is a list of (start, end) pairs, or of strings as they stand in it.

    >>> text = "Anna doesn't know. Ask Dr. Lee!"
    >>> [[text[start:end] for start, end in sentence] for sentence in tokenize(text)]
    [['Anna', 'does', "n't", 'know', '.'], ['Ask', 'Dr.', 'Lee', '!']]
    >>> tokenize("Elm Rd 2\\nOslo"), tokenize("Elm Rd 2\\nOslo", "lines")
    ([[(0, 3), (4, 6), (7, 8), (9, 13)]], [[(0, 3), (4, 6), (7, 8)], [(9, 13)]])
    >>> tokenize("to be", str.split)
    [[(0, 2), (3, 5)]]
    """
    if not isinstance(text, str):
        raise InputError(f"text must be a string, got {type(text).__name__}")
    if tokenizer is None:
        return _words(text)
    if isinstance(tokenizer, str):
        return _named(tokenizer)(text)
    if not callable(tokenizer):
        raise InputError(f"tokenizer must be a name or a function of the text, got {type(tokenizer).__name__}")
    return _checked(text, tokenizer(text))


def _words(text: str) -> list[list[Offsets]]:
    shadow = shadow_of(text)
    return cut_sentences(shadow, find_tokens(shadow))


def _lines(text: str) -> list[list[Offsets]]:
    return [
        [(start + first, start + end) for first, end in sentence]
        for start, line in _each_line(text)
        for sentence in _words(line)
    ]


def _whitespace(text: str) -> list[list[Offsets]]:
    lines = [
        [(start + run.start(), start + run.end()) for run in _RUN.finditer(line)] for start, line in _each_line(text)
    ]
    return [line for line in lines if line]


def _each_line(text: str) -> Iterator[tuple[int, str]]:
    """The start and the text of each line."""
    start = 0
    for line in text.split("\n"):
        yield start, line
        start += len(line) + 1


def _characters(text: str) -> list[list[Offsets]]:
    sentences = []
    for sentence in _SENTENCE.finditer(text):
        found = [match.span() for match in _CHARACTER.finditer(text, *sentence.span())]
        if found:
            sentences.append(found)
    return sentences


TOKENIZERS: dict[str, Callable[[str], list[list[Offsets]]]] = {
    "words": _words,
    "lines": _lines,
    "whitespace": _whitespace,
    "characters": _characters,
}


def _named(name: str) -> Callable[[str], list[list[Offsets]]]:
    if name in TOKENIZERS:
        return TOKENIZERS[name]
    raise InputError(f"no tokenizer named {name!r}; {did_you_mean(name, [*TOKENIZERS, 'a function of the text'])}")


def _checked(text: str, result: Any) -> list[list[Offsets]]:
    """What a user's tokenizer returned, as offsets that ascend and do not overlap."""
    if isinstance(result, str | bytes) or not isinstance(result, Iterable):
        raise InputError(f"the tokenizer must return a list of sentences, got {type(result).__name__}")
    sentences = list(result)
    if sentences and all(_is_token(item) for item in sentences):
        sentences = [sentences]
    found: list[list[Offsets]] = []
    end = 0
    for s, sentence in enumerate(sentences):
        if isinstance(sentence, str | bytes) or not isinstance(sentence, Iterable):
            raise InputError(
                f"the tokenizer's sentence {s} must be a list of (start, end) pairs or of strings, got "
                f"{type(sentence).__name__}"
            )
        tokens: list[Offsets] = []
        for t, token in enumerate(sentence):
            start, end = _place(text, token, end, f"the tokenizer's sentence {s}, token {t}")
            tokens.append((start, end))
        if tokens:
            found.append(tokens)
    return found


def _is_token(item: Any) -> bool:
    return isinstance(item, str) or (isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], int))


def _place(text: str, token: Any, after: int, where: str) -> Offsets:
    """Start and end of a token that follows the character `after`."""
    if isinstance(token, str):
        start = after
        while start < len(text) and text[start].isspace():
            start += 1
        if not token or not text.startswith(token, start):
            raise InputError(
                f"{where}: {token!r} is not what the text has at character {start}, {text[start : start + 20]!r}; "
                "return (start, end) pairs if tokens differ from the text"
            )
        return start, start + len(token)
    try:
        start, end = token
        wrong = not (type(start) is int and type(end) is int)
    except (TypeError, ValueError):
        wrong = True
    if wrong:
        raise InputError(f"{where} must be a pair (start, end) or a string, got {token!r}")
    if not after <= start < end <= len(text):
        raise InputError(
            f"{where} is ({start}, {end}); expected {after} ≤ start < end ≤ {len(text)}, because tokens come in "
            "order, do not overlap and are not empty"
        )
    return start, end
