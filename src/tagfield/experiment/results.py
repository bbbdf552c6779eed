"""Results: what a folder of a comparison holds, as records.

results.jsonl ─▶ load_results ─▶ Results: plan, data, sessions, runs ─▶ groups() by (recipe, features)
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from tagfield.dataset import Doubles
from tagfield.errors import InputError
from tagfield.experiment.ledger import NAME, closed_lines, read_lines
from tagfield.experiment.plan import FEATURES, PAPER, Plan, Run
from tagfield.train import RECIPES

METRICS = ("train_accuracy", "train_f1", "test_accuracy", "test_f1", "objective", "seconds")


@dataclass(frozen=True)
class RunResult:
    """One finished run: its epochs, and its closing line."""

    run: Run
    epochs: list[dict[str, Any]]
    closing: Mapping[str, Any]

    @property
    def failed(self) -> bool:
        return "error" in self.closing

    def curve(self, metric: str) -> Doubles:
        """A figure after each epoch; see METRICS."""
        return np.array([line[metric] for line in self.epochs], float)


@dataclass(frozen=True)
class Results:
    """Every finished run of a comparison."""

    plan: Plan
    data: Mapping[str, Any]
    sessions: list[Mapping[str, Any]]
    runs: list[RunResult] = field(default_factory=list)

    def groups(self) -> dict[tuple[str, str], list[RunResult]]:
        """Runs that differ only in the seed, the paper's recipes first, seeds going up."""
        order = {name: place for place, name in enumerate(dict.fromkeys((*PAPER, *RECIPES)))}
        found: dict[tuple[str, str], list[RunResult]] = {}
        for result in sorted(
            self.runs,
            key=lambda r: (FEATURES.index(r.run.features), order.get(r.run.recipe, len(order)), r.run.seed),
        ):
            found.setdefault((result.run.recipe, result.run.features), []).append(result)
        return found

    @property
    def missing(self) -> list[Run]:
        """Runs of the plan that have not finished."""
        there = {result.run.key for result in self.runs}
        return [run for run in self.plan.runs() if run.key not in there]


def load_results(folder: str | os.PathLike[str]) -> Results:
    """Reads a folder that `compare` wrote, finished or not.

    >>> load_results("/nowhere")
    Traceback (most recent call last):
    tagfield.errors.InputError: '/nowhere' holds no results.jsonl; give the folder that `tagfield compare -o` wrote
    """
    path = Path(folder) / NAME
    if not path.is_file():
        raise InputError(
            f"{os.fspath(folder)!r} holds no {NAME}; give the folder that `tagfield compare -o` wrote"
        )
    lines = closed_lines(read_lines(path))
    if not lines or lines[0]["kind"] != "experiment":
        raise InputError(f"{path}: line 1 is not the start of a comparison")
    epochs: dict[str, list[dict[str, Any]]] = {}
    runs = []
    for line in lines:
        if line["kind"] == "epoch":
            epochs.setdefault(line["run"], []).append(line)
        elif line["kind"] == "run":
            run = Run(line["recipe"], line["features"], line["seed"])
            runs.append(RunResult(run, epochs.get(run.key, []), line))
    sessions = [line for line in lines if line["kind"] == "session"]
    return Results(_whole_plan(lines[0], sessions), lines[0]["data"], list(sessions), runs)


def _whole_plan(first: Mapping[str, Any], sessions: list[dict[str, Any]]) -> Plan:
    """The plans of all sessions together: recipes, feature sets and seeds may have joined later."""
    plan = Plan.from_dict(first["plan"])
    for session in sessions:
        more = Plan.from_dict(session["plan"])
        plan = replace(
            plan,
            recipes=tuple(dict.fromkeys(plan.recipes + more.recipes)),
            features=tuple(dict.fromkeys(plan.features + more.features)),
            seeds=max(plan.seeds, more.seeds),
        )
    return plan
