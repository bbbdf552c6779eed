"""Links of Markdown pages: the files and the headings that they lead to."""

import re
from functools import cache
from pathlib import Path

CODE = re.compile(r"^```.*?^```$|^(?: {4,}|\t).*?$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def links_of(page: Path) -> list[str]:
    """The targets of a page's links and pictures, without those in code."""
    return LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))


@cache
def anchors_of(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub and the site name them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE):
        slug = anchor(heading)
        number = 0
        while (name := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(name)
    return frozenset(found)


def anchor(heading: str) -> str:
    """The anchor of a heading.

    >>> anchor("Words, text & `tag_words`")
    'words-text--tag_words'
    """
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def dead_links(page: Path) -> list[str]:
    """The links of a page that lead to no file, or to no heading of a page."""
    dead = []
    for link in links_of(page):
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, place = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (place and target.suffix == ".md" and place not in anchors_of(target.resolve())):
            dead.append(link)
    return dead
