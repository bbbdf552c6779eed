"""Pages that are one HTML file: errors of a model, a comparison of recipes.

    page.html · page.css · page.js of a room, its values, its data as JSON ─┐
                              style sheets and scripts of static/ ───────────┴─▶ one string, in one_file.html

The Content-Security-Policy of the frame forbids every request, so a mistake shows as an error in the browser's console.
Words and labels reach a page as JSON only, and its script sets them as text, so that nothing in them is HTML.
"""

import json
import re
from pathlib import Path
from typing import Any

from tagfield.apps.web import STATIC

FRAME = Path(__file__).with_suffix(".html")
BASE = ("base.css", "tables.css", "nodes.js")
MODULE = re.compile(r"^import .*\n+|^export ", re.MULTILINE)  # one script has no modules


def one_file_page(
    folder: Path, values: dict[str, str], data: str, head: str = "", marks: str = "", shared: tuple[str, ...] = ()
) -> str:
    """The page of a folder as one string.

    folder: has page.html, the body with a %(name)s for each value; page.css; and page.js
    values: HTML; `title` is also the title of the page
    data: as `embed` writes it
    head: more elements of the head
    marks: attributes of the body
    shared: style sheets and scripts of static/, besides those that every page has
    """
    body = (folder / "page.html").read_text(encoding="utf-8").rstrip()
    parts = [*(STATIC / name for name in (*BASE, *shared)), folder / "page.css", folder / "page.js"]
    css, js = _joined(parts, ".css"), _joined(parts, ".js")
    around = {"title": values["title"], "head": head and f"{head}\n", "marks": marks and f" {marks}"}
    inside = {"body": body % values, "css": css, "js": js, "data": data}
    return FRAME.read_text(encoding="utf-8") % (around | inside)


def _joined(paths: list[Path], kind: str) -> str:
    parts = [path.read_text(encoding="utf-8").rstrip() for path in paths if path.suffix == kind]
    return MODULE.sub("", "\n".join(parts))


def embed(record: dict[str, Any]) -> str:
    """JSON that cannot close the script element around it.

    >>> embed({"word": "</script>"})
    '{"word":"\\\\u003c/script>"}'
    """
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")
