"""`tagfield tune`: a table, a sentence, a file that `tagfield train` understands, and what is refused."""

import json
import os
import shlex
import signal
import subprocess
import time
import tomllib
from pathlib import Path

import pytest

from tests.support.cli_process import COMMAND, environment, good, inside, refused


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tune")
    good("demo-data", "addresses", "-o", folder, "--train", "60", "--test", "5")
    return folder


def test_it_ends_with_a_table_a_sentence_a_file_and_a_command(home: Path) -> None:
    given = ["tune", "train.txt", "--budget", "12", "--folds", "3", "-o", "best.toml"]
    _, out, said = inside(*given, input=b"", cwd=home)
    lines = out.splitlines()
    assert sum(line.startswith("candidate ") for line in lines) == 1
    assert any(line.startswith("default, template ner ") for line in lines)
    assert lines[-2].startswith("Use ")
    assert lines[-2].endswith(".")
    assert lines[-1] == "saved  best.toml"
    following = said.splitlines()[-1]
    assert following.startswith("next   tagfield train train.txt -o model")
    table = tomllib.loads((home / "best.toml").read_text())["train"]
    assert table["template"] in ("ner", "pos", "words")
    assert not (home / "best.toml.state").exists()
    good(*following.split()[2:], cwd=home)
    assert inside(*given, input=b"", cwd=home)[1] == out


def test_columns_and_formats_are_part_of_the_choice(home: Path, tmp_path: Path) -> None:
    given = ["--budget", "6", "--folds", "2"]
    _, _, said = inside("tune", home / "train.txt", *given, "--columns", "w y", input=b"", cwd=tmp_path)
    assert said.splitlines()[-1].endswith("--columns 'w y'")
    assert tomllib.loads((tmp_path / "tagfield.toml").read_text())["train"]["columns"] == "w y"
    (tmp_path / "items").write_text("X\tw=a\nY\tw=b\n\nY\tw=b\nX\tw=a\n\n" * 4)
    _, _, said = inside("tune", "items", *given, "--format", "items", input=b"", cwd=tmp_path)
    assert "--format items" in said.splitlines()[-1]


def test_how_the_files_are_read_is_part_of_the_choice(tmp_path: Path) -> None:
    """The file and the command repeat every option of the input, so that training reads the same data."""
    (tmp_path / "a.jsonl").write_bytes('{"text": "Bäh sings", "spans": [[0, 2, "PER"]]}\n'.encode("latin-1") * 8)
    given = ["--encoding", "latin-1", "--on-cut", "widen", "--scheme", "iobes", "--template", "words"]
    code, out, said = inside(
        "tune", "a.jsonl", "--budget", "6", "--folds", "2", *given, "--json", input=b"", cwd=tmp_path
    )
    assert code == 0, said
    found = json.loads(out)
    wanted = {"encoding": "latin-1", "on-cut": "widen", "scheme": "iobes", "template": "words"}
    assert wanted.items() <= found["options"].items()
    assert tomllib.loads((tmp_path / "tagfield.toml").read_text())["train"] == found["options"]
    best, *_ = (row for row in found["candidates"] if row["chosen"])
    assert (best["figures"], best["mean"], found["finished"]) == ([100.0, 100.0], 100.0, True)
    assert said.splitlines()[-1] == f"next   {found['command']}"
    good(*shlex.split(found["command"])[1:], cwd=tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["no-such-file"], "no-such-file"),
        (["train.txt", "--template", "wrods"], "no template named 'wrods'; did you mean 'words'?"),
        (["train.txt", "--format", "xml"], "no format named 'xml'"),
        (["train.txt", "--format", "items", "--template", "words"], "--template has no effect on item files"),
        (["train.txt", "--budget", "3"], "budget must be at least 10 training runs for 5 folds, got 3"),
        (["train.txt", "-o", "no/such/folder/x"], "folder"),
    ],
)
def test_what_is_refused(options: list[str], message: str, home: Path) -> None:
    assert message in refused("tune", *options, cwd=home)
    assert not list(home.glob("tagfield.toml*"))


def test_a_state_that_is_there_is_not_overwritten(home: Path, tmp_path: Path) -> None:
    (tmp_path / "x.toml.state").write_text("{}")
    said = refused("tune", home / "train.txt", "-o", "x.toml", cwd=tmp_path)
    assert said.endswith("x.toml.state holds the runs of a tuning that was stopped; add --resume, or delete the file")
    said = refused("tune", home / "train.txt", "-o", "x.toml", "--resume", cwd=tmp_path)
    assert "not the state of a tuning" in said


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    good("demo-data", "addresses", "-o", tmp_path, "--train", "300", "--test", "5")
    given = [*COMMAND, "tune", "train.txt", "--budget", "40", "-o", "best.toml"]
    process = subprocess.Popen(given, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    assert process.stderr is not None
    assert process.stderr.readline().startswith(b"1/")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.startswith(b"candidate ")
    assert b"the same command with --resume continues" in err
    assert b"Traceback" not in err
    deadline = time.monotonic() + 5
    while not (tmp_path / "best.toml.state").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert (tmp_path / "best.toml.state").exists()
    assert not (tmp_path / "best.toml").exists()
