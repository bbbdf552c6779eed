"""Compare iterations of L-BFGS on one and two threads with python-crfsuite's, on the small and large feature set.

Usage: lbfgs.py FOLDER, with train.txt of CoNLL-2000 in it; `--quick` repeats less. The trainers on one thread and on
two take turns, iteration by iteration, after all pairs are remembered; medians are compared. The time of a CRFsuite
iteration comes from its log.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time
from pathlib import Path
from statistics import median

import numpy as np
import peer
from timing import asked

from tagfield.data.encode import Encoded, encode_files
from tagfield.train import Settings
from tagfield.train.problem.problem import Problem

THREADS = (1, 2)
GOALS = {("observed", 1): 5.0, ("all", 1): 5.0, ("observed", 2): 8.0, ("all", 2): 8.5}  # times CRFsuite's speed


def iterations(encoded: Encoded, kind: str, count: int) -> dict[int, float]:
    """Seconds of an iteration for each number of threads. They all walk the same way, bit by bit."""
    order = np.arange(len(encoded))
    trainers = {}
    for threads in THREADS:
        problem = Problem.of(encoded, Settings("lbfgs", features=kind, threads=threads))
        trainers[threads] = problem.settings.recipe.trainer(problem, np.random.default_rng(0))
    seconds: dict[int, list[float]] = {threads: [] for threads in THREADS}
    values: dict[int, list[float]] = {threads: [] for threads in THREADS}
    for _ in range(7 + count):
        for threads, trainer in trainers.items():
            start = time.perf_counter()
            values[threads].append(trainer.run(order))
            seconds[threads].append(time.perf_counter() - start)
    assert all(found == values[1] for found in values.values())
    return {threads: median(found[7:]) for threads, found in seconds.items()}


def table(folder: Path, count: int) -> list[str]:
    train_file = folder / "train.txt"
    encoded, theirs = encode_files(train_file), peer.trainer(peer.read(train_file))
    lines = [
        "| L-BFGS iteration (CoNLL-2000) | tagfield | python-crfsuite | times faster | goal |",
        "| --- | --- | --- | --- | --- |",
    ]
    for kind in ("observed", "all"):
        other = peer.epoch_seconds("lbfgs", kind == "all", count)(theirs)
        for threads, ours in iterations(encoded, kind, count).items():
            name = f"{kind}, {threads} thread{'s' * (threads > 1)}"
            lines.append(f"| {name} | {ours:.3f} s | {other:.3f} s | {other / ours:.1f} | {GOALS[kind, threads]:g} |")
    return lines


if __name__ == "__main__":
    options = asked(__doc__)
    print("\n".join(table(options.folder, 3 if options.quick else 15)))
