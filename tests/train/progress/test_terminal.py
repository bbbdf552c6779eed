"""What is shown while a model trains, drawn on a terminal that is a string."""

import io
import time

from rich.console import Console

from tagfield.train.progress.status import RunStatus
from tagfield.train.progress.terminal import LiveProgress, PlainProgress, open_progress, sparkline
from tests.support.runs import Clock, epochs


def test_a_live_display_shows_the_last_epochs_and_what_ctrl_c_does() -> None:
    clock = Clock()
    console = Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)
    course = RunStatus(50, 1000, dev=True, chunks=True, now=clock)
    progress = LiveProgress(course, console)

    def drawn() -> str:
        with console.capture() as capture:
            console.print(progress.render())
        return capture.get()

    assert "the first pass" in drawn()
    for epoch in epochs(9):
        clock.time += 1.0
        progress.epoch(epoch)
    text = drawn()
    rows = [line.split() for line in text.splitlines() if line.strip()[:1].isdigit()]
    assert [row[0] for row in rows] == [*"23456789"]  # the last eight
    assert rows[-1][1:4] == ["111.11", "-11.11", "%"]
    for part in ("dev accuracy", "dev F1", "tokens/s", "9/50", "0:09 elapsed", "at most 0:41 left", "rate 0.05"):
        assert part in text
    assert "Ctrl-C stops after this pass and saves" in text
    progress.stopping()
    assert "press Ctrl-C again to quit without saving" in drawn()


def test_a_live_display_gives_the_terminal_back() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=100)
    with open_progress(RunStatus(2, 10, dev=False, chunks=False), console) as progress:
        assert isinstance(progress, LiveProgress)
        progress.epoch(epochs(1, scores=False)[0])
        time.sleep(0.2)
    text = stream.getvalue()
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1  # the cursor is hidden, and shown again
    assert "Ctrl-C" not in text.split("\x1b[?25h")[0].split("\x1b[2K")[-1]  # the last frame promises nothing


def test_plain_lines_when_it_is_no_terminal() -> None:
    console = Console(file=io.StringIO(), force_terminal=False)
    assert isinstance(open_progress(RunStatus(2, 10, dev=False, chunks=False), console), PlainProgress)
    lines: list[str] = []
    clock = Clock()
    with PlainProgress(RunStatus(3, 1000, dev=True, chunks=False, now=clock), lines.append) as progress:
        for epoch in epochs(3):
            clock.time += 2
            progress.epoch(epoch)
    assert len(lines) == 3
    assert lines[1].startswith("epoch 2/3  objective 500.00  dev accuracy ")
    assert lines[1].endswith("rate 0.05  2,000 tokens/s  4.0 s  at most 2.0 s left  best so far")
    assert "left" not in lines[2]
    assert "F1" not in lines[2]


def test_a_reader_who_is_gone_does_not_stop_the_lines() -> None:
    def gone(text: str) -> None:
        raise BrokenPipeError

    progress = PlainProgress(RunStatus(3, 10, dev=False, chunks=False), gone)
    for epoch in epochs(3):
        progress.epoch(epoch)
    assert len(progress.course.history) == 3


def test_a_sparkline_of_any_length() -> None:
    assert sparkline([1.0]) == "▁"
    assert len(sparkline([float(k) for k in range(1000)])) == 20
    assert sparkline([3.0, 3.0]) == "▁▁"
