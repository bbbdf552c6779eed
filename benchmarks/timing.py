"""Shared functions of the benchmarks: clocks, alternation, epochs, peak memory, arguments, table rows.

Times are wall-clock times. Compare only what alternates in one run: the speed of a machine varies by the second.
"""

import argparse
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import numpy as np

from tagfield.data.encode import Encoded
from tagfield.native import kernels
from tagfield.train import Settings
from tagfield.train.problem.problem import Problem

Measure = Callable[[], float]


def clock(work: Callable[[], object]) -> float:
    """Seconds that some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def alternate(ours: Measure, theirs: Measure, repeats: int) -> tuple[float, float]:
    """The medians of two measures that take turns."""
    return tuple(round_robin([ours, theirs], repeats))  # type: ignore[return-value]


def round_robin(measures: Sequence[Measure], repeats: int) -> list[float]:
    """The medians of several measures that take turns."""
    rounds = [[measure() for measure in measures] for _ in range(repeats)]
    return [median(times) for times in zip(*rounds, strict=True)]


def passes(encoded: Encoded, settings: Settings, count: int) -> Measure:
    """Seconds of one epoch in the middle of training, as the median of `count`."""
    problem = Problem.of(encoded, settings)

    def measure() -> float:
        rng = np.random.default_rng(0)
        trainer = settings.recipe.trainer(problem, rng)
        orders = [rng.permutation(len(encoded)).astype(np.int64) for _ in range(count + 1)]
        trainer.run(orders[0])
        return median(clock(lambda order=order: trainer.run(order)) for order in orders[1:])

    return measure


def peak_memory(command: list[str]) -> float:
    """Peak resident memory of a process, in MB."""
    script = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)"
    )
    done = subprocess.run([sys.executable, "-c", script, *command], check=True, capture_output=True, text=True)
    return float(done.stdout)


def machine() -> str:
    """What the figures were measured on."""
    return f"{platform.machine()}, {os.cpu_count()} cores, kernels {kernels.__name__.rsplit('_', 1)[1]}"


def asked(doc: str | None) -> argparse.Namespace:
    """The arguments of a script with a folder of data and --quick, which measures everything once."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true")
    return parser.parse_args()


def head(*names: str) -> None:
    """Print the first lines of a table."""
    print(f"\n| {' | '.join(names)} |\n|{' --- |' * len(names)}", flush=True)


def row(*cells: str) -> None:
    """Print one line of a table."""
    print(f"| {' | '.join(cells)} |", flush=True)
