"""Compare 1, 2 and 4 workers of a local Ray cluster with one process: time and bytes of an epoch.

Usage: cluster.py FOLDER, with train.txt of CoNLL-2000 in it; `--quick` trains on a part. The workers share this
machine's cores and talk over loopback, so the rows show the cost of a cluster, not its gain: on two cores, four
workers cannot be faster than two. The seconds of an epoch leave out starting Ray and reading the data.
"""

from pathlib import Path
from statistics import median

import numpy as np
from timing import asked

from tagfield.data.encode import Encoded, encode_files
from tagfield.scale.cluster.mixed import MixedTrainer
from tagfield.scale.cluster.mixing import Scheme
from tagfield.scale.cluster.session import STORE, open_session
from tagfield.scale.cluster.training import train
from tagfield.scale.cluster.workers import LocalWorkers, Task, cut
from tagfield.train import Settings, Trained
from tagfield.train import train as train_here
from tagfield.train.problem.problem import Problem

WORKERS = (1, 2, 4)
ROWS = (("default", 3), ("lbfgs", 8))  # recipe, epochs


def per_epoch(trained: Trained) -> float:
    """The median of the epochs but the first, which also waits for the workers to read their shares."""
    seconds = [epoch.seconds for epoch in trained.history]
    return median(np.diff(seconds)) if len(seconds) > 1 else seconds[0]


def sent(encoded: Encoded, shares: int) -> float:
    """Megabytes of changes that the shares send to the driver in an epoch."""
    problem = Problem.of(encoded, Settings())
    recipe = problem.settings.recipe
    task = Task(problem.features, problem.settings, len(encoded), encoded.labels)
    trainer = MixedTrainer(recipe, problem, LocalWorkers(task, cut(problem.dataset, shares)), Scheme())
    trainer.run(np.empty(0, np.int64))
    return trainer.sent / 1e6


def table(folder: Path, quick: bool) -> list[str]:
    encoded = encode_files(folder / "train.txt")
    if quick:
        encoded = encoded.take(np.arange(500))
    lines = ["| recipe | workers | epoch | times one process | changes sent |", "| --- | --- | --- | --- | --- |"]
    store = 2 << 30
    with open_session("local", cpus=max(WORKERS), store=max(STORE, store)):
        for name, epochs in ROWS:
            settings = Settings.of(name, epochs=epochs)
            alone = per_epoch(train_here(encoded, settings))
            lines.append(f"| {name} | one process | {alone:.3f} s | 1.00 | |")
            for workers in WORKERS:
                took = per_epoch(train(encoded, settings, address=None, workers=workers))
                size = f"{sent(encoded, workers):,.0f} MB" if name == "default" else ""
                lines.append(f"| {name} | {workers} | {took:.3f} s | {took / alone:.2f} | {size} |")
    return lines


if __name__ == "__main__":
    options = asked(__doc__)
    print("\n".join(table(options.folder, options.quick)))
