"""ARCHITECTURE.md is true: its walks name the modules that a call passes through, and the house is as it says."""

import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from tagfield import Model
from tagfield.cli.commands import run

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "tagfield"
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
CORE = ("data", "weights", "inference", "bregman", "evaluate", "train", "model")
PASSING = ("tagfield.errors", "tagfield.native", "tagfield.system")  # helpers of every room; no step of a walk


class Walk:
    """The modules of tagfield whose functions are called, in the order of their first call; imports do not count."""

    def __init__(self) -> None:
        self.modules: list[str] = []
        self._known: dict[CodeType, str] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_code in self._known or frame.f_code.co_filename.startswith("<"):
            return
        name = frame.f_globals.get("__name__", "")
        if name.split(".")[0] != "tagfield" or name.startswith(PASSING) or _importing(frame):
            return
        self._known[frame.f_code] = name
        step = name.removeprefix("tagfield.").replace(".", "/")
        if step not in self.modules:
            self.modules.append(step)


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__", "").startswith("tagfield"):
            return True
        frame = frame.f_back
    return False


@contextmanager
def traced() -> Iterator[Walk]:
    walk = Walk()
    threading.setprofile(walk)
    sys.setprofile(walk)
    try:
        yield walk
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def listed(heading: str) -> list[str]:
    """The modules of a walk of the page, in its order."""
    section = PAGE.partition(f"### {heading}\n")[2].partition("\n#")[0]
    rows = re.findall(r"^\| +(\d+) \| ([^|]*) \|", section, re.M)
    assert [int(number) for number, _ in rows] == list(range(1, len(rows) + 1)), heading
    cells = [re.sub(r"([\w/]+)/\{([^}]*)\}", _spelled_out, cell) for _, cell in rows]
    return [module for cell in cells for module in re.findall(r"[\w/]+", cell)]


def _spelled_out(braces: re.Match[str]) -> str:
    """`room/{a, b}` as `room/a, room/b`."""
    return ", ".join(f"{braces[1]}/{name}" for name in re.findall(r"[\w/]+", braces[2]))


def _train(folder: Path) -> Callable[[], object]:
    file = folder / "train.txt"
    file.write_text("Anna B-PER\nlives O\nin O\nOslo B-LOC\n\n" * 20, encoding="utf-8")
    return lambda: run(["train", str(file), "-o", str(folder / "model"), "--quiet"])


def _tag(folder: Path) -> Callable[[], object]:
    model = Model.train_words([["Anna", "lives", "in", "Oslo"]], [["B-PER", "O", "O", "B-LOC"]], progress=False)
    return lambda: model.tag_text("Anna lives in Oslo.")


@pytest.mark.parametrize(
    ("heading", "prepare"), [("`tagfield train FILE -o MODEL`", _train), ("`Model.tag_text(text)`", _tag)]
)
def test_a_walk_passes_through_the_modules_that_the_page_lists(
    heading: str, prepare: Callable[[Path], Callable[[], object]], tmp_path: Path
) -> None:
    call = prepare(tmp_path)
    with traced() as walk:
        call()
    assert walk.modules == listed(heading)


def test_the_package_has_few_entries_and_the_page_fits_in_the_head() -> None:
    entries = [path for path in PACKAGE.iterdir() if path.name != "__pycache__" and path.suffix != ".so"]
    assert len(entries) <= 24
    assert len(PAGE.splitlines()) <= 250


@pytest.mark.parametrize("room", CORE)
def test_every_module_of_the_core_has_tests_of_its_own(room: str) -> None:
    modules = [path.relative_to(PACKAGE) for path in (PACKAGE / room).rglob("*.py") if path.name != "__init__.py"]
    assert [str(path) for path in modules if not (ROOT / "tests" / path.parent / f"test_{path.name}").exists()] == []


def test_every_path_that_the_page_names_exists() -> None:
    for path in re.findall(r"(?<![\w/.])((?:[\w]+/)+[\w]+\.(?:py|hpp|cpp|md|json))", PAGE):
        places = (ROOT / path, PACKAGE / path, ROOT / "src" / path, ROOT / "native" / path)
        assert any(place.exists() for place in places), path
