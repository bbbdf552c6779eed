"""Pages of docs/ as programs: their blocks run from the top, in one folder and one Python session.

    ```FILE blocks (title="names.template") ─▶ written to that file
    ```python                               ─▶ run; prints what its comments say, or the block ```text that follows
    ```sh                                   ─▶ each line is run; prints the block ```text that follows, if there is one

In a block ```text, … stands for anything: times, and lines that do not matter.

    python -m tests.support.pages PAGE FOLDER [HEADING…]     the same in a process of its own, for Spark and Ray; with
                                                             headings, only the blocks below those

"""

import io
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tagfield.cli.commands import run

FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)
PROMISE = re.compile(r"^\s*print\(.*\)  # (.+)$", re.MULTILINE)
OTHERS = ("head", "cat", "ls")  # commands beside tagfield that a page may use


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file it is to be written to, its text and where that stands."""

    language: str
    title: str | None
    content: str
    start: int
    end: int
    heading: str = ""

    @property
    def shows(self) -> bool:
        """Whether it shows what the block before it prints."""
        return self.language == "text" and self.title is None


def blocks_of(text: str) -> list[Block]:
    """The fenced blocks of a page.

    >>> [(block.language, block.content) for block in blocks_of("```sh\\ntagfield --version\\n```")]
    [('sh', 'tagfield --version\\n')]
    """
    heads = [
        (m.start(), m[1]) for m in re.finditer(r"^#+ (.+)$", FENCE.sub(lambda m: " " * len(m[0]), text), re.MULTILINE)
    ]
    found = []
    for m in FENCE.finditer(text):
        heading = next((name for at, name in reversed(heads) if at < m.start()), "")
        found.append(Block(m[1], m[2], m[3], m.start(3), m.end(3), heading))
    return found


def matches(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed; … stands for anything.

    >>> matches("3 epochs, … s\\n", "3 epochs, 0.12 s\\n"), matches("3 epochs\\n", "4 epochs\\n")
    (True, False)
    """
    pattern = re.escape(_trimmed(shown)).replace("…", ".*?")
    return re.fullmatch(pattern, _trimmed(printed), re.DOTALL) is not None


def differences(page: Path, folder: Path, headings: Sequence[str] = ()) -> tuple[int, list[str]]:
    """Runs a page: how many blocks ran, and those that print something else than the page shows."""
    ran, wrong = 0, []
    for block, printed, shown in play(page, folder, headings):
        ran += 1
        if shown is not None:
            if not matches(shown.content, printed):
                wrong.append(f"{block.content}\nprints\n{printed}\nnot\n{shown.content}")
        elif block.language == "python" and printed.splitlines() != PROMISE.findall(block.content):
            wrong.append(f"{block.content}\nprints\n{printed}")
    return ran, wrong


def play(page: Path, folder: Path, headings: Sequence[str] = ()) -> Iterator[tuple[Block, str, Block | None]]:
    """Runs a page: each block, what it printed, and the block that shows it, if there is one.

    headings: run only the blocks below these
    """
    text = page.read_text(encoding="utf-8")
    session: dict[str, Any] = {"__name__": page.stem}
    blocks = blocks_of(text)
    for i, block in enumerate(blocks):
        if headings and block.heading not in headings:
            continue
        if block.title is not None:
            (folder / block.title).write_text(block.content, encoding="utf-8")
        elif block.language in ("python", "sh"):
            after = blocks[i + 1] if i + 1 < len(blocks) and blocks[i + 1].shows else None
            if block.language == "sh":
                printed = "".join(_command(line, folder) for line in block.content.splitlines())
            else:
                line = text[: block.start].count("\n")
                printed = _python("\n" * line + block.content, page, session, folder)
            yield block, printed, after


def _python(code: str, page: Path, session: dict[str, Any], folder: Path) -> str:
    out = io.StringIO()
    with chdir(folder), redirect_stdout(out):
        exec(compile(code, str(page), "exec"), session)
    return out.getvalue()


def _command(line: str, folder: Path) -> str:
    """What one line of a shell block prints, on standard output and standard error, in order."""
    words = shlex.split(line, comments=True)
    if not words:
        return ""
    if words[0] in OTHERS:
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout
    assert words[0] == "tagfield", f"a page may run tagfield, {', '.join(OTHERS)}; found {line!r}"
    target = None
    if ">" in words:
        words, target = words[: words.index(">")], folder / words[words.index(">") + 1]
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    err = out if target is None else io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with chdir(folder), redirect_stdout(out), redirect_stderr(err):
        code = run(words[1:])
    printed, said = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
    assert code == 0, f"{line}: exit code {code}\n{printed}\n{said}"
    if target is None:
        return str(printed)
    target.write_text(printed, encoding="utf-8")
    return str(said)


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


if __name__ == "__main__":
    count, different = differences(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
    print(f"{count} blocks ran")
    sys.exit("\n".join(different) if different else 0)
