"""Choose c2 and the learning rate of each recipe and feature set on a held-out part of the training data.

    training data ─▶ nine tenths ─▶ 1. every c2 of a grid, with the calibrated rate; more where the best is at its end
                  └▶ one tenth ───▶ 2. with the best c2: multiples of the rate that was calibrated
                                    ─▶ Plan.chosen ─▶ the comparison proper: all training data, and the test data once

Both steps are comparisons in the folder `tuning`. They resume like any other, and their results show how much c2
and the rate matter. pa, ap and arow have neither.
"""

import math
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from tagfield.compare.compare import OnProgress, compare
from tagfield.compare.plan import Plan, PlannedRun, runs_by_iteration
from tagfield.compare.results import RunResult, load_results
from tagfield.data.encode import Encoded
from tagfield.errors import InputError
from tagfield.scale.tuning.folds import deal
from tagfield.train import RECIPES
from tagfield.train.recipes.stochastic import Stochastic

FOLDER = "tuning"
FOLDS = 10  # one of them is held out
STRENGTHS = (0.03, 0.1, 0.3, 1.0, 3.0)
SMALLEST, LARGEST = 0.001, 100.0
FACTORS = (0.25, 0.5, 2.0, 4.0)  # of the calibrated rate, which step 1 has tried
Say = Callable[[str], None]


def tune(
    train: Encoded,
    plan: Plan,
    folder: str | os.PathLike[str],
    *,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    say: Say = lambda _: None,
) -> Plan:
    """The plan with c2 and rate chosen for each recipe and feature set, by accuracy on a tenth of the training data.

    >>> import tempfile
    >>> from tagfield.data.encode import encode_sequences
    >>> data = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]] * 10, [["X", "Y"], ["Y", "X"]] * 10)
    >>> plan = tune(data, Plan(("sgd",), ("all",), seeds=1, epochs=2), tempfile.mkdtemp(), workers=1)
    >>> sorted(plan.chosen["sgd/all"])
    ['c2', 'rate']
    """
    both = parts(train)
    cells = [(name, kind) for kind in plan.features for name in plan.recipes if RECIPES[name].settles]  # with a c2
    plan = replace(plan, chosen={})
    quiet = replace(plan, scored=("test",))  # the test data of these runs is the held-out tenth

    def tried(asked: list[PlannedRun]) -> list[RunResult]:
        """Train these runs; return them and all runs before."""
        if asked:
            more = replace(quiet, only=tuple(asked))
            compare(*both, more, Path(folder) / FOLDER, workers=workers, on_progress=on_progress)
        return load_results(Path(folder) / FOLDER).runs

    asked = [PlannedRun(*cell, 0, c2) for cell in cells for c2 in STRENGTHS]
    while asked:
        runs = tried(asked)
        asked = [PlannedRun(*cell, 0, c2) for cell in cells if (c2 := _beyond(_of(runs, cell))) is not None]
    chosen: dict[str, dict[str, float]] = {}
    for cell in cells:
        best = _best(_of(runs, cell))
        chosen["/".join(cell)] = {"c2": float(best.closing["c2"])}
        if isinstance(RECIPES[cell[0]], Stochastic):
            rates = [float(f"{factor * best.closing['rate']:.4g}") for factor in FACTORS]
            asked += [PlannedRun(*cell, 0, best.run.c2, rate) for rate in rates]
    runs = tried(asked) if cells else []
    for name, found in chosen.items():
        of = [run for run in runs if f"{run.run.recipe}/{run.run.features}" == name and run.run.c2 == found["c2"]]
        best = _best(of)
        if best.closing["rate"] is not None:
            found["rate"] = float(best.closing["rate"])
        words = ", ".join(f"{option} {value:g}" for option, value in found.items())
        say(f"{name}: {words}: {100 * accuracy(best):.2f} % on the held-out tenth")
    return replace(plan, chosen=chosen)


def parts(train: Encoded) -> tuple[Encoded, Encoded]:
    """Nine tenths of the training data, and the tenth that is held out; always the same ones.

    >>> from tagfield.data.encode import encode_sequences
    >>> [len(part) for part in parts(encode_sequences([[["a"]]] * 30, [["X"]] * 30))]
    [27, 3]
    """
    if len(train) < FOLDS:
        raise InputError(f"{len(train)} training sequences are too few to hold a tenth of them out; give more data")
    held_out, *others = deal(len(train), FOLDS, 0)
    return train.take(np.sort(np.concatenate(others))), train.take(held_out)


def _of(runs: list[RunResult], cell: tuple[str, str]) -> list[RunResult]:
    """The runs of a recipe and feature set with the calibrated rate."""
    return [run for run in runs if (run.run.recipe, run.run.features) == cell and run.run.rate is None]


def _beyond(runs: list[RunResult]) -> float | None:
    """The next c2 to try where the best is the smallest or the largest of those tried."""
    tried = sorted(run.run.c2 for run in runs if run.run.c2 is not None)
    best = _best(runs).run.c2
    if best == tried[0] and best > SMALLEST:
        return float(f"{best / math.sqrt(10):.1g}")
    if best == tried[-1] and best < LARGEST:
        return float(f"{best * math.sqrt(10):.1g}")
    return None


def _best(runs: list[RunResult]) -> RunResult:
    """The run with the highest accuracy; of equal ones that with the larger c2, then the smaller rate."""
    good = [run for run in runs if not run.failed]
    if not good:
        failed = runs[0].run
        raise InputError(
            f"{failed.recipe} on {failed.features} features trains with no c2 that was tried; leave it out"
        )
    return max(good, key=lambda run: (accuracy(run), run.closing["c2"], -(run.closing["rate"] or 0.0)))


def accuracy(run: RunResult) -> float:
    """Accuracy on the held-out tenth, averaged over the last fifth of the epochs, which varies less than the last one.

    For a recipe that counts iterations, the accuracy at the end.
    """
    last = 1 if runs_by_iteration(run.run.recipe) else max(1, len(run.epochs) // 5)
    return float(run.curve("test_accuracy")[-last:].mean())
