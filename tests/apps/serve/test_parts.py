"""Parts of the service that a test can have without a server: lanes, files of models, limits, slow readers."""

import asyncio
import json
import logging
import os
import threading
import warnings
from pathlib import Path

import pytest

from tagfield import InputError, Model, ModelFileError
from tagfield.apps.serve.answering import Job
from tagfield.apps.serve.batches import BATCH_BYTES, BATCH_JOBS, LARGE, Batches, cost
from tagfield.apps.serve.limits import Limits
from tagfield.apps.serve.log import JsonHandler, log_warning
from tagfield.apps.serve.metrics import Metrics
from tagfield.apps.serve.registry import ModelFile, Registry
from tagfield.apps.serve.server import Connection, bind
from tagfield.data.text.templates.parsing import parse_template


def test_jobs_that_wait_become_one_batch_and_large_ones_are_not_in_the_way() -> None:
    sizes: list[list[int]] = []
    gate = threading.Event()

    def work(jobs: list[Job]) -> None:
        sizes.append([len(job.body) for job in jobs])
        if len(jobs[0].body) > LARGE:
            gate.wait(10)
        for job in jobs:
            job.answer = job.body[:1]

    async def ask() -> list[Job]:
        batches = Batches(work, 1, lambda: 9)
        large = [asyncio.create_task(batches.run(Job(b"x" * (LARGE + 1), 0.0))) for _ in range(2)]
        await asyncio.sleep(0.05)
        small = await asyncio.gather(*(batches.run(Job(b"y", 0.0)) for _ in range(BATCH_JOBS + 3)))
        assert not any(task.done() for task in large)
        assert len(batches) == 1  # the second large one waits for the thread
        gate.set()
        await asyncio.gather(*large)
        assert (batches.count, batches.jobs, len(batches)) == (4, BATCH_JOBS + 5, 0)
        await batches.close()
        return small

    assert {job.answer for job in asyncio.run(ask())} == {b"y"}
    assert sizes == [[LARGE + 1], [1] * BATCH_JOBS, [1] * 3, [LARGE + 1]]


@pytest.mark.parametrize("name", [b'"n_best"', b'"n\\u005fbest"'])
def test_several_paths_cost_more_however_the_field_is_written(name: bytes) -> None:
    words = b'{"words":["a"],%s:%d}'
    costs = []
    for paths in (0, 5):
        job = Job(words % (name, paths), 0.0)
        job.read(Limits())
        costs.append(cost(job, 9))
    assert costs == [len(job.body), 10 * len(job.body)]


