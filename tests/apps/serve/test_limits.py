"""Clients that ask for too much, too slowly, or not at all get a 4xx or a 503, and the others do not notice."""

import contextlib
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.service import PATIENCE, Service, served

TOKEN = "a-long-secret"
BEARER = f"Bearer {TOKEN}"


@pytest.fixture(scope="module")
def strict(folder: Path) -> Iterator[Service]:
    """A server with a token and small limits."""
    limits = (
        "--max-body",
        "0.01",
        "--max-tokens",
        "50",
        "--max-requests",
        "4",
        "--timeout",
        "4",
        "--max-connections",
        "300",
    )
    with served(folder / "names.tagfield", *limits, TAGFIELD_TOKEN=TOKEN) as found:
        yield found


def head(body: int, *more: str) -> bytes:
    lines = ["POST /v1/tag HTTP/1.1", "Host: x", f"Authorization: {BEARER}", f"Content-Length: {body}", *more]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def split(answer: bytes) -> tuple[int, dict]:
    start, _, body = answer.partition(b"\r\n\r\n")
    return int(start.split()[1]), json.loads(body)


def test_the_token(strict: Service) -> None:
    for path in ("/v1/models", "/metrics"):
        assert strict.get(path, authorization=BEARER)[0] == 200
        for wrong in ("Bearer a-long-secre", f"Bearer {TOKEN}x", TOKEN, "Basic eDp5", "Bearer é"):
            status, found = strict.get(path, authorization=wrong)
            assert (status, "token" in found["error"], TOKEN in found["error"]) == (401, True, False)
        assert strict.get(path)[0] == 401
    assert strict.post("/v1/tag", {"text": "Anna"})[0] == strict.post("/v1/explain", {})[0] == 401
    for path in ("/", "/docs", "/openapi.json", "/healthz", "/readyz"):  # probes and the page, which asks for the token
        assert strict.get(path)[0] == 200
    assert strict.get("/v1/models", authorization=BEARER, host="tags.example")[0] == 200  # behind a proxy


def test_bodies_and_tokens(strict: Service) -> None:
    status, found = strict.post("/v1/tag", {"text": "a" * 20_000}, authorization=BEARER)
    assert (status, found["error"].startswith("the body is larger than 10,485 bytes")) == (413, True)
    chunked = head(0, "Transfer-Encoding: chunked", "Connection: close").replace(b"Content-Length: 0\r\n", b"")
    assert split(strict.raw(chunked + (b"1000\r\n" + b"a" * 4096 + b"\r\n") * 9))[0] == 413
    for body in ({"words": ["a"] * 51}, {"text": "a " * 51}, {"sentences": [["a"] * 30] * 2}):
        status, found = strict.post("/v1/tag", body, authorization=BEARER)
        assert (status, "50 are allowed" in found["error"]) == (413, True)
    assert strict.post("/v1/tag", {"words": ["a"] * 50}, authorization=BEARER)[0] == 200


def answer_of(client: socket.socket) -> bytes:
    """One answer of a connection that stays open."""
    got = b""
    while not (whole := re.search(rb"content-length: (\d+)\r\n.*?\r\n\r\n", got, re.DOTALL)) or len(
        got
    ) < whole.end() + int(whole[1]):
        got += client.recv(65536)
    return got


