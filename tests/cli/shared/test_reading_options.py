"""The options of input that commands share: spans are compared with a model in the scheme of its labels."""

import json
from pathlib import Path

import pytest

from tests.support.cli_process import good

ROWS = [{"text": "Anna Lee left York.", "spans": [[0, 8, "PER"], [14, 18, "LOC"]]}, {"text": "Bo left.", "spans": []}]


@pytest.mark.parametrize("scheme", ["bio", "iobes", "bilou"])
def test_eval_and_dev_follow_the_labels_of_training(scheme: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    options = ["--epochs", "20", "--c2", "0.01", "--dev", "a.jsonl", "--scheme", scheme]
    good("train", "a.jsonl", "-o", "m", *options, cwd=tmp_path)
    assert "unknown label" not in good("eval", "-m", "m", "a.jsonl", cwd=tmp_path)
