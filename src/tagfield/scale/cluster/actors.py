"""Actors of Ray that are replaced when they end, and calls that are then made again.

    submit(worker, method, …) ─▶ Call ─▶ result(call) ─┬─▶ what the method returned
                                                       └─▶ the actor is gone ─▶ a new one ─▶ its open calls, once more

A method must depend on its arguments alone, so that a call which is made again returns the same. An actor that ends
TRIES times in the same call is a failure of the data, the memory or the machine, and the run ends with an error.
"""

import logging
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tagfield import __version__
from tagfield.errors import InputError, TagfieldError
from tagfield.scale.cluster.session import ClusterError

log = logging.getLogger(__name__)

TRIES = 3
START_SECONDS = 120.0  # for the first answer of all workers
WAIT_SECONDS = 30.0  # after this, the log says that a call is still waiting


class Hosted:
    """What every actor can say of itself."""

    def hello(self) -> tuple[str, str, int]:
        """The version of tagfield, the machine and the process."""
        return __version__, socket.gethostname(), os.getpid()


@dataclass(eq=False)
class Call:
    """One call of an actor, which may be made again."""

    worker: int
    method: str
    arguments: tuple[Any, ...]
    ref: Any = None
    failures: list[str] = field(default_factory=list)


class Actors:
    """`count` actors of one class.

    kind: the class, a Hosted one
    arguments: a function from the number of an actor to what it is made with
    """

    def __init__(
        self, ray: Any, kind: type[Hosted], arguments: Callable[[int], tuple[Any, ...]], count: int, threads: int = 1
    ) -> None:
        self._ray, self.count, self._arguments = ray, count, arguments
        self._kind = ray.remote(num_cpus=threads, max_restarts=0, scheduling_strategy="SPREAD")(kind)
        self._open: list[Call] = []  # submitted, but not answered
        self.actors: list[Any] = []
        self.hosts: list[str] = []
        self.processes: list[int] = []
        needed, there = count * threads, int(ray.cluster_resources().get("CPU", 0))
        if there < needed:
            raise InputError(
                f"{count} worker{'s' * (count > 1)} with {threads} thread{'s' * (threads > 1)} need {needed} CPUs, but "
                f"the cluster has {there}; use fewer workers, or add machines"
            )

    def __enter__(self) -> "Actors":
        try:
            self.actors = [self._start(worker) for worker in range(self.count)]
            calls = [self.submit(worker, "hello") for worker in range(self.count)]
            found = [self.result(call, START_SECONDS) for call in calls]
            self.hosts, self.processes = [host for _, host, _ in found], [process for *_, process in found]
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
        """Ends the actors."""
        for actor in self.actors:
            with suppress(Exception):  # the cluster may be gone
                self._ray.kill(actor)
        self.actors, self._open = [], []

    def _start(self, worker: int) -> Any:
        return self._kind.remote(*self._arguments(worker))

    def submit(self, worker: int, method: str, *arguments: Any) -> Call:
        """Asks an actor for something, without waiting for the answer."""
        call = Call(worker, method, arguments)
        self._send(call)
        self._open.append(call)
        return call

    def _send(self, call: Call) -> None:
        call.ref = getattr(self.actors[call.worker], call.method).remote(*call.arguments)

    def result(self, call: Call, seconds: float | None = None) -> Any:
        """The answer; if the actor, or the machine that it ran on, is gone, that of a new one."""
        errors = self._ray.exceptions
        while True:
            try:
                self._wait(call, seconds)
                found = self._ray.get(call.ref)
            except errors.RayTaskError as error:
                raise self._cause(error, call) from None
            except errors.RayError as error:  # the actor, its machine, or what it returned is gone
                self._replace(call, error)
            else:
                self._open.remove(call)
                return found

    def _wait(self, call: Call, seconds: float | None) -> None:
        limit = WAIT_SECONDS if seconds is None else seconds
        while not self._ray.wait([call.ref], timeout=limit)[0]:
            if seconds is not None:
                raise ClusterError(
                    f"the cluster did not start {self.count} workers within {seconds:g} seconds; check that it has "
                    "that many idle CPUs"
                )
            log.info("%s has not answered for %g seconds", self._name(call), limit)

    def _name(self, call: Call) -> str:
        return f"worker {call.worker}" + (f" on {self.hosts[call.worker]}" if self.hosts else "")

    def _replace(self, call: Call, error: Exception) -> None:
        """A new actor in the place of one that is gone; the calls that it has not answered are made again."""
        call.failures.append(str(error).strip().partition("\n")[0])
        if len(call.failures) >= TRIES:
            raise ClusterError(
                f"{self._name(call)} ended {TRIES} times in the same call ({call.failures[-1]}); if it is out of "
                "memory, use more workers"
            )
        log.warning("%s ended; another one takes its place", self._name(call))
        with suppress(Exception):
            self._ray.kill(self.actors[call.worker])  # it may be alive, and only out of reach
        self.actors[call.worker] = self._start(call.worker)
        for other in self._open:
            if other.worker == call.worker:
                self._send(other)

    def _cause(self, error: Any, call: Call) -> Exception:
        """What the actor itself raised."""
        cause = getattr(error, "cause", None)
        if isinstance(cause, TagfieldError):
            return type(cause)(str(cause))
        if isinstance(cause, MemoryError):
            return ClusterError(f"{self._name(call)} is out of memory; use more workers, or features='observed'")
        reason = f"{type(cause).__name__}: {cause}" if cause is not None else str(error)
        return ClusterError(f"{self._name(call)} failed: {reason.strip().splitlines()[-1]}")
