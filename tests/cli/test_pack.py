"""`tagfield pack`, `tagfield train` on what it packs, and text that does not fit into memory."""

import json
from pathlib import Path

import pytest

from tagfield import MemoryLimitError, Model
from tagfield.cli import pack, train
from tagfield.cli.commands import run
from tagfield.cli.shared import training_run
from tagfield.cli.shared.exit_codes import USAGE
from tests.support.cli_process import good, refused

TEXT = "".join(f"w{k % 9} T{k % 4} {'BIO'[k % 3]}\n" + "\n" * (k % 7 == 6) for k in range(700))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text(TEXT)
    return path


def test_the_model_is_that_of_the_file(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus, one, other = tmp_path / "c", tmp_path / "one", tmp_path / "other"
    assert run(["pack", str(file), "-o", str(corpus)]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith(f"saved      {corpus}, ")
    assert f"next       tagfield train {corpus} -o MODEL" in shown.err
    assert run(["train", str(file), "-o", str(one), "--epochs", "2", "-q"]) == 0
    assert run(["train", str(corpus), "-o", str(other), "--epochs", "2", "--window", "1kB", "-q"]) == 0
    first, second = Model.load(one), Model.load(other)
    assert first.weights.state.tobytes() == second.weights.state.tobytes()
    assert {**first.info, "seconds": 0} == {**second.info, "seconds": 0}
    capsys.readouterr()
    assert run(["pack", str(file), "-o", str(corpus), "--json"]) == 0  # done already
    assert json.loads(capsys.readouterr().out)["tokens"] == 700


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--min-count", "0"], "min_count must be at least 1"),
        (["--hash-bits", "40"], "hash_bits must be between 8 and 30"),
        (["--shard-size", "x"], "is not a size of memory"),
        (["--shard-size", "1"], "shard_size must be at least 1MB, got 1 bytes"),
        (["--template", "chunk"], "no template named 'chunk'"),
    ],
)
def test_options(
    file: Path, tmp_path: Path, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["pack", str(file), "-o", str(tmp_path / "c"), *arguments]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "c").exists()


def test_a_corpus_is_trained_on_alone(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus, model = str(tmp_path / "c"), str(tmp_path / "m")
    run(["pack", str(file), "-o", corpus, "-q"])
    for arguments, told in (
        ([corpus, str(file)], "which is read alone"),
        ([str(file), corpus], f"{corpus}: this is a packed corpus, which holds no text"),
        ([corpus, "--template", "words"], "give them to tagfield pack"),
        ([corpus, "--window", "x"], "is not a size of memory"),
    ):
        assert run(["train", *arguments, "-o", model, "-q"]) != 0
        assert told in capsys.readouterr().err


def test_text_that_does_not_fit_is_packed(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise MemoryLimitError("a.txt: encoding the text needs about 9 GB of memory; do this, or that")

    assert run(["train", str(file), "-o", str(tmp_path / "one"), "--epochs", "2", "-q"]) == 0
    monkeypatch.setattr(training_run, "encode_files", refused)
    work = tmp_path / "work"
    work.mkdir()
    command = ["train", str(file), "-o", str(tmp_path / "m"), "--epochs", "2", "--work-dir", str(work)]
    assert run(command) == 0
    assert f"needs about 9 GB of memory; packing the text into {work} instead" in capsys.readouterr().err
    assert list(work.iterdir()) == []
    assert Model.load(tmp_path / "m").weights.state.tobytes() == Model.load(tmp_path / "one").weights.state.tobytes()
    assert run([*command[:-1], str(tmp_path / "none")]) == 1
    assert "choose another --work-dir" in capsys.readouterr().err


def test_help_and_progress(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--hash-bits" in good("pack", "--help")
    shown = good("pack", file, "-o", tmp_path / "c", "--hash-bits", "10")
    assert "bytes per token" in shown
    assert "packing " not in shown  # a line a minute
    monkeypatch.setattr(pack, "PAUSE", 0.0)
    assert "packing    5.7 kB of text, 700 tokens, " in good("pack", file, "-o", tmp_path / "d")
    assert good("pack", file, "-o", tmp_path / "e", "-q").startswith("saved      ")


def test_sizes_are_those_of_the_folder(file: Path, tmp_path: Path) -> None:
    told = json.loads(good("pack", file, "-o", tmp_path / "c", "--json"))
    assert told["bytes"] == sum(path.stat().st_size for path in (tmp_path / "c").iterdir())


def test_info_says_what_pack_said(file: Path, tmp_path: Path) -> None:
    packed = good("pack", file, "-o", tmp_path / "c")
    shown = good("info", tmp_path / "c")
    for name in ("packed", "saved", "input"):
        [line] = [line for line in packed.splitlines() if line.startswith(name)]
        said = line.removeprefix(name).strip().partition(", in ")[0].removeprefix(f"{tmp_path / 'c'}, ")
        assert said in " ".join(shown.split())
    assert "pack with --template ner" in " ".join(shown.split())
    assert json.loads(good("info", tmp_path / "c", "--json"))["tokens"] == 700


def test_evaluation_is_that_of_the_text(file: Path, tmp_path: Path) -> None:
    good("pack", file, "-o", tmp_path / "c")
    good("train", tmp_path / "c", "-o", tmp_path / "m", "--epochs", "1", "-q")
    assert good("eval", "-m", tmp_path / "m", tmp_path / "c") == good("eval", "-m", tmp_path / "m", file)
    assert "is read alone" in refused("eval", "-m", tmp_path / "m", tmp_path / "c", file)
    assert "have no effect" in refused("eval", "-m", tmp_path / "m", tmp_path / "c", "--format", "jsonl")


def test_text_is_asked_for_where_text_is_needed(file: Path, tmp_path: Path) -> None:
    good("pack", file, "-o", tmp_path / "c")
    good("train", file, "-o", tmp_path / "m", "--epochs", "1", "-q")
    told = f"{tmp_path / 'c'}: this is a packed corpus, which holds no text"
    assert told in refused("tag", "-m", tmp_path / "m", tmp_path / "c")
    assert told in refused("tune", tmp_path / "c", "-o", tmp_path / "t.toml")
    (tmp_path / "junk").mkdir()
    assert "it has no manifest.json" in refused("train", tmp_path / "junk", "-o", tmp_path / "m")


def test_a_window_is_for_a_packed_corpus_on_this_machine(file: Path, tmp_path: Path) -> None:
    good("pack", file, "-o", tmp_path / "c")
    to = ["-o", tmp_path / "m", "--window", "1MB"]
    assert "--window applies only to a packed corpus" in refused("train", file, *to, code=USAGE)
    told = refused("train", tmp_path / "c", *to, "--cluster", "local", code=USAGE)
    assert "--window has no effect on a cluster" in told


def test_what_needs_the_whole_corpus_says_so_before(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good("pack", file, "-o", tmp_path / "c")
    monkeypatch.setattr(train, "WINDOW", "1kB")
    command = ["train", tmp_path / "c", "-o", tmp_path / "m", "--epochs", "1", "--algorithm", "lbfgs"]
    assert "memory     lbfgs with c1 reads the whole corpus at once: about " in good(*command, "--c1", "0.1")
    assert "memory  " not in good(*command)
