"""Shared by the built-in corpora: the DemoCorpus record, word shapes, BIO labels, and the column writer.

segments [("STREET", "Main St"), (None, ","), ("CITY", "Salem")]
    │ label_segments: split at white space, B- on a segment's first word, I- on the others, O without a type
    ▼
tokens   [("Main", "Xxxx", "B-STREET"), ("St", "Xx", "I-STREET"), (",", ",", "O"), ...]
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TextIO, TypeAlias

from tagfield.demo.random_stream import RandomStream
from tagfield.errors import InputError

Token: TypeAlias = tuple[str, str, str]  # word, shape, label
Sentence: TypeAlias = list[Token]
Segment: TypeAlias = tuple[str | None, str]  # entity type (None outside entities), its words

_SPACES = re.compile(r" ([,.:;!?)])")
_RUNS = re.compile("(?<=aaa)a+|(?<=AAA)A+|(?<=000000)0+")


@dataclass(frozen=True)
class DemoCorpus:
    """Training and test sentences; a sentence is a list of (word, shape, label)."""

    train: list[Sentence]
    test: list[Sentence]


def make_corpus(
    name: str, draw: Callable[[RandomStream], Sentence], *, seed: int, train: int, test: int, unseen: float
) -> DemoCorpus:
    """Generates both parts, each from its own random stream, so neither depends on the size of the other."""
    if train < 0 or test < 0:
        raise InputError(f"train and test must be ≥ 0, got {train} and {test}")
    train_rng = RandomStream(name, seed=seed, part="train")
    test_rng = RandomStream(name, seed=seed, part="test", unseen=unseen)
    return DemoCorpus([draw(train_rng) for _ in range(train)], [draw(test_rng) for _ in range(test)])


def shape(word: str) -> str:
    """The shape of a word: X for capitals, x for small letters, d for digits, other characters unchanged.

    Runs of small letters or capitals are cut to three characters, runs of digits to six.

    >>> [shape(word) for word in ("Springfield", "12b", "75003", "LS1", "Bahnhofstr.", "160-0023")]
    ['Xxxx', 'ddx', 'ddddd', 'XXd', 'Xxxx.', 'ddd-dddd']
    """
    outline = "".join(
        "0" if char.isdigit() else "A" if char.isupper() else "a" if char.isalpha() else char for char in word
    )
    return _RUNS.sub("", outline).replace("a", "x").replace("A", "X").replace("0", "d")


def label_segments(segments: Iterable[Segment]) -> Sentence:
    """Splits segments into tokens with BIO labels.

    >>> label_segments([("CITY", "New York"), (None, "now")])
    [('New', 'Xxx', 'B-CITY'), ('York', 'Xxxx', 'I-CITY'), ('now', 'xxx', 'O')]
    """
    tokens: Sentence = []
    for kind, text in segments:
        for index, word in enumerate(text.split()):
            label = "O" if kind is None else f"{'I' if index else 'B'}-{kind}"
            tokens.append((word, shape(word), label))
    return tokens


def plain_text(sentence: Sentence) -> str:
    """The words of a sentence as people write them: no space before a comma, nor inside brackets.

    >>> plain_text([("Salem", "Xxxx", "B-CITY"), (",", ",", "O"), ("USA", "XXX", "B-COUNTRY")])
    'Salem, USA'
    """
    return _SPACES.sub(r"\1", " ".join(word for word, _, _ in sentence))


def write_columns(sentences: Iterable[Sequence[Sequence[str]]], file: TextIO) -> None:
    """Writes sentences as CoNLL columns: one token per line, space-separated, an empty line after each sentence.

    >>> import sys
    >>> write_columns([[("Salem", "Xxxx", "B-CITY"), ("!", "!", "O")]], sys.stdout)
    Salem Xxxx B-CITY
    ! ! O
    <BLANKLINE>
    """
    for sentence in sentences:
        file.write("".join(" ".join(token) + "\n" for token in sentence) + "\n")
