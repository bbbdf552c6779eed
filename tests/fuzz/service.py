"""The real service as doors: raw bytes on a socket, requests drawn from its own description, and bad clients.

    http      bytes ─▶ socket ─▶ answers: 200, 4xx or 503, JSON, without paths and stack traces
    api       bytes ─▶ random stream ─▶ a request by the schema of /openapi.json ─▶ an answer by its schema
    clients   bytes ─▶ random stream ─▶ a slow, broken or greedy client, who stays ─▶ a good client is answered as ever

Only the loopback interface is used. Each process of the fuzzer starts one service, on a free port.

The generator of `api` is written here, so that `make test` needs no other; Schemathesis runs beside it where it is
installed (described.py).
"""

import atexit
import json
import random
import re
import socket
from collections import deque
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jsonschema

from tests.fuzz.http_cases import BODY, CASES
from tests.support.service import PATIENCE, Service, names_model

LIMITS = ("--timeout", "30", "--max-tokens", "20000", "--max-body", "1", "--max-connections", "400")
ALLOWED = {100, 200, 400, 401, 403, 404, 405, 408, 413, 421, 431, 503}
SECRETS = re.compile(rb"Traceback|site-packages|\.py\b|/src/|/tmp/|tagfield/apps")
# Bytes that the service may grow while it is fuzzed. What grows by default is the heap of the allocator: glibc raises
# its threshold for mmap when large blocks are freed, and buffers of bodies and answers then come from the heap. In MB,
# after 1, 120, 300, 500, 700 and 900 bad clients, three services side by side, measured once:
#
#     default             97   144   220   262   262   237     220 when all had gone
#     MALLOC_ARENA_MAX=2 105   159   205   234   234   234     209
#     fixed thresholds    92   133   142   138   135   139     133
#
# So the thresholds are fixed here, and what still grows is kept by the service. docs/serve.md names the two variables.
GROWTH = 128 << 20
THRESHOLDS = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "131072"}
OPEN, WARM = 60, 120  # bad clients at a time; after so many, more of them must not take more memory
PAUSE = 0.05  # seconds without an answer after which a request is taken to be incomplete


@cache
def service() -> Service:
    """The service, which ends with this process."""
    folder = TemporaryDirectory(prefix="tagfield-fuzz-")
    path = Path(folder.name, "names.tagfield")
    names_model().save(path)
    found = Service(path, *LIMITS, **THRESHOLDS)

    @atexit.register
    def end() -> None:
        found.process.kill()
        found.process.wait()
        found._reader.join()
        assert found.process.stderr is not None
        found.process.stderr.close()
        folder.cleanup()

    return found


def connect() -> socket.socket:
    return socket.create_connection(("127.0.0.1", service().port), timeout=PATIENCE)


def answers_to(data: bytes, pause: float = PAUSE) -> list[tuple[int, bytes]]:
    """Status and body of every answer to some bytes, until the server closes the connection or has no more to say."""
    got = b""
    with connect() as client:
        try:
            client.sendall(data)
            client.settimeout(pause)
            while part := client.recv(1 << 16):
                got += part
        except (TimeoutError, ConnectionError):
            pass
    return list(split(got))


def split(got: bytes) -> Any:
    """The answers in what a connection gave; one without its body, as for HEAD, has an empty one."""
    while got:
        head, end, got = got.partition(b"\r\n\r\n")
        status = re.match(rb"HTTP/1\.1 (\d{3})", head)
        assert status, got[:200]
        size = re.search(rb"content-length: (\d+)", head)
        body, rest = (
            (b"", got) if size is None or got.startswith(b"HTTP/1.1 ") else (got[: int(size[1])], got[int(size[1]) :])
        )
        whole = bool(end) and (size is None or len(body) == int(size[1]))
        if whole and body and int(status[1]) != 200:
            assert b"application/json" in head
            assert list(json.loads(body)) == ["error"]
        yield int(status[1]), body
        got = rest


def check(found: list[tuple[int, bytes]]) -> None:
    for status, body in found:
        assert status in ALLOWED, (status, body)
        assert status == 200 or not SECRETS.search(body), body
    assert service().process.poll() is None, "the service has ended"


def http(data: bytes) -> str:
    """Any bytes on a connection."""
    found = answers_to(data)
    check(found)
    return " ".join(f"{'abcdef'[status // 100]} {_said(body)}" for status, body in found)


def _said(body: bytes) -> str:
    found = re.match(rb'\{"error": ?"([^"\\]*)', body)
    return found[1].decode() if found else "answer" if body else "nothing"


# Requests by the description of the API


@cache
def description() -> Any:
    return service().get("/openapi.json")[1]


WORDS = ("Anna", "lives", "in", "New", "York", ".", "", " ", "a b", "\ud800", "é", "😀", "\0", "x" * 300, "1")
VALUES = (None, True, False, 0, -1, 1.5, 1e308, 10**30, "", "O", [], {}, [[]], [None], {"": None}, "BIO", "names")


