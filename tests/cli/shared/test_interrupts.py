"""Ctrl-C, for real: a process that trains, and SIGINT."""

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tagfield.cli.shared.interrupts import TOGETHER, Interrupts, run_beside
from tagfield.train.progress.terminal import STOPPING
from tests.support.cli_process import COMMAND, OLD, TRAIN, environment, good


@contextmanager
def training(home: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*COMMAND, "train", *options, "-o", "model", "--rate", "0.01"],
        cwd=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for(process: subprocess.Popen[str], start: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith(start):
            return
    raise AssertionError(f"the output ended without {start!r}")


def slow_items(path: Path, tokens: int = 6000, labels: int = 400) -> None:
    """Data whose passes take a second or so, because there are many labels."""
    rows = [f"L{k % labels}\tw={k % 7}" for k in range(tokens)]
    path.write_text("\n\n".join("\n".join(rows[k : k + 50]) for k in range(0, tokens, 50)))


def test_once_stops_after_the_pass_and_saves(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text(TRAIN)
    with training(tmp_path, "train.txt", "--epochs", "100000000", "--period", "0") as process:
        wait_for(process, "epoch")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0
        assert STOPPING in err
        assert "you pressed Ctrl-C; the weights of epoch " in out
        assert "saved      model, " in out
    assert good("tag", "-m", tmp_path / "model", input="The DT\n") == "The DT B-NP\n\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "train.txt"]


@pytest.mark.slow
def test_twice_ends_at_once_and_writes_nothing(tmp_path: Path) -> None:
    slow_items(tmp_path / "items", tokens=100_000)  # a pass must outlast the time in which two signals are one
    (tmp_path / "model").write_bytes(OLD)
    with training(tmp_path, "items", "--format", "items", "--features", "all", "--epochs", "1000") as process:
        wait_for(process, "epoch")
        time.sleep(2 * TOGETHER)  # the next pass has begun
        process.send_signal(signal.SIGINT)
        wait_for(process, STOPPING)
        time.sleep(2 * TOGETHER)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert err.splitlines()[-1] == "tagfield: interrupted; nothing was written"
        assert out == ""
    assert (tmp_path / "model").read_bytes() == OLD
    assert sorted(path.name for path in tmp_path.iterdir()) == ["items", "model"]


def test_before_training_once_is_enough(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "train", "-", "-o", "model"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(PYTHONVERBOSE=""),
    )
    assert process.stdin is not None
    process.stdin.write(b"The DT B-NP\n" * 20_000)  # more than a pipe holds: once it is gone, somebody reads
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert err == b"tagfield: interrupted; nothing was written\n"
    assert list(tmp_path.iterdir()) == []


def test_a_second_thread_returns_and_raises_as_the_first_would() -> None:
    assert run_beside(lambda: "done") == "done"
    with pytest.raises(ZeroDivisionError):
        run_beside(lambda: 1 // 0)


def test_the_second_signal_raises_and_the_old_handler_comes_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    calls: list[int] = []
    now = [5.0]
    with Interrupts(lambda: calls.append(1), clock=lambda: now[0]) as interrupts:
        assert not interrupts.asked
        signal.raise_signal(signal.SIGINT)
        assert interrupts.asked
        signal.raise_signal(signal.SIGINT)  # at the same time: to the process, and to its group
        now[0] += 2 * TOGETHER
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert calls == [1]
    assert signal.getsignal(signal.SIGINT) is before
