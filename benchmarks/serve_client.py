"""A load generator for benchmarks/serve.py: keep-alive connections, in a closed loop or at a fixed rate.

    serve_client.py PORT CONNECTIONS SECONDS RATE < bodies, one per line        prints one JSON object

With RATE 0 each connection sends its next request when it has an answer. With a rate, requests have fixed times, and a
request that waits for a free connection counts from its time: a slow server cannot slow the clock down.
"""

import asyncio
import json
import sys
import time
from collections import Counter, deque


class Client(asyncio.Protocol):
    """One connection."""

    def __init__(self, load: "Load") -> None:
        self._load = load
        self._buffer = b""
        self.began = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._load.free(self)

    def send(self, request: bytes, began: float) -> None:
        self.began = began
        self._transport.write(request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0:
            return
        place = self._buffer.index(b"content-length: ") + 16
        length = int(self._buffer[place : self._buffer.index(b"\r\n", place)])
        if len(self._buffer) < head + 4 + length:
            return
        status = int(self._buffer[9:12])
        self._buffer = b""
        self._load.answered(self, status)

    def connection_lost(self, error: Exception | None) -> None:
        self._load.lost += 1


class Load:
    """The requests, when to send them, and how long they took."""

    def __init__(self, requests: list[bytes], seconds: float, rate: float) -> None:
        self._requests, self._rate = requests, rate
        self._begin = time.perf_counter() + 0.2
        self._end = self._begin + seconds
        self._sent = self.lost = 0
        self._free: deque[Client] = deque()
        self._due: deque[float] = deque()
        self.times: list[float] = []
        self.statuses: Counter[int] = Counter()

    def free(self, client: Client) -> None:
        if self._rate:
            self._free.append(client)
            self._pair()
        elif time.perf_counter() < self._end:
            self._send(client, time.perf_counter())

    def answered(self, client: Client, status: int) -> None:
        self.times.append(time.perf_counter() - client.began)
        self.statuses[status] += 1
        self.free(client)

    async def run(self) -> None:
        planned = 0
        while (now := time.perf_counter()) < self._end:
            if self._rate:
                while (due := self._begin + planned / self._rate) <= now:
                    self._due.append(due)
                    planned += 1
                self._pair()
            await asyncio.sleep(0.001 if self._rate else 0.05)
        await asyncio.sleep(0.5)

    def _pair(self) -> None:
        while self._free and self._due:
            self._send(self._free.popleft(), self._due.popleft())

    def _send(self, client: Client, began: float) -> None:
        client.send(self._requests[self._sent % len(self._requests)], began)
        self._sent += 1


async def main(port: int, connections: int, seconds: float, rate: float) -> None:
    head = "POST /v1/tag HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n"
    requests = [head.format(len(body)).encode() + body for body in sys.stdin.buffer.read().splitlines()]
    load = Load(requests, seconds, rate)
    loop = asyncio.get_running_loop()
    for _ in range(connections):
        await loop.create_connection(lambda: Client(load), "127.0.0.1", port)
    await load.run()
    times = sorted(load.times)
    at = [times[min(len(times) - 1, int(share * len(times)))] for share in (0.5, 0.95, 0.99, 0.999)]
    names = ("p50", "p95", "p99", "p999")
    record = {name: round(value * 1000, 2) for name, value in zip(names, at, strict=True)}
    print(json.dumps({"rate": round(len(times) / seconds, 1), **record, "statuses": load.statuses, "lost": load.lost}))


if __name__ == "__main__":
    try:
        import uvloop

        uvloop.install()
    except ImportError:
        pass
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])))
