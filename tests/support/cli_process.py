"""The real command, in a process of its own or in this one, for tests of the command line."""

import io
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from tagfield.cli.commands import run
from tagfield.cli.shared.exit_codes import DATA, FAILED, USAGE

COMMAND = [sys.executable, "-m", "tagfield"]

TRAIN = "The DT B-NP\ndog NN I-NP\nbarks VBZ B-VP\n\nA DT B-NP\ncat NN I-NP\nsleeps VBZ B-VP\n\n"
OLD = b"12345678{}"  # begins as a model does, so that a command may replace it
PLAIN = "The DT\ncat NN\nbarks VBZ\n\n"


def environment(**more: str) -> dict[str, str]:
    """Without what would change the output: colours, widths, a terminal's name."""
    kept = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "TERM")}
    return kept | more


def call(
    *arguments: str | Path, input: bytes | str = b"", cwd: Path | None = None, **more: str
) -> subprocess.CompletedProcess[str]:
    """Runs `tagfield` with these arguments until it ends."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=input.encode() if isinstance(input, str) else input,
        capture_output=True,
        cwd=cwd,
        timeout=120,
        env=environment(**more),
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace")
    )


def inside(*arguments: str | Path, input: bytes | str = b"", cwd: Path | None = None) -> tuple[int, str, str]:
    """Exit code, output and complaints of a command in this process, behind the same door as `main`.

    Starting Python, NumPy and SciPy takes longer than what is tested.
    """
    raw = input.encode() if isinstance(input, str) else input
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    saved = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(raw)), "utf-8")  # type: ignore[type-var]
    try:
        with chdir(cwd or Path.cwd()), redirect_stdout(out), redirect_stderr(err):
            code = run([str(argument) for argument in arguments])
    finally:
        sys.stdin = saved
    written, said = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
    return code, written, said


def good(*arguments: str | Path, input: bytes | str = b"", cwd: Path | None = None) -> str:
    """Runs a command that must succeed without a complaint; returns its output: progress and notes, then results.

    With --json or --quiet only the results.
    """
    code, out, err = inside(*arguments, input=input, cwd=cwd)
    assert code == 0, (code, out, err)
    assert not [line for line in err.splitlines() if line.startswith("tagfield:")], err
    return out if {"--json", "--quiet", "-q"} & set(arguments) else err + out


def refused(*arguments: str | Path, input: bytes | str = b"", cwd: Path | None = None, code: int | None = None) -> str:
    """Runs a command that must fail with one line of complaint on stderr, at its end; returns that line.

    code: The exit code that it must have; any of the failures if it is not given.
    """
    found, out, err = inside(*arguments, input=input, cwd=cwd)
    assert found == code if code is not None else found in (FAILED, USAGE, DATA), (found, out, err)
    lines = [line for line in err.splitlines() if line.startswith("tagfield")]
    assert len(lines) == 1, err
    return lines[0]
