"""The workers of a cluster: actors of Ray that hold shares.

    driver ── put θ̄, S ──▶ object store (mapped by the workers of a machine, sent once to another machine)
       │                                        │
       └── train(share, ref, round) ──▶ actor ──┴──▶ Change ──▶ driver, in the order of the shares

A call takes everything that it depends on. When an actor is gone, a new one reads its shares again and repeats the
call, with the same bits.
"""

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tagfield.data.corpus import Corpus, is_corpus
from tagfield.data.dataset import Dataset, Doubles, Ints
from tagfield.errors import InputError
from tagfield.scale.cluster.actors import Actors, Hosted
from tagfield.scale.cluster.rounds import Change
from tagfield.scale.cluster.workers import Round, Sum, Task, Worker, bounds, covered, tree
from tagfield.train.problem.sentences import OnDisk
from tagfield.weights.layout import Weights


class RayWorker(Hosted):
    """A Worker as an actor: what Ray creates in a process of its own."""

    def __init__(self, task: Task, first: int, sources: Sequence[Callable[[], Dataset]]) -> None:
        self._worker = Worker(task, first, sources)

    def train(self, share: int, mixed: tuple[Weights, Weights | None], this: Round) -> Change:
        return self._worker.train(share, *mixed, this)

    def gradient(self, x: Doubles, shares: int) -> list[Sum]:
        return self._worker.gradient(x, shares)


class RayWorkers(Actors):
    """Actors as workers: at most `workers` processes that hold all shares.

    sources: one for each share, a function that returns its sentences
    """

    def __init__(
        self, ray: Any, task: Task, sources: Sequence[Callable[[], Dataset]], workers: int, threads: int = 1
    ) -> None:
        self.shares, self._sources = len(sources), sources
        count = min(workers, self.shares)
        self._ends = bounds(self.shares, count)  # the shares of each worker
        self._home = [worker for worker in range(count) for _ in range(self._ends[worker], self._ends[worker + 1])]
        self._task = ray.put(task)
        super().__init__(ray, RayWorker, self._made_with, count, threads)

    def _made_with(self, worker: int) -> tuple[Any, ...]:
        first, last = self._ends[worker], self._ends[worker + 1]
        return self._task, first, list(self._sources[first:last])

    def __enter__(self) -> "RayWorkers":
        super().__enter__()
        return self

    def train(self, theta: Weights, squares: Weights | None, this: Round) -> Sequence[Change]:
        mixed = self._ray.put((theta, squares))
        calls = [self.submit(self._home[share], "train", share, mixed, this) for share in range(self.shares)]
        return [self.result(call) for call in calls]

    def gradient(self, x: Doubles) -> Sum:
        there = self._ray.put(x)
        calls = [self.submit(worker, "gradient", there, self.shares) for worker in range(self.count)]
        parts: dict[tuple[int, int], Sum] = {}
        for worker, call in enumerate(calls):
            nodes = covered(0, self.shares, self._ends[worker], self._ends[worker + 1])
            parts |= dict(zip(nodes, self.result(call), strict=True))
        return tree(0, self.shares, lambda *part: parts.get(part))


@dataclass(frozen=True)
class OnDiskShare:
    """A share of a corpus on disk, which every machine must be able to read at the same path."""

    path: str
    first: int
    last: int
    ids: Ints | None = None  # of the attributes of the corpus in training; see train/problem/sentences.py
    edge_ids: Ints | None = None

    def __call__(self) -> Dataset:
        host = socket.gethostname()
        if not is_corpus(self.path):
            raise InputError(
                f"{self.path}: there is no corpus at this path on {host}; it must be at the same path on every machine "
                "of the cluster, on a shared file system for example"
            )
        corpus = Corpus.open(self.path, verify=False)
        if len(corpus) < self.last:
            raise InputError(
                f"{self.path}: the corpus on {host} has {len(corpus)} sequences, fewer than on the machine that "
                "started the run; copy it again"
            )
        return OnDisk(corpus, 0, None, self.ids, self.edge_ids).take(np.arange(self.first, self.last))


@dataclass(frozen=True)
class InStore:
    """A share in Ray's object store. It is put there by the driver, so it is there as long as the driver is."""

    ref: Any

    def __call__(self) -> Dataset:
        import ray

        found: Dataset = ray.get(self.ref)
        return found
