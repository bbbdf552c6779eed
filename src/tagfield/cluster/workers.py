"""The crew on a cluster: actors of Ray that hold shares, and are replaced when they end.

    driver ── put θ̄, S ──▶ object store (mapped by the workers of a machine, sent once to another machine)
       │                                        │
       └── train(share, ref, round) ──▶ actor ──┴──▶ Change ──▶ driver, in the order of the shares

A call takes everything that it depends on, so it can be made again: when an actor, or the machine that it runs on, is
gone, a new one reads its shares again and repeats the call, with the same bits. An actor that ends TRIES times in the
same call is a failure of the data, the memory or the machine, and training ends with a sentence.
"""

import logging
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tagfield import __version__
from tagfield.cluster.crew import Round, Task, Worker, bounds, covered, joined
from tagfield.cluster.rounds import Change
from tagfield.cluster.session import ClusterError
from tagfield.dataset import Dataset, Doubles
from tagfield.errors import InputError, TagfieldError
from tagfield.layout import Weights

log = logging.getLogger(__name__)

TRIES = 3
START_SECONDS = 120.0  # for the first answer of all workers
WAIT_SECONDS = 30.0  # after this, the log says that a call is still waiting


class HostedWorker:
    """A Worker as an actor: what Ray creates in a process of its own."""

    def __init__(self, task: Task, first: int, sources: Sequence[Callable[[], Dataset]]) -> None:
        self._worker = Worker(task, first, sources)

    def hello(self) -> tuple[str, str, int]:
        """The version of tagfield, the machine and the process."""
        return __version__, socket.gethostname(), os.getpid()

    def train(self, share: int, mixed: tuple[Weights, Weights | None], this: Round) -> Change:
        return self._worker.train(share, *mixed, this)

    def gradient(self, x: Doubles, shares: int) -> list[tuple[float, Doubles]]:
        return self._worker.gradient(x, shares)


@dataclass
class Call:
    """One call of an actor, which may be made again."""

    worker: int
    method: str
    arguments: tuple[Any, ...]
    ref: Any = None
    failures: list[str] = field(default_factory=list)


