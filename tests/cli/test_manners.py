"""What a shell sees: results on stdout, the rest on stderr, --quiet, --verbose, --json, exit codes, and help."""

import json
import re
from pathlib import Path

import pytest

from tagfield.cli.commands import COMMANDS
from tests.support.cli_process import TRAIN, call, good, inside, refused

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manners")
    (folder / "train.txt").write_text(TRAIN)
    (folder / "bad.txt").write_text("The DT B-NP\nThe\n")
    call("train", "train.txt", "-o", "model", "--epochs", "3", cwd=folder)
    return folder


TRAINING = ["train", "train.txt", "-o", "again", "--epochs", "3", "--dev", "train.txt"]
COMPARE = ["compare", "--train", "train.txt", "--test", "train.txt", "--recipes", "sgd", "--features", "all"]
COMPARE += ["--seeds", "1", "--epochs", "2", "--workers", "1", "-o"]


def test_progress_goes_to_stderr_and_the_result_to_stdout(home: Path) -> None:
    done = call(*TRAINING, cwd=home)
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["recipe", "ended", "loss", "dev", "saved"]
    assert "epoch 3/3  dev loss/token 0." in done.stderr
    assert "best so far" in done.stderr
    assert "next       tagfield eval -m again train.txt" in done.stderr


def test_quiet_says_nothing_but_the_result_and_verbose_says_more(home: Path) -> None:
    _, usual, told = inside(*TRAINING, cwd=home)
    _, quiet, silence = inside(*TRAINING, "-q", cwd=home)
    assert silence == ""
    assert len(quiet.splitlines()) == len(usual.splitlines())
    verbose = inside(*TRAINING, "--verbose", cwd=home)[2]
    assert "settings   recipe=" in verbose
    assert "  objective " in verbose
    assert "  ‖θ‖ " in verbose
    assert "‖θ‖" not in told
    message = "tagfield: --quiet and --verbose contradict each other; leave one out\n"
    assert inside(*TRAINING, "-q", "-v", cwd=home) == (2, "", message)


def test_a_quiet_error_is_still_told(home: Path) -> None:
    done = call("train", "bad.txt", "-o", "x", "-q", cwd=home)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("tagfield: bad.txt, line 2: ")


def test_every_command_that_reports_has_json(home: Path) -> None:
    def read(*arguments: str) -> dict[str, object]:
        found = json.loads(good(*arguments, "--json", cwd=home))
        assert isinstance(found, dict)
        return found

    trained = read(*TRAINING)
    assert trained["model"] == "again"
    assert trained["epochs"] == 3
    assert isinstance(trained["loss"], float)
    assert trained["dev"]["scheme"] == "iob"  # type: ignore[index]
    assert read("eval", "-m", "model", "train.txt")["tokens"] == 6
    assert read("info", "model")["labels"] == ["B-NP", "I-NP", "B-VP"]
    assert read(*COMPARE, "compared")["rows"][0]["recipe"] == "sgd"  # type: ignore[index]
    assert Path(home, str(read("report", "compared")["page"])).is_file()
    files = read("demo-data", "addresses", "-o", "demo", "--train", "3", "--test", "2")["files"]
    assert files[1]["sentences"] == 2  # type: ignore[index]
    pytest.importorskip("matplotlib")
    assert len(read("responses", "-o", "r.png")["responses"]) > 3  # type: ignore[arg-type]


def test_compare_keeps_progress_off_stdout(home: Path) -> None:
    done = call(*COMPARE, "more", cwd=home)
    assert "1 run on 1 core" in done.stderr
    assert "1/1 sgd/all/0: " in done.stderr
    assert "core" not in done.stdout
    assert done.stdout.strip().startswith("recipe")
    assert call(*COMPARE, "more", "-q", cwd=home).stderr == ""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["info", "model"], 0),
        (["demo-data", "addresses", "-o", "train.txt"], 1),
        (["train", "train.txt", "-o", "x", "--c2", "-1"], 2),
        (["train", "train.txt", "-o", "x", "--algorithm", "none"], 2),
        (["train", "train.txt", "-o", "x", "--template", "none"], 2),
        (["train", "train.txt", "-o", "x", "--patience", "3"], 2),
        (["train", "train.txt"], 2),
        (["eval", "-m", "model", "train.txt", "--scheme", "none"], 2),
        (["tag", "-m", "model", "train.txt", "--format", "none"], 2),
        (["responses", "-o", "x.gif"], 2),
        ([*COMPARE, "y", "--recipes", "none"], 2),
        (["train", "bad.txt", "-o", "x"], 3),
        (["train", "none.txt", "-o", "x"], 3),
        (["eval", "-m", "none", "train.txt"], 3),
        (["info", "train.txt"], 3),
        (["report", "none"], 3),
    ],
)
def test_exit_codes(arguments: list[str], code: int, home: Path) -> None:
    if code:
        refused(*arguments, cwd=home, code=code)
    else:
        good(*arguments, cwd=home)


@pytest.mark.parametrize(("arguments", "code"), [(["info", "model"], 0), (["train", "train.txt"], 2)])
def test_exit_codes_of_processes(arguments: list[str], code: int, home: Path) -> None:
    done = call(*arguments, cwd=home)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help_shows_no_python_types(name: str | None) -> None:
    text = good(*([name] if name else []), "--help")
    assert not re.search(r"<(bool|str|int|float|list|None)", text)
    if name == "train":
        assert re.search(r"--average +--no-average ", text)
