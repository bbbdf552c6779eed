"""`tagfield compare` on a terminal and stopped by Ctrl-C, and where the help lists the commands for experiments."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tagfield.cli.commands import COMMANDS
from tagfield.compare.results import load_results
from tagfield.compare.results_file import RESULTS_FILE
from tests.support.cli_process import COMMAND, environment, good

pty = pytest.importorskip("pty", reason="pseudo-terminals need Unix")


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    good("demo-data", "addresses", "-o", tmp_path, "--train", "300", "--test", "20")
    files = ["--train", str(tmp_path / "train.txt"), "--test", str(tmp_path / "test.txt")]
    plan = ["--recipes", "sgd,u2.g1", "--features", "all", "--seeds", "2", "--epochs", "30"]
    return ["compare", *files, *plan, "-o", str(tmp_path / "out")]


def children(process: int) -> list[int]:
    return [int(p) for t in Path(f"/proc/{process}/task").iterdir() for p in (t / "children").read_text().split()]


@pytest.mark.slow
def test_ctrl_c_keeps_finished_runs_and_stops_every_worker(command: list[str], tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    )
    ledger = tmp_path / "out" / RESULTS_FILE
    while process.poll() is None and not (ledger.exists() and '"kind":"run"' in ledger.read_text()):
        time.sleep(0.01)
    workers = children(process.pid) if Path("/proc").is_dir() else []
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the whole group
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == 130
    found = re.search(r"^tagfield: stopped after (\d) of 4 runs; run the same command to resume\n\Z", complaint, re.M)
    assert found
    assert int(found[1]) == len(load_results(tmp_path / "out").runs)
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)
    said = good(*command)
    assert f"resuming: {found[1]} of 4 runs are finished" in said
    assert not load_results(tmp_path / "out").missing


@pytest.mark.slow
def test_a_terminal_shows_live_progress_and_gets_its_cursor_back(command: list[str]) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *command], stdout=theirs, stderr=theirs, env=environment(TERM="xterm", COLUMNS="100")
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            block = os.read(ours, 65536)
        except OSError:  # the other side is closed
            break
        if not block:
            break
        seen += block
    os.close(ours)
    assert process.wait(timeout=60) == 0
    text = seen.decode(errors="replace")
    assert re.search(r"of 4 runs", text)
    assert re.search(r"about \S+\d:\d\d\S* left|about \d+:\d\d left", text)
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") >= 1  # the cursor comes back
    assert "next: tagfield report" in text


def test_the_help_lists_experiments_apart() -> None:
    text = good("--help")
    library, experiments = text.split(" Commands ")[1].split(" Experiments ")
    assert [name for name in COMMANDS if re.search(rf"\b{name}  ", library)] == [
        "train",
        "tag",
        "eval",
        "errors",
        "tune",
        "pack",
        "convert",
        "convert-model",
        "serve",
        "annotate",
        "template",
        "info",
    ]
    assert re.findall(r"^\W+([a-z-]+)  ", experiments, re.M) == ["compare", "report", "demo-data", "fetch", "responses"]


def test_labels_that_mark_no_chunks_are_compared_by_accuracy(tmp_path: Path) -> None:
    text = "The DT\ndog NN\nbarks VBZ\n\nA DT\ncat NN\nsleeps VBZ\n\n"
    for name in ("train.txt", "test.txt"):
        (tmp_path / name).write_text(text)
    options = ["--template", "words", "--recipes", "sgd,lbfgs", "--features", "all", "--seeds", "1", "--epochs", "2"]
    files = ["--train", "train.txt", "--test", "test.txt"]
    page = good("compare", *files, *options, "--workers", "1", "--report", "-o", "out", cwd=tmp_path)
    assert "token accuracy %" in page
    assert "F1" not in page
    assert "test_f1" not in (tmp_path / "out" / "results.jsonl").read_text()
    html = (tmp_path / "out" / "report" / "index.html").read_text()
    assert "chunk F1" not in html
    assert '<option value="test_accuracy">' in html
