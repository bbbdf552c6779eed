"""Compare ways to mix the shares of a cluster with one machine, in one process. docs/cluster.md has the table.

    mixing.py FOLDER                        the chosen rows, on held-out tenths of FOLDER/train.txt
    mixing.py FOLDER --tried                every row
    mixing.py FOLDER --test                 the chosen rows, trained on all of it and scored on FOLDER/test.txt
    mixing.py FOLDER --recipe adaptive --runs 3 --rows 16/32 "16/32 p=1"

Each run holds out another tenth and has another seed; with --test only the seeds differ. Differences are those from one
machine (1/1) in the same run: their mean, and its standard error.

A row is SHARES/MIXES and what differs from scale/cluster/mixing.py: kappa; p=0.75, sums are divided by c^p;
q=0.5, AdaGrad's squares by c^q; local=1, each share keeps AdaGrad's squares to itself; momentum=0.5, on the mixed
change, with outer=1 as its learning rate (Nesterov); warm=0.05, that part of the data on share 0 alone before the first
epoch; rate=2, times the learning rate. It needs no cluster: one process computes what a cluster computes.
"""

import argparse
import multiprocessing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tagfield.data.encode import Encoded, encode_files
from tagfield.data.labels.kinds import label_kind
from tagfield.evaluate import Scores
from tagfield.scale.cluster.mixed import MixedTrainer
from tagfield.scale.cluster.mixing import Mixture, Scheme
from tagfield.scale.cluster.rounds import Change
from tagfield.scale.cluster.workers import LocalWorkers, Round, Task, cut
from tagfield.train import Settings
from tagfield.train.loop.held_out import fitting, held_out_scorer
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.trainers.stochastic import StochasticTrainer
from tagfield.weights.layout import Weights

Figures = list[tuple[float, float]]  # token accuracy and chunk F1 after each epoch

NOTHING = np.empty(0, np.int64)
ALONE = "1/1"
CHOSEN = (ALONE, "4/32", "16/32")
POWERS = ("4/32 p=0.75", "16/32 p=0.5", "16/32 p=0.75", "16/32 p=1", "16/128 p=0.5", "16/128 p=0.75")
BOTH = (*CHOSEN, "4/8", "16/8", "16/128", "16/32 kappa=0.15", "16/32 kappa=1.5", *POWERS)
FLAT = (*BOTH, "16/32 momentum=0.5 p=1", "16/32 p=0.75 warm=0.05")
ADAPTIVE = (*BOTH, "16/32 p=0.5 q=0.5", "16/32 p=0.5 q=0", "16/32 local=1 p=0.5")


