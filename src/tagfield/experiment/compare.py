"""compare(): every run of a plan, on all cores, into one folder.

    Encoded train, test ─▶ one mapped file ─▶ workers (processes of one thread) ─▶ lines ─▶ Ledger
                              plan − finished runs ─▶ ┘                               └─▶ on_progress

Only this process writes. Workers are separate interpreters rather than forks: they share the data through the mapped
file, carry no threads or locks of the parent, and can be told to keep the linear algebra to one thread.
"""

import json
import os
import platform
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tagfield import __version__
from tagfield.encode import Encoded
from tagfield.errors import InputError, TrainingError
from tagfield.experiment.ledger import Ledger, Line
from tagfield.experiment.plan import Plan, Run
from tagfield.experiment.progress import Progress
from tagfield.experiment.results import Results, load_results
from tagfield.experiment.shared import check_data, describe, save_data
from tagfield.native import kernels

DATA = "encoded.safetensors"
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
OnProgress: TypeAlias = Callable[[Progress], None]


def compare(
    train: Encoded,
    test: Encoded,
    plan: Plan,
    folder: str | os.PathLike[str],
    *,
    workers: int | None = None,
    about: dict[str, Any] | None = None,
    on_progress: OnProgress | None = None,
) -> Results:
    """Trains every run of the plan that `folder` does not hold yet, and returns all results in it.

    workers: processes at a time; by default one for each core this process may use
    about: where the data came from, for the record (file names, template)
    on_progress: called with the state after every epoch

    Called again with the same data it goes on where it was; more recipes, feature sets or seeds may join.

    >>> import tempfile
    >>> from tagfield.encode import encode_sequences
    >>> data = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    >>> results = compare(data, data, Plan(("sgd",), ("all",), seeds=1, epochs=2), tempfile.mkdtemp(), workers=1)
    >>> [len(run.epochs) for run in results.runs]
    [2]
    """
    check_data(train, test)
    with Ledger(folder) as ledger:
        _begin(ledger, plan, {**(about or {}), **describe(train, test)})
        todo = [run for run in plan.runs() if run.key not in ledger.finished]
        progress = Progress(plan, finished=ledger.finished)
        if on_progress is not None:
            on_progress(progress)
        if todo:
            data = Path(folder) / DATA
            save_data(data, train, test)
            count = max(1, min(workers or usable_cores(), len(todo)))
            progress.workers = count
            team = [_Worker.start(index, data, plan) for index in range(count)]
            try:
                _serve(team, todo, ledger, progress, on_progress)
            finally:
                for worker in team:
                    worker.stop()
                with suppress(OSError):
                    data.unlink()
    return load_results(folder)


def usable_cores() -> int:
    """How many cores this process may run on.

    >>> usable_cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def versions() -> dict[str, str]:
    """What the figures were made with.

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


def _begin(ledger: Ledger, plan: Plan, data: dict[str, Any]) -> None:
    """The first line of a new ledger, or the check that an old one is of the same experiment."""
    first = ledger.lines[0] if ledger.lines else None
    if first is None:
        ledger.add({"kind": "experiment", "format": 1, "plan": plan.to_dict(), "data": data})
    else:
        if first["kind"] != "experiment" or first.get("format") != 1:
            raise InputError(f"{ledger.path}: line 1 is not the start of a comparison; choose another folder")
        there = {**Plan.from_dict(first["plan"]).common(), "data": first["data"]["fingerprint"]}
        here = {**plan.common(), "data": data["fingerprint"]}
        if there != here:
            name = next(name for name in here if here[name] != there[name])
            what = (
                "other data"
                if name == "data"
                else f"{name} = {there[name]}, and {here[name]} is asked for now"
            )
            raise InputError(
                f"{str(ledger.path.parent)!r} holds a comparison with {what}; choose another folder, or remove "
                "this one to start anew"
            )
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    ledger.add({"kind": "session", "started": started, "versions": versions(), "plan": plan.to_dict()})


@dataclass
class _Worker:
    """A worker process and what it is doing."""

    index: int
    process: subprocess.Popen[str]
    run: Run | None = None
    since: float = field(default_factory=time.monotonic)

    @classmethod
    def start(cls, index: int, data: Path, plan: Plan) -> "_Worker":
        process = subprocess.Popen(
            [sys.executable, "-m", "tagfield.experiment.worker", str(data)],
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
            raise ValueError("the worker has no standard input")
        with suppress(BrokenPipeError):  # it has ended: its output ends too, and _serve sees that
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


def _serve(
    team: list[_Worker], todo: list[Run], ledger: Ledger, progress: Progress, on_progress: OnProgress | None
) -> None:
    inbox: queue.Queue[tuple[_Worker, Line | None]] = queue.Queue()
    for worker in team:
        threading.Thread(target=worker.listen, args=(inbox,), daemon=True).start()
    waiting = list(reversed(todo))

    def next_run(worker: _Worker) -> None:
        worker.run = waiting.pop() if waiting else None
        if worker.run is not None:
            progress.begin(worker.run)
            worker.tell(asdict(worker.run))

    for worker in team:
        next_run(worker)
    while any(worker.run is not None for worker in team):
        worker, line = inbox.get()
        if line is None:
            if worker.run is None:
                continue
            code = worker.process.wait()
            how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
            raise TrainingError(
                f"the process that trained {worker.run.key} {how}; was there enough memory? The results so far "
                "are kept: the same command goes on from them, with fewer workers if need be"
            )
        ledger.add(line)
        now = time.monotonic()
        progress.add(line, now - worker.since)
        worker.since = now
        if line["kind"] == "run":
            next_run(worker)
        if on_progress is not None:
            on_progress(progress)
