"""The life of a server: models that are replaced under load, and a stop that finishes what was begun."""

import shutil
import signal
import socket
import threading
import time
from pathlib import Path

import pytest

from tests.support.service import PATIENCE, Service, names_model, served

ASK = {"text": "Anna lives in Oslo.", "probabilities": False}


def wait_for(service: Service, message: str) -> dict:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        line = service.log()
        if line["message"] == message:
            return line
    raise AssertionError(message)


def test_a_model_is_replaced_under_load(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.tagfield"
    shutil.copy(folder / "names.tagfield", path)
    other = names_model("PLACE")
    answers: list[tuple[int, str]] = []
    ended = threading.Event()

    def ask(service: Service) -> None:
        while not ended.is_set():
            status, found = service.post("/v1/tag", ASK)
            answers.append((status, found["sentences"][0]["spans"][-1]["label"] if status == 200 else found["error"]))
            time.sleep(0.01)

    with served(path) as service:
        clients = [threading.Thread(target=ask, args=(service,)) for _ in range(3)]
        for client in clients:
            client.start()
        path.write_bytes(path.read_bytes()[:-100])  # damaged, in place
        line = wait_for(service, "the new model file cannot be loaded; the old model still answers")
        assert line["model"] == "m"
        [model] = service.get("/v1/models")[1]["models"]
        assert "cannot be loaded; the model loaded at" in model["problem"]
        assert str(tmp_path) not in str(model)
        other.save(path)
        wait_for(service, "the model was replaced")
        [model] = service.get("/v1/models")[1]["models"]
        assert (model["problem"], model["spans"]) == (None, ["PER", "PLACE"])
        assert service.post("/v1/tag", ASK)[1]["sentences"][0]["spans"][-1]["label"] == "PLACE"
        path.unlink()
        wait_for(service, "the new model file cannot be loaded; the old model still answers")
        assert "is gone" in service.get("/v1/models")[1]["models"][0]["problem"]
        ended.set()
        for client in clients:
            client.join(PATIENCE)
        assert service.post("/v1/tag", ASK)[0] == 200
        assert "tagfield_model_swaps_total 1" in service.get("/metrics")[1]
    assert {status for status, _ in answers} == {200}
    labels = [label for _, label in answers]
    assert labels == sorted(labels)  # LOC, then PLACE
    assert set(labels) == {"LOC", "PLACE"}


def can_connect(service: Service) -> bool:
    try:
        socket.create_connection(("127.0.0.1", service.port), timeout=5).close()
    except ConnectionRefusedError:
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_finishes_what_was_begun(folder: Path, number: signal.Signals) -> None:
    service = Service(folder / "names.tagfield")
    body = b'{"text": "Anna lives in Oslo."}'
    idle = service.connect()
    idle.request("GET", "/readyz")
    assert idle.getresponse().read() == b'{"status":"ready"}'
    with socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE) as client:
        head = "POST /v1/tag HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n"
        client.sendall(head.format(len(body)).encode())
        assert client.recv(65536).startswith(b"HTTP/1.1 100")  # the request has begun
        service.process.send_signal(number)
        assert service.log()["message"] == "stopping"
        client.sendall(body[:10])
        while can_connect(service):
            time.sleep(0.05)
        client.sendall(body[10:])
        answer = b""
        while part := client.recv(65536):
            answer += part
    assert answer.startswith(b"HTTP/1.1 200")
    assert b'"label":"B-PER"' in answer
    assert service.process.wait(PATIENCE) == 0
    assert service.stop() == 0
    assert service.log()["message"] == "stopped"
    idle.close()
    assert service.lines.empty()
