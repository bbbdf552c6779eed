"""docs/migrate.md runs as it stands: every block, from the top, in one session and in an empty directory."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "migrate.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_every_block_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) >= 10
    session: dict = {"__name__": "migrate"}
    for block in blocks:
        line = text[: block.start(1)].count("\n")
        exec(compile("\n" * line + block[1], str(PAGE), "exec"), session)
    assert session["model"].evaluate(session["test"]).accuracy > 0.7
    assert (tmp_path / "model.tagfield").is_file()
    assert (tmp_path / "copy.crfsuite").read_bytes() == (tmp_path / "model.crfsuite").read_bytes()
    printed = capsys.readouterr().out
    assert "processed" in printed
    assert "position 0" in printed
