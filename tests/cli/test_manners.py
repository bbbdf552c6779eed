"""What a shell sees: results on stdout, the rest on stderr, --quiet, --verbose, --json, exit codes, and help."""

import json
import re
from pathlib import Path

import pytest

from tagfield.cli.commands import COMMANDS
from tagfield.cli.shared.exit_codes import EXITS
from tests.support.cli_process import TRAIN, call, good, refused

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
    usual = call(*TRAINING, cwd=home)
    quiet = call(*TRAINING, "-q", cwd=home)
    assert quiet.stderr == ""
    assert len(quiet.stdout.splitlines()) == len(usual.stdout.splitlines())
    verbose = call(*TRAINING, "--verbose", cwd=home)
    assert "settings   recipe=" in verbose.stderr
    assert "  objective " in verbose.stderr
    assert "  ‖θ‖ " in verbose.stderr
    assert "‖θ‖" not in usual.stderr
    both = call(*TRAINING, "-q", "-v", cwd=home)
    assert (both.returncode, both.stderr) == (
        2,
        "tagfield: --quiet and --verbose contradict each other; leave one out\n",
    )


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


def test_help_and_the_page_list_the_exit_codes() -> None:
    text = " ".join(good("--help").split())
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for code, meaning in EXITS.items():
        assert f"{code} {meaning.partition(':')[0]}" in text
        assert re.search(rf"^\| {code} \| {re.escape(meaning)} \|$", page, re.MULTILINE)


def test_the_page_says_what_is_so(tmp_path: Path) -> None:
    """Its commands work in order, with its config file, and its lists of options are those of the commands."""
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    (config,) = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "tagfield.toml").write_text(config)
    lines = "".join(re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)).splitlines()
    assert len(lines) == 5
    for line in lines:
        command, _, target = line.partition(" > ")
        text = good(*command.split()[1:], cwd=tmp_path)
        if target:
            assert isinstance(json.loads(text), dict)
    helps = {name: good(name, "--help") for name in COMMANDS}
    for option in ("--quiet", "--verbose", "--json"):
        having = {name for name, text in helps.items() if option in text}
        said = re.search(rf"((?:`[\w-]+`,? ?(?:and )?(?:also )?\s?)+)have `{option}`", page)
        assert said is not None
        assert set(re.findall(r"`([\w-]+)`", said[1])) == having
    from tagfield.evaluate import KINDS

    assert set(re.findall(r"^\| `(\w+)` \| .* \| .* \|$", page, re.MULTILINE)) == set(KINDS)
