"""What is read off a run of Schemathesis, and the line that says it is not installed."""

import importlib.util
import sys
from pathlib import Path

import pytest

from tests.fuzz import described

PRINTED = "  Selected: 6/6\n  Tested: 6\n\nTest cases:\n  1,333 generated, 1,333 passed\n"


def test_the_counts_are_those_of_the_summary() -> None:
    assert described.Found.of(PRINTED, 0) == described.Found(1333, 6, "")


@pytest.mark.parametrize(("printed", "code"), [(PRINTED, 1), (PRINTED, None), ("Failed to load the schema", 0)])
def test_a_failure_a_hang_and_an_empty_run_are_findings(printed: str, code: int | None) -> None:
    assert printed in described.Found.of(printed, code).finding


def test_without_schemathesis_a_line_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = importlib.util.spec_from_file_location("fuzz_script", described.ROOT / "scripts/fuzz.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "fuzz_script", script)
    spec.loader.exec_module(script)
    monkeypatch.setattr(described, "PROGRAM", Path("none"))
    monkeypatch.setattr(sys, "argv", ["fuzz.py", "schemathesis", "--seconds", "1"])
    assert script.main() == 0
    assert described.MISSING in capsys.readouterr().out
