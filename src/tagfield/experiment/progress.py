"""Progress: how far a comparison is, and how long it will still take.

The time left is the sum over what is still to do of epochs × (seconds an epoch of that recipe and feature set took so
far, scoring included) and of what each run costs besides (reading, calibration), shared among the workers. What has
not run yet is guessed from its feature set.
"""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tagfield.experiment.plan import Plan, Run, is_batch

Book: TypeAlias = dict[tuple[str, str], tuple[float, int]]
USUAL_ITERATIONS = 150  # L-BFGS converges when it does; this is only for the clock


@dataclass
class Progress:
    """The state of a comparison, changed in place as lines come in.

    >>> plan = Plan(("sgd",), ("all",), seeds=2, epochs=2)
    >>> state = Progress(plan)
    >>> state.begin(Run("sgd", "all", 0))
    >>> state.add({"kind": "epoch", "run": "sgd/all/0", "epoch": 1}, 0.5)
    >>> state.done, state.total, state.seconds_left()
    (0, 2, 1.5)
    """

    plan: Plan
    finished: set[str] = field(default_factory=set)
    workers: int = 1
    running: dict[str, int] = field(default_factory=dict)  # run → epochs done
    latest: dict[str, Any] = field(default_factory=dict)  # the line that came in last
    _spent: Book = field(default_factory=dict)  # seconds and number of the epochs after the first
    _begun: Book = field(default_factory=dict)  # the same of the first ones, with all that comes before

    def __post_init__(self) -> None:
        self._runs = {run.key: run for run in self.plan.runs()}
        self.finished = {key for key in self.finished if key in self._runs}

    @property
    def total(self) -> int:
        return len(self._runs)

    @property
    def done(self) -> int:
        return len(self.finished)

    def begin(self, run: Run) -> None:
        self.running[run.key] = 0

    def add(self, line: dict[str, Any], seconds: float) -> None:
        """Takes in a line of the ledger that came `seconds` after the worker's last one."""
        self.latest = line
        run = self._runs[line["run"]]
        book = self._begun if line.get("epoch") == 1 else self._spent
        spent, count = book.get((run.recipe, run.features), (0.0, 0))
        book[run.recipe, run.features] = spent + seconds, count + (line["kind"] == "epoch")
        if line["kind"] == "epoch":
            self.running[run.key] = line["epoch"]
        else:
            self.running.pop(run.key, None)
            self.finished.add(run.key)

    def seconds_left(self) -> float | None:
        """An estimate; None before the first epoch."""
        if not any(count for _, count in self._begun.values()):
            return None
        left = []
        for key, run in self._runs.items():
            if key not in self.finished:
                first = self._pace(self._begun, run)
                later = self._pace(self._spent, run) or first
                begun = bool(self.running.get(key))
                left.append(self._left(run) * later if begun else first + (self._left(run) - 1) * later)
        longest = max(left, default=0.0)  # one run cannot be shared
        return max(longest, sum(left) / self.workers)

    def share(self) -> float:
        """The part of all epochs that is done, from 0 to 1."""
        sizes = {key: self._left(run) + self.running.get(key, 0) for key, run in self._runs.items()}
        done = sum(size if key in self.finished else self.running.get(key, 0) for key, size in sizes.items())
        return done / max(1, sum(sizes.values()))

    def _left(self, run: Run) -> int:
        done = self.running.get(run.key, 0)
        if not is_batch(run.recipe):
            return self.plan.epochs - done
        return min(max(USUAL_ITERATIONS - done, 10), self.plan.iterations - done)

    def _pace(self, book: Book, run: Run) -> float:
        """Seconds each, of the same recipe and features, else of the same features, else of anything."""
        own = {key: value for key, value in book.items() if key == (run.recipe, run.features)}
        near = {k: value for k, value in book.items() if k[1] == run.features and not is_batch(k[0])}
        for group in (own, near, book):
            times = sum(count for _, count in group.values())
            if times:
                return sum(seconds for seconds, _ in group.values()) / times
        return 0.0
