"""A real server in a process of its own, on a free port, and a client with nothing between it and the socket."""

import http.client
import json
import os
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tagfield import Model, Settings

PATIENCE = 120.0  # seconds, for a busy machine
PEOPLE = ["Anna", "Ben", "Clara", "Bob", "Maria"]
PLACES = ["Oslo", "New York", "Paris", "San Marino", "Rome"]


def names_model(label: str = "LOC") -> Model:
    """A small model of names; `label` is the type of its places."""
    sentences, labels = [], []
    for person in PEOPLE:
        for place in PLACES:
            for middle in ("lives in", "went to"):
                inside = place.split()
                sentences.append([person, *middle.split(), *inside, "."])
                labels.append(["B-PER", "O", "O", f"B-{label}", *[f"I-{label}"] * (len(inside) - 1), "O"])
    return Model.train_words(sentences, labels, settings=Settings("lbfgs", c2=0.1, epochs=30))


class Service:
    """A server of `tagfield serve`."""

    command = "serve"

    def __init__(self, *arguments: str | Path, **environment: str) -> None:
        command = [sys.executable, "-m", "tagfield", self.command, "--port", "0", *map(str, arguments)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, env=os.environ | environment)
        self.lines: queue.Queue[dict[str, Any]] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            first = self.first()
        except BaseException:
            self.process.kill()
            self.process.communicate()
            raise
        self.port = int(first["address"].rpartition(":")[2])
        self.address = f"http://localhost:{self.port}"

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.put(json.loads(line))

    def first(self) -> dict[str, Any]:
        """The line that says where it listens."""
        first = self.lines.get(timeout=PATIENCE)
        assert first["message"] == "listening", first
        return first

    def log(self, timeout: float = PATIENCE) -> dict[str, Any]:
        """The next line of the log."""
        return self.lines.get(timeout=timeout)

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("localhost", self.port, timeout=PATIENCE)

    def get(self, path: str, **headers: str) -> tuple[int, Any]:
        return self.send("GET", path, None, **headers)

    def post(self, path: str, body: Any, **headers: str) -> tuple[int, Any]:
        """Status and answer; a body that is not bytes is sent as JSON."""
        return self.send("POST", path, body if isinstance(body, bytes) else json.dumps(body).encode(), **headers)

    def send(self, method: str, path: str, body: bytes | None, **headers: str) -> tuple[int, Any]:
        connection = self.connect()
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            text = answer.read().decode()
            plain = not (answer.headers["content-type"] or "").startswith("application/json")
            return answer.status, text if plain else json.loads(text)
        finally:
            connection.close()

    def raw(self, data: bytes) -> bytes:
        """What the server answers to bytes until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as found:
            found.sendall(data)
            parts = []
            while part := found.recv(65536):
                parts.append(part)
        return b"".join(parts)

    def stop(self) -> int:
        """Stop it as a supervisor does; returns the exit code."""
        self.process.terminate()
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code


@contextmanager
def served(*arguments: str | Path, **environment: str) -> Iterator[Service]:
    """A server that ends with the block, and ends well."""
    service = Service(*arguments, **environment)
    try:
        yield service
    finally:
        if service.process.returncode is None:
            assert service.stop() == 0
