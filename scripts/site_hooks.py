"""Hooks of the documentation site (mkdocs.yml).

    README.md, ARCHITECTURE.md, … outside docs/ ─▶ pages of the site
    links between files of the repository       ─▶ links between pages; a link to source code becomes plain text
    a link that shows the name of a file        ─▶ shows the title of its page

So the same files work in the repository and on the site.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
AROUND = {  # file: its page
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "benchmarks.md",
}
EXAMPLE, EXAMPLE_PAGE = "examples/own_generator.py", "example.md"
SOURCES = {page: ROOT / name for name, page in AROUND.items()}
CODE_OR_LINK = re.compile(r"(^```.*?^```$|`[^`\n]*`)|\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)", re.DOTALL | re.MULTILINE)


def on_files(files: Files, *, config: Any) -> Files:
    """Adds the pages that stand outside docs/."""
    for name, page in AROUND.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / name)))
    code = (ROOT / EXAMPLE).read_text(encoding="utf-8")
    content = f"# A generator of your own\n\n`{EXAMPLE}`:\n\n```python\n{code}```\n"
    files.append(File.generated(config, EXAMPLE_PAGE, content=content))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Points the links of a page to pages of the site."""
    markdown = re.sub(r"^```python skip$", "```python", markdown, flags=re.MULTILINE)  # skip is a word for the tests
    return relinked(markdown, page.file.src_uri, dict(titles(config.nav)))


def titles(nav: list[Any]) -> Iterator[tuple[str, str]]:
    """Pages and their titles in the contents of the site.

    >>> dict(titles([{"Home": "index.md"}, {"Guides": ["guides/index.md", {"Names": "guides/names.md"}]}]))
    {'index.md': 'Home', 'guides/index.md': 'Guides', 'guides/names.md': 'Names'}
    """
    for entry in nav:
        for title, there in entry.items():
            if isinstance(there, str):
                yield there, title
            else:
                yield from ((page, title) for page in there if isinstance(page, str))
                yield from titles([page for page in there if not isinstance(page, str)])


def relinked(markdown: str, uri: str, named: Mapping[str, str] = MappingProxyType({})) -> str:
    """The text of a page with links that hold on the site.

    >>> relinked("[a](docs/cli.md#output), [b](src/tagfield/model/model.py), `[c](docs/cli.md)`", "index.md")
    '[a](cli.md#output), b, `[c](docs/cli.md)`'
    >>> relinked("[s](../../SECURITY.md)", "guides/names.md")
    '[s](../security.md)'
    >>> relinked("[`words.md`](words.md#tokenizers)", "cli.md", {"words.md": "Words and text"})
    '[Words and text](words.md#tokenizers)'
    """
    folder = SOURCES.get(uri, DOCS / uri).parent

    def replace(found: re.Match[str]) -> str:
        code, text, target, place = found.groups()
        if code is not None or not target or "://" in target:
            return found[0]
        path = Path(os.path.normpath(folder / target))
        if not path.exists():
            return found[0]  # mkdocs reports it
        name = path.relative_to(ROOT).as_posix()
        if name == EXAMPLE:
            there = EXAMPLE_PAGE
        elif name in AROUND:
            there = AROUND[name]
        elif path.is_relative_to(DOCS) and path.is_file():
            there = path.relative_to(DOCS).as_posix()
        else:
            return text
        if text.strip("`").endswith(path.name):
            text = named.get(there, text)
        return f"[{text}]({os.path.relpath(there, Path(uri).parent)}{place or ''})"

    return CODE_OR_LINK.sub(replace, markdown)
