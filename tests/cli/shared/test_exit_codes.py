"""Everything that can be wrong: one sentence on stderr, an exit code, no traceback, no half-written file."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tagfield.cli.shared.exit_codes import guarded
from tests.support.cli_process import COMMAND, OLD, TRAIN, call, environment, good, refused

BAD_DATA: dict[str, tuple[bytes, list[str], str]] = {  # content of `data`, further options, what is said
    "ragged columns": (b"The DT B-NP\ndog NN\n", [], "data, line 2: "),
    "too few columns": (b"The B-NP\n", ["--columns", "w pos x y"], "data, line 1: found 2 columns, but"),
    "an empty file": (b"", [], "data: the file is empty"),
    "only blank lines": (b"\n\n  \n", [], "data: the file holds only blank lines"),
    "no labels": (b"The\ndog\n", [], "data, line 1: found 1 column, but no label"),
    "labels that a template needs": (
        b"The DT\ndog NN\n",
        ["--template", "chunking"],
        "data, line 1: found 2 columns, but template chunking reads 3 (word, pos, label)",
    ),
    "columns without names": (b"a b c d e\n", [], "data, line 1: found 5 columns; name them with --columns"),
    "a span that cuts a token": (
        b'{"text": "New Yorkers", "spans": [[4, 8, "LOC"]]}',
        [],
        "data, line 1: the span 'York' (4 to 8, LOC) cuts the token 'Yorkers' (4 to 11); correct it, or use",
    ),
    "a scheme for labels": (b"a B-X\n", ["--scheme", "iobes"], "data: a scheme applies to text with spans, but this"),
    "broken JSON": (b'{"tokens": ["a"], "labels": ["X"]}\n{"tok\n', [], "data, line 2: this is not JSON"),
    "latin-1": (b"word,tag\nCaf\xe9,O\n", [], "data, line 2: the bytes are not valid UTF-8; name the encoding"),
    "bad UTF-8": (b"The DT B-NP\nd\xffg NN I-NP\n", [], "data, line 2: "),
    "a NaN": (b"A\tx:1\n\nB\tx:nan\n", ["--format", "items"], "data, line 3: "),
    "an infinite value": (b"A\tx:inf\n", ["--format", "items"], "data, line 1: "),
    "a value that is no number": (b"A\tx:1\nB\tw:abc\n", ["--format", "items"], "data, line 2: "),
    "an unknown declaration": (b"@group:1\nA\tx\n", ["--format", "items"], "data, line 1: "),
    "bad UTF-8 in items": (b"A\tx\nB\t\xff\n", ["--format", "items"], "data, line 2: "),
    "a broken gzip file": (b"\x1f\x8b\x08\x00broken", [], "data: the gzip data is damaged"),
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "train.txt").write_text(TRAIN)
    return tmp_path


def untouched(home: Path, *names: str) -> None:
    """Only these files are there: nothing half-written, no temporary file."""
    assert sorted(path.name for path in home.iterdir()) == sorted(names)


@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_training_data(case: str, tmp_path: Path) -> None:
    content, options, message = BAD_DATA[case]
    (tmp_path / "data").write_bytes(content)
    line = refused("train", "data", "-o", "model", *options, cwd=tmp_path)
    assert line.startswith(f"tagfield: {message}"), line
    untouched(tmp_path, "data")


OPTIONS: dict[str, tuple[list[str], str]] = {
    "a missing file": (["no.txt", "-o", "model"], "no.txt: there is no such file"),
    "a folder as file": ([".", "-o", "model"], ".: this is a directory"),
    "an unknown algorithm": (["train.txt", "-o", "model", "--algorithm", "adam"], "no algorithm named 'adam'"),
    "an unknown feature set": (
        ["train.txt", "-o", "model", "--features", "few"],
        "--features must be one of observed, all, auto; got 'few'",
    ),
    "an unknown format": (["train.txt", "-o", "model", "--format", "xml"], "no format named 'xml'"),
    "a missing template": (
        ["train.txt", "-o", "model", "--template", "no"],
        "no template named 'no'; use chunking, words, crfpp",
    ),
    "a template for items": (
        ["train.txt", "-o", "model", "--format", "items", "--template", "words"],
        "--template has no effect on item files, which already contain attributes",
    ),
    "standard input twice": (["-", "-", "-o", "model"], "standard input (-) can be read only once"),
    "no epoch": (["train.txt", "-o", "model", "--epochs", "0"], "--epochs must be at least 1, got 0"),
    "a negative c2": (["train.txt", "-o", "model", "--c2", "-1"], "--c2 must be ≥ 0, got -1"),
    "c1 with a recipe that has none": (
        ["train.txt", "-o", "model", "--c1", "1"],
        "--c1 applies only to lbfgs, not to adaptive",
    ),
    "a rate of nothing": (["train.txt", "-o", "model", "--rate", "nan"], "--rate must be above 0, got nan"),
    "no such type": (
        ["train.txt", "-o", "model", "--algorithm", "pa", "--pa-type", "7"],
        "--pa-type must be at most 2, got 7",
    ),
    "a minimum count of 0": (["train.txt", "-o", "model", "--min-count", "0"], "--min-count must be at least 1, got 0"),
    "a negative seed": (["train.txt", "-o", "model", "--seed", "-1"], "--seed must be ≥ 0, got -1"),
    "patience without dev": (["train.txt", "-o", "model", "--patience", "3"], "--patience needs held-out data"),
    "a missing dev file": (["train.txt", "-o", "model", "--dev", "no.txt"], "no.txt: there is no such file"),
    "a log that cannot be": (["train.txt", "-o", "model", "--log", "no/log"], "cannot write the log 'no/log'"),
    "no folder for the model": (["train.txt", "-o", "no/model"], "cannot write 'no/model': its folder does not"),
    "a folder as model": (["train.txt", "-o", "."], "cannot write '.': it is a folder"),
    "standard output as model": (["train.txt", "-o", "-"], "cannot write to standard output"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_bad_options(case: str, home: Path) -> None:
    arguments, message = OPTIONS[case]
    line = refused("train", *arguments, cwd=home)
    assert line.startswith(f"tagfield: {message}"), line
    untouched(home, "train.txt")


@pytest.mark.parametrize("case", ["ragged columns", "bad UTF-8", "a NaN"])
def test_the_same_in_a_process_of_its_own(case: str, tmp_path: Path) -> None:
    content, options, message = BAD_DATA[case]
    (tmp_path / "data").write_bytes(content)
    done = call("train", "data", "-o", "model", *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"tagfield: {message}")
    assert len(done.stderr.splitlines()) == 1
    untouched(tmp_path, "data")


def test_a_template_that_names_a_column_that_is_not_there(home: Path) -> None:
    (home / "template").write_text("U00:%x[0,0]\nU01:%x[0,7]\n")
    line = refused("train", "train.txt", "-o", "model", "--template", "template", cwd=home)
    assert line.startswith("tagfield: template template, line 2: 'U01:%x[0,7]' names column 7")
    untouched(home, "template", "train.txt")


def test_a_bad_template(home: Path) -> None:
    (home / "template").write_text("U00:%x[0,0\n")
    line = refused("train", "train.txt", "-o", "model", "--template", "template", cwd=home)
    assert "template template, line 1:" in line


def test_dev_data_without_labels(home: Path) -> None:
    (home / "dev.txt").write_text("The DT\n")
    line = refused("train", "train.txt", "-o", "model", "--dev", "dev.txt", cwd=home)
    assert line == "tagfield: dev.txt, line 1: the sequence has no labels, but --dev needs labelled data"


def test_training_that_leaves_the_numbers_names_its_epoch_and_keeps_the_old_model(home: Path) -> None:
    (home / "items").write_text("A\tx:1e30\nB\ty:-1e30\n\nB\tx:1e30\nA\tx:3\n")
    (home / "model").write_bytes(OLD)
    line = refused(
        "train", "items", "-o", "model", "--format", "items", "--algorithm", "sgd", "--rate", "0.1", cwd=home
    )
    assert "epoch 1: the weights left the range of numbers" in line
    assert (home / "model").read_bytes() == OLD
    untouched(home, "train.txt", "items", "model")


# Where the model goes


def test_a_target_that_cannot_be_written_is_found_before_the_data_is_read(home: Path) -> None:
    line = refused("train", "missing.txt", "-o", "no/model", cwd=home)
    assert line.startswith("tagfield: cannot write 'no/model'")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(home: Path) -> None:
    (home / "closed").mkdir(mode=0o500)
    assert "permission is denied" in refused("train", "train.txt", "-o", "closed/model", cwd=home)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_disk(home: Path) -> None:
    line = refused("train", "train.txt", "-o", "/dev/full", "--epochs", "2", cwd=home)
    assert line.startswith("tagfield: cannot write '/dev/full': the disk is full")
    untouched(home, "train.txt")
    with open("/dev/full", "wb") as full:
        good("train", "train.txt", "-o", "model", cwd=home)
        done = subprocess.run(
            [*COMMAND, "eval", "-m", "model", "train.txt"],
            cwd=home,
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
        )
    assert (done.returncode, done.stderr) == (1, b"tagfield: cannot use standard output: No space left on device\n")


def test_a_file_that_may_not_grow(home: Path) -> None:
    """A limit on the size of files stands in for a disk that fills up while the model is written."""
    (home / "model").write_bytes(OLD)
    done = subprocess.run(
        [*COMMAND, "train", "train.txt", "-o", "model", "--epochs", "2"],
        cwd=home,
        capture_output=True,
        text=True,
        env=environment(PYTHONDONTWRITEBYTECODE="1"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)),
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(
        "tagfield: cannot write 'model': the file would be larger than the limit allows"
    )
    assert (home / "model").read_bytes() == OLD
    untouched(home, "train.txt", "model")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_log_that_cannot_go_on_does_not_end_the_training(home: Path) -> None:
    done = call("train", "train.txt", "-o", "model", "--epochs", "3", "--log", "/dev/full", cwd=home)
    assert done.returncode == 0
    said = "tagfield: the log is incomplete: No space left on device; training continued without it"
    assert [line for line in done.stderr.splitlines() if line.startswith("tagfield:")] == [said]
    assert (home / "model").stat().st_size > 1000


def test_training_goes_on_when_nobody_reads_its_lines(home: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "train", "train.txt", "-o", "model"],
        cwd=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stderr.close()
        assert process.wait(60) == 0
    assert (home / "model").is_file()


# Models


@pytest.mark.parametrize("command", ["tag", "eval", "info"])
@pytest.mark.parametrize("damage", ["missing", "empty", "text", "crfsuite", "truncated", "flipped"])
def test_a_model_that_is_none(command: str, damage: str, home: Path) -> None:
    good("train", "train.txt", "-o", "model", "--epochs", "2", cwd=home)
    whole = bytearray((home / "model").read_bytes())
    whole[-100] ^= 1
    content = {
        "empty": b"",
        "text": b"The DT B-NP\n" * 10,
        "crfsuite": b"lCRF" + bytes(100),
        "truncated": bytes(whole[:-50]),
        "flipped": bytes(whole),
    }
    (home / "model").unlink()
    if damage in content:
        (home / "model").write_bytes(content[damage])
    arguments = ["model"] if command == "info" else ["-m", "model", "train.txt"]
    line = refused(command, *arguments, cwd=home)
    assert "'model'" in line
    said = {"missing": "no file named", "empty": "is empty", "text": "it is a text file"}
    assert said.get(damage, "is damaged") in line


@pytest.mark.parametrize("command", ["tag", "eval"])
def test_text_that_does_not_fit_the_model(command: str, home: Path) -> None:
    good("train", "train.txt", "-o", "model", "--epochs", "2", cwd=home)
    (home / "bad.txt").write_text("The DT B-NP\n\nThe\n")
    assert "bad.txt, line 3" in refused(command, "-m", "model", "bad.txt", cwd=home)
    assert "no.txt: there is no such file" in refused(command, "-m", "model", "no.txt", cwd=home)
    assert "standard input" in refused(command, "-m", "model", "-", cwd=home)


def test_eval_of_text_without_labels(home: Path) -> None:
    good("train", "train.txt", "-o", "model", "--epochs", "2", cwd=home)
    line = refused("eval", "-m", "model", "-", input="The DT\n", cwd=home)
    assert line == "tagfield: standard input, line 1: the sequence has no labels to score against"


def test_demo_data_into_a_file(home: Path) -> None:
    few = ["--train", "5", "--test", "5"]
    assert "cannot create folder 'train.txt'" in refused("demo-data", "mentions", "-o", "train.txt", *few, cwd=home)
    assert "no corpus named 'songs'" in refused("demo-data", "songs", "-o", "x", cwd=home)
    untouched(home, "train.txt")


# What no input can cause in a test


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (MemoryError(), 1, "tagfield: out of memory"),
        (OSError(5, "Input/output error", "a.txt"), 1, "tagfield: cannot use 'a.txt': Input/output error"),
        (KeyboardInterrupt(), 130, "tagfield: interrupted; nothing was written"),
    ],
)
def test_errors_of_the_machine(error: BaseException, code: int, message: str) -> None:
    """Raised for real inside a guarded command, in a process of its own, since the guard closes standard output."""
    program = (
        "import sys, typer\nfrom tagfield.cli.shared.exit_codes import guarded\n"
        f"def fail() -> None:\n    raise {error!r}\n"
        "try:\n    guarded(fail)()\nexcept typer.Exit as end:\n    sys.exit(end.exit_code)\n"
    )
    if isinstance(error, OSError):
        program = program.replace(repr(error), f"OSError({error.errno}, {error.strerror!r}, {error.filename!r})")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == code
    assert done.stderr.startswith(message)
    assert len(done.stderr.splitlines()) == 1


def test_a_mistake_of_the_program_shows_itself() -> None:
    def wrong() -> None:
        raise ZeroDivisionError

    command: Callable[[], None] = guarded(wrong)
    with pytest.raises(ZeroDivisionError):
        command()