def test_a_client_that_sends_a_large_body_reads_the_answer(strict: Service) -> None:
    """Not a reset of the connection, as where it is closed while the client is sending; then the connection goes on."""
    size = 100_000
    for more in ([], ["Connection: close"]):
        with socket.create_connection(("127.0.0.1", strict.port), timeout=30) as client:
            client.sendall(head(size, *more))
            for _ in range(100):
                client.sendall(b"a" * (size // 100))
                time.sleep(0.001)
            assert split(answer_of(client))[0] == 413
    size = 20_000_000
    with socket.create_connection(("127.0.0.1", strict.port), timeout=30) as client:
        client.sendall(head(size))
        for _ in range(100):
            client.sendall(b"a" * (size // 100))
        assert split(answer_of(client))[0] == 413
        body = b'{"words": ["a"]}'
        client.sendall(head(len(body)) + body)
        assert split(answer_of(client))[0] == 200
    with socket.create_connection(("127.0.0.1", strict.port), timeout=30) as client:
        client.sendall(head(size, "Expect: 100-continue"))  # it waits for a word before it sends
        answer = answer_of(client)
        assert split(answer)[0] == 413
        assert b"connection: close" in answer
        assert client.recv(10) == b""


def test_headers(strict: Service) -> None:
    status, found = split(strict.raw(b"GET / HTTP/1.1\r\nX: " + b"a" * 40_000))
    assert (status, "headers" in found["error"]) == (431, True)
    for data in (b"hello\r\n\r\n", b"GET /\xff HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"GET  HTTP/9\r\n\r\n"):
        assert split(strict.raw(data))[0] == 400


def test_headers_in_one_read(strict: Service) -> None:
    """Complete or not, in one line or many, in one read of the server or many."""
    for size in (33 << 10, 60 << 10, 120 << 10):
        for lines in (b"X: " + b"a" * size, b"X: a\r\n" * (size // 6), b"X: " + b"a" * size + b"\r\n\r\n"):
            assert split(answer_to(strict, b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + lines))[0] == 431
    fits = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: " + b"a" * (31 << 10) + b"\r\n\r\n"
    assert split(strict.raw(fits))[0] == 200


CHUNKED = b"POST /v1/tag HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n%s\r\n2\r\n{}\r\n0\r\n"


@pytest.mark.parametrize("line", [b"X: a\r\n", b"X: " + b"a" * 1000 + b"\r\n", b"a" * 6000])
def test_trailers_count_as_headers_with_and_without_a_token(strict: Service, line: bytes) -> None:
    bearer = f"Authorization: {BEARER}\r\n".encode()
    for size in (33 << 10, 120 << 10):
        assert split(answer_to(strict, CHUNKED % bearer + line * (size // len(line) + 1)))[0] == 431
    before = memory(strict)
    for start in (CHUNKED % b"", CHUNKED % bearer):
        deadline = time.monotonic() + PATIENCE
        with socket.create_connection(("127.0.0.1", strict.port), timeout=PATIENCE) as client:
            client.sendall(start)
            with contextlib.suppress(ConnectionError):
                while True:  # until the server closes the connection
                    client.sendall(line * 10)
                    assert time.monotonic() < deadline
    assert memory(strict) < before + (16 << 20)
    client_headers = bearer + b"Connection: close\r\nX: " + b"a" * (20 << 10) + b"\r\n"
    assert split(answer_to(strict, CHUNKED % client_headers + b"X: " + b"a" * (20 << 10)))[0] == 431  # together
    status, found = split(strict.raw(CHUNKED % (bearer + b"Connection: close\r\n") + b"X: a\r\n\r\n"))
    assert (status, "a request has one of" in found["error"]) == (400, True)


AROUND_CHUNKS = {
    "a size without end": b"0" * 60_000,
    "an extension without end": b"5;" + b"a=b;" * 15_000,
    "chunks of one byte": b"1\r\na\r\n" * 10_000,
    "chunks with extensions": (b"1;" + b"a" * 99 + b"\r\na\r\n") * 600,
}


@pytest.mark.parametrize("lines", AROUND_CHUNKS.values(), ids=AROUND_CHUNKS)
def test_lines_around_chunks_are_bounded(strict: Service, lines: bytes) -> None:
    """They are not a part of the body, so they need a limit of their own."""
    start, bearer = CHUNKED.partition(b"2\r\n")[0], f"Authorization: {BEARER}\r\n".encode()
    for body in (b"", b"2\r\n{}\r\n"):
        status, found = split(answer_to(strict, start % bearer + body + lines))
        assert (status, "chunks" in found["error"]) == (431, True)
    parts = [b'{"words":', *[b" " * 8] * 900, b'["Anna"]}']  # small chunks, but not as small as that
    chunks = b"".join(b"%x;a=b\r\n%s\r\n" % (len(part), part) for part in parts)
    assert split(answer_to(strict, start % bearer + chunks + b"0\r\n\r\n"))[0] == 200


def test_the_limit_holds_for_every_request_of_a_connection(strict: Service) -> None:
    with socket.create_connection(("127.0.0.1", strict.port), timeout=PATIENCE) as client:
        for size, status in (*[(20 << 10, 200)] * 5, (33 << 10, 431)):
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"a" * size + b"\r\n\r\n")
            assert split(answer_of(client))[0] == status
    with socket.create_connection(("127.0.0.1", strict.port), timeout=PATIENCE) as client:
        client.sendall(CHUNKED % b"")
        assert split(answer_of(client))[0] == 401  # answered, and the trailers still count
        with contextlib.suppress(ConnectionError):
            for _ in range(10_000):
                client.sendall(b"X: " + b"a" * 1000 + b"\r\n")
            raise AssertionError("the connection is still open")


def test_others_are_answered_during_trailers_without_end(strict: Service) -> None:
    stop, waits = threading.Event(), []

    def flood() -> None:
        while not stop.is_set():
            with (
                contextlib.suppress(ConnectionError),
                socket.create_connection(("127.0.0.1", strict.port), timeout=PATIENCE) as client,
            ):
                client.sendall(CHUNKED % b"")
                while not stop.is_set():
                    client.sendall(b"X: a\r\n" * 10_000)

    before = memory(strict)
    flooding = threading.Thread(target=flood)
    flooding.start()
    for _ in range(30):
        start = time.monotonic()
        assert strict.get("/healthz")[0] == 200
        waits.append(time.monotonic() - start)
    stop.set()
    flooding.join()
    assert sorted(waits)[len(waits) // 2] < 2.0  # it was up to 10 s
    assert memory(strict) < before + (16 << 20)


def memory(service: Service) -> float:
    found = re.search(r"^tagfield_memory_bytes (\S+)$", service.get("/metrics", authorization=BEARER)[1], re.MULTILINE)
    assert found is not None
    return float(found[1])


def test_an_upgrade_is_ignored_and_the_body_is_read(strict: Service) -> None:
    body = b'{"words":["Anna"],"probabilities":false}'
    upgrade = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA")
    whole = head(len(body), *upgrade) + body
    with socket.create_connection(("127.0.0.1", strict.port), timeout=PATIENCE) as client:
        client.sendall(whole[:-10])  # the rest comes later
        time.sleep(0.05)
        client.sendall(whole[-10:])
        assert split(answer_of(client)) == (200, split(answer_to(strict, head(len(body)) + body))[1])
        client.sendall(whole * 2)
        found = b""
        while found.count(b'"labels":["B-PER"]') < 2:
            found += client.recv(65536)
        assert found.count(b"HTTP/1.1 200") == 2
    chunked = CHUNKED % f"Authorization: {BEARER}\r\nConnection: close, upgrade\r\nUpgrade: h2c\r\n".encode()
    assert split(strict.raw(chunked + b"\r\n"))[0] == 400  # the request is {}
    websocket = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    assert split(answer_to(strict, websocket))[0] == 200


def test_a_body_that_looks_like_a_request_is_a_body(strict: Service) -> None:
    """With Upgrade, the parser of HTTP skips the body, so its bytes would be read as the next request."""
    inside = b"GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: " + BEARER.encode() + b"\r\nConnection: close\r\n\r\n"
    for offer in ("h2c", "websocket", "TLS/1.0", "h2c, foo"):
        upgrade = (f"Upgrade: {offer}", "Connection: Upgrade, close")
        found = strict.raw(head(len(inside), *upgrade) + inside)
        assert (found.count(b"HTTP/1.1 "), split(found)[0]) == (1, 400)
        assert b"tagfield_requests" not in found


def answer_to(service: Service, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE) as client:
        client.sendall(data)
        return answer_of(client)


def test_two_hosts_are_refused(strict: Service) -> None:
    status, found = split(strict.raw(b"GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n"))
    assert (status, found["error"]) == (400, "the request has several Host headers")


def test_slow_clients_and_many_idle_ones(strict: Service) -> None:
    idle = [socket.create_connection(("127.0.0.1", strict.port)) for _ in range(150)]
    headers = socket.create_connection(("127.0.0.1", strict.port))
    headers.sendall(b"GET / HTTP/1.1\r\nX: ")
    body = socket.create_connection(("127.0.0.1", strict.port))
    body.sendall(head(100) + b"{")
    headers.settimeout(0.25)
    found = b""
    while not found:  # a byte now and then, and the others are answered meanwhile
        headers.sendall(b"a")
        assert strict.post("/v1/tag", {"text": "Anna"}, authorization=BEARER)[0] == 200
        with contextlib.suppress(TimeoutError):
            found = headers.recv(65536)
    assert split(found)[0] == 408
    headers.close()
    body.settimeout(PATIENCE)
    assert split(body.recv(65536))[0] == 408
    body.close()
    for client in idle:
        client.settimeout(PATIENCE)
        assert client.recv(1) == b""  # closed, and nothing was said
        client.close()


def test_too_many_connections_and_requests(strict: Service) -> None:
    waiting = [socket.create_connection(("127.0.0.1", strict.port)) for _ in range(4)]
    for client in waiting:
        client.settimeout(PATIENCE)
        client.sendall(head(10, "Expect: 100-continue"))
        assert client.recv(65536).startswith(b"HTTP/1.1 100")  # four requests are under way
    status, found = strict.post("/v1/tag", {"text": "Anna"}, authorization=BEARER)
    assert (status, found["error"]) == (503, "the server is busy; try again in a second")
    assert strict.get("/healthz")[0] == 200
    for client in waiting:
        client.close()
    clients = [socket.create_connection(("127.0.0.1", strict.port)) for _ in range(310)]
    clients[-1].settimeout(PATIENCE)
    assert split(clients[-1].recv(65536)) == (503, {"error": "the server has too many connections; try again later"})
    for client in clients:
        client.close()
    deadline = time.monotonic() + PATIENCE
    while strict.post("/v1/tag", {"text": "Anna"}, authorization=BEARER)[0] != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_request_in_pieces_and_several_at_once(strict: Service) -> None:
    """What is split anywhere, and what is pipelined, is answered all the same."""
    body = b'{"words":["Anna"],"probabilities":false}'
    whole = head(len(body)) + body
    with socket.create_connection(("127.0.0.1", strict.port), timeout=PATIENCE) as client:
        for k in range(0, len(whole), 40):
            client.sendall(whole[k : k + 40])
            time.sleep(0.005)
        client.sendall(whole * 3)
        found = b""
        while found.count(b'"labels":["B-PER"]') < 4:
            found += client.recv(65536)
    assert found.count(b"HTTP/1.1 200") == 4
