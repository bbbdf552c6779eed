"""Keep pages of docs/ up to date: paste what their commands print, and make the tutorial's notebook.

    python scripts/pages.py paste docs/tutorial.md docs/guides/*.md     # runs them, and updates blocks that differ
    python scripts/pages.py notebook                                    # docs/tutorial.md ─▶ docs/tutorial.ipynb

tests/docs/test_pages.py fails if a page is out of date, and test_notebook.py if the notebook is.
"""

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.pages import FENCE, PROMISE, Block, matches, play  # noqa: E402

VARIES = re.compile(r"\d[\d,.]*(?= s\b| tokens/s)")  # times and speeds
TUTORIAL = ROOT / "docs" / "tutorial.md"
NOTEBOOK = ROOT / "docs" / "tutorial.ipynb"


def paste(page: Path) -> int:
    """Replace the shown outputs that differ from what is printed; return how many."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        played = list(play(page, Path(folder)))
    changed: list[tuple[Block, str]] = []
    for block, printed, shown in played:
        if shown is not None and (shown.content.strip() == "…" or not matches(shown.content, printed)):
            changed.append((shown, VARIES.sub("…", printed.strip("\n")) + "\n"))
        elif shown is None and block.language == "python" and printed.splitlines() != PROMISE.findall(block.content):
            print(f"{page}: correct by hand:\n{block.content}prints\n{printed}")
    for shown, printed in reversed(changed):
        text = text[: shown.start] + printed + text[shown.end :]
    page.write_text(text, encoding="utf-8")
    return len(changed)


def notebook(text: str) -> dict[str, Any]:
    """The notebook of a page: its prose, its Python, its commands with `!`, and its files with `%%writefile`.

    >>> [cell["source"] for cell in notebook("Hello.\\n\\n```sh\\ntagfield --version\\n```")["cells"]]
    ['Hello.', '!tagfield --version']
    """
    cells: list[dict[str, Any]] = []
    end = 0
    for block in FENCE.finditer(text):
        _add(cells, "markdown", text[end : block.start()])
        end = block.end()
        language, title, content = block.groups()
        if title is not None:
            _add(cells, "code", f"%%writefile {title}\n{content}")
        elif language == "sh":
            _add(cells, "code", "".join(f"!{line}\n" for line in content.splitlines() if line))
        elif language == "python":
            _add(cells, "code", content)
    _add(cells, "markdown", text[end:])
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 4}


def _add(cells: list[dict[str, Any]], kind: str, source: str) -> None:
    if source := source.strip("\n"):
        more = {"execution_count": None, "outputs": []} if kind == "code" else {}
        cells.append({"cell_type": kind, "metadata": {}, **more, "source": source})


def written(text: str) -> str:
    """The notebook of a page as the text of its file."""
    return json.dumps(notebook(text), indent=1, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["paste"]:
        for name in arguments[1:]:
            print(f"{name}: {paste(Path(name))} blocks pasted")
    elif arguments == ["notebook"]:
        NOTEBOOK.write_text(written(TUTORIAL.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"wrote {NOTEBOOK.relative_to(ROOT)}")
    else:
        sys.exit("usage: pages.py paste PAGE… | notebook")


if __name__ == "__main__":
    main(sys.argv[1:])
