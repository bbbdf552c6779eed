"""What is said where there is no cluster; and runs of the command that start one, and are killed."""

import json
import re
import signal
import socket
import subprocess
import threading
import time
import uuid
from pathlib import Path

import numpy as np
import pytest

from tagfield import Model, encode_sequences
from tagfield.data.corpus import pack
from tagfield.data.encode import encode_files
from tagfield.errors import InputError
from tagfield.scale.cluster.checkpoint import NAME
from tagfield.scale.cluster.mixing import Scheme
from tagfield.scale.cluster.ray_workers import OnDiskShare
from tagfield.scale.cluster.session import ClusterError, check_address, check_ready, open_session
from tagfield.scale.cluster.tagging import LabelMaker, tag
from tagfield.scale.cluster.training import run_on
from tagfield.scale.cluster.workers import LocalWorkers, Task, cut
from tagfield.system.storage import load_tensors
from tagfield.train import Settings
from tagfield.train.problem.problem import Problem
from tests.support.cli_process import COMMAND, TRAIN, call, environment, inside
from tests.support.service import PATIENCE


@pytest.mark.parametrize("address", ["nowhere", ":6379", "host:", "host:x", "host:0", "host:99999", "ray://host:10001"])
def test_an_address_that_can_be_none(address: str) -> None:
    with pytest.raises(InputError, match="must be local or HOST:PORT"):
        check_ready(address)


def test_an_address_where_nothing_listens_is_one_sentence_at_once() -> None:
    with socket.socket() as taken:  # bound, and not listening
        taken.bind(("127.0.0.1", 0))
        start = time.monotonic()
        with pytest.raises(ClusterError, match=r"no Ray cluster at 127\.0\.0\.1:\d+: connection refused; start one"):
            check_address(f"127.0.0.1:{taken.getsockname()[1]}")
    with pytest.raises(ClusterError, match=r"no Ray cluster at no-such-host\.invalid:6379"):
        check_address("no-such-host.invalid:6379")
    assert time.monotonic() - start < 6


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_an_address_where_something_else_listens_is_one_sentence(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with server.accept()[0] as connection:
                connection.recv(100)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(ClusterError, match="what listens there is not Ray"):
            check_address(f"127.0.0.1:{server.getsockname()[1]}")
        thread.join()


def test_without_ray_the_sentence_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with (
        pytest.raises(InputError, match=r"needs Ray; install it with: pip install 'tagfield\[cluster\]'"),
        open_session("local"),
    ):
        pass


def test_importing_tagfield_and_its_cluster_does_not_import_ray() -> None:
    code = "import sys, tagfield.scale.cluster, tagfield.cli.commands; sys.exit('ray' in sys.modules)"
    assert subprocess.run([COMMAND[0], "-c", code], timeout=60).returncode == 0


def test_no_connection_of_your_own(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(InputError, match="Ray is not connected"), open_session(None):
        pass


def test_a_share_says_where_a_corpus_should_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="same path on every machine"):
        OnDiskShare(str(tmp_path / "nowhere"), 0, 1)()
    (tmp_path / "a.txt").write_text(TRAIN)
    pack(tmp_path / "a.txt", tmp_path / "corpus")
    assert len(OnDiskShare(str(tmp_path / "corpus"), 1, 2)()) == 1
    with pytest.raises(InputError, match="has 2 sequences, fewer than on the machine that started the run"):
        OnDiskShare(str(tmp_path / "corpus"), 1, 3)()


def test_a_model_is_looked_for_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no such file on .*; a model must be at the same path on every machine"):
        tag(tmp_path / "nowhere", [])
    path = tmp_path / "model"
    Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]])).save(path)
    assert LabelMaker(str(path))()([[["a"]], [["b"]]]) == [["X"], ["Y"]]
    for wrong in ({"workers": 0}, {"batch": 0}):
        with pytest.raises(InputError, match="at least 1"):
            tag(path, [], **wrong)


def test_the_command_refuses_what_a_cluster_cannot_do(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TRAIN)
    where = [tmp_path / "a.txt", "-o", tmp_path / "model"]
    for given, told in (
        (["--shares", "3"], "--shares applies only to a cluster"),
        (["--checkpoint", "x"], "--checkpoint applies only to a cluster"),
        (["--cluster", "here"], "must be local or HOST:PORT"),
        (["--cluster", "localhost"], "got 'localhost'; did you mean local?"),
        (["--cluster", "local", "--algorithm", "pa"], "pa does not train on a cluster"),
    ):
        code, _, err = inside("train", *where, *given)
        assert code == 2
        assert told in err
        assert len(err.strip().splitlines()) == 1
    assert not (tmp_path / "model").exists()


