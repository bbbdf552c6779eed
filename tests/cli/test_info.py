"""`tagfield info` on models that came to be in other ways than by `tagfield train`."""

import json
from pathlib import Path

from tagfield import CRF
from tests.support.cli_process import good


def test_a_model_that_learned_from_a_stream(tmp_path: Path) -> None:
    CRF().partial_fit([[["a"], ["b"]]] * 3, [["X", "Y"]] * 3).save(tmp_path / "m")
    text = " ".join(good("info", tmp_path / "m").split())
    assert "trained by adaptive, c2 1, seed 0" in text
    assert "in a stream trained on 3 sequences" in text
    assert json.loads(good("info", tmp_path / "m", "--json"))["info"]["sequences"] == 3


def test_constraints_and_transitions_that_look_at_the_input(tmp_path: Path) -> None:
    X, y = [[["a"], ["b"]]] * 3, [["B-X", "I-X"]] * 3
    CRF(constraints="BIO").fit(X, y).save(tmp_path / "m")
    assert "constraints BIO" in " ".join(good("info", tmp_path / "m").split())
    template = tmp_path / "edges.template"
    template.write_text("U00:%x[0,0]\nB01:%x[0,0]\nB\n")
    CRF(template=str(template)).fit([["a", "b"]] * 3, y).save(tmp_path / "m")
    assert "(1 pattern and 1 of transitions)" in " ".join(good("info", tmp_path / "m").split())
