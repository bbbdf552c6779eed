"""make bench: compare tagfield with python-crfsuite on CoNLL-2000, one thread each, in one table of ratios.

The two alternate, each row is repeated, and medians are compared. Quote the ratios of one run, not the
seconds. Usage: run.py FOLDER, with train.txt and test.txt of CoNLL-2000 in it; `--quick` repeats less.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ["OMP_NUM_THREADS"] = "1"  # training would use all cores

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import peer
import pycrfsuite
from timing import Measure, alternate, asked, clock, machine, passes, peak_memory

from tagfield.data.dataset import Dataset
from tagfield.data.encode import Encoded, encode_files
from tagfield.inference.lattice import open_corpus
from tagfield.model.model import Model
from tagfield.train import Settings, train
from tagfield.train.problem.problem import Problem
from tagfield.weights.features import feature_set


def lbfgs_iteration(encoded: Encoded, kind: str, few: int, many: int) -> Measure:
    problem = Problem.of(encoded, Settings("lbfgs", features=kind))
    order = np.arange(len(encoded))

    def run(iterations: int) -> float:
        def iterate() -> None:
            trainer = problem.settings.recipe.trainer(problem, np.random.default_rng(0))
            for _ in range(iterations):
                trainer.run(order)

        return clock(iterate)

    return lambda: (run(many) - run(few)) / (many - few)


def repeated(dataset: Dataset, times: int) -> Dataset:
    """The same corpus several times over."""

    def offsets(a: np.ndarray) -> np.ndarray:
        return np.concatenate([[0], *[a[1:] + k * a[-1] for k in range(times)]])

    def tiled(a: np.ndarray) -> np.ndarray:
        return np.tile(a, times)

    return Dataset(
        offsets(dataset.tokens),
        offsets(dataset.slots),
        offsets(dataset.occurrences),
        tiled(dataset.attribute),
        tiled(dataset.place),
        None,
        tiled(dataset.labels),
        tiled(dataset.weight),
    )


def more_labels(dataset: Dataset, labels: int) -> Dataset:
    """The same corpus with its 22 labels split at random into `labels`."""
    rng = np.random.default_rng(0)
    spread = rng.integers(0, labels // 22 + 1, len(dataset.labels))
    split = np.minimum(dataset.labels + 22 * spread, labels - 1).astype(np.int32)
    split[:labels] = np.arange(labels)
    return replace(dataset, labels=split)


def growth(encoded: Encoded) -> list[str]:
    """Seconds per token as the corpus and the label set grow."""

    def seconds(dataset: Dataset, labels: int, sentences: int | None = None) -> float:
        corpus = open_corpus(dataset)
        features = feature_set(corpus, len(encoded.attributes), labels, "observed")
        settings = Settings.of("sgd", rate=0.1)
        problem = Problem(dataset, corpus, encoded.attributes, features, features.zeros(), settings)
        trainer = settings.recipe.trainer(problem, np.random.default_rng(0))
        order = np.random.default_rng(0).permutation(corpus.sentences).astype(np.int64)[:sentences]
        tokens = int(np.diff(dataset.tokens)[order].sum())
        return min(clock(lambda: trainer.run(order)) for _ in range(3)) / tokens

    lines = ["", "| SGD, observed | ns per token |", "| --- | --- |"]
    for times in (1, 4, 16):
        value = 1e9 * seconds(repeated(encoded.dataset, times), len(encoded.labels))
        lines.append(f"| corpus × {times} | {value:.0f} |")
    for labels in (22, 100, 400):
        data = encoded.dataset if labels == 22 else more_labels(encoded.dataset, labels)
        lines.append(f"| {labels} labels | {1e9 * seconds(data, labels, 1000):.0f} |")
    return lines


def table(folder: Path, repeats: int) -> list[str]:
    train_file, test_file = folder / "train.txt", folder / "test.txt"
    raw, test = peer.read(train_file), [peer.attributes(s) for s in peer.read(test_file)]
    encoded = encode_files(train_file)
    theirs = peer.trainer(raw)
    rows: list[tuple[str, float, float, float]] = []

    def row(name: str, goal: float, ours: Measure, other: Measure, times: int = repeats) -> None:
        a, b = alternate(ours, other, times)
        rows.append((name, goal, a, b))
        print(f"{name}: {b / a:.1f} times (goal {goal:g})", file=sys.stderr, flush=True)

    row(
        "file → Dataset",
        15,
        lambda: clock(lambda: encode_files(train_file)),
        lambda: clock(lambda: peer.trainer(peer.read(train_file))),
        max(1, repeats // 2),
    )
    sgd = {kind: peer.epoch_seconds("l2sgd", kind == "all", 6) for kind in ("all", "observed")}
    for name, goals in (("sgd", (8, 5)), ("u2.g1", (5, 4))):
        for kind, goal in zip(("all", "observed"), goals, strict=True):
            other = sgd[kind]
            ours = passes(encoded, Settings.of(name, features=kind, rate=0.1), 5)
            row(f"{name} epoch, {kind}", goal, ours, lambda f=other: f(theirs))
    lbfgs = peer.epoch_seconds("lbfgs", False, 15)
    row("L-BFGS iteration, observed", 5, lbfgs_iteration(encoded, "observed", 5, 15), lambda: lbfgs(theirs))
    pa = peer.epoch_seconds("pa", False, 7)
    row("PA epoch, observed", 6, passes(encoded, Settings("pa"), 5), lambda: pa(theirs))

    with tempfile.TemporaryDirectory() as scratch:
        theirs.select("l2sgd", "crf1d")
        theirs.set_params({"max_iterations": 5, "c2": 1.0})
        theirs.train(f"{scratch}/peer")
        tagger = pycrfsuite.Tagger()
        tagger.open(f"{scratch}/peer")
        model = Model.of(encoded, train(encoded, Settings(recipe="sgd", epochs=5)))
        row(
            "tagging, from attribute lists",
            10,
            lambda: clock(lambda: model.tag(test)),
            lambda: clock(lambda: [tagger.tag(x) for x in test]),
            2 * repeats,
        )
    here = Path(__file__).parent
    ours_mb = peak_memory([sys.executable, str(here / "memory.py"), str(train_file), "3"])
    theirs_mb = peak_memory([sys.executable, str(here / "peer.py"), str(train_file), "3"])

    lines = [
        "| row (CoNLL-2000, one thread) | tagfield | python-crfsuite | times faster | goal |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, goal, a, b in rows:
        lines.append(f"| {name} | {a:.3f} s | {b:.3f} s | {b / a:.1f} | {goal:g} |")
    share = ours_mb / theirs_mb
    lines.append(
        f"| peak memory of training, all | {ours_mb:.0f} MB | {theirs_mb:.0f} MB | {share:.2f} of it | ≤ 0.5 |"
    )
    return lines + growth(encoded)


if __name__ == "__main__":
    options = asked(__doc__)
    result = table(options.folder, 1 if options.quick else 3)
    print(f"{machine()}\n")
    print("\n".join(result))
