"""compare(): train the runs of a plan on all cores, and record them in one folder.

    Encoded train, test ─▶ one mapped file ─▶ workers (single-threaded processes) ─▶ lines ─▶ ResultsFile
                              plan − finished runs ─▶ ┘                                 └─▶ on_progress

Only this process writes results. Workers are new interpreters, not forks: they map the data instead of copying it,
inherit no threads or locks, and start with linear algebra limited to one thread.
"""

import json
import os
import platform
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tagfield import __version__
from tagfield.compare.plan import Plan, PlannedRun
from tagfield.compare.progress import ComparisonStatus
from tagfield.compare.results import Results, load_results
from tagfield.compare.results_file import Line, ResultsFile
from tagfield.compare.shared_data import check_data, describe, save_data
from tagfield.compare.worker_process import perform
from tagfield.data.encode import Encoded
from tagfield.errors import InputError, TrainingError
from tagfield.native import kernels

DATA_FILE = "encoded.safetensors"
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
OnProgress: TypeAlias = Callable[[ComparisonStatus], None]


def compare(
    train: Encoded,
    test: Encoded,
    plan: Plan,
    folder: str | os.PathLike[str],
    *,
    workers: int | None = None,
    about: dict[str, Any] | None = None,
    on_progress: OnProgress | None = None,
    known: Iterable[Line] = (),
) -> Results:
    """Train the runs of the plan that `folder` does not have yet, and return all its results.

    workers: the number of parallel processes; by default one per core this process may use; 0 trains in this process
    about: notes about the data for the report (file names, template)
    on_progress: called with the status after every epoch
    known: result lines of runs that another comparison has trained with the same settings; they are not repeated

    Call it again with the same data to resume, or to add recipes, feature sets or seeds.

    >>> import tempfile
    >>> from tagfield.data.encode import encode_sequences
    >>> data = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    >>> results = compare(data, data, Plan(("sgd",), ("all",), seeds=1, epochs=2), tempfile.mkdtemp(), workers=1)
    >>> [len(run.epochs) for run in results.runs]
    [2]
    """
    check_data(train, test)
    with ResultsFile(folder) as results_file:
        _start_session(results_file, plan, {**(about or {}), **describe(train, test)})
        there = results_file.finished
        for line in known:
            if line["run"] not in there:
                results_file.add(line)
        todo = [run for run in plan.runs() if run.key not in results_file.finished]
        status = ComparisonStatus(plan, finished=results_file.finished)
        if on_progress is not None:
            on_progress(status)
        if todo and workers == 0:
            _train_here(train, test, plan, todo, results_file, status, on_progress)
        elif todo:
            data = Path(folder) / DATA_FILE
            save_data(data, train, test)
            count = max(1, min(workers or usable_cores(), len(todo)))
            status.workers = count
            team = [_Worker.start(index, data, plan) for index in range(count)]
            try:
                _train_with_workers(team, todo, results_file, status, on_progress)
            finally:
                for worker in team:
                    worker.stop()
                with suppress(OSError):
                    data.unlink()
    return load_results(folder)