def processes(mark: str) -> dict[int, bytes]:
    """The processes that have the mark in their environment, as all that a command starts have; with their commands.

    Other tests may run Ray at the same time, so it is not enough to look for processes of Ray.
    """
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                found[int(entry.name)] = (entry / "cmdline").read_bytes()
        except OSError:
            continue
    return found


def shared_memory(mark: str) -> set[Path]:
    """The files in shared memory that these processes have mapped and that have a name."""
    found = set()
    for process in processes(mark):
        try:
            maps = Path(f"/proc/{process}/maps").read_text(errors="replace")
        except OSError:
            continue
        found |= set(map(Path, re.findall(r"/dev/shm/[^ \n]+(?=\n)", maps)))
    return {path for path in found if path.exists()}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc, to see what is left running")
def test_a_driver_that_is_killed_goes_on_from_its_checkpoint_and_leaves_nothing_running(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    (tmp_path / "a.txt").write_text(TRAIN * 30)
    mark = str(uuid.uuid4())
    command = ["train", "a.txt", "--cluster", "local", "--workers", "1", "--shares", "2", "--mixes", "3", "--seed", "1"]
    killed = subprocess.Popen(
        [*COMMAND, *command, "--epochs", "100000", "--checkpoint", "c", "-o", "never"],
        cwd=tmp_path,
        env=environment(TAGFIELD_TEST=mark),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + PATIENCE
        while not (tmp_path / "c" / NAME).exists() and time.monotonic() < deadline:
            assert killed.poll() is None
            time.sleep(0.05)
        killed.send_signal(signal.SIGSTOP)  # it trains no further while the test looks around
        there, memory = processes(mark), shared_memory(mark)
    finally:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    state = (tmp_path / "c" / NAME).read_bytes()
    assert any(b"raylet" in command for command in there.values())
    folders = {Path(path.decode()) for path in re.findall(rb"/tmp/tagfield-\w+", b" ".join(there.values()))}
    assert folders
    left = [*folders, *memory]
    deadline = time.monotonic() + PATIENCE
    while (processes(mark) or any(map(Path.exists, left))) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not processes(mark)
    assert not any(map(Path.exists, left))
    epochs = len(json.loads(load_tensors(tmp_path / "c" / NAME)[1]["course"])["epochs"]) + 20
    done = call(*command, "--epochs", str(epochs), "--checkpoint", "c", "-o", "m", cwd=tmp_path, TAGFIELD_TEST=mark)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "c" / NAME).read_bytes() != state  # it went on
    assert "Ray" not in done.stderr
    model = Model.load(tmp_path / "m")
    encoded = encode_files(tmp_path / "a.txt")
    problem = Problem.of(encoded, Settings.of("default", seed=1, epochs=model.info["epochs"]))
    task = Task(problem.features, problem.settings, len(encoded), encoded.labels)
    workers = LocalWorkers(task, cut(problem.dataset, 2))
    expected = run_on(workers, problem, task, Scheme(3), encoded)
    ours = Model.of(encoded, expected).without_spare_attributes()
    for array, other in zip(model.weights.arrays(), ours.weights.arrays(), strict=True):
        assert np.array_equal(array, other)
    deadline = time.monotonic() + PATIENCE
    while processes(mark) and time.monotonic() < deadline:
        time.sleep(0.5)
    assert not processes(mark)


@pytest.mark.slow
def test_the_commands_train_on_a_packed_corpus_and_tag(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    (tmp_path / "a.txt").write_text(TRAIN * 30)
    pack(tmp_path / "a.txt", tmp_path / "c")
    done = call("train", "c", "-o", "m", "--cluster", "local", "--workers", "2", "--epochs", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "cluster    local, 2 workers, 2 shares of the sentences, started in " in done.stderr
    assert Model.load(tmp_path / "m").info["cluster"] == {"shares": 2, "mixes": 32}
    here, there = (call("tag", "-m", "m", "a.txt", *more, cwd=tmp_path) for more in ([], ["--cluster", "local"]))
    assert there.returncode == 0, there.stderr
    assert there.stdout == here.stdout