def test_a_batch_of_medium_bodies_is_bounded_in_bytes() -> None:
    sizes: list[int] = []

    async def ask() -> None:
        batches = Batches(lambda jobs: sizes.append(len(jobs)), 1, lambda: 9)
        await asyncio.gather(*(batches.run(Job(b"x" * (BATCH_BYTES // 3), 0.0)) for _ in range(7)))
        await batches.close()

    asyncio.run(ask())
    assert sizes == [3, 3, 1]


@pytest.mark.parametrize("body", [b"small", b"x" * (LARGE + 1)])
def test_a_failure_does_not_hang_the_job(body: bytes) -> None:
    def work(jobs: list[Job]) -> None:
        raise RuntimeError

    async def ask() -> list[Job]:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        batches = Batches(work, 1, lambda: 9)
        found = [await batches.run(Job(body, 0.0)), await batches.run(Job(body, 0.0))]
        await batches.close()
        return found

    assert [job.answer for job in asyncio.run(ask())] == [None, None]


def test_the_registry_waits_until_a_file_is_complete(folder: Path, tmp_path: Path, capsys) -> None:
    path = tmp_path / "m"
    whole = (folder / "names.tagfield").read_bytes()
    path.write_bytes(whole)
    registry = Registry([ModelFile.of(f"people={path}")])
    first = registry.find(None)
    registry.refresh()
    assert registry.find("people") is first
    with path.open("wb") as file:  # a copy that takes a while
        for start in range(0, len(whole), len(whole) // 3):
            file.write(whole[start : start + len(whole) // 3])
            file.flush()
            registry.refresh()
            assert registry.find("people") is first
    registry.refresh()
    registry.refresh()
    assert registry.find("people") is not first
    assert (registry.swaps, registry.failures) == (1, 0)
    os.utime(path)
    path.write_bytes(b"nonsense")
    for _ in range(4):
        registry.refresh()
    assert (registry.swaps, registry.failures) == (1, 1)  # it is tried once
    assert capsys.readouterr().err.count("cannot be loaded") == 1


def test_files_that_cannot_be_served(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(b"x")
    with pytest.raises(ModelFileError):
        Registry([ModelFile.of(str(tmp_path / "m"))])
    with pytest.raises(InputError, match="neither the path of a model nor NAME=PATH"):
        ModelFile.of("=x")
    odd = tmp_path / "a=b"
    odd.write_bytes(b"")
    assert ModelFile.of(str(odd)).path == str(odd)


def test_models_with_slow_patterns_are_served_only_on_request(tmp_path: Path) -> None:
    for expression, linear in ((r"(a+)+$", True), (r"(.)\1", True), (r"(\w+\s?)*\1$", False)):
        template = parse_template(f"columns w y\nregex r = {expression}\nw\nw.match(r)\n")
        Model.train_words([["a", "b"]], [["A", "B"]], template=template, settings="lbfgs").save(tmp_path / "m")
        file = ModelFile.of(str(tmp_path / "m"))
        if linear:
            assert Registry([file]).find("m").model.template is not None
            continue
        with pytest.raises(
            InputError, match=r"a word could make regex r = .* take very long; .* --allow-slow-patterns"
        ):
            Registry([file])
        assert Registry([file], slow_patterns=True).find("m").model.template is not None


@pytest.mark.parametrize(
    "wrong", [{"body": 0}, {"requests": 0}, {"connections": 0}, {"seconds": 0}, {"seconds": float("nan")}]
)
def test_limits_are_checked(wrong: dict) -> None:
    with pytest.raises(InputError, match="must be"):
        Limits(**wrong)


def test_the_histogram_is_cumulative() -> None:
    metrics = Metrics()
    for seconds in (0.0001, 0.001, 0.3, 99):
        metrics.add("/v1/tag", 200, seconds)
    text = metrics.text()
    for bound, count in (("0.001", 2), ("0.25", 2), ("0.5", 3), ("10.0", 3), ("+Inf", 4)):
        assert f'tagfield_request_seconds_bucket{{le="{bound}"}} {count}\n' in text
    assert "tagfield_request_seconds_count 4\n" in text


def test_a_client_that_reads_nothing_is_dropped() -> None:
    class Transport:
        waiting, dropped = 100, 0

        def get_write_buffer_size(self) -> int:
            return self.waiting

        def abort(self) -> None:
            self.dropped += 1

    class Cycle:
        response_complete = False

    connection = Connection.__new__(Connection)
    transport = Transport()
    connection.transport, connection.cycle = transport, Cycle()  # type: ignore[assignment]
    connection._unread, connection._since = (0, 0.0), 0.0
    patience = Connection.limits.write_seconds
    connection.look(1.0)
    connection.look(patience)
    transport.waiting = 50  # it reads a little
    connection.look(patience + 5)
    connection.look(2 * patience)
    assert transport.dropped == 0
    connection.look(2 * patience + 6)
    assert transport.dropped == 1


def test_what_others_log_becomes_json_without_its_message(capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warnings, "showwarning", log_warning)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = log_warning
        warnings.warn("Anna is a secret", RuntimeWarning, stacklevel=1)
    try:
        raise ValueError("Anna is a secret")
    except ValueError as error:
        record = logging.LogRecord(
            "asyncio", logging.ERROR, "x.py", 1, "callback failed", (), (ValueError, error, None)
        )
        JsonHandler().handle(record)
    warned, failed = map(json.loads, capsys.readouterr().err.splitlines())
    assert (warned["kind"], warned["where"].partition(":")[0]) == ("RuntimeWarning", "test_parts.py")
    assert (failed["error"], failed["source"]) == ("ValueError", "asyncio")
    assert "secret" not in f"{warned}{failed}"


def test_an_address_that_is_taken_is_one_sentence() -> None:
    with bind("127.0.0.1", 0) as taken:
        taken.listen()
        with pytest.raises(InputError, match=r"cannot listen on 127.0.0.1 port \d+: .*; choose another --port"):
            bind("127.0.0.1", taken.getsockname()[1])
    with pytest.raises(InputError, match=r"cannot listen on no\.such\.host\.invalid"):
        bind("no.such.host.invalid", 80)