class Tried(Mixture):
    """Other ways to mix: powers of c, and Nesterov's momentum on the mixed change, for all weights."""

    def __init__(self, mixture: Mixture, options: dict[str, float]) -> None:
        self.__dict__.update(vars(mixture))
        self._p, self._q = options.get("p"), options.get("q", 1.0)
        self._momentum, self._outer = options.get("momentum", 0.0), options.get("outer", 1.0)
        self._velocity = [np.zeros((array.size // 8, 8), np.float32) for array in self.theta.arrays()]

    def _factor(self, h: Any, count: Any) -> Any:
        return super()._factor(h, count) if self._p is None else count ** np.float32(-self._p)

    def _grown(self, squares: Any, count: Any) -> Any:
        return squares * count ** np.float32(-self._q)

    def _union(self, k: int, changes: Sequence[Change]) -> Any:
        if not self._momentum:
            return super()._union(k, changes)
        every = np.arange(len(self._place[k]))
        self._place[k][:] = every
        return every

    def _step(self, k: int, total: Any) -> Any:
        if not self._momentum:
            return total
        velocity = self._velocity[k]
        velocity *= self._momentum
        velocity += total
        total = np.float32(self._outer) * (total + np.float32(self._momentum) * velocity)
        total[np.signbit(self.theta.arrays()[k].reshape(-1, 8)) & (self.theta.arrays()[k].reshape(-1, 8) == 0)] = 0
        return total


class LocalSquares(LocalWorkers):
    """Shares that keep AdaGrad's squares to themselves."""

    def __init__(self, task: Task, datasets: Sequence[Any], start: Weights) -> None:
        super().__init__(task, datasets)
        self._own = [start.map(np.zeros_like) for _ in datasets]

    def train(self, theta: Weights, squares: Weights | None, this: Round) -> Sequence[Change]:
        found = []
        for share, own in enumerate(self._own):
            change = self._worker.train(share, theta, own, this)
            for array, blocks, grown in zip(own.arrays(), change.blocks, change.squares, strict=True):
                array.reshape(-1, 8)[blocks] += grown
            found.append(change)
        return found


@dataclass(frozen=True)
class Posed:
    """What the rows of a run have in common."""

    encoded: Encoded
    problem: Problem
    recipe: Stochastic  # with the learning rate that is found on one machine
    scorer: Callable[[Weights], Scores]


@lru_cache(maxsize=1)
def read(folder: Path) -> Encoded:
    return encode_files(folder / "train.txt")


@lru_cache(maxsize=1)
def posed(folder: Path, test: bool, name: str, run: int) -> Posed:
    encoded = read(folder)
    if test:
        names = {"attributes": encoded.attributes, "labels": encoded.labels}
        dev = encode_files(folder / "test.txt", template=encoded.template, **names)
    else:
        held_out = np.arange(len(encoded)) % 10 == run % 10
        encoded, dev = encoded.take(np.flatnonzero(~held_out)), encoded.take(np.flatnonzero(held_out))
    problem = Problem.of(encoded, Settings.of(name, threads=1))
    recipe = problem.settings.recipe.trainer(problem, np.random.default_rng(0)).recipe
    fitted = fitting(dev, problem.attributes, problem.edges)
    return Posed(encoded, problem, recipe, held_out_scorer(dev, fitted, problem, label_kind(encoded.labels)))


def trainer_of(given: Posed, row: str, seed: int) -> MixedTrainer:
    """The trainer of a row with several shares."""
    size, *others = row.split()
    shares, mixes = (int(part) for part in size.split("/"))
    options = {name: float(value) for name, value in (each.split("=") for each in others)}
    problem, recipe = given.problem, replace(given.recipe, rate=given.recipe.rate * options.get("rate", 1.0))
    settings = replace(problem.settings, recipe=recipe, seed=seed)
    task = Task(problem.features, settings, len(given.encoded), given.encoded.labels)
    parts = cut(problem.dataset, shares)
    workers = LocalSquares(task, parts, problem.start) if "local" in options else LocalWorkers(task, parts)
    scheme = Scheme(mixes)
    trainer = MixedTrainer(recipe, problem, workers, replace(scheme, kappa=options.get("kappa", scheme.kappa)))
    mixture = trainer._mixture = Tried(trainer._mixture, options)
    if "warm" in options:
        part = Round(1.0, 0.0, 1, 0, round(len(parts[0]) / (options["warm"] * len(given.encoded))))
        mixture.mix([workers._worker.train(0, mixture.theta, mixture.squares, part)], recipe.rate)
        mixture.t = 0.0
    return trainer


def scores(job: tuple[Path, bool, str, int, str, int]) -> Figures:
    """Token accuracy and chunk F1 of a row after each epoch."""
    folder, test, name, run, row, epochs = job
    given = posed(folder, test, name, run)
    rng = np.random.default_rng(100 + run)
    alone = row == ALONE
    trainer: Any = (
        StochasticTrainer(given.recipe, given.problem, given.problem.start.copy())
        if alone
        else trainer_of(given, row, run)
    )
    found = []
    for _ in range(epochs):
        trainer.run(rng.permutation(len(given.encoded)).astype(np.int64) if alone else NOTHING)
        found.append(given.scorer(trainer.weights()))
    return [(100 * each.accuracy, 100 * each.f1) for each in found]


def line(name: str, row: str, runs: Any, alone: Any) -> str:
    """A row of the table; runs, alone: [runs, epochs, 2]"""
    mean, off = runs.mean(axis=0), (runs - alone)[:, -1]
    error = off.std(axis=0, ddof=1) / np.sqrt(len(off)) if len(off) > 1 else np.full(2, np.nan)
    spread = runs[:, -1].std(axis=0, ddof=1) if len(off) > 1 else np.full(2, np.nan)
    cells = [" ".join(f"{accuracy:.2f}" for accuracy, _ in mean), f"{mean[-1, 1]:.1f}"]
    cells += [f"{off[:, i].mean():+.{d}f} ± {error[i]:.{d}f}" for i, d in ((0, 3), (1, 1))]
    cells += [f"{spread[0]:.2f}, {spread[1]:.1f}", str(len(runs))]
    return f"| {name} | {row} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--recipe", action="append", help="u2.g1, adaptive or default, which all are the default")
    parser.add_argument("--rows", nargs="+")
    parser.add_argument("--tried", action="store_true")
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--processes", type=int, default=1)
    told = parser.parse_args()
    print("| recipe | shares/mixes | token accuracy, epochs 1 … | F1 | off in accuracy | in F1 | spread | runs |")
    print("| --- " * 8 + "|")
    read(told.folder)
    with multiprocessing.get_context("fork").Pool(told.processes) as pool:
        for name in told.recipe or ("u2.g1", "adaptive", "default"):
            rows = told.rows or (CHOSEN if not told.tried else FLAT if name == "u2.g1" else ADAPTIVE)
            rows = (ALONE, *(row for row in rows if row != ALONE))
            which = range(told.first, told.first + told.runs)
            jobs = [(told.folder, told.test, name, run, row, told.epochs) for run in which for row in rows]
            found = np.array(pool.map(scores, jobs, chunksize=len(rows))).reshape(told.runs, len(rows), told.epochs, 2)
            for at, row in enumerate(rows):
                print(line(name, row, found[:, at], found[:, 0]), flush=True)


if __name__ == "__main__":
    main()
