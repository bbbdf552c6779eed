"""Results: the runs of a comparison, read from its folder.

results.jsonl ─▶ load_results ─▶ Results: plan, data, sessions, runs ─▶ groups() by (recipe, features)
"""

import base64
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from tagfield.compare.plan import FEATURES, PAPER, Plan, PlannedRun
from tagfield.compare.results_file import RESULTS_FILE, read_lines, without_unfinished_runs
from tagfield.data.dataset import Doubles, Longs
from tagfield.errors import InputError
from tagfield.train import RECIPES

METRICS = ("train_accuracy", "train_f1", "test_accuracy", "test_f1", "objective", "seconds")


@dataclass(frozen=True)
class RunResult:
    """One finished run: its epochs and its last line in the results file."""

    run: PlannedRun
    epochs: list[dict[str, Any]]
    closing: Mapping[str, Any]

    @property
    def failed(self) -> bool:
        """Whether training ended with an error."""
        return "error" in self.closing

    @property
    def wrong(self) -> Longs | None:
        """The wrong tokens of each test sentence; None in results of a version that did not keep them."""
        return unpack_counts(self.closing["wrong"]) if "wrong" in self.closing else None

    @property
    def chunks(self) -> Longs | None:
        """Chunks of each test sentence [3, sentences]: gold, predicted, correct; None where labels mark none."""
        packed = self.closing.get("chunks")
        return None if packed is None else np.stack([unpack_counts(each) for each in packed])

    def curve(self, metric: str) -> Doubles:
        """One of METRICS after each epoch."""
        return np.array([line[metric] for line in self.epochs], float)


@dataclass(frozen=True)
class Results:
    """All finished runs of a comparison."""

    plan: Plan
    data: Mapping[str, Any]
    sessions: list[Mapping[str, Any]]
    runs: list[RunResult] = field(default_factory=list)

    def groups(self) -> dict[tuple[str, str], list[RunResult]]:
        """The runs by recipe and feature set, ordered by seed; the paper's recipes come first."""
        order = {name: place for place, name in enumerate(dict.fromkeys((*PAPER, *RECIPES)))}
        found: dict[tuple[str, str], list[RunResult]] = {}
        for result in sorted(
            self.runs, key=lambda r: (FEATURES.index(r.run.features), order.get(r.run.recipe, len(order)), r.run.seed)
        ):
            found.setdefault((result.run.recipe, result.run.features), []).append(result)
        return found

    @property
    def missing(self) -> list[PlannedRun]:
        """The runs of the plan that have not finished."""
        there = {result.run.key for result in self.runs}
        return [run for run in self.plan.runs() if run.key not in there]


def pack_counts(counts: Sequence[int] | Longs) -> str:
    """Compress small counts to text.

    >>> unpack_counts(pack_counts([0, 3, 70000])).tolist()
    [0, 3, 70000]
    """
    return base64.b64encode(zlib.compress(np.asarray(counts, "<u4").tobytes(), 9)).decode("ascii")


def unpack_counts(text: str) -> Longs:
    """Read what `pack_counts` wrote."""
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), "<u4").astype(np.int64)


def load_results(folder: str | os.PathLike[str]) -> Results:
    """Read the folder of a comparison, finished or not.

    >>> load_results("/nowhere")
    Traceback (most recent call last):
    tagfield.errors.InputError: no results.jsonl in '/nowhere'; give a folder written by `tagfield compare -o`
    """
    path = Path(folder) / RESULTS_FILE
    if not path.is_file():
        raise InputError(f"no {RESULTS_FILE} in {os.fspath(folder)!r}; give a folder written by `tagfield compare -o`")
    lines = without_unfinished_runs(read_lines(path))
    if not lines or lines[0]["kind"] != "experiment":
        raise InputError(f"{path}, line 1: not the start of a comparison; choose another folder")
    epochs: dict[str, list[dict[str, Any]]] = {}
    runs = []
    for line in lines:
        if line["kind"] == "epoch":
            epochs.setdefault(line["run"], []).append(line)
        elif line["kind"] == "run":
            run = PlannedRun(line["recipe"], line["features"], line["seed"], *line.get("given", ()))
            runs.append(RunResult(run, epochs.get(run.key, []), line))
    sessions = [line for line in lines if line["kind"] == "session"]
    return Results(_merged_plan(lines[0], sessions), lines[0]["data"], list(sessions), runs)


def _merged_plan(first: Mapping[str, Any], sessions: list[dict[str, Any]]) -> Plan:
    """The union of all sessions' plans: later sessions may add recipes, feature sets and seeds."""
    plan = Plan.from_dict(first["plan"])
    for session in sessions:
        more = Plan.from_dict(session["plan"])
        plan = replace(
            plan,
            recipes=tuple(dict.fromkeys(plan.recipes + more.recipes)),
            features=tuple(dict.fromkeys(plan.features + more.features)),
            seeds=max(plan.seeds, more.seeds),
            only=tuple(dict.fromkeys(plan.only + more.only)),
        )
    return plan
