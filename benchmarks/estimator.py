"""Compare the estimator with sklearn-crfsuite, one thread each: encoding, predict, predict_marginals.

Usage: estimator.py FOLDER, with train.txt and test.txt of CoNLL-2000 in it. Processor seconds of this process, the two
alternating, medians. CPU time, because other programs on the machine would disturb a wall clock.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import peer
import pycrfsuite
import sklearn_crfsuite
from timing import asked

from tagfield import CRF
from tagfield.compat.sklearn.labels import LabelNames
from tagfield.compat.sklearn.reading import read_labelled


def clock(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def token_dicts(sentence: list[list[str]]) -> list[dict[str, Any]]:
    """Tokens as the tutorials make them: a dozen entries, strings, flags and a number."""
    rows = []
    for t, (word, tag, _) in enumerate(sentence):
        row: dict[str, Any] = {"bias": 1.0, "word": word.lower(), "suffix": word[-3:], "tag": tag}
        row |= {"upper": word.isupper(), "title": word.istitle(), "digit": word.isdigit()}
        for offset in (-1, 1):
            if 0 <= t + offset < len(sentence):
                near = sentence[t + offset]
                row |= {f"{offset}:word": near[0].lower(), f"{offset}:tag": near[1]}
        rows.append(row)
    return rows


def append(X: list[Any], y: list[list[str]]) -> None:
    trainer = pycrfsuite.Trainer(verbose=False)
    for items, labels in zip(X, y, strict=True):
        trainer.append(items, labels)


def rows_of(kind: str, of: Callable[[Any], Any], folder: Path, repeats: int) -> list[str]:
    """The rows for one kind of token."""
    train, test = peer.read(folder / "train.txt"), peer.read(folder / "test.txt")
    y = [[cells[2] for cells in sentence] for sentence in train]
    X, X_test = [of(s) for s in train], [of(s) for s in test]
    settings: dict[str, Any] = {"algorithm": "l2sgd", "max_iterations": 3}
    ours, theirs = CRF(**settings).fit(X, y), sklearn_crfsuite.CRF(**settings).fit(X, y)

    def row(name: str, goal: int | str, a: Callable[[], object], b: Callable[[], object]) -> str:
        pairs = [(clock(a), clock(b)) for _ in range(repeats)]
        fast, slow = median(p[0] for p in pairs), median(p[1] for p in pairs)
        return f"| {name}, {kind} | {fast:.3f} s | {slow:.3f} s | {slow / fast:.1f} | {goal} |"

    return [
        row("encoding", 6, lambda: read_labelled(X, y, LabelNames()), lambda: append(X, y)),
        row("predict", 6, lambda: ours.predict(X_test), lambda: theirs.predict(X_test)),
        row("predict_marginals", 7, lambda: ours.predict_marginals(X_test), lambda: theirs.predict_marginals(X_test)),
        row(
            "predict_marginals_arrays, against its dicts",
            20,
            lambda: ours.predict_marginals_arrays(X_test),
            lambda: theirs.predict_marginals(X_test),
        ),
    ]


if __name__ == "__main__":
    options = asked(__doc__)
    warnings.simplefilter("ignore")  # the peer's, about its own use of scikit-learn
    print("| row (one thread) | tagfield | peer | times faster | goal |\n| --- | --- | --- | --- | --- |")
    for kind, of in (("dicts", token_dicts), ("lists of strings", peer.attributes)):
        print("\n".join(rows_of(kind, of, options.folder, 1 if options.quick else 5)), flush=True)
