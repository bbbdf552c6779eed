"""The documentation site: it lists every page, builds without a warning, and loads nothing from other hosts."""

import doctest
import os
import re
import runpy
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import tagfield
from tests.support.browser import chromium

ROOT = Path(__file__).resolve().parents[2]
QUIET = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
LOADS = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"([^\"]+)\"|<link\b(?![^>]*rel=\"canonical\")[^>]*\bhref=\"([^\"]+)\""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="the site needs tagfield[docs]")
    pytest.importorskip("mkdocstrings", reason="the site needs tagfield[docs]")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, env=QUIET)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.slow
def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        loaded = [script or link for script, link in LOADS.findall(page.read_text(encoding="utf-8"))]
        assert loaded
        assert [name for name in loaded if "//" in name] == [], page
    for sheet in site.rglob("*.css"):
        assert re.findall(r"url\([\"']?(?:https?:)?//[^)]*\)", sheet.read_text(encoding="utf-8")) == [], sheet


@pytest.mark.slow
def test_fences_become_code(site: Path) -> None:
    for page in sorted(site.rglob("*.html")):
        prose = re.sub(r"<pre.*?</pre>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert "```" not in prose, page
        assert "python skip" not in prose, page


@pytest.mark.slow
def test_pages_and_search_work_without_a_network(site: Path) -> None:
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        asked: list[str] = []
        problems: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.context.set_offline(True)
        for name in ("index.html", "tutorial.html", "reference/models.html"):
            page.goto((site / name).as_uri())
            assert page.locator("h1").first.is_visible()
        page.goto((site / "guides" / "names.html").as_uri())
        page.get_by_role("textbox", name="Search").click()
        page.get_by_role("textbox", name="Search").press_sequentially("gazetteer")
        page.locator(".md-search-result__item").first.wait_for(timeout=20_000)
        found = page.locator(".md-search-result__list").inner_text()
        assert "Gazetteers, clusters and regular expressions" in found
        assert [url for url in asked if not url.startswith(("file:", "data:", "about:"))] == []
        assert problems == []


@pytest.mark.slow
def test_the_reference_has_names_examples_and_arguments(site: Path) -> None:
    page = (site / "reference" / "models.html").read_text(encoding="utf-8")
    assert 'id="tagfield.model.model.Model.tag_text"' in page
    assert "Split text into sentences and words" in page
    assert re.search(r"<li>\s*(?:<p>)?<code>tokenizer</code>: ", page)
    assert "&gt;&gt;&gt; " in page
    estimator, training = ((site / "reference" / f"{name}.html").read_text() for name in ("estimator", "training"))
    assert "{options}" not in estimator + training
    for option in ("c1", "num_memories", "constraints"):
        assert f"<code>{option}</code>: " in estimator
    assert "<code>epochs</code>: " in training
    pages = "".join(found.read_text(encoding="utf-8") for found in (site / "reference").glob("*.html"))
    for name in tagfield.PUBLIC:
        assert re.search(rf'id="tagfield(?:\.\w+)*\.{name}"', pages), name
    assert (site / "search" / "search_index.json").stat().st_size > 100_000


@pytest.mark.parametrize("name", ["docstrings", "pages", "site_hooks"])
def test_the_examples_in_the_scripts_work(name: str) -> None:
    pytest.importorskip("griffe", reason="the site needs tagfield[docs]")
    pytest.importorskip("mkdocs", reason="the site needs tagfield[docs]")
    found_at = spec_from_file_location(f"scripts_{name}", ROOT / "scripts" / f"{name}.py")
    assert found_at is not None
    assert found_at.loader is not None
    script = module_from_spec(found_at)
    found_at.loader.exec_module(script)
    found = doctest.testmod(script)
    assert (found.failed, found.attempted > 0) == (0, True)


def test_docstrings_become_markdown() -> None:
    pytest.importorskip("griffe", reason="the site needs tagfield[docs]")
    as_markdown = runpy.run_path(str(ROOT / "scripts" / "docstrings.py"))["as_markdown"]
    text = "Do it.\n\n    y = f(x)\n\nn: how often;\n    at least 1\nm: more\n>>> 1 + 1\n2"
    expected = "Do it.\n\n    y = f(x)\n\n- `n`: how often; at least 1\n- `m`: more\n\n```pycon\n>>> 1 + 1\n2\n```"
    assert as_markdown(text) == expected
    assert as_markdown("Note this: it is prose.\nIt goes on.") == "Note this: it is prose.\nIt goes on."


def test_links_of_the_repository_become_links_of_the_site() -> None:
    pytest.importorskip("mkdocs", reason="the site needs tagfield[docs]")
    relinked = runpy.run_path(str(ROOT / "scripts" / "site_hooks.py"))["relinked"]
    titled = relinked("[docs/cli.md](docs/cli.md), [the page](docs/cli.md)", "index.md", {"cli.md": "Command line"})
    assert titled == "[Command line](cli.md), [the page](cli.md)"
    assert relinked("[a](docs/cli.md#output) `[c](docs/cli.md)`", "index.md") == "[a](cli.md#output) `[c](docs/cli.md)`"
    assert relinked("![f](figures/serve.png) [b](../benchmarks/README.md)", "serve.md") == (
        "![f](figures/serve.png) [b](benchmarks.md)"
    )
    assert (
        relinked("[s](../../SECURITY.md) [m](../../src/tagfield/model/model.py)", "guides/names.md")
        == "[s](../security.md) m"
    )
    assert (
        relinked("[gone](gone.md) [w](https://example.org/a)", "cli.md") == "[gone](gone.md) [w](https://example.org/a)"
    )


def test_every_page_is_in_the_sites_contents() -> None:
    listed = re.findall(
        r"^\s+- (?:[^:\n]+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE
    )
    there = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
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
    text = "".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs" / "reference").glob("*.md")))
    shown = set(re.findall(r"^::: tagfield(?:\.\w+)*\.(\w+)$", text, re.MULTILINE))
    assert set(tagfield.__all__) <= shown | {"__version__"}
    assert "`tagfield.__version__`" in text
