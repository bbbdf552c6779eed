"""What the built-in corpora share: the record, the shape of a word, BIO labels, and how to write columns.

segments [("STREET", "Main St"), (None, ","), ("CITY", "Salem")]
    │ label_segments: split at white space, B- on a segment's first word, I- on the others, O without a type
    ▼
rows     [("Main", "Xxxx", "B-STREET"), ("St", "Xx", "I-STREET"), (",", ",", "O"), ...]
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TextIO, TypeAlias

from tagfield.errors import InputError
from tagfield.text.demo.chance import Chance

Row: TypeAlias = tuple[str, str, str]  # word, shape, label
Sentence: TypeAlias = list[Row]
Segment: TypeAlias = tuple[str | None, str]  # entity type (None: outside), its words

_RUNS = re.compile("(?<=aaa)a+|(?<=AAA)A+|(?<=000000)0+")


@dataclass(frozen=True)
class Corpus:
    """Two parts of labelled sentences; a sentence is a list of (word, shape, label)."""

    train: list[Sentence]
    test: list[Sentence]


def drawn(
    name: str, draw: Callable[[Chance], Sentence], *, seed: int, train: int, test: int, unseen: float
) -> Corpus:
    """Draw both parts, each from its own chance so that neither depends on the size of the other."""
    if train < 0 or test < 0:
        raise InputError(f"{train} training and {test} test sequences were asked for; give numbers from 0 up")
    learn = Chance(name, seed=seed, part="train")
    check = Chance(name, seed=seed, part="test", unseen=unseen)
    return Corpus([draw(learn) for _ in range(train)], [draw(check) for _ in range(test)])


def shape(word: str) -> str:
    """The outline of a word: X for capitals, x for small letters, d for digits, other characters as they are.

    Runs of letters are cut at three, runs of digits at six, so that a shape says what kind of word it is.

    >>> [shape(word) for word in ("Springfield", "12b", "75003", "LS1", "Bahnhofstr.", "160-0023")]
    ['Xxxx', 'ddx', 'ddddd', 'XXd', 'Xxxx.', 'ddd-dddd']
    """
    outline = "".join(
        "0" if char.isdigit() else "A" if char.isupper() else "a" if char.isalpha() else char for char in word
    )
    return _RUNS.sub("", outline).replace("a", "x").replace("A", "X").replace("0", "d")


def label_segments(segments: Iterable[Segment]) -> Sentence:
    """Rows of a sentence from its segments.

    >>> label_segments([("CITY", "New York"), (None, "now")])
    [('New', 'Xxx', 'B-CITY'), ('York', 'Xxxx', 'I-CITY'), ('now', 'xxx', 'O')]
    """
    rows: Sentence = []
    for kind, text in segments:
        for index, word in enumerate(text.split()):
            label = "O" if kind is None else f"{'I' if index else 'B'}-{kind}"
            rows.append((word, shape(word), label))
    return rows


def write_columns(sentences: Iterable[Sequence[Sequence[str]]], file: TextIO) -> None:
    """Write sentences as CoNLL columns: one word a line, columns apart by a space, an empty line after each.

    >>> import sys
    >>> write_columns([[("Salem", "Xxxx", "B-CITY"), ("!", "!", "O")]], sys.stdout)
    Salem Xxxx B-CITY
    ! ! O
    <BLANKLINE>
    """
    for sentence in sentences:
        file.write("".join(" ".join(row) + "\n" for row in sentence) + "\n")
