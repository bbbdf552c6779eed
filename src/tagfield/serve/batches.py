"""Batches: jobs wait in a short queue, and a thread of the pool takes as many of them as fit.

    run ─▶ lane of small jobs: one thread        ─▶ batch ─▶ answer, in the thread ─▶ one message to the loop ─▶ futures
      └──▶ lane of large jobs: the other threads ─▶ a job at a time

Nobody waits for a batch to fill. While a lane's threads are busy, its queue grows, and so does the next batch: under
load, batches are large and cheap; without load, a request is alone and quick.

Small jobs have one thread, since most of their work holds the interpreter's lock: two threads that fight for it
answered 3,300 requests a second where one answered 4,500. Large jobs spend their time in the kernels, on all cores, and
small ones need not wait for them.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tagfield.serve.answering import Job

LARGE = 16 << 10  # bytes of a body that goes to the other lane, or less for what takes longer
BATCH_BYTES = 64 << 10  # bodies of a batch
BATCH_JOBS = 64

Answer = Callable[[list[Job]], None]


class Batches:
    """The two lanes; all methods run in the event loop.

    >>> def shout(jobs: list[Job]) -> None:
    ...     for job in jobs:
    ...         job.answer = job.body.upper()
    >>> async def ask() -> list[Job]:
    ...     batches = Batches(shout, 1)
    ...     found = await asyncio.gather(*(batches.run(Job(text, 0.0)) for text in (b"a", b"b")))
    ...     await batches.close()
    ...     return found
    >>> [job.answer for job in asyncio.run(ask())]
    [b'A', b'B']
    """

    def __init__(self, answer: Answer, threads: int) -> None:
        self._small, self._large = Lane(answer, 1, BATCH_JOBS), Lane(answer, max(1, threads - 1), 1)

    async def run(self, job: Job) -> Job:
        """Wait for the answer of a job."""
        await (self._small if cost(job) <= LARGE else self._large).add(job)
        return job

    def __len__(self) -> int:
        """How many jobs wait."""
        return len(self._small.queue) + len(self._large.queue)

    @property
    def count(self) -> int:
        """How many batches there were."""
        return self._small.batches + self._large.batches

    @property
    def jobs(self) -> int:
        """How many jobs were in them."""
        return self._small.jobs + self._large.jobs

    async def close(self) -> None:
        """End the threads when what they have begun is done."""
        await self._small.close()
        await self._large.close()


def cost(job: Job) -> int:
    """About how much work a job is, in bytes of a plain request.

    >>> cost(Job(b'{"words":["a"]}', 0.0)), cost(Job(b'{"words":["a"],"n_best":2}', 0.0))
    (15, 260)
    """
    return len(job.body) * (10 if job.explain or b'"n_best"' in job.body else 1)


class Lane:
    """A queue and its threads.

    most: jobs of a batch
    """

    def __init__(self, answer: Answer, threads: int, most: int) -> None:
        self._answer, self._free, self._most = answer, threads, most
        self._loop = asyncio.get_running_loop()
        self._pool = ThreadPoolExecutor(threads, "tagfield-serve")
        self._planned = False
        self.queue: deque[Job] = deque()
        self.batches = self.jobs = 0

    def add(self, job: Job) -> asyncio.Future[None]:
        """Put a job into the queue; the future is done when it has an answer."""
        future: asyncio.Future[None] = self._loop.create_future()
        job.future = future
        self.queue.append(job)
        if not self._planned and self._free:
            self._planned = True
            self._loop.call_soon(self._start)  # what else arrives in this turn of the loop joins the batch
        return future

    async def close(self) -> None:
        await self._loop.run_in_executor(None, self._pool.shutdown)

    def _start(self) -> None:
        self._planned = False
        while self._free and self.queue:
            self._free -= 1
            batch = self._take()
            self.batches += 1
            self.jobs += len(batch)
            self._pool.submit(self._work, batch)

    def _take(self) -> list[Job]:
        batch = [self.queue.popleft()]
        size = len(batch[0].body)
        while self.queue and len(batch) < self._most and size + len(self.queue[0].body) <= BATCH_BYTES:
            batch.append(self.queue.popleft())
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
            if not job.future.done():  # a task that was cancelled cancels it
                job.future.set_result(None)
        self._start()
