"""The notes of a release are its section of CHANGELOG.md, and a release that is not ready is refused."""

import doctest

import pytest

import tagfield
from tests.support.scripts import ROOT, pyproject, script

notes = script("release_notes")
LOG = """# Changelog

## 0.2.0, unreleased

**New.** A thing, see [docs/x.md](docs/x.md) and [the paper](https://example.org/paper).

### More

Another.

## 0.1.0, 2027-01-02

The first.

## 0.0.1, 2026-01-02
"""


def test_a_section_ends_where_the_next_begins() -> None:
    date, text = notes.section(LOG, "0.2.0")
    assert date == "unreleased"
    assert text.startswith("**New.** A thing, see docs/x.md and [the paper](https://example.org/paper).")
    assert text.endswith("Another.")
    assert notes.section(LOG, "0.1.0") == ("2027-01-02", "The first.")


@pytest.mark.parametrize(
    ("version", "said"),
    [("0.3.0", "has no section 0.3.0; it has 0.2.0, 0.1.0, 0.0.1"), ("0.0.1", "is empty"), ("0.1", "no section 0.1;")],
)
def test_what_is_not_there(version: str, said: str) -> None:
    with pytest.raises(notes.NoNotes, match=said):
        notes.section(LOG, version)


def test_a_release_has_a_date_and_the_version_of_the_sources() -> None:
    notes.check_released("0.1.0", "2027-01-02", "0.1.0")
    with pytest.raises(notes.NoNotes, match=r"calls 0.2.0 'unreleased'; write its date"):
        notes.check_released("0.2.0", "unreleased", "0.2.0")
    with pytest.raises(notes.NoNotes, match=r"the tag says 0.1.0, and src/tagfield/__init__.py 0.2.0"):
        notes.check_released("0.1.0", "2027-01-02", "0.2.0")


def test_this_version_has_notes(capsys: pytest.CaptureFixture[str]) -> None:
    assert notes.main([f"v{tagfield.__version__}"]) == 0
    assert len(capsys.readouterr().out) > 100
    assert notes.main(["0.0.0"]) == 1
    assert "has no section 0.0.0" in capsys.readouterr().err


def test_the_version_is_written_once() -> None:
    assert notes.source_version() == tagfield.__version__
    project = pyproject()
    assert "version" not in project["project"]
    assert project["tool"]["scikit-build"]["metadata"]["version"]["input"] == "src/tagfield/__init__.py"
    assert tagfield.__version__ not in (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")


def test_the_examples_run() -> None:
    assert doctest.testmod(notes).failed == 0
