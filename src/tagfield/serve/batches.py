"""Batches: jobs wait in a short queue, and a thread of the pool takes as many of them as fit.

    submit ─▶ queue ─▶ (a thread is free) a batch ─▶ answer, in the thread ─▶ one message to the loop ─▶ futures

Nobody waits for a batch to fill. While all threads are busy, the queue grows, and so does the next batch: under load,
batches are large and cheap; without load, a request is alone and quick.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tagfield.serve.answering import Job

BATCH_BYTES = 64 << 10  # bodies of a batch; a larger body is alone, and small ones pass it in another thread
BATCH_JOBS = 64

Answer = Callable[[list[Job]], None]


class Batches:
    """The queue and the pool; all methods run in the event loop.

    >>> def echo(jobs: list[Job]) -> None:
    ...     for job in jobs:
    ...         job.answer = job.body.upper()
    >>> async def ask() -> list[Job]:
    ...     batches = Batches(echo, 1)
    ...     found = await asyncio.gather(*(batches.run(Job(text, 0.0)) for text in (b"a", b"b")))
    ...     await batches.close()
    ...     return found
    >>> [job.answer for job in asyncio.run(ask())]
    [b'A', b'B']
    """

    def __init__(self, answer: Answer, threads: int) -> None:
        self._answer = answer
        self._loop = asyncio.get_running_loop()
        self._queue: deque[Job] = deque()
        self._free = threads
        self._planned = False
        self._pool = ThreadPoolExecutor(threads, "tagfield-serve")
        self.count = self.jobs = 0  # batches, and the jobs in them

    async def run(self, job: Job) -> Job:
        """Wait for the answer of a job."""
        job.future = self._loop.create_future()
        self._queue.append(job)
        if not self._planned and self._free:
            self._planned = True
            self._loop.call_soon(self._start)  # what else arrives in this turn of the loop joins the batch
        await job.future
        return job

    def __len__(self) -> int:
        """How many jobs wait."""
        return len(self._queue)

    async def close(self) -> None:
        """End the pool when what it has begun is done."""
        await self._loop.run_in_executor(None, self._pool.shutdown)

    def _start(self) -> None:
        self._planned = False
        while self._free and self._queue:
            self._free -= 1
            batch = self._take()
            self.count += 1
            self.jobs += len(batch)
            self._pool.submit(self._work, batch)

    def _take(self) -> list[Job]:
        batch = [self._queue.popleft()]
        size = len(batch[0].body)
        while self._queue and len(batch) < BATCH_JOBS and size + len(self._queue[0].body) <= BATCH_BYTES:
            batch.append(self._queue.popleft())
            size += len(batch[-1].body)
        return batch

    def _work(self, batch: list[Job]) -> None:
        try:
            self._answer(batch)
        finally:
            self._loop.call_soon_threadsafe(self._done, batch)

    def _done(self, batch: list[Job]) -> None:
        self._free += 1
        for job in batch:
            if not job.future.done():  # a client that has gone away cancels it
                job.future.set_result(None)
        self._start()
