"""docs/: pages run and print what they show; links lead somewhere; commands exist; every page is in the site."""

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import tagfield
from tests.support.commands import wrong_commands
from tests.support.links import dead_links
from tests.support.pages import differences

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
RUN = [DOCS / f"{name}.md" for name in ("tutorial", "faq", "scale", "corpus", "recipes")]
RUN += sorted((DOCS / "guides").glob("*.md"))
ELSEWHERE = {  # other pages with programs: the test that runs them
    "README.md": "tests/docs/test_examples.py",
    "docs/arrow.md": "tests/model/arrow/test_page.py",
    "docs/cluster.md": "tests/scale/cluster/test_page.py",
    "docs/cli.md": "tests/cli/test_manners.py",
    "docs/formats.md": "tests/docs/test_formats_page.py",
    "docs/migrate.md": "tests/docs/test_migrate.py",
    "docs/serve.md": "tests/apps/serve/test_docs.py",
    "docs/templates.md": "tests/docs/test_templates_page.py",
    "docs/words.md": "tests/docs/test_words_page.py",
}
AROUND = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
PAGES = [*sorted(DOCS.rglob("*.md")), *AROUND, ROOT / "benchmarks" / "README.md"]


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_a_page_prints_what_it_shows(page: Path, tmp_path: Path) -> None:
    ran, wrong = differences(page, tmp_path)
    assert wrong == []
    assert ran


def test_every_program_of_a_page_is_run() -> None:
    for page in PAGES:
        name, text = str(page.relative_to(ROOT)), page.read_text(encoding="utf-8")
        assert re.findall(r"^```\w+ (?!title=).*$", text, re.MULTILINE) == [], name  # no block is marked as left out
        if re.search(r"^```(python|sh)\b", text, re.MULTILINE) and page not in RUN:
            assert page.name in (ROOT / ELSEWHERE[name]).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_exists_with_its_options(page: Path) -> None:
    assert wrong_commands(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    assert dead_links(page) == []


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One\n[a](page.md#one) [b](#two) [c](gone.md) `[d](code.md)` [e](https://example.org)\n")
    assert dead_links(page) == ["#two", "gone.md"]


def test_the_notebook_is_the_tutorial() -> None:
    written = runpy.run_path(str(ROOT / "scripts" / "pages.py"))["written"]
    made = written((DOCS / "tutorial.md").read_text(encoding="utf-8"))
    assert (DOCS / "tutorial.ipynb").read_text(encoding="utf-8") == made, "run: python scripts/pages.py notebook"


def test_the_notebook_runs(tmp_path: Path) -> None:
    for name in ("nbformat", "nbclient", "ipykernel"):
        pytest.importorskip(name, reason="notebooks need nbclient and ipykernel")
    # A process of its own: Jupyter's event loop and its warnings stay out of this one.
    code = (
        "import nbclient, nbformat, sys\n"
        "n = nbformat.read(sys.argv[1], 4)\n"
        "nbclient.NotebookClient(n, timeout=120, kernel_name='python3').execute()\n"
        "print(nbformat.writes(n))\n"
    )
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-c", code, str(DOCS / "tutorial.ipynb")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=180,
        env=os.environ | {"PATH": path},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "demo" / "model").is_file()
    cells = [cell for cell in json.loads(done.stdout)["cells"] if cell["cell_type"] == "code"]
    printed = "".join("".join(output.get("text", "")) for cell in cells for output in cell["outputs"])
    assert "command not found" not in printed
    assert re.search(r"\[.+ NAME\]", printed)


def test_every_page_is_in_the_sites_contents() -> None:
    listed = re.findall(
        r"^\s+- (?:[^:\n]+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE
    )
    there = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    around = {
        "index.md",
        "architecture.md",
        "contributing.md",
        "security.md",
        "changelog.md",
        "benchmarks.md",
        "example.md",
    }
    assert len(listed) == len(set(listed))
    assert set(listed) == there | around


def test_the_reference_has_every_public_name() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in sorted((DOCS / "reference").glob("*.md")))
    shown = set(re.findall(r"^::: tagfield(?:\.\w+)*\.(\w+)$", text, re.MULTILINE))
    assert set(tagfield.__all__) <= shown | {"__version__"}
    assert "`tagfield.__version__`" in text
