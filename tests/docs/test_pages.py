"""Every page runs from the top and prints what it shows; its links, commands and options exist.

    docs/**/*.md, README.md ─▶ Run (a page, or some of its sections) ─▶ support/pages.py ─▶ what differs

A page with programs runs as it is. `SETUPS` lists pages that need more: packages, their own process, smaller data.
"""

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.clusters import play_alone
from tests.support.commands import wrong_commands
from tests.support.links import dead_links
from tests.support.pages import PAGES, ROOT, Played, blocks_of, played, text_of

ELSEWHERE = {"docs/serve.md": "tests/apps/serve/test_docs.py"}  # another test runs these pages: it starts a server


@dataclass(frozen=True)
class Run:
    """How a page, or some of its sections, is run."""

    page: str
    headings: tuple[str, ...] = ()  # only the blocks below these; () is the whole page
    packages: tuple[str, ...] = ()  # what it imports beyond tagfield's own requirements; skipped without them
    programs: tuple[str, ...] = ()  # likewise, on the PATH
    alone: bool = False  # in a process of its own, with Spark and Ray on loopback
    compares: bool = True  # False: the page prints values that it does not show
    options: Mapping[str, Sequence[str]] = field(default_factory=dict)  # added to commands, to take less time
    check: Callable[[Played], None] | None = None  # what must hold afterwards

    @property
    def name(self) -> str:
        return f"{self.page}#{self.headings[-1]}" if self.headings else self.page

    def covers(self, heading: str) -> bool:
        return not self.headings or heading in self.headings


def migrated(page: Played) -> None:
    model, test = page.session["model"], page.session["test"]
    assert model.evaluate(test).accuracy > 0.7
    assert (page.folder / "model.tagfield").is_file()
    assert (page.folder / "copy.crfsuite").read_bytes() == (page.folder / "model.crfsuite").read_bytes()
    printed = "".join(page.printed)
    assert "processed" in printed
    assert "position 0" in printed


def summarised(page: Played) -> None:
    for name in ("summary", "scores"):
        assert isinstance(json.loads((page.folder / "demo" / f"{name}.json").read_text()), dict)


TABLE = ("A table", "A Parquet file, however large", "pandas")  # the other sections of docs/arrow.md go on from these
SETUPS = [
    Run(
        "README.md",
        options={
            "demo-data": ["--train", "40", "--test", "20"],
            "train": ["--epochs", "3"],
            "tune": ["--budget", "6", "--folds", "2"],
        },
    ),
    Run("docs/arrow.md", TABLE, packages=("pyarrow", "pandas")),
    Run("docs/arrow.md", (*TABLE, "Polars and DuckDB"), packages=("polars", "duckdb")),
    Run("docs/arrow.md", (*TABLE, "Spark"), packages=("pyspark",), programs=("java",), alone=True),
    Run("docs/arrow.md", (*TABLE, "Ray"), packages=("ray",), alone=True),
    Run("docs/cli.md", check=summarised),
    Run("docs/cluster.md", packages=("ray",), alone=True),
    Run("docs/migrate.md", compares=False, check=migrated),
]
SPECIAL = {run.page for run in SETUPS} | set(ELSEWHERE)
RUNS = SETUPS + [
    Run(page) for page in PAGES if page not in SPECIAL and any(block.runs for block in blocks_of(text_of(page)))
]


@pytest.mark.parametrize("run", [pytest.param(run, marks=[pytest.mark.slow] * run.alone, id=run.name) for run in RUNS])
def test_a_page_runs_and_prints_what_it_shows(run: Run, tmp_path: Path) -> None:
    for package in run.packages:
        pytest.importorskip(package, reason=f"{run.name} needs {package}")
    for program in run.programs:
        if shutil.which(program) is None:
            pytest.skip(f"{run.name} needs {program}")
    expected = sum(block.runs and run.covers(block.heading) for block in blocks_of(text_of(run.page)))
    if run.alone:
        assert play_alone(ROOT / run.page, tmp_path, *run.headings) == f"{expected} blocks ran\n"
        return
    page = played(ROOT / run.page, tmp_path, run.headings, run.options)
    assert page.wrong == [] or not run.compares
    assert len(page.printed) == expected > 0
    if run.check is not None:
        run.check(page)


def test_no_program_of_a_page_is_left_out() -> None:
    ran: Counter[str] = Counter()
    for page in PAGES:
        text = text_of(page)
        assert re.findall(r"^```\w+ (?!title=).*$", text, re.MULTILINE) == [], page  # no block is marked as left out
        programs = [block for block in blocks_of(text) if block.runs]
        assert len(programs) == len(re.findall(r"^```(?:python|sh)$", text, re.MULTILINE)), page
        if page in ELSEWHERE:
            assert Path(page).name in text_of(ELSEWHERE[page])
            continue
        for block in programs:
            assert any(run.page == page and run.covers(block.heading) for run in RUNS), (page, block.heading)
        ran[page] = len(programs)
    assert ran.total() >= 85
    assert {"train", "tag", "eval"} <= set(re.findall(r"^tagfield (\w+)", text_of("README.md"), re.MULTILINE))


@pytest.mark.parametrize("page", PAGES)
def test_every_command_exists_with_its_options(page: str) -> None:
    assert wrong_commands(text_of(page)) == []


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file_and_a_heading(page: str) -> None:
    assert dead_links(ROOT / page) == []


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One\n[a](page.md#one) [b](#two) [c](gone.md) `[d](code.md)` [e](https://example.org)\n")
    assert dead_links(page) == ["#two", "gone.md"]
