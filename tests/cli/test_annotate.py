"""The command before its server starts: what it refuses, in one sentence each."""

import socket
from pathlib import Path

import pytest

from tests.support.cli_process import TRAIN, good, refused


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text("Anna left .\nIt rains\n")
    return path


@pytest.mark.parametrize(
    ("more", "said", "code"),
    [
        (["--host", "0.0.0.0"], "other machines can reach the service", 2),
        (["--template", "word"], "no template named 'word'; did you mean 'words'?", 2),
        (["--scheme", "bo"], "no scheme named 'bo'", 2),
        (["--labels", "two words"], "'two words' cannot be a label: it has white space", 2),
        (["--dev", "none.txt"], "none.txt", 3),
    ],
)
def test_wrong_options(texts: Path, more: list[str], said: str, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAGFIELD_TOKEN", raising=False)
    assert said in refused("annotate", texts, "-o", texts.with_name("l.txt"), *more, code=code, cwd=texts.parent)


def test_a_port_that_is_taken(texts: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = refused("annotate", texts, "-o", texts.with_name("l.txt"), "--labels", "X", "--port", port, code=2)
    assert f"cannot listen on 127.0.0.1 port {port}" in said


def test_models_that_are_not_its_own_are_never_replaced(texts: Path) -> None:
    (texts.parent / "train.txt").write_text(TRAIN)
    good("train", texts.parent / "train.txt", "-o", texts.parent / "l.model", "--epochs", "2", "--quiet")
    before = (texts.parent / "l.model").read_bytes()
    said = refused("annotate", texts, "-o", texts.parent / "l.txt", code=2)
    assert "is another model, which would be replaced" in said
    assert (texts.parent / "l.model").read_bytes() == before


def test_an_output_that_is_an_input_or_no_file(texts: Path) -> None:
    assert "input file" in refused("annotate", texts, "-o", texts, code=2)
    assert "standard output" in refused("annotate", texts, "-o", "-", code=1)
