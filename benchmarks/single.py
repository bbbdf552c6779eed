"""Tag one sentence per call, as a service does, and compare with python-crfsuite, one thread each.

Usage: single.py FOLDER, with train.txt and test.txt of CoNLL-2000 in it; `--quick` runs every row once. Both sides get
the same sentences with the same attributes, one in each call; a sentence has 24 tokens on average. Processor seconds of
this process, the two alternating, medians. words.py has the row for words.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import peer
import pycrfsuite
from estimator import token_dicts
from timing import asked

import tagfield.pycrfsuite as ours
from tagfield import CRF

Run = Callable[[Any], object]


def clock(work: Run, X: list[Any]) -> float:
    start = time.process_time()
    for x in X:
        work(x)
    return time.process_time() - start


def trained(X: list[Any], y: list[list[str]], scratch: str) -> tuple[str, pycrfsuite.Tagger, CRF]:
    """A model of each, on the same sequences: the file of the peer's, its tagger, and a CRF."""
    trainer = pycrfsuite.Trainer("l2sgd", {"max_iterations": 3}, verbose=False)
    for items, labels in zip(X, y, strict=True):
        trainer.append(items, labels)
    path, tagger = str(Path(scratch, f"{len(os.listdir(scratch))}.crfsuite")), pycrfsuite.Tagger()
    trainer.train(path)
    tagger.open(path)
    return path, tagger, CRF(algorithm="l2sgd", max_iterations=3).fit(X, y)


def all_marginals(tagger: Any) -> Run:
    """The probability of every label of every token, one call each, as sklearn-crfsuite asks for them."""
    labels = tagger.labels()

    def run(x: list[Any]) -> None:
        tagger.set(x)
        for t in range(len(x)):
            for label in labels:
                tagger.marginal(label, t)

    return run


def main(folder: Path, repeats: int, scratch: str) -> None:
    train, test = peer.read(folder / "train.txt"), peer.read(folder / "test.txt")
    y = [[row[2] for row in sentence] for sentence in train]

    def row(name: str, goal: int, X: list[Any], mine: Run, theirs: Run) -> None:
        pairs = [(clock(mine, X), clock(theirs, X)) for _ in range(repeats)]
        fast, slow = (median(pair[i] for pair in pairs) / len(X) * 1e6 for i in range(2))
        print(f"| {name} | {fast:.1f} µs | {slow:.1f} µs | {slow / fast:.1f} | {goal} |", flush=True)

    print("| row (one sentence a call) | tagfield | python-crfsuite | times faster | goal |")
    print("| --- | --- | --- | --- | --- |")
    for kind, of in (("lists of strings", peer.attributes), ("dicts", token_dicts)):
        X = [of(sentence) for sentence in test]
        path, theirs, crf = trained([of(sentence) for sentence in train], y, scratch)
        model, tagger = crf.model_, ours.Tagger()
        tagger.open(path)
        row(f"Model.tag([x]), {kind}", 6, X, lambda x, m=model: m.tag([x]), theirs.tag)
        row(f"CRF.predict_single, {kind}", 6, X, crf.predict_single, theirs.tag)
        row(f"pycrfsuite.Tagger.tag, {kind}", 6, X, tagger.tag, theirs.tag)
        row(f"CRF.predict_marginals_single, {kind}", 6, X, crf.predict_marginals_single, all_marginals(theirs))
        row(f"pycrfsuite.Tagger.marginal, {kind}", 3, X, all_marginals(tagger), all_marginals(theirs))


if __name__ == "__main__":
    options = asked(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        main(options.folder, 1 if options.quick else 5, scratch)
