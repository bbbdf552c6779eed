"""Downloading a corpus, from a real server on the loopback interface."""

import gzip
import hashlib
import io
import os
import socket
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tagfield.demo.fetch import CORPORA, Remote, cache_folder, fetch
from tagfield.errors import InputError, OutputError, TagfieldError
from tests.support.cli_process import good
from tests.support.corpus import HOME, needs_corpus

TRAIN = "".join(f"{hashlib.md5(b'%d' % i).hexdigest()} NN B-NP\n" for i in range(2000)).encode()
TEST = b"dog NN B-NP\n\n"
SHA = {"train.txt": hashlib.sha256(TRAIN).hexdigest(), "test.txt": hashlib.sha256(TEST).hexdigest()}


class Server(ThreadingHTTPServer):
    """Serves `files`; it closes the connection after `cut` bytes of the body, `cuts` times."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.requests: list[tuple[str, str | None, int]] = []  # path, range, status
        self.cut, self.cuts, self.ranges = 0, 0, True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        body = self.server.files.get(self.path.lstrip("/"))
        wanted = self.headers.get("Range")
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and self.server.ranges else 0
        status = 404 if body is None else 416 if start and start >= len(body) else 206 if start else 200
        self.server.requests.append((self.path, wanted, status))
        body = body or b""
        self.send_response(status)
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        if status == 416:
            self.send_header("Content-Range", f"bytes */{len(body)}")
        rest = body[start:] if status in (200, 206) else b""
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        if self.server.cuts and self.server.cut < len(rest):
            self.server.cuts -= 1
            rest = rest[: self.server.cut]
        self.wfile.write(rest)

    def log_message(self, format: str, *args: object) -> None:
        """Keeps the test output clean."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "127.0.0.1")
    with Server() as running:
        running.files = {"train.txt.gz": gzip.compress(TRAIN), "test.txt.gz": gzip.compress(TEST)}
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def remote(url: str = "http://127.0.0.1:9/") -> Remote:
    return Remote("tiny", url, SHA)


def assert_whole(folder: Path) -> None:
    assert (folder / "train.txt").read_bytes() == TRAIN
    assert (folder / "test.txt").read_bytes() == TEST
    assert sorted(path.name for path in folder.iterdir()) == ["test.txt", "train.txt"]


def test_a_corpus_is_fetched_once(server: Server, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int | None]] = []
    folder = fetch(remote(server.url), cache=tmp_path, on_bytes=lambda *args: seen.append(args))
    assert_whole(folder)
    size = len(server.files["train.txt.gz"])
    assert ("train.txt.gz", size, size) in seen
    asked = len(server.requests)
    assert fetch(remote(server.url), cache=tmp_path) == folder
    assert len(server.requests) == asked


def test_a_broken_connection_is_resumed_at_once(server: Server, tmp_path: Path) -> None:
    server.cut, server.cuts = 5000, 1
    assert_whole(fetch(remote(server.url), cache=tmp_path))
    assert ("/train.txt.gz", "bytes=5000-", 206) in server.requests


def test_a_broken_download_is_resumed_by_the_next_command(server: Server, tmp_path: Path) -> None:
    server.cut, server.cuts = 3000, 3
    with pytest.raises(
        TagfieldError, match=r"the connection closed early. 9,000 bytes are saved; run the same command to resume"
    ):
        fetch(remote(server.url), cache=tmp_path)
    assert not (tmp_path / "tiny" / "train.txt").exists()
    assert_whole(fetch(remote(server.url), cache=tmp_path))
    assert ("/train.txt.gz", "bytes=9000-", 206) in server.requests


def test_a_server_without_ranges_starts_over(server: Server, tmp_path: Path) -> None:
    server.ranges = False
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "train.txt.gz.part").write_bytes(server.files["train.txt.gz"][:1000])
    assert_whole(fetch(remote(server.url), cache=tmp_path))


@pytest.mark.parametrize("part", ["whole", "too long", "of another file"])
def test_a_part_that_needs_no_more_or_does_not_fit(server: Server, tmp_path: Path, part: str) -> None:
    body = server.files["train.txt.gz"]
    stale = {"whole": body, "too long": body + b"?", "of another file": bytes(1000)}[part]
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "train.txt.gz.part").write_bytes(stale)
    assert_whole(fetch(remote(server.url), cache=tmp_path))