def drawn(schema: Any, rng: random.Random, depth: int = 0) -> Any:
    """A value that fits a schema, as a rule."""
    if rng.random() < 0.04:
        return rng.choice(VALUES)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "oneOf" in schema:
        return drawn(rng.choice(schema["oneOf"]), rng, depth)
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = rng.choice(kind)
    if kind == "null":
        return None
    if kind == "string":
        return " ".join(rng.choice(WORDS) for _ in range(rng.choice((0, 1, 1, 1, 4, 40))))
    if kind == "integer":
        return rng.randint(schema.get("minimum", 0), schema.get("maximum", 6))
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "array":
        return [
            drawn(schema["items"], rng, depth + 1) for _ in range(rng.choice((0, 1, 2, 3, 3, 20)) if depth < 3 else 1)
        ]
    if kind == "object" and "properties" not in schema:
        return {rng.choice(WORDS): rng.choice((1.0, "a", True, *VALUES)) for _ in range(rng.randint(0, 3))}
    span = {
        "start": rng.randint(0, 9),
        "end": rng.randint(0, 30),
        "label": rng.choice(("PER", "LOC", "O", "B-PER", "X")),
    }
    return rng.choice([[span], [None, "O"], ["B-PER"], {"0": "O"}, {"1": ["O", "B-LOC"]}, *VALUES])


def api(data: bytes) -> str:
    """A request to one of the paths, drawn by its schema."""
    rng = random.Random(data)
    path, verbs = rng.choice(
        sorted(description()["paths"].items()) + [(p, v) for p, v in description()["paths"].items() if "post" in v] * 6
    )
    [(verb, operation)] = verbs.items()
    body = None
    if verb == "post":
        fields = operation["requestBody"]["content"]["application/json"]["schema"]["properties"]
        forms = [name for name in ("text", "texts", "words", "sentences", "attributes", "sequences") if name in fields]
        chosen = {name for name in fields if name not in forms and rng.random() < 0.25} - (
            {"model"} if rng.random() < 0.9 else set()
        )
        chosen |= {rng.choice(forms)} if rng.random() < 0.97 else set()
        chosen |= {"token"} if "token" in fields and rng.random() < 0.97 else set()
        body = json.dumps({name: drawn(fields[name], rng) for name in sorted(chosen)}).encode()
    method = verb.upper() if rng.random() < 0.97 else rng.choice(("PUT", "DELETE", "PATCH", "GET", "OPTIONS"))
    status, found = service().send(method, path, body)
    check([(status, json.dumps(found).encode())])
    declared = operation["responses"]
    assert str(status) in declared, f"{status} is not declared for {path}"
    [(kind, content)] = declared[str(status)]["content"].items()
    assert (kind == "application/json") == (not isinstance(found, str))
    jsonschema.Draft202012Validator(content["schema"]).validate(found)
    return f"{path} {status} {found.get('error', '') if isinstance(found, dict) else ''}"


# Bad clients

_bad: deque[socket.socket] = deque()  # connections that stay open
_came: list[int] = []  # the service's memory after each bad client
HEAD = b"POST /v1/tag HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
GREEDY = json.dumps({"words": ["Anna", "lives"] * 4000, "n_best": 20}).encode()
LARGE = json.dumps({"sentences": [["Anna"] * 100] * 150}).encode()


def _behave(client: socket.socket, how: int, rng: random.Random) -> None:
    size = rng.randint(1, 200_000)
    if how == 0:  # slow: half of the headers
        client.sendall(HEAD[: rng.randint(1, len(HEAD))])
    elif how == 1:  # slow: half of the body
        client.sendall(HEAD % size + b"{" * rng.randint(0, size - 1))
    elif how == 2:  # broken: it goes in the middle of the body
        client.sendall(HEAD % size + b"{")
        client.close()
    elif how == 3:  # broken: it goes before it is answered
        client.sendall(HEAD % len(BODY) + BODY)
        client.close()
    elif how == 4:  # greedy: large answers that it never reads
        client.sendall((HEAD % len(LARGE) + LARGE) * rng.randint(1, 3))
    elif how == 5:  # greedy: many paths
        client.sendall(HEAD % len(GREEDY) + GREEDY)
    elif how == 6:  # greedy: headers, trailers, chunks and bodies that are too large
        start = rng.choice([HEAD % 100_000_000, HEAD[:-2] % 1, CASES["chunk extensions"][0][:120], b"GET /"])
        client.sendall(start + rng.choice([b"a", b"X: a\r\n", b"1\r\na\r\n"]) * rng.randint(1, 100_000))
    elif how == 7:  # idle
        pass
    else:  # byte by byte, with others in between
        for k in range(0, len(BODY), 5):
            client.send((HEAD % len(BODY) + BODY)[k : k + 5])


def clients(data: bytes) -> str:
    """One more bad client; a good one is answered as if it were alone."""
    rng = random.Random(data)
    how = rng.randrange(9)
    client = connect()
    client.settimeout(1.0)
    try:
        _behave(client, how, rng)
    except OSError:  # the server has closed the connection, or does not read on
        client.close()
    _bad.append(client)
    while len(_bad) > OPEN:
        _bad.popleft().close()
    status, found = service().post("/v1/tag", BODY)
    assert status == 503 or (status, found["labels"]) == (200, ["B-PER"]), (status, found)
    status, _ = service().get("/healthz")
    assert status == 200
    _came.append(_memory())
    for base, most in ((0, 2 * GROWTH), (WARM, GROWTH)):
        grown = _came[-1] - _came[min(len(_came) - 1, base)]
        assert grown < most, f"the service has grown by {grown:,} bytes after {len(_came)} bad clients"
    return f"client {'abcdefghi'[how]}"


def _memory() -> int:
    found = re.search(r"^tagfield_memory_bytes (\S+)$", service().get("/metrics")[1], re.MULTILINE)
    assert found
    return int(float(found[1]))


def _numbers() -> list[bytes]:
    service()  # before the clock of the fuzzer starts
    return [b"%d" % k for k in range(20)]


def _requests() -> list[bytes]:
    service()
    return [data for data, _ in CASES.values()]


DOORS = {"http": http, "api": api, "clients": clients}
MADE = {"http": _requests, "api": _numbers, "clients": _numbers}
