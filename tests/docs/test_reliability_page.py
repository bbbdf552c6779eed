"""docs/reliability.md names tests and commands that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reliability.md").read_text(encoding="utf-8")


def test_every_test_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"\btests/[\w/*.]*\w", PAGE))
    assert len(named) > 15
    assert [name for name in sorted(named) if not list(ROOT.glob(name))] == []


def test_every_command_that_the_page_names_is_there() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    assert set(re.findall(r"`make (\w+)", PAGE)) <= targets
