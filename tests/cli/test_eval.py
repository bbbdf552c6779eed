"""`tagfield eval`: what is counted follows the labels, or --scheme."""

import json
from pathlib import Path

import pytest

from tests.support.cli_process import good, refused

SPEECH = "The DT\ndog NN\nbarks VBZ\n\nA DT\ncat NN\nsleeps VBZ\n\n"
CHARACTERS = "今 B\n天 E\n好 S\n\n明 B\n天 M\n天 E\n\n"
CITATION = "Knuth author\nDonald author\nThe title\nArt title\n1968 date\n\nAho author\nCompilers title\n1986 date\n\n"


def model(folder: Path, text: str) -> list[str | Path]:
    (folder / "data.txt").write_text(text)
    good("train", "data.txt", "-o", "model", "--template", "words", "--c2", "0.01", "--epochs", "30", cwd=folder)
    return ["eval", "-m", "model", "data.txt"]


def test_parts_of_speech_have_no_f1_of_chunks(tmp_path: Path) -> None:
    command = model(tmp_path, SPEECH)
    page = good(*command, cwd=tmp_path)
    assert page.startswith("processed 6 tokens; correct: 6.\naccuracy: 100.00%\n")
    assert "FB1" not in page
    assert "macro     100.00%  100.00%  100.00%        6" in page
    assert "counted            labels of single tokens" in page
    assert good(*command, "--labels", cwd=tmp_path) == page  # the table is there already
    record = json.loads(good(*command, "--json", cwd=tmp_path))
    assert record["scheme"] == "labels"
    assert record["accuracy"] == record["macro"]["f1"] == record["labels"]["NN"]["f1"] == 1.0
    assert not {"chunks", "types", "f1"} & set(record)


def test_a_segmentation_counts_words(tmp_path: Path) -> None:
    command = model(tmp_path, CHARACTERS)
    page = good(*command, cwd=tmp_path)
    assert page.startswith("processed 6 tokens with 3 words; found: 3 words; correct: 3.\n")
    assert "counted            words marked by B, M, E and S" in page
    record = json.loads(good(*command, "--json", cwd=tmp_path))
    assert (record["scheme"], record["chunks"]["f1"]) == ("words", 1.0)


@pytest.mark.parametrize("option", [["--runs"], ["--scheme", "runs"]])
def test_runs_are_counted_on_request(option: list[str], tmp_path: Path) -> None:
    command = model(tmp_path, CITATION)
    assert json.loads(good(*command, "--json", cwd=tmp_path))["scheme"] == "labels"
    page = good(*command, *option, cwd=tmp_path)
    assert page.startswith("processed 8 tokens with 6 runs; found: 6 runs; correct: 6.\n")
    assert "           author: precision: 100.00%; recall: 100.00%; FB1: 100.00  2\n" in page


def test_a_scheme_that_does_not_exist(tmp_path: Path) -> None:
    command = model(tmp_path, CITATION)
    assert "no scheme named 'run'; did you mean 'runs'?" in refused(*command, "--scheme", "run", cwd=tmp_path)
    assert "--runs is short for --scheme runs" in refused(*command, "--runs", "--scheme", "iob", cwd=tmp_path)
