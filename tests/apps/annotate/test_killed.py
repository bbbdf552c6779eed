"""The real process: SIGKILL after acknowledged sentences loses none of them; what other sites and hosts may not do."""

from pathlib import Path

import pytest

from tagfield import Model, read
from tests.support.annotation import TEXTS, Annotation, gold


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(TEXTS) + "\n")
    return path


def test_nothing_that_was_acknowledged_is_lost_by_a_kill(texts: Path) -> None:
    output = texts.with_name("labelled.txt")
    acknowledged: list[tuple[list[str], list[dict]]] = []
    for batch in (1, 3, 4):
        service = Annotation(texts, "-o", output, "--labels", "PER,LOC")
        status, found = service.ask("next")
        assert status == 200
        assert found["state"]["labelled"] == len(acknowledged)
        for _ in range(batch):
            sentence = found["sentence"]
            assert sentence["words"] not in [words for words, _ in acknowledged]
            marks = gold(sentence["words"])
            status, found = service.ask("label", key=sentence["key"], marks=marks)
            assert status == 200
            acknowledged.append((sentence["words"], marks))
        service.kill()
        saved = [(list(s.words), list(s.labels or ())) for s in read(output).sentences()]
        assert [words for words, _ in saved] == [words for words, _ in acknowledged]
        for (_, labels), (_, marks) in zip(saved, acknowledged, strict=True):
            assert [t for t, y in enumerate(labels) if y != "O"] == [mark["start"] for mark in marks]
    service = Annotation(texts, "-o", output)  # the labels are those of the file
    try:
        state = service.ask("state")[1]["state"]
        assert (state["labelled"], state["left"]) == (8, len(TEXTS) - 8)
        assert set(state["labels"]) == {"PER", "LOC"}
    finally:
        assert service.stop() == 0
    assert Model.load(output.with_suffix(".model")).info["annotated"] == 8


def test_other_sites_and_hosts_and_wrong_requests_are_refused(texts: Path) -> None:
    service = Annotation(texts, "-o", texts.with_name("labelled.txt"), "--labels", "PER,LOC")
    try:
        own = f"http://localhost:{service.port}"
        json = "application/json"
        assert service.post("/v1/next", {"client": "a"}, origin=own, content_type=json)[0] == 200
        for headers in ({"origin": "http://example.org"}, {"origin": "null"}, {"sec_fetch_site": "cross-site"}):
            status, found = service.post("/v1/next", {"client": "a"}, content_type=json, **headers)
            assert (status, found["error"]) == (403, "this request comes from a page of another site")
        assert service.post("/v1/next", {"client": "a"}, content_type="text/plain")[0] == 403
        assert service.post("/v1/next", {"client": "a"}, host="example.org", content_type=json)[0] == 421
        assert service.ask("next", clent="x")[1]["error"] == "no field named 'clent'; did you mean 'client'?"
        assert service.ask("label", key="x", marks=[1])[0] == 400
        assert service.ask("label", key="x", marks=[])[0] == 404
        assert service.ask("labels", name="a b")[1]["error"] == "'a b' cannot be a label: it has white space"
        assert service.ask("labels", client="", name="X")[0] == 400
        assert service.get("/v1/next")[0] == 405
        lines = ["POST /v1/next HTTP/1.1", "Host: localhost", f"Content-Type: {json}", f"Content-Length: {2 << 20}"]
        head = "\r\n".join([*lines, "Connection: close", "", ""])
        assert service.raw(head.encode()).startswith(b"HTTP/1.1 413")
    finally:
        assert service.stop() == 0


def test_trailers_and_lines_around_chunks_have_the_limits_of_the_service(texts: Path) -> None:
    service = Annotation(texts, "-o", texts.with_name("labelled.txt"), "--labels", "PER,LOC")
    start = b"POST /api/next HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    try:
        for rest in (b"2\r\n{}\r\n0\r\n" + b"X: a\r\n" * 20_000, b"2;" + b"a=b;" * 30_000):
            assert service.raw(start + rest).startswith((b"HTTP/1.1 431", b"HTTP/1.1 403"))
        assert service.raw(start.replace(b"\r\n", b"\r\nHost: other\r\n", 1)).startswith(b"HTTP/1.1 400")
    finally:
        service.kill()
