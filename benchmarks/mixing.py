"""How shares should mix: accuracy of many ways, in one process, beside one machine's. docs/cluster.md has the table.

    mixing.py FOLDER                        every row, on a held-out tenth of FOLDER/train.txt
    mixing.py FOLDER --test                 the chosen rows, trained on all of it and scored on FOLDER/test.txt
    mixing.py FOLDER --recipe adaptive --rows 16/32 "16/32 p=1"

A row is SHARES/MIXES and what differs from the recipe's scheme: p, q (cluster/mixing.py); local=1, each share keeps
AdaGrad's squares to itself; momentum=0.5, on the mixed change, with outer=1 as its learning rate (Nesterov); warm=0.05,
that part of the data on share 0 alone before the first epoch; rate=2, times the learning rate. No cluster is needed: it
computes what a cluster would.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tagfield.cluster.crew import InProcess, Round, Task, cut
from tagfield.cluster.mixed import MixedTrainer
from tagfield.cluster.mixing import Mixture, Scheme
from tagfield.cluster.rounds import Change
from tagfield.encode import Encoded, encode_files
from tagfield.evaluate.kinds import label_kind
from tagfield.layout import Weights
from tagfield.train import Settings
from tagfield.train.driver import fitting, held_out_scorer
from tagfield.train.problem import Problem
from tagfield.train.stochastic import StochasticTrainer

Figures = list[tuple[float, float]]  # token accuracy and chunk F1 after each epoch

NOTHING = np.empty(0, np.int64)
CHOSEN = ("1/1", "4/32", "16/32")
FLAT = (*CHOSEN, "4/8", "16/8", "16/128", "16/32 p=0.5", "16/32 p=1", "16/32 momentum=0.5 p=1", "16/32 warm=0.05")
ADAPTIVE = (*CHOSEN, "4/8", "16/8", "16/128", "16/32 p=0.75", "16/32 p=1", "16/32 q=0.5", "16/32 q=0", "16/32 local=1")


class Momentum(Mixture):
    """Nesterov's momentum on the mixed change, for all weights."""

    def __init__(self, mixture: Mixture, momentum: float, outer: float) -> None:
        self.__dict__.update(vars(mixture))
        self._momentum, self._outer = momentum, outer
        self._velocity = [np.zeros((array.size // 8, 8), np.float32) for array in self.theta.arrays()]

    def _union(self, k: int, changes: Sequence[Change]) -> Any:
        every = np.arange(len(self._place[k]))
        self._place[k][:] = every
        return every

    def _step(self, k: int, total: Any) -> Any:
        velocity = self._velocity[k]
        velocity *= self._momentum
        velocity += total
        total = np.float32(self._outer) * (total + np.float32(self._momentum) * velocity)
        total[np.signbit(self.theta.arrays()[k].reshape(-1, 8)) & (self.theta.arrays()[k].reshape(-1, 8) == 0)] = 0
        return total


class LocalSquares(InProcess):
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


def scores(encoded: Encoded, dev: Encoded, settings: Settings, row: str, seed: int, epochs: int) -> Figures:
    """Token accuracy and chunk F1 after each epoch."""
    size, *given = row.split()
    shares, mixes = (int(part) for part in size.split("/"))
    options = {name: float(value) for name, value in (each.split("=") for each in given)}
    problem = Problem.of(encoded, settings)
    recipe = problem.settings.recipe.trainer(problem, np.random.default_rng(0)).recipe
    recipe = replace(recipe, rate=recipe.rate * options.get("rate", 1.0))
    scorer = held_out_scorer(dev, fitting(dev, problem.attributes, problem.edges), problem, label_kind(encoded.labels))
    if shares == 1:
        alone, rng = StochasticTrainer(recipe, problem, problem.start.copy()), np.random.default_rng(100 + seed)
        found = []
        for _ in range(epochs):
            alone.run(rng.permutation(len(encoded)).astype(np.int64))
            found.append(scorer(alone.weights()))
        return [(100 * each.accuracy, 100 * each.f1) for each in found]
    task = Task(problem.features, replace(problem.settings, recipe=recipe, seed=seed), len(encoded), encoded.labels)
    parts = cut(problem.dataset, shares)
    crew = LocalSquares(task, parts, problem.start) if "local" in options else InProcess(task, parts)
    scheme = Scheme.of(recipe, mixes)
    scheme = replace(scheme, p=options.get("p", scheme.p), q=options.get("q", scheme.q))
    trainer = MixedTrainer(recipe, problem, crew, scheme)
    if "momentum" in options:
        trainer._mixture = Momentum(trainer._mixture, options["momentum"], options.get("outer", 1.0))
    if "warm" in options:
        part = Round(1.0, 0.0, 1, 0, round(len(parts[0]) / (options["warm"] * len(encoded))))
        trainer._mixture.mix([crew._worker.train(0, trainer._mixture.theta, trainer._mixture.squares, part)])
        trainer._mixture.t = 0.0
    found = []
    for _ in range(epochs):
        trainer.run(NOTHING)
        found.append(scorer(trainer.weights()))
    return [(100 * each.accuracy, 100 * each.f1) for each in found]


def read(folder: Path, test: bool) -> tuple[Encoded, Encoded]:
    encoded = encode_files(folder / "train.txt")
    if test:
        names = {"attributes": encoded.attributes, "labels": encoded.labels}
        return encoded, encode_files(folder / "test.txt", template=encoded.template, **names)
    held_out = np.arange(len(encoded)) % 10 == 9
    return encoded.take(np.flatnonzero(~held_out)), encoded.take(np.flatnonzero(held_out))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--recipe", action="append", help="u2.g1, adaptive or default, which all are the default")
    parser.add_argument("--rows", nargs="+")
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=5)
    told = parser.parse_args()
    encoded, dev = read(told.folder, told.test)
    print("| recipe | shares/mixes | token accuracy, epochs 1 … | F1 of the last | seeds |")
    print("| --- | --- | --- | --- | --- |")
    for name in told.recipe or ("u2.g1", "adaptive", "default"):
        settings = Settings.of(name)
        for row in told.rows or (CHOSEN if told.test else FLAT if name == "u2.g1" else ADAPTIVE):
            runs = [scores(encoded, dev, settings, row, seed, told.epochs) for seed in range(told.seeds)]
            mean = np.mean(runs, axis=0)
            figures = " ".join(f"{accuracy:.2f}" for accuracy, _ in mean)
            print(f"| {name} | {row} | {figures} | {mean[-1, 1]:.2f} | {told.seeds} |", flush=True)


if __name__ == "__main__":
    main()
