"""Which feature preset serves which task: scores, attributes and seconds of the presets for words and characters.

Usage: presets.py FOLDER [--splits N] [--test]. FOLDER has the folders wnut17, ewt_xpos, conll2000 and ingredients, each
with train.txt and test.txt; a corpus that is missing is left out.

    train.txt ─▶ split k: every tenth sentence is held out, from the k-th one on ─▶ train ─▶ mean score
    --test:      the whole of train.txt ─▶ train with seed k ─▶ mean score on test.txt

Choose features by the first and look at the second once. `letters` is a segmentation corpus made of ewt_xpos: its
sentences without spaces, a label B, M, E or S for each character, scored by the F1 of words.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from tagfield.data.encode import Encoded, encode_words
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.presets import load_template
from tagfield.data.text.templates.template import Template
from tagfield.evaluate import evaluate
from tagfield.model.model import Model
from tagfield.train import Settings

Labels = list[list[str]]
Sentence = list[str] | list[tuple[str, ...]]
HELD_OUT = 10  # every tenth sentence
EPOCHS = 4

# CRF++'s example/seg: single characters, two pairs and three triples
CRFPP_SEGMENTATION = parse_template(
    "columns w y\nw[-2:2]\nw[-1]|w\nw|w[1]\nw[-2]|w[-1]|w\nw[-1]|w|w[1]\nw|w[1]|w[2]\n", "CRF++'s"
)


@dataclass(frozen=True)
class Task:
    """A corpus, the presets to compare on it, and the score that counts."""

    corpus: str
    what: str
    templates: tuple[str | Template, ...]
    score: Callable[[Labels, Labels], float]
    columns: int = 1  # of a token: its word, or word and tag
    letters: bool = False


def accuracy(gold: Labels, predicted: Labels) -> float:
    return 100 * evaluate(gold, predicted).accuracy


def chunk_f1(gold: Labels, predicted: Labels) -> float:
    return 100 * evaluate(gold, predicted).f1


def word_f1(gold: Labels, predicted: Labels) -> float:
    """Chunk F1, where every word is a chunk: it begins at each B or S."""
    gold, predicted = ([["B-W" if y in "BS" else "I-W" for y in row] for row in rows] for rows in (gold, predicted))
    return chunk_f1(gold, predicted)


TASKS = (
    Task("wnut17", "names in tweets, F1", ("words", "ner"), chunk_f1),
    Task("ingredients", "parts of ingredients, F1", ("words", "ner"), chunk_f1),
    Task("ewt_xpos", "parts of speech, accuracy", ("words", "pos"), accuracy),
    Task("conll2000", "chunks from words alone, F1", ("words", "pos"), chunk_f1),
    Task("conll2000", "chunks from words and tags, F1", ("chunking", "phrases"), chunk_f1, columns=2),
    Task("ewt_xpos", "words from letters, F1", (CRFPP_SEGMENTATION, "segmentation"), word_f1, letters=True),
)


def sentences(path: Path, task: Task) -> tuple[list[Sentence], Labels]:
    """Tokens of the first columns with the last one as label; or the letters of the first one with their borders."""
    rows = (line.split() for line in path.read_text("utf-8").split("\n"))
    blocks = [list(block) for filled, block in groupby(rows, key=bool) if filled]
    if task.letters:
        words = [[row[0] for row in block] for block in blocks]
        return [list("".join(row)) for row in words], [
            [label for word in row for label in borders(word)] for row in words
        ]
    return [[tuple(row[: task.columns]) for row in block] for block in blocks], [[r[-1] for r in b] for b in blocks]


def borders(word: str) -> str:
    return "S" if len(word) == 1 else f"B{'M' * (len(word) - 2)}E"


def parts(task: Task, home: Path, template: Template, splits: int, test: bool) -> Iterator[tuple[Encoded, Encoded]]:
    """Training and test data of each repetition; held-out sentences know only the attributes of the rest."""
    X, y = sentences(home / "train.txt", task)
    if test:
        known = encode_words(X, y, template=template)
        data = sentences(home / "test.txt", task)
        for _ in range(splits):
            yield known, seen(known, *data)
        return
    for split in range(splits):
        chosen = np.arange(len(X)) % HELD_OUT == split
        kept, held = np.flatnonzero(~chosen).tolist(), np.flatnonzero(chosen).tolist()
        known = encode_words([X[s] for s in kept], [y[s] for s in kept], template=template)
        yield known, seen(known, [X[s] for s in held], [y[s] for s in held])


def seen(known: Encoded, X: list[Sentence], y: Labels) -> Encoded:
    assert known.template is not None
    return encode_words(X, y, template=known.template, attributes=known.attributes, labels=known.labels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--splits", type=int, default=3, help="repetitions, at most 10 (default 3)")
    parser.add_argument("--test", action="store_true", help="score the test part instead of held-out sentences")
    given = parser.parse_args()
    print(f"| corpus | task | preset | {'test' if given.test else 'held out'} | per token | attributes | seconds |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: |")
    for task in TASKS:
        home = given.folder / task.corpus
        for name in task.templates if (home / "train.txt").is_file() else ():
            template = load_template(name)
            scores, seconds = [], []
            for seed, (known, other) in enumerate(parts(task, home, template, given.splits, given.test)):
                settings = Settings.of("adaptive", average=True, features="all", epochs=EPOCHS, c2=0.1, seed=seed)
                start = time.process_time()
                model = Model.train(known, settings)
                seconds.append(time.process_time() - start)
                scores.append(task.score(other.gold_labels(), model.tag(other)))
            per_token = len(known.dataset.position) / known.dataset.tokens[-1]
            spread = f"{np.mean(scores):.2f} ± {np.std(scores):.2f}"
            figures = f"{spread} | {per_token:.1f} | {len(known.attributes):,} | {np.mean(seconds):.1f}"
            print(f"| {task.corpus} | {task.what} | {template.name} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
