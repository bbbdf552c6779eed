"""Words to labels, compared with python-crfsuite and the same features extracted in Python, one thread each.

Usage: words.py FOLDER, with train.txt and test.txt of CoNLL-2000 in it. Both tag the words of test.txt, whose tags are
not read: all sentences in one call, and one sentence a call, as a service does. Processor seconds of this process, the
two alternating, medians.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import peer
import pycrfsuite
from timing import asked

from tagfield import Model, encode_words
from tagfield.templates import parse_template

TEMPLATE = parse_template("""
columns w y
padding off
edges on
w[-2:2]
w[-1]|w[0]
w[0]|w[1]
w.lower[-1:1]
w.prefix1:4
w.suffix1:4
w.shape[-1:1]
w.shape[-1]|w.shape[0]
w.shape[0]|w.shape[1]
""")


def shape(word: str) -> str:
    kinds = "".join("X" if c.isupper() else "d" if c.isdigit() else "x" if c.isalpha() else c for c in word)
    return re.sub(r"([Xxd])\1+", r"\1", kinds)


def features(words: list[str]) -> list[list[str]]:
    """The same attributes as a script would make them, lower-casing and shaping each word once."""
    lower, shapes, n = [word.lower() for word in words], [shape(word) for word in words], len(words)
    found = []
    for t, word in enumerate(words):
        names = [f"w[{k}]={words[t + k]}" for k in range(-2, 3) if 0 <= t + k < n]
        names += [f"w[{k}]|w[{k + 1}]={words[t + k]}|{words[t + k + 1]}" for k in (-1, 0) if 0 <= t + k < n - 1]
        names += [f"w.lower[{k}]={lower[t + k]}" for k in (-1, 0, 1) if 0 <= t + k < n]
        names += [f"w.prefix{k}[0]={word[:k]}" for k in range(1, 5)]
        names += [f"w.suffix{k}[0]={word[-k:]}" for k in range(1, 5)]
        names += [f"w.shape[{k}]={shapes[t + k]}" for k in (-1, 0, 1) if 0 <= t + k < n]
        for k in (-1, 0):
            if 0 <= t + k < n - 1:
                names.append(f"w.shape[{k}]|w.shape[{k + 1}]={shapes[t + k]}|{shapes[t + k + 1]}")
        if t == 0:
            names.append("__BOS__")
        if t == n - 1:
            names.append("__EOS__")
        found.append(names)
    return found


def clock(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def train(folder: Path) -> tuple[Model, pycrfsuite.Tagger]:
    """Both on the same sentences and attributes, each with its own default: tagfield has a weight for every pair of
    attribute and label, CRFsuite for those in the data. Three passes of CRFsuite are enough to measure speed."""
    sentences = peer.read(folder / "train.txt")
    X, y = [[row[0] for row in s] for s in sentences], [[row[2] for row in s] for s in sentences]
    encoded = encode_words(X, y, template=TEMPLATE)
    assert set(encoded.attributes) == {name for words in X for token in features(words) for name in token}
    ours = Model.train(encoded)
    trainer = pycrfsuite.Trainer(algorithm="l2sgd", params={"max_iterations": 3}, verbose=False)
    for words, labels in zip(X, y, strict=True):
        trainer.append(features(words), labels)
    theirs = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as path:
        trainer.train(str(Path(path, "model")))
        theirs.open(str(Path(path, "model")))
        return ours, theirs


def main(folder: Path, repeats: int) -> None:
    ours, theirs = train(folder)
    X = [[row[0] for row in sentence] for sentence in peer.read(folder / "test.txt")]

    def row(name: str, goal: int, a: Callable[[], object], b: Callable[[], object]) -> None:
        pairs = [(clock(a), clock(b)) for _ in range(repeats)]
        fast, slow = median(p[0] for p in pairs), median(p[1] for p in pairs)
        print(f"| {name} | {fast:.3f} s | {slow:.3f} s | {slow / fast:.1f} | {goal} |", flush=True)

    print("| row (one thread) | tagfield | peer | times faster | goal |\n| --- | --- | --- | --- | --- |")
    row(
        "words to labels, all sentences in one call",
        25,
        lambda: ours.tag_words(X),
        lambda: [theirs.tag(features(words)) for words in X],
    )
    row(
        "words to labels, one sentence a call",
        6,
        lambda: [ours.tag_words([words]) for words in X],
        lambda: [theirs.tag(features(words)) for words in X],
    )


if __name__ == "__main__":
    options = asked(__doc__)
    main(options.folder, 1 if options.quick else 7)
