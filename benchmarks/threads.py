"""An epoch of stochastic training on one thread and on several: how much faster, and whether the weights are the same.

Usage: threads.py FOLDER [--threads 2] [--quick], with train.txt of CoNLL-2000 in FOLDER. The numbers of threads take
turns epoch by epoch, after one epoch to warm up, and medians are compared. python-crfsuite has one thread; its epoch is
that of `l2sgd`, for all three recipes.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
from pathlib import Path
from statistics import median

import numpy as np
import peer
from timing import clock, head, machine, row

from tagfield.data.encode import Encoded, encode_files
from tagfield.train import Settings
from tagfield.train.problem.problem import Problem

RECIPES = ("sgd", "u2.g1", "adaptive")
FEATURES = {"all": "large", "observed": "small"}  # as the paper calls the two feature sets


def epochs(encoded: Encoded, recipe: str, features: str, threads: list[int], count: int) -> tuple[list[float], bool]:
    """The median epoch on each number of threads, and whether all end with the same weights."""
    trainers = []
    for each in threads:
        settings = Settings.of(recipe, features=features, rate=0.1, threads=each)
        trainers.append(settings.recipe.trainer(Problem.of(encoded, settings), np.random.default_rng(0)))
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(encoded)).astype(np.int64) for _ in range(count + 1)]
    rounds = [[clock(lambda t=trainer, o=order: t.run(o)) for trainer in trainers] for order in orders]
    first, *others = ([array for array in trainer.weights().arrays() if array is not None] for trainer in trainers)
    same = all(np.array_equal(a, b) for other in others for a, b in zip(first, other, strict=True))
    return [median(times) for times in zip(*rounds[1:], strict=True)], same


def main(folder: Path, threads: list[int], count: int) -> None:
    encoded = encode_files(folder / "train.txt")
    theirs = peer.trainer(peer.read(folder / "train.txt"))
    print(machine())
    many = [f"{each} threads" for each in threads[1:]]
    head(
        "epoch (CoNLL-2000)",
        "1 thread",
        *many,
        "times faster",
        "same weights",
        "python-crfsuite",
        "times faster than it",
    )
    for features, size in FEATURES.items():
        other = peer.epoch_seconds("l2sgd", features == "all", min(6, count + 1))(theirs)
        for recipe in RECIPES:
            times, same = epochs(encoded, recipe, features, threads, count)
            seconds = [f"{each:.3f} s" for each in times]
            faster, than_theirs = times[0] / times[-1], other / times[-1]
            told = [f"{faster:.2f}", "yes" if same else "NO", f"{other:.3f} s", f"{than_theirs:.1f}"]
            row(f"{recipe}, {size}", *seconds, *told)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threads", type=int, default=2, help="the largest number of threads; powers of 2 up to it")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    numbers = [1 << k for k in range(given.threads.bit_length()) if 1 << k < given.threads] + [given.threads]
    main(given.folder, sorted({1, *numbers}), 2 if given.quick else 9)
