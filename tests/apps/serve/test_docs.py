"""docs/serve.md: every request gets the answer that stands below it, and the table has the limits in force."""

import json
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tagfield.apps.serve.limits import Limits
from tests.support.pages import blocks_of, text_of
from tests.support.service import served

TEXT = text_of("docs/serve.md")
BLOCKS = blocks_of(TEXT)


def holds(found: Any, shown: Any) -> bool:
    """Whether an answer has what the page shows: these fields, these first items, these digits."""
    if isinstance(shown, dict):
        return isinstance(found, dict) and all(name in found and holds(found[name], shown[name]) for name in shown)
    if isinstance(shown, list):
        return len(found) >= len(shown) and all(holds(one, other) for one, other in zip(found, shown, strict=False))
    return found == (pytest.approx(shown, rel=5e-3) if isinstance(shown, float) else shown)


def test_every_request_gets_its_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    monkeypatch.chdir(tmp_path)
    [script] = [block.content for block in BLOCKS if block.language == "python"]
    exec(compile(script, "docs/serve.md", "exec"), {})
    pairs = [(one, two) for one, two in pairwise(BLOCKS) if (one.language, two.language) == ("sh", "json")]
    requests = [(command.content, answer.content) for command, answer in pairs]
    assert len(requests) == TEXT.count("```json") == TEXT.count("```sh") > 5
    with served("names.tagfield") as service:
        for command, shown in requests:
            asked = command.replace("localhost:8000", f"localhost:{service.port}")
            said = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True).stdout
            assert holds(json.loads(said), json.loads(shown)), (command, said)


def test_the_limits_are_those_in_force() -> None:
    limits = Limits()
    rows = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|(?: `--[a-z-]+`)? \|$", TEXT, re.MULTILINE))
    assert rows["body of a request"] == f"{limits.body >> 20} MB"
    assert rows["tokens of a request"] == f"{limits.tokens:,}"
    assert rows["requests under way"] == f"{limits.requests:,}"
    assert rows["open connections"] == f"{limits.connections:,}"
    assert rows["time of a request"] == f"{limits.seconds:g} s"
    assert rows["time until the headers are there"].startswith(f"{limits.header_seconds:g} s")
    assert rows["time between two requests of a connection"] == f"{limits.idle_seconds} s"
    assert rows["time without reading an answer"] == f"{limits.write_seconds:g} s"
    assert rows["headers and trailers"] == f"{limits.header_bytes >> 10} KB"
    assert rows["`n_best`"] == f"{limits.n_best}"
