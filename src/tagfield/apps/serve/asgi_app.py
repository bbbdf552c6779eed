"""AsgiApp: what every app of this server does before and after its own work. An ASGI application with fixed paths.

    request ─▶ file of a page? ─▶ route ─▶ host ─▶ origin ─▶ token ─▶ method ─▶ endpoint ─▶ answer
       └─ any refusal ─▶ {"error": sentence} with its status

The routes are a dict of fixed paths. Starlette's router with msgspec's records is as fast and takes as many lines: most
of them are limits, checks and wording, which a framework does not bring.
"""

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any, NamedTuple

from tagfield.apps.serve.files import SECURITY, File
from tagfield.apps.serve.limits import Limits
from tagfield.apps.serve.log import log, place_of
from tagfield.apps.serve.refusals import (
    FAILED,
    FORBIDDEN,
    MISDIRECTED,
    NOT_ALLOWED,
    NOT_FOUND,
    TOO_SLOW,
    UNAUTHORIZED,
    Refusal,
    bad,
    too_large,
)

Headers = list[tuple[bytes, bytes]]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

JSON = (b"content-type", b"application/json")
NO_STORE = (b"cache-control", b"no-store")
FORGET_BODIES = 16  # read and discard at most this many times the largest body
FORGET_SECONDS = 1.0  # stop discarding when nothing arrives for this long


class Answer(NamedTuple):
    """A status, headers and a body."""

    status: int
    headers: Headers
    body: bytes


Endpoint = Callable[[Any, Receive], Awaitable[Answer]]
Route = tuple[str, bool, Endpoint]  # method, whether it is guarded by host, origin and token, what answers


class AsgiApp:
    """An ASGI application; subclasses fill `routes` and say what happens while the server lives.

    limits: for bodies and connections
    token: what clients must send as `Authorization: Bearer TOKEN`; None if the service is for this machine alone
    hosts: names that the header Host may have; None for any. Without a token, a page of another site must not reach
        the service through a name that it has pointed at 127.0.0.1
    files: the pages, by path
    own_pages: refuse POSTs that a page of another site sends; for apps that change something
    """

    def __init__(
        self,
        limits: Limits,
        token: str | None,
        hosts: frozenset[str] | None,
        files: Mapping[str, File],
        *,
        own_pages: bool = False,
    ) -> None:
        self.limits = limits
        self.routes: dict[str, Route] = {}
        self.stopping = False
        self._token = None if token is None else b"Bearer " + token.encode()
        self._hosts = hosts
        self._files = files
        self._own_pages = own_pages

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.live(receive, send)
            return
        began = monotonic()
        path, method = scope["path"], scope["method"]
        try:
            file = self._files.get(path)
            if file is not None:
                answer = _file(file, method)
            else:
                needed, guarded, endpoint = self._route(path)
                if guarded:
                    self._check_host(scope["headers"])
                    if self._own_pages and method != "GET":
                        check_origin(scope["headers"])
                    self._check_token(scope["headers"])
                if method != needed and not (method == "HEAD" and needed == "GET"):
                    raise Refusal(NOT_ALLOWED, f"{path} takes {needed}, not {_word(method)}", allow=needed)
                answer = await endpoint(scope, receive)
        except Refusal as refusal:
            answer = refused(refusal)
        except Exception as error:
            log("error", "a request failed", path=path if path in self.routes else "other", **place_of(error))
            answer = refused(Refusal(FAILED, "the server failed to answer this request; its log says where"))
        self.answered(scope, answer, monotonic() - began)
        await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
        await send({"type": "http.response.body", "body": answer.body})

    # What subclasses change

    def answered(self, scope: Any, answer: Answer, seconds: float) -> None:
        """Called for every answer, before it is sent."""

    async def live(self, receive: Receive, send: Send) -> None:
        """Start and end with the server, by ASGI's lifespan protocol."""
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})

    # Checks

    def _route(self, path: str) -> Route:
        found = self.routes.get(path)
        if found is None:
            advice = "; see /docs" if "/docs" in self._files else ""
            raise Refusal(NOT_FOUND, f"there is nothing at this path{advice}")
        return found

    def _check_host(self, headers: Headers) -> None:
        if self._hosts is None:
            return
        given = value_of(headers, b"host").decode("latin-1").lower()
        host = given.rpartition(":")[0] if given.rpartition(":")[2].isdigit() and not given.endswith("]") else given
        if host not in self._hosts:
            raise Refusal(
                MISDIRECTED, "without a token, the service answers only to localhost; start it with --token for others"
            )

    def _check_token(self, headers: Headers) -> None:
        if self._token is None:
            return
        if not hmac.compare_digest(value_of(headers, b"authorization"), self._token):
            raise Refusal(
                UNAUTHORIZED, "send the token of this service: 'Authorization: Bearer TOKEN'", www_authenticate="Bearer"
            )

    async def body(self, headers: Headers, receive: Receive) -> bytes:
        """The body of a request, if it is not too large and does not take too long."""
        length = value_of(headers, b"content-length") or b"0"
        if length.isdigit() and (len(length) > 18 or int(length) > self.limits.body):
            waits = bool(value_of(headers, b"expect"))  # for 100 Continue before it sends the body
            if not waits and len(length) < 12 and int(length) <= FORGET_BODIES * self.limits.body:
                await self._forget(receive)
            raise too_large(self.limits, closes=waits)
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
                    parts.append(part)
                    if size > self.limits.body:
                        break
                    if not message.get("more_body", False):
                        return parts[0] if len(parts) == 1 else b"".join(parts)
        except TimeoutError:
            raise Refusal(
                TOO_SLOW, f"the body took longer than {self.limits.seconds:g} s; send it faster", connection="close"
            ) from None
        await self._forget(receive)
        raise too_large(self.limits)

    async def _forget(self, receive: Receive) -> None:
        """Read on for a while: a client that is still sending when it is answered may see a reset instead."""
        size = 0
        with suppress(TimeoutError):
            async with asyncio.timeout(self.limits.seconds):
                while size < FORGET_BODIES * self.limits.body:
                    async with asyncio.timeout(FORGET_SECONDS):
                        message = await receive()
                    size += len(message.get("body", b""))
                    if not message.get("more_body", False):
                        return


