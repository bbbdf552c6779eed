"""The server: uvicorn, with limits on slow clients.

    socket ─▶ Connection (uvicorn's parser in C, and how long a client may take) ─▶ AsgiApp
    SIGTERM, SIGINT ─▶ no new connections ─▶ what was begun is finished ─▶ exit code 0

uvicorn waits forever for headers that do not come and for a client that does not read, and puts no limit on headers, on
the lines around chunks or on the trailers behind them. Once a second the server looks at its connections and closes
those that are slow. It speaks HTTP/1.1 only, so a client that offers an upgrade (`Upgrade: h2c`) is answered as if it
had not.
"""

import asyncio
import contextlib
import json
import logging
import signal
import socket
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httptools
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tagfield.apps.serve.asgi_app import AsgiApp
from tagfield.apps.serve.files import SECURITY
from tagfield.apps.serve.limits import Limits
from tagfield.apps.serve.log import JsonHandler, log, log_warning
from tagfield.apps.serve.refusals import BAD_REQUEST, HEADERS_TOO_LARGE, TOO_SLOW, UNAVAILABLE
from tagfield.errors import InputError

REASONS = {
    BAD_REQUEST: b"Bad Request",
    TOO_SLOW: b"Request Timeout",
    HEADERS_TOO_LARGE: b"Request Header Fields Too Large",
    UNAVAILABLE: b"Service Unavailable",
}
NOT_HTTP = "this is not a request of HTTP/1.1"
SPARE_FILES = 64  # for models, threads and the log
SLICE = 1 << 10  # bytes that the parser gets at once, so that long headers are seen before they are complete
LINGER = 1.0  # seconds in which a client with too many headers can read that
GRACE = 60  # seconds for what was begun before a stop


class Connection(HttpToolsProtocol):
    """uvicorn's connection, with limits on the bytes and the seconds of a request's headers and trailers."""

    limits = Limits()  # of the service; `run` sets them on a subclass

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._since = self.loop.time()  # when the connection began to wait for headers
        self._unread: tuple[int, float] = (0, 0.0)  # bytes that the client has not read, and since when
        self._refused = False
        self._begin()
        if len(self.connections) > self.limits.connections:
            self.refuse(UNAVAILABLE, "the server has too many connections; try again later")

    def _begin(self) -> None:
        """Wait for the next request."""
        self._within_headers = True  # between the end of a request and the end of the next one's headers
        self._within_lines = True  # within headers, trailers or the line before a chunk
        self._chunked = False
        self._chunk_lines = 0  # bytes around chunks, less the bytes in them
        self._raw_bytes = 0  # read while within such lines
        self._line_bytes = 0  # of the lines that are complete
        self._replays = False  # whether the request is parsed again, without its Upgrade

    def data_received(self, data: bytes) -> None:
        start = 0
        while start < len(data) and not self._refused and not self.transport.is_closing():
            size = SLICE if self._within_lines or self._chunked else len(data)
            part = data[start : start + size]
            start += size
            if self._within_headers and not self._raw_bytes:
                self._since = self.loop.time()
            self._only_lines = self._within_lines
            self._feed(part)
            if self._only_lines:
                self._raw_bytes += len(part)
                self._check_size()
            if self._chunked:
                self._chunk_lines += len(part)
                if self._chunk_lines > self.limits.header_bytes:
                    said = "the lines around the chunks have more bytes than the chunks; send larger chunks"
                    self.refuse(HEADERS_TOO_LARGE, said, linger=LINGER)

    def _feed(self, data: bytes) -> None:
        """`HttpToolsProtocol.data_received`, without upgrades."""
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            if self._replays:
                self._replay(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            self.refuse(BAD_REQUEST, NOT_HTTP)

    def _replay(self, rest: bytes) -> None:
        """Parse a request again as if it had asked for no upgrade; the parser skips the body of one that does."""
        head = [b"%s %s HTTP/%s" % (self.parser.get_method(), self.url, self.parser.get_http_version().encode())]
        for name, value in self.headers:
            if name == b"connection":
                value = b", ".join(each for each in value.split(b",") if each.strip().lower() != b"upgrade")
            if name != b"upgrade":
                head.append(name + b": " + value)
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does: pipelined requests
        self._begin()
        self._feed(b"\r\n".join([*head, b"", b""]) + rest)

    def _check_size(self) -> None:
        if max(self._raw_bytes, self._line_bytes) >= self.limits.header_bytes:
            said = f"the headers are larger than {self.limits.header_bytes:,} bytes"
            self.refuse(HEADERS_TOO_LARGE, said, linger=LINGER)

    # What the parser finds

    def on_url(self, url: bytes) -> None:
        self._line_bytes += len(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._line_bytes += len(name) + len(value) + 4
        if self._line_bytes >= self.limits.header_bytes:
            self._check_size()
            raise ValueError("refused")  # ends the parser
        if self._within_headers:  # an app does not see trailers
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._within_headers = self._within_lines = self._only_lines = False
        names = [name for name, _ in self.headers]
        self._chunked = b"transfer-encoding" in names
        if self.parser.get_http_version() not in ("1.0", "1.1"):
            self.refuse(BAD_REQUEST, NOT_HTTP)
            raise ValueError("refused")
        if names.count(b"host") > 1:  # a proxy may have looked at the other one
            self.refuse(BAD_REQUEST, "the request has several Host headers")
            raise ValueError("refused")
        self._replays = self.parser.should_upgrade() and b"upgrade" in names
        if not self._replays:
            super().on_headers_complete()

    def on_chunk_header(self) -> None:
        self._within_lines = True  # after the last chunk come trailers; before another one, a body

    def on_body(self, body: bytes) -> None:
        self._within_lines = self._only_lines = False
        self._chunk_lines -= 2 * len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        if not self._replays:
            self._only_lines = False
            super().on_message_complete()
            self._begin()

    def on_response_complete(self) -> None:
        self._since = self.loop.time()
        super().on_response_complete()

    def refuse(self, status: int, sentence: str, linger: float = 0.0) -> None:
        """Answer without the app, and close the connection.

        linger: seconds before it is closed; a client that is still sending may see a reset instead of the answer
        """
        if self._refused or self.transport.is_closing():
            return
        self._refused = True
        answered = not self._within_headers and self.cycle is not None and self.cycle.response_started
        if not answered:  # otherwise only the rest of the request is too large
            body = json.dumps({"error": sentence}).encode()
            headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)), *SECURITY]
            lines = [b"HTTP/1.1 %d %s" % (status, REASONS[status]), *(name + b": " + value for name, value in headers)]
            self.transport.write(b"\r\n".join([*lines, b"connection: close", b"", body]))
        if linger and not answered:
            self.loop.call_later(linger, self.transport.close)
        else:
            self.transport.close()

    def look(self, now: float) -> None:
        """Close the connection if its client is too slow."""
        waiting = self.transport.get_write_buffer_size()
        if waiting != self._unread[0]:
            self._unread = (waiting, now)
        elif waiting and now - self._unread[1] > self.limits.write_seconds:
            self.transport.abort()
            return
        idle = self.cycle is None or self.cycle.response_complete
        if not idle or now - self._since <= self.limits.header_seconds:
            return
        if self._raw_bytes and self._within_headers:
            self.refuse(TOO_SLOW, f"the headers took longer than {self.limits.header_seconds:g} s")
        elif self.cycle is None or not self._within_headers:
            self.transport.close()  # nothing was asked, or a refused body does not end; uvicorn closes the other ones


