"""Time per token as the label set grows, with the transitions that occur and with all of them, next to python-crfsuite.

Usage: labels.py FOLDER, with train.txt of CoNLL-2000 in it. Its 22 labels are split into more. Which parts may follow
each other is drawn once, so that few pairs of labels occur, as in large tag sets: of the 457 tags of the Brown corpus,
4 % of the pairs do. Attributes are those of CRFsuite's chunking example; state features are the observed ones. One
thread; epochs of `sgd` and `l2sgd` after the first, and tagging of the same sentences from lists of attributes,
medians. CRFsuite gets fewer sentences where it would take minutes. Blocks have 8 sentences, as in corpora of 8,000.

The last line is the peak memory of training with 225 labels, of 5,000 sentences from a file, each in its own process.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import peer
import pycrfsuite

from tagfield.data.encode import encode_sequences
from tagfield.model.model import Model
from tagfield.train import Settings, train
from tagfield.train.problem.problem import Problem

SENTENCES = 800
LABELS = (22, 50, 200, 450)
PEAK = (225, 5000)  # labels and sentences whose memory is measured
PAIRS = 2e9  # label pairs that CRFsuite may visit in an epoch: tokens · L²

Lists = list[list[list[str]]]
Labels = list[list[str]]


class Row(NamedTuple):
    """Microseconds per token."""

    labels: int
    share: float  # of the pairs of labels that occur
    transitions: str
    epoch: float
    tagging: float
    their_epoch: float
    their_tagging: float


def split_labels(gold: Labels, labels: int) -> Labels:
    """The gold labels in parts, frequent ones in more; few parts may follow each other."""
    rng = np.random.default_rng(0)
    counts = Counter(label for y in gold for label in y)
    share = {name: count**0.5 / sum(c**0.5 for c in counts.values()) for name, count in counts.items()}
    parts = {name: max(1, round(labels * share[name])) if labels >= 2 * len(counts) else 1 for name in counts}
    allowed: dict[tuple[str, str], np.ndarray] = {}
    made = []
    for y in gold:
        out: list[str] = []
        for label in y:
            key = (out[-1] if out else "", label)
            if key not in allowed:
                allowed[key] = rng.integers(parts[label], size=max(2, labels // 60))
            out.append(f"{label}.{rng.choice(allowed[key])}")
        made.append(out)
    return made


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ours(X: Lists, y: Labels, transitions: str, repeats: int) -> tuple[float, float]:
    """An epoch and tagging, in seconds."""
    encoded = encode_sequences(X, y)
    settings = Settings.of("sgd", features="observed", transitions=transitions, rate=0.1, epochs=3, block=8, threads=1)
    problem = Problem.of(encoded, settings)
    rng = np.random.default_rng(0)
    trainer = settings.recipe.trainer(problem, rng)
    orders = [rng.permutation(len(encoded)).astype(np.int64) for _ in range(repeats + 1)]
    epochs = [seconds(lambda order=order: trainer.run(order)) for order in orders]
    model = Model.of(encoded, train(encoded, settings))
    model.tag(X)
    return median(epochs[1:]), median(seconds(lambda: model.tag(X)) for _ in range(repeats))


def theirs(X: Lists, y: Labels, transitions: str, repeats: int) -> tuple[float, float]:
    """The same with python-crfsuite."""
    trainer = pycrfsuite.Trainer(verbose=False)
    for x, labels in zip(X, y, strict=True):
        trainer.append(x, labels)
    trainer.select("l2sgd", "crf1d")
    settings = {
        "max_iterations": 1 + repeats,
        "feature.possible_transitions": transitions == "all",
        "delta": 0.0,
        "c2": 1.0,
    }
    trainer.set_params(settings | {"calibration.samples": 1, "calibration.candidates": 1, "calibration.max_trials": 1})
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(f"{folder}/model")
        tagger = pycrfsuite.Tagger()
        tagger.open(f"{folder}/model")
        tagging = median(seconds(lambda: [tagger.tag(x) for x in X]) for _ in range(repeats))
    return median(float(step["time"]) for step in trainer.logparser.iterations[1:]), tagging


def measure(X: Lists, gold: Labels, labels: int, transitions: str, repeats: int) -> Row:
    """One row of the table."""
    y = split_labels(gold, labels)
    names = {label for sentence in y for label in sentence}
    pairs = {pair for sentence in y for pair in pairwise(sentence)}
    tokens = sum(map(len, X))
    few = max(8, min(len(X), int(len(X) * PAIRS / (tokens * len(names) ** 2))))
    few_tokens = sum(map(len, X[:few]))
    mine = [1e6 * t / tokens for t in ours(X, y, transitions, repeats)]
    other = [1e6 * t / few_tokens for t in theirs(X[:few], y[:few], transitions, max(1, repeats // 2))]
    return Row(len(names), len(pairs) / len(names) ** 2, transitions, *mine, *other)


def table(folder: Path, sizes: tuple[int, ...] = LABELS, sentences: int = SENTENCES, repeats: int = 4) -> Iterator[str]:
    """The lines of the table, as they are measured."""
    raw = peer.read(folder / "train.txt")[:sentences]
    X, gold = [peer.attributes(s) for s in raw], [[cells[2] for cells in s] for s in raw]
    yield "| labels | pairs that occur | transitions | sgd epoch | l2sgd epoch | times | tagging | Tagger.tag | times |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for labels in sizes:
        for transitions in ("observed", "all"):
            r = measure(X, gold, labels, transitions, repeats)
            epoch = f"{r.epoch:.2f} µs | {r.their_epoch:.1f} µs | {r.their_epoch / r.epoch:.1f}"
            tagging = f"{r.tagging:.2f} µs | {r.their_tagging:.1f} µs | {r.their_tagging / r.tagging:.1f}"
            yield f"| {r.labels} | {r.share:.1%} | {r.transitions} | {epoch} | {tagging} |"


# Two epochs on a file, in a process that imports nothing else. (ru_maxrss would begin with the memory of its parent.)
TOLD = "; print(int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) // 1024)"
OURS = """import sys; from tagfield.data.encode import encode_files; from tagfield.train import Settings, train
train(encode_files(sys.argv[1]), Settings.of("sgd", features="observed", rate=0.1, epochs=2, threads=1))"""
THEIRS = """import sys, peer; from pathlib import Path
peer.timed_run(peer.trainer(peer.read(Path(sys.argv[1]))), "l2sgd", 2, everything=False)"""


def memory(folder: Path, labels: int, sentences: int) -> str:
    """Peak memory of both, each in a process of its own."""
    raw = peer.read(folder / "train.txt")[:sentences]
    made = split_labels([[cells[2] for cells in s] for s in raw], labels)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "train.txt")
        with path.open("w") as file:
            for sentence, y in zip(raw, made, strict=True):
                file.writelines(f"{cells[0]} {cells[1]} {label}\n" for cells, label in zip(sentence, y, strict=True))
                file.write("\n")
        ours, theirs = (
            subprocess.run(
                [sys.executable, "-c", code + TOLD, path],
                check=True,
                capture_output=True,
                text=True,
                cwd=Path(__file__).parent,
            )
            for code in (OURS, THEIRS)
        )
    return f"Peak memory with {labels} labels: {ours.stdout.strip()} MB, python-crfsuite {theirs.stdout.strip()} MB"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true", help="fewer sentences, each row once")
    options = parser.parse_args()
    given = {"sentences": 150, "repeats": 1} if options.quick else {}
    for line in table(options.folder, **given):
        print(line, flush=True)
    print("\n" + memory(options.folder, *((60, 300) if options.quick else PEAK)))