def value_of(headers: Headers, wanted: bytes) -> bytes:
    """The value of a header; empty if there is none.

    >>> value_of([(b"host", b"localhost")], b"host"), value_of([], b"host")
    (b'localhost', b'')
    """
    return next((value for name, value in headers if name == wanted), b"")


def check_origin(headers: Headers) -> None:
    """Raise Refusal for what a page of another site sends; a browser says where a page comes from.

    A form of another site can only send text, so what changes something must also be JSON.

    >>> check_origin([(b"host", b"localhost:8000"), (b"content-type", b"application/json")])
    >>> check_origin([(b"host", b"localhost:8000"), (b"origin", b"http://example.org")])
    Traceback (most recent call last):
    tagfield.apps.serve.refusals.Refusal: this request comes from a page of another site
    """
    origin, host = value_of(headers, b"origin").lower(), value_of(headers, b"host").lower()
    site = value_of(headers, b"sec-fetch-site")
    if (origin and origin.partition(b"://")[2] != host) or site not in (b"", b"same-origin", b"none"):
        raise Refusal(FORBIDDEN, "this request comes from a page of another site")
    kind = value_of(headers, b"content-type").partition(b";")[0].strip().lower()
    if kind != b"application/json":
        raise Refusal(FORBIDDEN, "send JSON, with the header 'Content-Type: application/json'")


def as_json(record: Any) -> Answer:
    """A record as an answer that no cache keeps.

    >>> as_json({"a": 1}).body
    b'{"a":1}'
    """
    body = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
    return Answer(200, [JSON, (b"content-length", b"%d" % len(body)), NO_STORE, *SECURITY], body)


def refused(refusal: Refusal) -> Answer:
    """A refusal as an answer.

    >>> refused(bad("text must be a string")).status
    400
    """
    found = as_json({"error": str(refusal)})
    more = [(name.replace("_", "-").encode(), value.encode()) for name, value in refusal.headers.items()]
    return found._replace(status=refusal.status, headers=found.headers + more)


def _file(file: File, method: str) -> Answer:
    if method not in ("GET", "HEAD"):
        raise Refusal(NOT_ALLOWED, f"this path takes GET, not {_word(method)}", allow="GET")
    return Answer(200, file.headers, file.body)


def _word(method: str) -> str:
    return method if method.isalpha() and len(method) < 10 else "this method"
