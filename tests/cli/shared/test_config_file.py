"""`tagfield train --config FILE`: what the file says, what wins over it, and what is wrong with it."""

import json
from pathlib import Path

import pytest

from tests.support.cli_process import TRAIN, good, refused


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "train.txt").write_text(TRAIN)
    return tmp_path


def settings(home: Path, config: str, *more: str) -> dict[str, object]:
    (home / "tagfield.toml").write_text(config)
    good("train", *more, "--config", "tagfield.toml", "-q", cwd=home)
    found: dict[str, object] = json.loads(good("info", "model", "--json", cwd=home))["info"]["settings"]
    return found


ALL = """
title = "what tune writes"
[tune]
anything = 1
[train]
train = ["train.txt"]
output = "model"
algorithm = "adaptive"
features = "all"
c2 = 0.5
epochs = 2
average = true
min-count = 1
template = "chunking"
"""


def test_a_file_is_enough(home: Path) -> None:
    found = settings(home, ALL)
    expected = {"recipe": "adaptive", "features": "all", "c2": 0.5, "epochs": 2, "average": True}
    assert {name: found[name] for name in expected} == expected


def test_the_command_line_wins(home: Path) -> None:
    found = settings(home, ALL, "--c2", "2", "--no-average", "--epochs=3")
    assert (found["c2"], found["average"], found["epochs"], found["features"]) == (2.0, False, 3, "all")


def test_names_with_underscores_and_one_file_name_are_the_same(home: Path) -> None:
    found = settings(home, '[train]\ntrain = "train.txt"\noutput = "model"\nmin_count = 2\nseed = 7\n')
    assert (found["min_count"], found["seed"]) == (2, 7)


def test_a_file_that_is_not_named_is_not_read(home: Path) -> None:
    (home / "tagfield.toml").write_text("[train]\nseed = 7\nnonsense = 1\n")
    good("train", "train.txt", "-o", "model", "--epochs", "2", cwd=home)
    assert json.loads(good("info", "model", "--json", cwd=home))["info"]["settings"]["seed"] == 0


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("[train]\nepoch = 3\n", "tagfield: f.toml: [train] has no option named 'epoch'; did you mean 'epochs'?"),
        ("[train]\nconfig = 'x'\n", "[train] has no option named 'config'"),
        ("epochs = 3\n", "f.toml: there is no table [train]; put 'epochs' and the other options below a line [train]"),
        ("", "f.toml: there is no table [train]; add a line [train]"),
        ("[train\n", "f.toml: not a TOML file: "),
        ("[train]\naverage = 1\n", "f.toml: [train] average must be true or false, got 1"),
        ("[train]\nepochs = true\n", "f.toml: [train] epochs must be a text or a number, got True"),
        ("[train]\nepochs = [1]\n", "[train] epochs must be a text, a number or true or false, got [1]"),
        ("[train]\nepochs = ['1']\n", "[train] epochs takes one value, got a list"),
        ("[train]\nepochs = 'many'\n", "tagfield train: invalid value for '--epochs': "),
        ("[train]\nepochs = 'many'\n", ", in f.toml; see tagfield train --help"),
        ("[train]\nc2 = -1\n", "tagfield: c2 in f.toml must be ≥ 0, got -1"),
        ("[train]\nmin-count = 1\nmin_count = 1\n", "[train] has the option 'min-count' twice"),
    ],
)
def test_what_is_wrong_is_named(config: str, message: str, home: Path) -> None:
    (home / "f.toml").write_text(config)
    assert message in refused("train", "train.txt", "-o", "m", "--config", "f.toml", cwd=home, code=2)
    assert not (home / "m").exists()


def test_what_the_command_line_gets_wrong_is_not_laid_on_the_file(home: Path) -> None:
    (home / "f.toml").write_text("[train]\nc2 = 0.1\nepochs = 1\n")
    given = ["train", "train.txt", "-o", "m", "--config", "f.toml"]
    assert refused(*given, "--c2", "-1", cwd=home, code=2) == "tagfield: --c2 must be ≥ 0, got -1"
    assert "f.toml" not in refused(*given, "--epochs", "many", cwd=home, code=2)


def test_a_file_that_is_not_there_or_not_text(home: Path) -> None:
    assert "cannot read the config file 'no.toml': No such file" in refused(
        "train", "train.txt", "-o", "m", "--config", "no.toml", cwd=home, code=2
    )
    (home / "f.toml").write_bytes(b"\xff\xfe")
    assert "not UTF-8" in refused("train", "train.txt", "-o", "m", "--config", "f.toml", cwd=home, code=2)


def test_a_byte_order_mark_at_the_start_is_dropped(home: Path) -> None:
    assert settings(home, "\ufeff" + ALL)["c2"] == 0.5
