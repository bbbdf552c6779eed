"""The programs of examples/ run, and draw what they promise."""

import runpy

from tests.support.pages import ROOT


def test_the_fisher_matrix_is_drawn(tmp_path, capsys):
    picture = tmp_path / "fisher.png"
    example = runpy.run_path(str(ROOT / "examples" / "fisher_matrix.py"))
    example["main"](str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")
    out = capsys.readouterr().out
    assert "M is 15 × 15 and has rank 8: 7 directions change no probability" in out
    p, q = (example["probabilities"](example["walk"](example[way])[-1]) for way in ("closed_form", "shortest"))
    assert abs(p - q).max() < 1e-8
    assert abs(example["walk"](example["closed_form"])[-1] - example["walk"](example["shortest"])[-1]).max() > 0.01


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
