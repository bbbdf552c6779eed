#!/usr/bin/env python
"""python scripts/release_notes.py [VERSION] [--released]: print the section of CHANGELOG.md for a version.

Without VERSION it is the version of the sources. --released also requires a date in its heading, `## 0.2.0,
2027-03-01`, and the version of the sources; the workflow checks a tag with it before it publishes.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADING = re.compile(r"^## (?P<version>\S+?), (?P<date>.+)$", re.MULTILINE)
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\)")  # to a file, which a release page does not have


class NoNotes(Exception):
    """There is no such section, or it is not ready."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the section; return 1 with an error message if it is missing or not ready."""
    parser = argparse.ArgumentParser(description="Print the release notes of a version.")
    parser.add_argument("version", nargs="?", help="a version or its tag, such as 0.1.0 or v0.1.0")
    parser.add_argument("--released", action="store_true", help="also check that it can be released")
    given = parser.parse_args(arguments)
    sources = source_version()
    version = (given.version or sources).removeprefix("v")
    try:
        date, text = section((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
        if given.released:
            check_released(version, date, sources)
    except NoNotes as error:
        print(f"release_notes.py: {error}", file=sys.stderr)
        return 1
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    print(text)
    return 0


def section(changelog: str, version: str) -> tuple[str, str]:
    """What the heading of a version says beside it, and the text below, without links to files.

    >>> section("## 0.2.0, unreleased\\n\\nNew: [x](docs/x.md).\\n\\n## 0.1.0, 2027-01-02\\n\\nFirst.\\n", "0.2.0")
    ('unreleased', 'New: x.')
    """
    headings = list(HEADING.finditer(changelog))
    for heading, after in zip(headings, [*headings[1:], None], strict=True):
        if heading["version"] == version:
            text = changelog[heading.end() : after.start() if after else None].strip()
            if not text:
                raise NoNotes(f"the section {version} of CHANGELOG.md is empty; write what changed")
            return heading["date"], LINK.sub(r"\1", text)
    known = ", ".join(heading["version"] for heading in headings)
    raise NoNotes(f"CHANGELOG.md has no section {version}; it has {known}")


def check_released(version: str, date: str, sources: str) -> None:
    """Raise NoNotes unless the version is that of the sources and has a date.

    >>> check_released("0.2.0", "2027-01-02", "0.2.0")
    """
    if version != sources:
        raise NoNotes(f"the tag says {version}, and src/tagfield/__init__.py {sources}; change one of them")
    if not DATE.fullmatch(date):
        raise NoNotes(f"CHANGELOG.md calls {version} {date!r}; write its date, such as 2027-03-01")


def source_version() -> str:
    """__version__, read and not imported."""
    text = (ROOT / "src/tagfield/__init__.py").read_text(encoding="utf-8")
    return re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)[1]  # type: ignore[index]


if __name__ == "__main__":
    sys.exit(main())