def test_a_wrong_checksum_keeps_nothing(server: Server, tmp_path: Path) -> None:
    server.files["train.txt.gz"] = gzip.compress(TRAIN[:-1])
    with pytest.raises(InputError, match=r"train.txt has sha256 \w+, expected \w+; the file was discarded"):
        fetch(remote(server.url), cache=tmp_path)
    assert list((tmp_path / "tiny").iterdir()) == []


def test_a_damaged_file_keeps_nothing(server: Server, tmp_path: Path) -> None:
    server.files["train.txt.gz"] = server.files["train.txt.gz"][:-20]
    with pytest.raises(InputError, match=r"train.txt.gz is damaged or incomplete"):
        fetch(remote(server.url), cache=tmp_path)
    assert list((tmp_path / "tiny").iterdir()) == []


def test_a_damaged_corpus_in_the_cache_is_fetched_again(server: Server, tmp_path: Path) -> None:
    folder = fetch(remote(server.url), cache=tmp_path)
    (folder / "test.txt").write_bytes(b"changed")
    assert_whole(fetch(remote(server.url), cache=tmp_path))
    assert [path for path, _, _ in server.requests].count("/train.txt.gz") == 1


def test_a_missing_file_and_a_missing_server_are_clear_errors(server: Server, tmp_path: Path) -> None:
    del server.files["train.txt.gz"]
    with pytest.raises(TagfieldError, match=r"the server answered 404 .* run `tagfield fetch tiny --from FOLDER`"):
        fetch(remote(server.url), cache=tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        gone = f"http://127.0.0.1:{free.getsockname()[1]}/"
        with pytest.raises(TagfieldError, match=r"cannot download http.*refused.* Without a network, copy"):
            fetch(remote(gone), cache=tmp_path)


def packed(kind: str) -> bytes:
    members = {"corpus/train.txt": TRAIN, "corpus/test.txt.gz": gzip.compress(TEST), "corpus/README": b"hello"}
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w") as bag:
            for name, text in members.items():
                bag.writestr(name, text)
    else:
        with tarfile.open(fileobj=out, mode="w:gz") as tar:
            for name, text in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(text)
                tar.addfile(info, io.BytesIO(text))
    return out.getvalue()


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_from_an_archive_on_the_disk_or_on_a_server(server: Server, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"corpus.{kind}"
    path.write_bytes(packed(kind))
    assert_whole(fetch(remote(), str(path), cache=tmp_path / "a"))
    server.files[path.name] = path.read_bytes()
    assert_whole(fetch(remote(), server.url + path.name, cache=tmp_path / "b"))
    path.write_bytes(packed(kind)[:100])
    with pytest.raises(InputError, match="damaged or incomplete"):
        fetch(remote(), str(path), cache=tmp_path / "c")


def test_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "train.txt.gz").write_bytes(gzip.compress(TRAIN))
    with pytest.raises(InputError, match=r"contains neither test.txt nor test.txt.gz"):
        fetch(remote(), str(tmp_path), cache=tmp_path / "cache")
    (tmp_path / "test.txt").write_bytes(TEST)
    assert_whole(fetch(remote(), str(tmp_path), cache=tmp_path / "cache"))
    with pytest.raises(InputError, match="is not a folder or archive"):
        fetch(remote(), str(tmp_path / "nowhere"), cache=tmp_path / "other")


def test_the_cache_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "tagfield"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # the XDG standard requires to ignore relative paths
    assert cache_folder() == Path.home() / ".cache" / "tagfield"


def test_a_cache_folder_that_cannot_be_created_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot create folder"):
        fetch(remote(), str(tmp_path), cache=tmp_path / "file")


@needs_corpus
def test_the_known_checksums_are_those_of_the_corpus(tmp_path: Path) -> None:
    folder = fetch(CORPORA["conll2000"], os.fspath(HOME), cache=tmp_path)
    assert (folder / "train.txt").read_bytes() == (HOME / "train.txt").read_bytes()


@needs_corpus
def test_the_command_says_where_the_corpus_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    lines = good("fetch", "conll2000", "--from", HOME).splitlines()
    assert lines[0] == "train.txt: 2.8 MB, sha256 82033cd7… matches"
    assert lines[-1] == str(tmp_path / "tagfield" / "conll2000")
    assert good("fetch", "conll2000") == "\n".join(lines) + "\n"  # nothing is fetched again
