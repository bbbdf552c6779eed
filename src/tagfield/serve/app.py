"""The app: an ASGI application with a table of routes.

    request ─▶ host ─▶ token ─▶ route ─▶ room for one more? ─▶ body, at most so large ─▶ batches ─▶ answer
       └─ any refusal ─▶ {"error": sentence} with its status

The routes are a dict of fixed paths. A router with patterns and request objects (Starlette's, say) would cost each
request about as much as decoding it.
"""

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any, NamedTuple

from tagfield import __version__
from tagfield.serve.answering import Answerer, Job
from tagfield.serve.batches import Batches
from tagfield.serve.files import FILES, SECURITY, File
from tagfield.serve.limits import Limits
from tagfield.serve.log import log, place_of
from tagfield.serve.metrics import Metrics
from tagfield.serve.openapi import openapi
from tagfield.serve.refusals import (
    FAILED,
    MISDIRECTED,
    NOT_ALLOWED,
    NOT_FOUND,
    TOO_SLOW,
    UNAUTHORIZED,
    Refusal,
    bad,
    too_busy,
    too_large,
)
from tagfield.serve.registry import Registry

Headers = list[tuple[bytes, bytes]]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

JSON = (b"content-type", b"application/json")
TEXT = (b"content-type", b"text/plain; version=0.0.4; charset=utf-8")
NO_STORE = (b"cache-control", b"no-store")
REFRESH = 0.5  # seconds between two looks at the model files


class Answer(NamedTuple):
    """A status, headers and a body."""

    status: int
    headers: Headers
    body: bytes