def usable_cores() -> int:
    """The number of cores this process may use.

    >>> usable_cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def versions() -> dict[str, str]:
    """Versions, kernels and processor, for the record.

    >>> sorted(versions())
    ['cpu', 'kernels', 'numpy', 'python', 'system', 'tagfield']
    """
    return {
        "tagfield": __version__,
        "kernels": kernels.__name__.rsplit("_", 1)[-1],
        "python": platform.python_version(),
        "numpy": np.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": f"{_processor()}, {usable_cores()} cores",
    }


def _processor() -> str:
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _start_session(results_file: ResultsFile, plan: Plan, data: dict[str, Any]) -> None:
    """Write the first lines of a new results file, or check that an existing one has the same data and settings."""
    first = results_file.lines[0] if results_file.lines else None
    if first is None:
        results_file.add({"kind": "experiment", "format": 1, "plan": plan.to_dict(), "data": data})
    else:
        if first["kind"] != "experiment" or first.get("format") != 1:
            raise InputError(f"{results_file.path}, line 1: not the start of a comparison; choose another folder")
        there = {**Plan.from_dict(first["plan"]).shared_settings(), "data": first["data"]["fingerprint"]}
        here = {**plan.shared_settings(), "data": data["fingerprint"]}
        if there != here:
            name = next(name for name in here if here[name] != there[name])
            what = "other data" if name == "data" else f"{name} = {there[name]}, not {here[name]}"
            raise InputError(
                f"{str(results_file.path.parent)!r} has results for {what}; choose another folder, or delete this one"
            )
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    results_file.add({"kind": "session", "started": started, "versions": versions(), "plan": plan.to_dict()})


@dataclass
class _Worker:
    """A worker process and its current run."""

    index: int
    process: subprocess.Popen[str]
    run: PlannedRun | None = None
    since: float = field(default_factory=time.monotonic)

    @classmethod
    def start(cls, index: int, data: Path, plan: Plan) -> "_Worker":
        process = subprocess.Popen(
            [sys.executable, "-m", "tagfield.compare.worker_process", str(data)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=os.environ | ONE_THREAD,
        )
        worker = cls(index, process)
        worker.tell(plan.to_dict())
        return worker

    def tell(self, record: dict[str, Any]) -> None:
        if self.process.stdin is None:
            raise ValueError("the worker has no stdin")
        with suppress(BrokenPipeError):  # the worker has ended; its output ends too, which is reported there
            self.process.stdin.write(json.dumps(record) + "\n")
            self.process.stdin.flush()

    def listen(self, inbox: "queue.Queue[tuple[_Worker, Line | None]]") -> None:
        for text in self.process.stdout or ():
            inbox.put((self, json.loads(text)))
        inbox.put((self, None))

    def stop(self) -> None:
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self.process.wait()


def _train_here(
    train: Encoded,
    test: Encoded,
    plan: Plan,
    todo: list[PlannedRun],
    results_file: ResultsFile,
    status: ComparisonStatus,
    on_progress: OnProgress | None,
) -> None:
    """Train in this process, one run after another: for runs shorter than the start of a process."""
    since = time.monotonic()

    def keep(line: Line) -> None:
        nonlocal since
        results_file.add(line)
        now = time.monotonic()
        status.add(line, now - since)
        since = now
        if on_progress is not None:
            on_progress(status)

    for run in todo:
        status.begin(run)
        perform(run, plan, train, test, keep)


def _train_with_workers(
    team: list[_Worker],
    todo: list[PlannedRun],
    results_file: ResultsFile,
    status: ComparisonStatus,
    on_progress: OnProgress | None,
) -> None:
    inbox: queue.Queue[tuple[_Worker, Line | None]] = queue.Queue()
    for worker in team:
        threading.Thread(target=worker.listen, args=(inbox,), daemon=True).start()
    waiting = list(reversed(todo))

    def next_run(worker: _Worker) -> None:
        worker.run = waiting.pop() if waiting else None
        if worker.run is not None:
            status.begin(worker.run)
            worker.tell(asdict(worker.run))

    for worker in team:
        next_run(worker)
    while any(worker.run is not None for worker in team):
        worker, line = inbox.get()
        if line is None:
            if worker.run is None:
                continue
            code = worker.process.wait()
            how = f"was killed by signal {-code}" if code < 0 else f"exited with code {code}"
            raise TrainingError(
                f"the worker training {worker.run.key} {how}, possibly out of memory; finished runs are kept, so "
                "run the same command again, with fewer --workers if memory is short"
            )
        results_file.add(line)
        now = time.monotonic()
        status.add(line, now - worker.since)
        worker.since = now
        if line["kind"] == "run":
            next_run(worker)
        if on_progress is not None:
            on_progress(status)
