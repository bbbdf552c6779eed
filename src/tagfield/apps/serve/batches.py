"""Batches: what waits is answered together: small jobs by the event loop itself, large ones in threads.

    run ─▶ small: queue ─▶ the next turn of the loop ─▶ a batch ─▶ answer ─▶ futures
      └──▶ large: queue ─▶ a thread is free ─▶ answer, in the thread ─▶ a message to the loop ─▶ future

A batch does not wait until it is full. While the loop answers one batch, requests arrive for the next: under load,
batches are large and cheap; without load, a request is alone and quick.

Most of a small job's work holds the interpreter's lock, so a thread for it only fights with the loop: two threads
answered 3,300 requests a second, one 4,200, the loop itself 6,000. A batch takes it a few milliseconds at most. Large
jobs spend their time in the kernels, which release the lock and use all cores.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tagfield.apps.serve.answering import Job

LARGE = 16 << 10  # bytes of a body from which a job is large, for a model of few labels
FEW_LABELS = 40  # a lattice takes the square of the labels; up to here the rest takes longer
BATCH_BYTES = 32 << 10  # bodies of a batch
BATCH_JOBS = 64

Answer = Callable[[list[Job]], None]


class Batches:
    """The two ways; all methods run in the event loop.

    labels: of the largest model

    >>> def shout(jobs: list[Job]) -> None:
    ...     for job in jobs:
    ...         job.answer = job.body.upper()
    >>> async def ask() -> list[Job]:
    ...     batches = Batches(shout, 1, lambda: 9)
    ...     found = await asyncio.gather(*(batches.run(Job(text, 0.0)) for text in (b"a", b"b")))
    ...     await batches.close()
    ...     return found
    >>> [job.answer for job in asyncio.run(ask())]
    [b'A', b'B']
    """

    def __init__(self, answer: Answer, threads: int, labels: Callable[[], int]) -> None:
        self._answer, self._free, self._labels = answer, threads, labels
        self._loop = asyncio.get_running_loop()
        self._pool = ThreadPoolExecutor(threads, "tagfield-serve")
        self._planned = False
        self._small: deque[Job] = deque()
        self._large: deque[Job] = deque()
        self.count = self.jobs = self.large = 0  # batches, the jobs in them, and the batches in threads

    async def run(self, job: Job) -> Job:
        """Wait for the answer of a job."""
        job.future = self._loop.create_future()
        if cost(job, self._labels()) > LARGE:
            self._large.append(job)
            self._start()
        else:
            self._small.append(job)
            self._plan()
        await job.future
        return job

    def __len__(self) -> int:
        """How many jobs wait."""
        return len(self._small) + len(self._large)

    async def close(self) -> None:
        """End the threads when what they have begun is done."""
        await self._loop.run_in_executor(None, self._pool.shutdown)

    # Small jobs

    def _plan(self) -> None:
        if self._small and not self._planned:
            self._planned = True
            self._loop.call_soon(self._turn)  # what else arrives in this turn of the loop joins the batch

    def _turn(self) -> None:
        self._planned = False
        batch = [self._small.popleft()]
        size = len(batch[0].body)
        while self._small and len(batch) < BATCH_JOBS and size + len(self._small[0].body) <= BATCH_BYTES:
            batch.append(self._small.popleft())
            size += len(batch[-1].body)
        try:
            self._answer(batch)
        finally:
            self._done(batch)
            self._plan()

    # Large jobs

    def _start(self) -> None:
        while self._free and self._large:
            self._free -= 1
            self._pool.submit(self._work, [self._large.popleft()])

    def _work(self, batch: list[Job]) -> None:
        try:
            self._answer(batch)
        finally:
            self._loop.call_soon_threadsafe(self._finish, batch)

    def _finish(self, batch: list[Job]) -> None:
        self._free += 1
        self.large += 1
        self._done(batch)
        self._start()

    def _done(self, batch: list[Job]) -> None:
        self.count += 1
        self.jobs += len(batch)
        for job in batch:
            if not job.future.done():  # a task that was cancelled cancels it
                job.future.set_result(None)


def cost(job: Job, labels: int) -> int:
    """Estimated work of a job for a model with `labels` labels, in bytes of a plain request to a small model.

    The app reads what is not large by its size: only the parsed request says whether it asks for several paths.

    >>> body = b'{"words":["a"]}'
    >>> cost(Job(body, 0.0), 9), cost(Job(body, 0.0), 400), cost(Job(body, 0.0, explain=True), 9)
    (15, 1500, 150)
    """
    more = 10 if job.explain or (job.asked is not None and job.asked.wanted.n_best) else 1
    return len(job.body) * more * max(1, labels * labels // (FEW_LABELS * FEW_LABELS))