class App:
    """The service as an ASGI application.

    token: what clients must send as `Authorization: Bearer TOKEN`; None if the service is for this machine alone
    hosts: names that the header Host may have; None for any. Without a token, a page of another site must not reach
        the service through a name that it has pointed at 127.0.0.1
    """

    def __init__(
        self, registry: Registry, limits: Limits, token: str | None, hosts: frozenset[str] | None, threads: int
    ) -> None:
        self.registry, self.limits, self.metrics = registry, limits, Metrics()
        self._token = None if token is None else b"Bearer " + token.encode()
        self._hosts = hosts
        self._threads = threads
        self._batches: Batches | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._under_way = 0
        self.stopping = False
        self._routes: dict[str, tuple[str, bool, Callable[[Any, Receive], Awaitable[Answer]]]] = {
            "/v1/tag": ("POST", True, self._tag),
            "/v1/explain": ("POST", True, self._explain),
            "/v1/models": ("GET", True, self._models),
            "/metrics": ("GET", True, self._metrics),
            "/healthz": ("GET", False, self._health),
            "/readyz": ("GET", False, self._ready),
            "/openapi.json": ("GET", False, self._openapi),
        }

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        began = monotonic()
        path, method = scope["path"], scope["method"]
        job: Job | None = None
        try:
            file = FILES.get(path)
            if file is not None:
                answer = _file(file, method)
            else:
                needed, guarded, endpoint = self._route(path)
                if guarded:
                    self._check_host(scope["headers"])
                    self._check_token(scope["headers"])
                if method != needed and not (method == "HEAD" and needed == "GET"):
                    raise Refusal(NOT_ALLOWED, f"{path} takes {needed}, not {_word(method)}", allow=needed)
                answer = await endpoint(scope, receive)
                job = scope.get("job")
        except Refusal as refusal:
            answer = _refused(refusal)
            job = scope.get("job")
        except Exception as error:
            log("error", "a request failed", path=path if path in self._routes else "other", **place_of(error))
            answer = _refused(Refusal(FAILED, "the server failed to answer this request; its log says where"))
        known = path if path in self._routes or path in FILES else "other"
        sentences, tokens = (job.sentences, job.tokens) if job is not None and answer.status == 200 else (0, 0)
        self.metrics.add(known, answer.status, monotonic() - began, sentences, tokens)
        await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
        await send({"type": "http.response.body", "body": answer.body})

    # Checks

    def _route(self, path: str) -> tuple[str, bool, Callable[[Any, Receive], Awaitable[Answer]]]:
        found = self._routes.get(path)
        if found is None:
            raise Refusal(NOT_FOUND, "there is nothing at this path; see /docs")
        return found

    def _check_host(self, headers: Headers) -> None:
        if self._hosts is None:
            return
        given = next((value for name, value in headers if name == b"host"), b"").decode("latin-1").lower()
        host = given.rpartition(":")[0] if given.rpartition(":")[2].isdigit() and not given.endswith("]") else given
        if host not in self._hosts:
            raise Refusal(
                MISDIRECTED, "without a token, the service answers only to localhost; start it with --token for others"
            )

    def _check_token(self, headers: Headers) -> None:
        if self._token is None:
            return
        given = next((value for name, value in headers if name == b"authorization"), b"")
        if not hmac.compare_digest(given, self._token):
            raise Refusal(
                UNAUTHORIZED, "send the token of this service: 'Authorization: Bearer TOKEN'", www_authenticate="Bearer"
            )

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
            body = await self._body(scope["headers"], receive)
            job = scope["job"] = Job(body, deadline, explain=explain)
            await self._batches.run(job)
        finally:
            self._under_way -= 1
        if not isinstance(job.answer, bytes):
            raise job.answer or Refusal(FAILED, "the server failed to answer this request; its log says where")
        return Answer(200, [JSON, (b"content-length", b"%d" % len(job.answer)), *SECURITY], job.answer)

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        length = next((value for name, value in headers if name == b"content-length"), b"0")
        if length.isdigit() and (len(length) > 18 or int(length) > self.limits.body):
            raise too_large(self.limits)
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self.limits.seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise bad("the client closed the connection")
                    part = message.get("body", b"")
                    size += len(part)
                    if size > self.limits.body:
                        raise too_large(self.limits)
                    parts.append(part)
                    if not message.get("more_body", False):
                        return parts[0] if len(parts) == 1 else b"".join(parts)
        except TimeoutError:
            raise Refusal(
                TOO_SLOW, f"the body took longer than {self.limits.seconds:g} s; send it faster", connection="close"
            ) from None

    async def _models(self, scope: Any, receive: Receive) -> Answer:
        return _json({"models": self.registry.describe()})

    async def _metrics(self, scope: Any, receive: Receive) -> Answer:
        batches = self._batches
        gauges = {
            "requests_under_way": float(self._under_way),
            "requests_waiting": float(0 if batches is None else len(batches)),
        }
        counters = {
            "batches_total": float(0 if batches is None else batches.count),
            "batched_requests_total": float(0 if batches is None else batches.jobs),
            "model_swaps_total": float(self.registry.swaps),
            "model_failures_total": float(self.registry.failures),
        }
        body = self.metrics.text(gauges, counters).encode()
        return Answer(200, [TEXT, (b"content-length", b"%d" % len(body)), NO_STORE, *SECURITY], body)

    async def _health(self, scope: Any, receive: Receive) -> Answer:
        return _json({"status": "ok", "version": __version__})

    async def _ready(self, scope: Any, receive: Receive) -> Answer:
        if self.stopping or self._batches is None:
            raise Refusal(503, "the server is stopping")
        return _json({"status": "ready"})

    async def _openapi(self, scope: Any, receive: Receive) -> Answer:
        return _json(openapi(self.limits))

    # Life

    async def _live(self, receive: Receive, send: Send) -> None:
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


def _file(file: File, method: str) -> Answer:
    if method not in ("GET", "HEAD"):
        raise Refusal(NOT_ALLOWED, f"this path takes GET, not {_word(method)}", allow="GET")
    return Answer(200, file.headers, file.body)


def _json(record: Any) -> Answer:
    body = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
    return Answer(200, [JSON, (b"content-length", b"%d" % len(body)), NO_STORE, *SECURITY], body)


def _refused(refusal: Refusal) -> Answer:
    found = _json({"error": str(refusal)})
    more = [(name.replace("_", "-").encode(), value.encode()) for name, value in refusal.headers.items()]
    if refusal.status == 413:
        more.append((b"connection", b"close"))  # the rest of the body is not read
    return found._replace(status=refusal.status, headers=found.headers + more)


def _word(method: str) -> str:
    return method if method.isalpha() and len(method) < 10 else "this method"
