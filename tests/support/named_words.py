"""Sentences of words with names in them, and their labels: what the tests of words and text train on."""

from pathlib import Path

from tagfield import Settings

SENTENCES = [
    ["Anna", "lives", "in", "New", "York", "."],
    ["Ben", "works", "in", "Paris", "."],
    ["Paris", "is", "large", "."],
    ["New", "York", "is", "larger", ",", "says", "Anna", "."],
    [],
]
LABELS = [
    ["B-PER", "O", "O", "B-LOC", "I-LOC", "O"],
    ["B-PER", "O", "O", "B-LOC", "O"],
    ["B-LOC", "O", "O", "O"],
    ["B-LOC", "I-LOC", "O", "O", "O", "O", "B-PER", "O"],
    [],
]
UNSEEN = [["Anna", "works", "in", "New", "York", "."], ["Ben", "!"], []]
SETTINGS = Settings("lbfgs", c2=0.05)
POS = [[(word, word[:1]) for word in sentence] for sentence in SENTENCES]


def as_file(sentences: list, labels: list, path: Path) -> Path:
    rows = [zip(s, y, strict=True) for s, y in zip(sentences, labels, strict=True) if s]
    lines = ["".join(f"{' '.join(w) if isinstance(w, tuple) else w} {y}\n" for w, y in row) for row in rows]
    path.write_text("\n".join(lines))
    return path
