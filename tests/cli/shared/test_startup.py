"""Closed streams, pipes that end early, and Ctrl-C before a command has begun."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.cli_process import COMMAND, TRAIN, environment, good

pytestmark = pytest.mark.skipif(os.name != "posix", reason="shells and signals of Unix")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("streams")
    (folder / "train.txt").write_text(TRAIN)
    good("train", "train.txt", "-o", "model", cwd=folder)
    return folder


def shell(line: str, home: Path) -> tuple[int, str]:
    command = " ".join(COMMAND)
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line.replace("tagfield", command)],
        cwd=home,
        capture_output=True,
        text=True,
        env=environment(),
        timeout=60,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("tagfield info model >&-", 0),
        ("tagfield info model 2>&- >/dev/null", 0),
        ("tagfield info none 2>&-", 3),
        ("tagfield eval -m model train.txt >&- 2>&-", 0),
        ("tagfield tag -m model <&-", 3),
        ("tagfield train train.txt -o again >&- 2>&- <&-", 0),
        ("tagfield info model --top 1000 | head -1 >/dev/null", 0),
        ("tagfield tag -m model train.txt | head -1 >/dev/null", 0),
        ("tagfield --help | head -1 >/dev/null", 0),
    ],
)
def test_streams_that_are_closed(line: str, code: int, home: Path) -> None:
    found, said = shell(line, home)
    assert "Traceback" not in said
    assert found == code, said


@pytest.mark.parametrize(
    "delay", [0.1, 0.3, 0.6, *(pytest.param(delay, marks=pytest.mark.slow) for delay in (0.05, 0.15, 0.2, 0.4, 0.8))]
)
def test_ctrl_c_at_the_start_shows_no_traceback(delay: float, home: Path) -> None:
    given = [*COMMAND, "train", "train.txt", "-o", "never", "--epochs", "100000", "--period", "0"]
    process = subprocess.Popen(given, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    if b"tagfield" in err and b"runpy" not in err:  # Python itself was up
        assert b"Traceback" not in err
    assert process.returncode != 0 or delay >= 0.3
