"""Pages of docs/ as programs: their blocks run from the top, in one folder and one Python session.

    ```LANGUAGE title="FILE"  ─▶ written to that file
    ```python                 ─▶ run; prints what its comments say, or the block ```text that follows
    ```sh                     ─▶ each line is run; prints the block ```text that follows, if there is one

In a block ```text, … stands for anything: times, and lines that do not matter.

tests/docs/test_pages.py runs every page. Spark and Ray need a process of their own:

    python -m tests.support.pages PAGE FOLDER [HEADING…]     with headings, only the blocks below those
"""

import io
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tagfield.cli.commands import run

ROOT = Path(__file__).resolve().parents[2]
AROUND = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "benchmarks/README.md"]
PAGES = [page.relative_to(ROOT).as_posix() for page in sorted((ROOT / "docs").rglob("*.md"))] + AROUND
FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)
PROMISE = re.compile(r"^\s*print\(.*\)  # (.+)$", re.MULTILINE)
OTHERS = ("head", "cat", "ls")  # commands beside tagfield that a page may use


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file it is written to, its text and its place in the page."""

    language: str
    title: str | None
    content: str
    start: int
    end: int
    heading: str = ""

    @property
    def runs(self) -> bool:
        """Whether it is a program."""
        return self.language in ("python", "sh") and self.title is None

    @property
    def shows(self) -> bool:
        """Whether it shows what the block before it prints."""
        return self.language == "text" and self.title is None


@dataclass(frozen=True)
class Played:
    """A page that ran: what its blocks printed, and which of them print something else than the page shows."""

    folder: Path
    session: dict[str, Any] = field(default_factory=dict)
    printed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def text_of(page: str | Path) -> str:
    """The text of a page, by its path in the repository."""
    return (ROOT / page).read_text(encoding="utf-8")


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


def rows(text: str, header: str) -> list[list[str]]:
    r"""The cells of the table with this header.

    >>> rows("| a | b |\n| --- | --- |\n| 1 | x\\|y |\n", "| a | b |")
    [['1', 'x|y']]
    """
    _, table = text.split(header, 1)
    lines = table.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def matches(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed; … stands for anything.

    >>> matches("3 epochs, … s\\n", "3 epochs, 0.12 s\\n"), matches("3 epochs\\n", "4 epochs\\n")
    (True, False)
    """
    pattern = re.escape(_trimmed(shown)).replace("…", ".*?")
    return re.fullmatch(pattern, _trimmed(printed), re.DOTALL) is not None


def played(
    page: Path, folder: Path, headings: Sequence[str] = (), options: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> Played:
    """Run a page, and compare what its blocks print with what it shows.

    headings: run only the blocks below these
    options: options that are added to commands, such as fewer epochs
    """
    found = Played(folder)
    for block, printed, shown in play(page, folder, headings, options, found.session):
        found.printed.append(printed)
        if shown is not None:
            if not matches(shown.content, printed):
                found.wrong.append(f"{block.content}\nprints\n{printed}\nnot\n{shown.content}")
        elif block.language == "python" and printed.splitlines() != PROMISE.findall(block.content):
            found.wrong.append(f"{block.content}\nprints\n{printed}")
    return found


def play(
    page: Path,
    folder: Path,
    headings: Sequence[str] = (),
    options: Mapping[str, Sequence[str]] = MappingProxyType({}),
    session: dict[str, Any] | None = None,
) -> Iterator[tuple[Block, str, Block | None]]:
    """Run a page: yield each block, what it printed, and the block that shows it, if there is one."""
    text = page.read_text(encoding="utf-8")
    session = {} if session is None else session
    session["__name__"] = page.stem
    blocks = blocks_of(text)
    for i, block in enumerate(blocks):
        if headings and block.heading not in headings:
            continue
        if block.title is not None:
            (folder / block.title).write_text(block.content, encoding="utf-8", newline="")
        elif block.runs:
            after = blocks[i + 1] if i + 1 < len(blocks) and blocks[i + 1].shows else None
            if block.language == "sh":
                printed = "".join(_command(line, folder, options) for line in block.content.splitlines())
            else:
                line = text[: block.start].count("\n")
                printed = _python("\n" * line + block.content, page, session, folder)
            yield block, printed, after


def _python(code: str, page: Path, session: dict[str, Any], folder: Path) -> str:
    out = io.StringIO()
    with chdir(folder), redirect_stdout(out):
        exec(compile(code, str(page), "exec"), session)
    return out.getvalue()


def _command(line: str, folder: Path, options: Mapping[str, Sequence[str]]) -> str:
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
        code = run([*words[1:], *options.get(words[1], ())])
    printed, said = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
    assert code == 0, f"{line}: exit code {code}\n{printed}\n{said}"
    assert printed or said, f"{line} prints nothing"
    assert not re.search(r"^tagfield:", said, re.MULTILINE), f"{line} complains: {said}"
    if target is None:
        return str(printed)
    target.write_text(printed, encoding="utf-8")
    return str(said)


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


if __name__ == "__main__":
    ended = played(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
    print(f"{len(ended.printed)} blocks ran")
    sys.exit("\n".join(ended.wrong) if ended.wrong else 0)
