"""Compare an epoch of every kind of update with plain SGD, on the large feature set, one thread.

Usage: updates.py FOLDER, with train.txt of CoNLL-2000 in it; `--quick` repeats less. Each update alternates with plain
SGD epoch by epoch, each at the rate that calibration finds, and medians are compared.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # training would use all cores

import time
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
from timing import asked

from tagfield.bregman import Generator, Response, named_loss, update
from tagfield.bregman.generators import arctan, erf, softplus
from tagfield.data.encode import encode_files
from tagfield.train import RECIPES, Settings
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.stochastic import Stochastic

arcsinh = Generator.from_gradient(lambda u: np.arcsinh(u / np.sqrt(0.1)), name="arcsinh")

# name, recipe, at most how many times the epoch of plain SGD
ROWS = [
    *[(name, RECIPES[name], 2.2) for name in ("u1.g1", "u2.g1", "u2.g1p", "u2.g2", "u2.g3")],
    ("U2, user-defined function (arcsinh)", Stochastic(Response(update("U2"), arcsinh)), 2.2),
    ("U2, asymmetric G (softplus)", Stochastic(Response(update("U2"), softplus())), 2.2),
    ("U1, erf, which decays fast", Stochastic(Response(update("U1"), erf(2.0))), 2.2),
    ("U4, arctan", Stochastic(Response(update("U4"), arctan())), 2.2),
    ("U6, arctan", Stochastic(Response(update("U6"), arctan())), 2.2),
    ("U6, user-defined function (arcsinh)", Stochastic(Response(update("U6"), arcsinh)), 2.2),
    ("B1, γ = 0.5, arctan", Stochastic(Response(named_loss("B1", 0.5), arctan())), 2.2),
    ("B4, γ = 0.3, erf", Stochastic(Response(named_loss("B4", 0.3), erf(2.0))), 2.2),
    ("adaptive", RECIPES["adaptive"], 1.8),
    ("newton", RECIPES["newton"], 1.8),
    ("sgdqn", RECIPES["sgdqn"], 3.0),
    ("smd", RECIPES["smd"], 6.0),
    ("u2.g1, averaged", replace(RECIPES["u2.g1"], average=True), 2.2),
]


def table(folder: Path, epochs: int) -> list[str]:
    encoded = encode_files(folder / "train.txt")
    problem = Problem.of(encoded, Settings(features="all"))
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(encoded)).astype(np.int64) for _ in range(epochs + 1)]
    lines = [
        "| update (CoNLL-2000, all, one thread) | epoch | epoch of plain SGD | ratio | goal |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, recipe, goal in ROWS:
        pair = [each.trainer(problem, np.random.default_rng(0)) for each in (recipe, RECIPES["sgd"])]
        seconds: tuple[list[float], list[float]] = ([], [])
        for order in orders:
            for trainer, times in zip(pair, seconds, strict=True):
                start = time.perf_counter()
                trainer.run(order)
                times.append(time.perf_counter() - start)
        pairs = list(zip(*seconds, strict=True))[1:]  # the first epoch warms up
        ours, plain = (median(times) for times in zip(*pairs, strict=True))
        # Of neighbours in time, since the machine's pace changes from one second to the next.
        ratio = median(a / b for a, b in pairs)
        lines.append(f"| {name} | {ours:.3f} s | {plain:.3f} s | {ratio:.2f} | ≤ {goal} |")
    return lines


if __name__ == "__main__":
    options = asked(__doc__)
    print("\n".join(table(options.folder, 3 if options.quick else 11)))