@dataclass
class Workers:
    """A crew of actors: `workers` processes that hold all shares."""

    ray: Any
    task: Task
    sources: Sequence[Callable[[], Dataset]]  # one for each share
    workers: int
    threads: int = 1
    actors: list[Any] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.shares = len(self.sources)
        self.workers = min(self.workers, self.shares)
        self._ends = bounds(self.shares, self.workers)  # the shares of each worker
        self._home = [worker for worker in range(self.workers) for _ in self._range(worker)]
        self._task_ref = self.ray.put(self.task)
        self._actor = self.ray.remote(num_cpus=self.threads, max_restarts=0, scheduling_strategy="SPREAD")(HostedWorker)

    def _range(self, worker: int) -> range:
        return range(self._ends[worker], self._ends[worker + 1])

    def __enter__(self) -> "Workers":
        there = int(self.ray.cluster_resources().get("CPU", 0))
        if there < self.workers * self.threads:
            raise InputError(
                f"{self.workers} workers with {self.threads} thread{'s' * (self.threads > 1)} each need "
                f"{self.workers * self.threads} CPUs, but the cluster has {there}; use fewer workers, or add machines"
            )
        try:
            self.actors = [self._start(worker) for worker in range(self.workers)]
            found = self._results([Call(worker, "hello", ()) for worker in range(self.workers)], START_SECONDS)
            self.hosts = [host for _, host, _ in found]
            for version, host, _ in found:
                if version != __version__:
                    raise InputError(
                        f"{host} has tagfield {version}, and this machine {__version__}; install the same version on "
                        "every machine"
                    )
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the workers."""
        for actor in self.actors:
            self.ray.kill(actor)
        self.actors = []

    def _start(self, worker: int) -> Any:
        shares = self._range(worker)
        return self._actor.remote(self._task_ref, shares.start, [self.sources[share] for share in shares])

    # What a crew does

    def train(self, theta: Weights, squares: Weights | None, this: Round) -> Sequence[Change]:
        mixed = self.ray.put((theta, squares))
        found: list[Change] = self._results(
            [Call(self._home[share], "train", (share, mixed, this)) for share in range(self.shares)]
        )
        return found

    def gradient(self, x: Doubles) -> tuple[float, Doubles]:
        there = self.ray.put(x)
        calls = [Call(worker, "gradient", (there, self.shares)) for worker in range(self.workers)]
        parts: dict[tuple[int, int], tuple[float, Doubles]] = {}
        for worker, sums in enumerate(self._results(calls)):
            nodes = covered(0, self.shares, self._ends[worker], self._ends[worker + 1])
            parts |= dict(zip(nodes, sums, strict=True))
        return joined(self.shares, parts)

    # Calls that are made again

    def _results(self, calls: list[Call], seconds: float | None = None) -> list[Any]:
        """The results of the calls, in order; a call whose actor is gone is made again by a new one."""
        for call in calls:
            self._submit(call)
        found = []
        for at, call in enumerate(calls):
            while True:
                try:
                    self._wait(call, seconds)
                    found.append(self.ray.get(call.ref))
                    break
                except self.ray.exceptions.RayTaskError as error:
                    raise self._cause(error, call) from None
                except self.ray.exceptions.RayError as error:  # the actor, its machine, or what it returned is gone
                    self._replace(call, calls[at:], error)
        return found

    def _submit(self, call: Call) -> None:
        call.ref = getattr(self.actors[call.worker], call.method).remote(*call.arguments)

    def _wait(self, call: Call, seconds: float | None) -> None:
        limit = WAIT_SECONDS if seconds is None else seconds
        while not self.ray.wait([call.ref], timeout=limit)[0]:
            if seconds is not None:
                raise ClusterError(
                    f"the cluster did not start {self.workers} workers within {seconds:g} seconds; check that it has "
                    "that many idle CPUs"
                )
            log.info("worker %d has not answered for %g seconds", call.worker, limit)

    def _replace(self, call: Call, pending: Sequence[Call], error: Exception) -> None:
        """A new actor in the place of one that is gone; the calls that it has not answered are made again."""
        call.failures.append(str(error).strip().partition("\n")[0])
        host = f" on {self.hosts[call.worker]}" if self.hosts else ""
        if len(call.failures) >= TRIES:
            raise ClusterError(
                f"worker {call.worker}{host} ended {TRIES} times in the same call ({call.failures[-1]}); it may be out "
                "of memory: use more workers, or features='observed'"
            )
        log.warning("worker %d%s ended; another one takes its place", call.worker, host)
        with suppress(Exception):
            self.ray.kill(self.actors[call.worker])  # it may be alive, and only out of reach
        self.actors[call.worker] = self._start(call.worker)
        for other in pending:
            if other.worker == call.worker:
                self._submit(other)

    def _cause(self, error: Any, call: Call) -> Exception:
        """What the worker itself raised."""
        cause = getattr(error, "cause", None)
        if isinstance(cause, TagfieldError):
            return type(cause)(str(cause))
        host = f" on {self.hosts[call.worker]}" if self.hosts else ""
        if isinstance(cause, MemoryError):
            return ClusterError(f"worker {call.worker}{host} is out of memory; use more workers or features='observed'")
        told = f"{type(cause).__name__}: {cause}" if cause is not None else str(error)
        return ClusterError(f"worker {call.worker}{host} failed: {told.strip().splitlines()[-1]}")


@dataclass(frozen=True)
class InStore:
    """A share in Ray's object store. It is put there by the driver, so it is there as long as the driver is."""

    ref: Any

    def __call__(self) -> Dataset:
        import ray

        found: Dataset = ray.get(self.ref)
        return found
