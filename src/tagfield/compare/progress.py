"""ComparisonStatus: which runs of a comparison are done, and an estimate of the time left.

The estimate adds up, over the remaining runs, epochs × (mean seconds per epoch of that recipe and feature set so far,
scoring included) plus the cost of starting a run (loading, calibration), and divides the sum among the workers. A
recipe that has not run yet is estimated from other recipes on its feature set.
"""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tagfield.compare.plan import Plan, PlannedRun, runs_by_iteration

Timings: TypeAlias = dict[tuple[str, str], tuple[float, int]]  # (recipe, features) → seconds, epochs
TYPICAL_ITERATIONS = 150  # of L-BFGS until it converges; used only for the estimate


@dataclass
class ComparisonStatus:
    """The status of a comparison, updated with every line that a worker sends.

    >>> plan = Plan(("sgd",), ("all",), seeds=2, epochs=2)
    >>> status = ComparisonStatus(plan)
    >>> status.begin(PlannedRun("sgd", "all", 0))
    >>> status.add({"kind": "epoch", "run": "sgd/all/0", "epoch": 1}, 0.5)
    >>> status.done, status.total, status.seconds_left()
    (0, 2, 1.5)
    """

    plan: Plan
    finished: set[str] = field(default_factory=set)
    workers: int = 1
    running: dict[str, int] = field(default_factory=dict)  # run → epochs done
    latest: dict[str, Any] = field(default_factory=dict)  # the last line received
    _later_epochs: Timings = field(default_factory=dict)
    _first_epochs: Timings = field(default_factory=dict)  # with loading and calibration

    def __post_init__(self) -> None:
        self._runs = {run.key: run for run in self.plan.runs()}
        self.finished = {key for key in self.finished if key in self._runs}

    @property
    def total(self) -> int:
        """The number of runs."""
        return len(self._runs)

    @property
    def done(self) -> int:
        """The number of finished runs."""
        return len(self.finished)

    def begin(self, run: PlannedRun) -> None:
        """Mark a run as started."""
        self.running[run.key] = 0

    def add(self, line: dict[str, Any], seconds: float) -> None:
        """Add a result line, received `seconds` after the previous line of the same worker."""
        self.latest = line
        run = self._runs[line["run"]]
        timings = self._first_epochs if line.get("epoch") == 1 else self._later_epochs
        spent, count = timings.get((run.recipe, run.features), (0.0, 0))
        timings[run.recipe, run.features] = spent + seconds, count + (line["kind"] == "epoch")
        if line["kind"] == "epoch":
            self.running[run.key] = line["epoch"]
        else:
            self.running.pop(run.key, None)
            self.finished.add(run.key)

    def seconds_left(self) -> float | None:
        """The estimated time left; None before the first epoch."""
        if not any(count for _, count in self._first_epochs.values()):
            return None
        left = []
        for key, run in self._runs.items():
            if key not in self.finished:
                first = self._seconds_per_epoch(self._first_epochs, run)
                later = self._seconds_per_epoch(self._later_epochs, run) or first
                epochs = self._epochs_left(run)
                left.append(epochs * later if self.running.get(key) else first + (epochs - 1) * later)
        longest = max(left, default=0.0)  # one run uses one worker
        return max(longest, sum(left) / self.workers)

    def share(self) -> float:
        """The share of all epochs that is done, from 0 to 1."""
        sizes = {key: self._epochs_left(run) + self.running.get(key, 0) for key, run in self._runs.items()}
        done = sum(size if key in self.finished else self.running.get(key, 0) for key, size in sizes.items())
        return done / max(1, sum(sizes.values()))

    def _epochs_left(self, run: PlannedRun) -> int:
        done = self.running.get(run.key, 0)
        if not runs_by_iteration(run.recipe):
            return self.plan.epochs - done
        return min(max(TYPICAL_ITERATIONS - done, 10), self.plan.iterations - done)

    def _seconds_per_epoch(self, timings: Timings, run: PlannedRun) -> float:
        """The mean over the same recipe and feature set, else over the same feature set, else over all."""
        own = {key: value for key, value in timings.items() if key == (run.recipe, run.features)}
        near = {k: v for k, v in timings.items() if k[1] == run.features and not runs_by_iteration(k[0])}
        for group in (own, near, timings):
            times = sum(count for _, count in group.values())
            if times:
                return sum(seconds for seconds, _ in group.values()) / times
        return 0.0
