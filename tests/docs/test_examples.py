"""The programs of examples/ run, and draw what they promise."""

import runpy
from functools import cache

from tests.support.pages import ROOT


def test_the_fisher_matrix_is_drawn(tmp_path, capsys):
    picture = tmp_path / "fisher.png"
    example = runpy.run_path(str(ROOT / "examples" / "fisher_matrix.py"))["main"].__globals__
    example["walk"] = cache(example["walk"])  # a walk takes seconds, and the checks below look at those of the example
    example["main"](str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")
    out = capsys.readouterr().out
    assert "M is 15 × 15 and has rank 8: 7 directions change no probability" in out
    ours, theirs = (example["walk"](example[way])[-1] for way in ("closed_form", "shortest"))
    assert abs(example["probabilities"](ours) - example["probabilities"](theirs)).max() < 1e-8
    assert abs(ours - theirs).max() > 0.01
    assert "the probabilities of a second sentence are 0.026 apart" in out


def test_a_generator_of_ones_own_trains_and_is_drawn(tmp_path, capsys):
    picture = tmp_path / "own.png"
    example = runpy.run_path(str(ROOT / "examples" / "own_generator.py"))
    found = example["main"]([str(picture), "--train", "60", "--test", "30", "--epochs", "5"])
    assert list(found) == ["arcsinh", "arctan"]
    # Guessing the most frequent label gives less than a third.
    assert all(scores.accuracy > 0.5 for scores in found.values())
    assert found["arcsinh"] != found["arctan"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["arcsinh", "arctan", "plot:"]