class Server(uvicorn.Server):
    """uvicorn's server, which closes slow connections and ends with exit code 0 on SIGTERM and SIGINT."""

    def __init__(self, config: uvicorn.Config, app: AsgiApp) -> None:
        super().__init__(config)
        self._app = app

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """uvicorn raises the signal again after a graceful stop; here that stop is a success."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: Any) -> None:
        self._app.stopping = True
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and sockets:
            host, port = sockets[0].getsockname()[:2]
            log("info", "listening", address=f"http://{f'[{host}]' if ':' in host else host}:{port}")

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:
            now = asyncio.get_running_loop().time()
            for connection in list(self.server_state.connections):
                if isinstance(connection, Connection):
                    connection.look(now)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        log("info", "stopping", under_way=len(self.server_state.tasks))
        await super().shutdown(sockets)
        log("info", "stopped")


def run(app: AsgiApp, host: str, port: int) -> None:
    """Serve until SIGTERM or SIGINT."""
    listener = bind(host, port)
    limits = replace(app.limits, connections=min(app.limits.connections, open_files() - SPARE_FILES))
    warnings.showwarning = log_warning
    for name in ("uvicorn.error", "asyncio"):
        errors = logging.getLogger(name)
        errors.handlers, errors.propagate = [JsonHandler()], False
    config = uvicorn.Config(
        app,
        http=type("Connection", (Connection,), {"limits": limits}),
        loop="uvloop" if _has_uvloop() else "asyncio",
        ws="none",
        lifespan="on",
        interface="asgi3",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=app.limits.idle_seconds,
        timeout_graceful_shutdown=GRACE,
    )
    Server(config, app).run([listener])


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens; InputError if the address cannot be used."""
    found: socket.socket | None = None
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
    except (OSError, UnicodeError, OverflowError) as error:
        if found is not None:
            found.close()
        why = getattr(error, "strerror", None) or error
        raise InputError(f"cannot listen on {host} port {port}: {why}; choose another --port or --host") from None
    return found


def open_files() -> int:
    """How many files may be open, after asking for more: a connection is one, and the usual limit is 1,024.

    >>> open_files() > SPARE_FILES
    True
    """
    if sys.platform == "win32":
        return 65_536
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65_536 if hard == resource.RLIM_INFINITY else min(65_536, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return wanted
    return 65_536 if soft == resource.RLIM_INFINITY else max(soft, SPARE_FILES + 1)


def _has_uvloop() -> bool:
    try:
        import uvloop  # noqa: F401
    except ImportError:
        return False
    return True
