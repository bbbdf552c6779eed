"""The app: models behind HTTP.

request ─▶ AsgiApp ─▶ room for one more? ─▶ body, at most so large ─▶ batches ─▶ answer
"""

import asyncio
from time import monotonic
from typing import Any

from tagfield import __version__
from tagfield.apps.serve.answering import Answerer, Job
from tagfield.apps.serve.asgi_app import JSON, NO_STORE, Answer, AsgiApp, Receive, Send, as_json
from tagfield.apps.serve.batches import LARGE, Batches
from tagfield.apps.serve.files import FILES, SECURITY
from tagfield.apps.serve.limits import Limits
from tagfield.apps.serve.log import log, place_of
from tagfield.apps.serve.metrics import Metrics
from tagfield.apps.serve.openapi import openapi
from tagfield.apps.serve.refusals import FAILED, Refusal, too_busy
from tagfield.apps.serve.registry import Registry

TEXT = (b"content-type", b"text/plain; version=0.0.4; charset=utf-8")
REFRESH = 0.5  # seconds between two looks at the model files


class App(AsgiApp):
    """The service as an ASGI application; `token` and `hosts` are those of `AsgiApp`."""

    def __init__(
        self, registry: Registry, limits: Limits, token: str | None, hosts: frozenset[str] | None, threads: int
    ) -> None:
        super().__init__(limits, token, hosts, FILES)
        self.registry, self.metrics = registry, Metrics()
        self._threads = threads
        self._batches: Batches | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._under_way = 0
        self.routes = {
            "/v1/tag": ("POST", True, self._tag),
            "/v1/explain": ("POST", True, self._explain),
            "/v1/models": ("GET", True, self._models),
            "/metrics": ("GET", True, self._metrics),
            "/healthz": ("GET", False, self._health),
            "/readyz": ("GET", False, self._ready),
            "/openapi.json": ("GET", False, self._openapi),
        }

    def answered(self, scope: Any, answer: Answer, seconds: float) -> None:
        path, job = scope["path"], scope.get("job")
        known = path if path in self.routes or path in FILES else "other"
        sentences, tokens = (job.sentences, job.tokens) if job is not None and answer.status == 200 else (0, 0)
        self.metrics.add(known, answer.status, seconds, sentences, tokens)

    # Endpoints

    async def _tag(self, scope: Any, receive: Receive) -> Answer:
        return await self._run(scope, receive, explain=False)

    async def _explain(self, scope: Any, receive: Receive) -> Answer:
        return await self._run(scope, receive, explain=True)

    async def _run(self, scope: Any, receive: Receive, *, explain: bool) -> Answer:
        if self._under_way >= self.limits.requests or self._batches is None:
            raise too_busy()
        self._under_way += 1
        try:
            deadline = monotonic() + self.limits.seconds
            body = await self.body(scope["headers"], receive)
            job = scope["job"] = Job(body, deadline, explain=explain)
            if len(body) <= LARGE:
                job.read(self.limits)  # what it asks for decides where it is answered
            await self._batches.run(job)
        finally:
            self._under_way -= 1
        if not isinstance(job.answer, bytes):
            raise job.answer or Refusal(FAILED, "the server failed to answer this request; its log says where")
        return Answer(200, [JSON, (b"content-length", b"%d" % len(job.answer)), *SECURITY], job.answer)

    async def _models(self, scope: Any, receive: Receive) -> Answer:
        return as_json({"models": self.registry.describe()})

    async def _metrics(self, scope: Any, receive: Receive) -> Answer:
        batches = self._batches
        gauges = {
            "requests_under_way": float(self._under_way),
            "requests_waiting": float(0 if batches is None else len(batches)),
        }
        counters = {
            "batches_total": float(0 if batches is None else batches.count),
            "thread_batches_total": float(0 if batches is None else batches.large),
            "batched_requests_total": float(0 if batches is None else batches.jobs),
            "model_swaps_total": float(self.registry.swaps),
            "model_failures_total": float(self.registry.failures),
        }
        body = self.metrics.text(gauges, counters).encode()
        return Answer(200, [TEXT, (b"content-length", b"%d" % len(body)), NO_STORE, *SECURITY], body)

    async def _health(self, scope: Any, receive: Receive) -> Answer:
        return as_json({"status": "ok", "version": __version__})

    async def _ready(self, scope: Any, receive: Receive) -> Answer:
        if self.stopping or self._batches is None:
            raise Refusal(503, "the server is stopping")
        return as_json({"status": "ready"})

    async def _openapi(self, scope: Any, receive: Receive) -> Answer:
        return as_json(openapi(self.limits))

    # Life

    async def live(self, receive: Receive, send: Send) -> None:
        """Start the pool and the watcher; end them when the server stops."""
        await receive()
        answerer = Answerer(self.registry, self.limits, self._threads)
        self._batches = Batches(answerer.answer, self._threads, lambda: self.registry.most_labels)
        self._watcher = asyncio.create_task(self._watch())
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._watcher.cancel()
        await self._batches.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(REFRESH)
            try:
                await asyncio.to_thread(self.registry.refresh)
            except Exception as error:  # the watcher must live on
                log("error", "looking at the model files failed", **place_of(error))
