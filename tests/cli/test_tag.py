"""`tagfield tag` and `train` and `eval` on formats other than columns; JSON as output."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tagfield import Model
from tests.support.cli_process import COMMAND, environment, good, refused
from tests.support.model_files import MODELS

TEXTS = ["Anna sings in York.", "Bo sings in Rome.", "Anna left Rome. Bo left."]
NAMES = {"Anna": "PER", "Bo": "PER", "York": "LOC", "Rome": "LOC"}


def spans(text: str) -> list[dict[str, Any]]:
    found = [(text.find(name), name, kind) for name, kind in NAMES.items() if name in text]
    return [{"start": at, "end": at + len(name), "label": kind} for at, name, kind in sorted(found)]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    rows = [json.dumps({"id": k, "text": text, "spans": spans(text)}) for k, text in enumerate(TEXTS)]
    (folder / "train.jsonl").write_text("\n".join(rows) + "\n")
    for target in ("train.txt", "train.csv", "train.json", "folder"):
        more = ["--to", "brat"] if target == "folder" else []
        good("convert", "train.jsonl", target, *more, cwd=folder)
    options = ["--epochs", "30", "--c2", "0.01", "--template", "words"]
    text = good("train", "train.jsonl", "-o", "model", *options, cwd=folder)
    assert text.startswith("input      train.jsonl: JSON lines: text with spans (3 labels); template words\n")
    return folder


def tagged(home: Path, *arguments: str, input: str = "") -> list[dict[str, Any]]:
    return [json.loads(line) for line in good("tag", "-m", "model", *arguments, input=input, cwd=home).splitlines()]


@pytest.mark.parametrize("name", ["train.txt", "train.csv", "train.json", "folder"])
def test_every_format_trains_the_same_model(name: str, home: Path) -> None:
    options = ["--epochs", "30", "--c2", "0.01", "--template", "words"]
    good("train", name, "-o", f"{name}.model", "--dev", name, *options, cwd=home)
    model, other = Model.load(home / "model"), Model.load(home / f"{name}.model")
    assert sorted(model.attributes) == sorted(other.attributes)
    assert sorted(model.labels) == sorted(other.labels)
    assert "token accuracy     100.00 %  (17 of 17)" in good("eval", "-m", f"{name}.model", name, cwd=home)


def test_json_lines_have_spans_offsets_and_probabilities(home: Path) -> None:
    rows = tagged(home, "train.jsonl", "--format", "jsonl")
    assert rows == tagged(home, "train.jsonl")  # the default for JSON
    for row, text in zip(rows, TEXTS, strict=True):
        assert (row["id"], row["text"]) == (TEXTS.index(text), text)
        found = [span for sentence in row["sentences"] for span in sentence["spans"]]
        assert {(s["start"], s["end"], s["label"]) for s in found} >= {tuple(s.values()) for s in spans(text)}
        assert all(text[s["start"] : s["end"]] == s["text"] and 0 < s["probability"] <= 1 for s in found)
        tokens = [token for sentence in row["sentences"] for token in sentence["tokens"]]
        assert all(text[t["start"] : t["end"]] == t["text"] and 0 < t["probability"] <= 1 for t in tokens)
    model = Model.load(home / "model")
    assert rows[0]["sentences"] == model.tag_text(TEXTS[0]).to_dict()["sentences"]


def test_plain_text_and_columns_give_json_too(home: Path) -> None:
    [row] = tagged(home, "--text", "--format", "jsonl", input="Anna left Rome. Bo left.\n")
    assert [len(sentence["tokens"]) for sentence in row["sentences"]] == [4, 3]
    assert tagged(home, "--from", "text", "--format", "jsonl", input="Bo\n")[0]["text"] == "Bo"
    rows = tagged(home, "train.txt", "--format", "jsonl")
    assert (len(rows), rows[0]["text"]) == (4, "Anna sings in York .")
    assert rows[0]["sentences"][0]["spans"][0] | {"probability": 1} == {
        "start": 0,
        "end": 4,
        "label": "PER",
        "text": "Anna",
        "probability": 1,
    }


def test_rows_for_people_and_for_conlleval(home: Path) -> None:
    assert good("tag", "-m", "model", "--text", input="Anna left.\n", cwd=home) == "Anna\tB-PER\nleft\tO\n.\tO\n\n"
    first = good("tag", "-m", "model", "train.csv", cwd=home).splitlines()[0]
    assert first == "Anna\tB-PER\tB-PER"
    columns = good("tag", "-m", "model", "train.jsonl", "--format", "columns", cwd=home)
    assert columns.startswith("Anna\tB-PER\nsings\tO\n")
    lines = good("tag", "-m", "model", "train.csv", "--marginals", "--probability", cwd=home).splitlines()
    assert lines[0].startswith("# 0.")
    assert 0 < float(lines[1].split("\t")[-1]) <= 1
    assert good("tag", "-m", "model", "folder", "--only-labels", cwd=home).startswith("B-PER\nO\n")


def test_a_header_and_the_lines_of_columns(home: Path) -> None:
    assert good("tag", "-m", "model", input="word tag\nAnna B-PER\n", cwd=home) == "Anna B-PER B-PER\n\n"
    assert good("tag", "-m", "model", input="New York\tO\nAnna\tO\n", cwd=home).endswith("Anna\tO\tB-PER\n\n")


def test_each_line_is_answered_before_the_next_one_comes(home: Path) -> None:
    command = [*COMMAND, "tag", "-m", str(home / "model")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for text in TEXTS:
            process.stdin.write(json.dumps({"text": text}).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["text"] == text
        process.stdin.close()
        assert process.wait(60) == 0


def test_what_is_wrong(home: Path) -> None:
    tag = ["tag", "-m", "model"]
    assert "cannot print the format 'xml'; choose columns, jsonl or inline" in refused(
        *tag, "--format", "xml", cwd=home
    )
    assert "--only-labels applies only to columns" in refused(*tag, "--format", "jsonl", "--only-labels", cwd=home)
    assert "--text and --from csv contradict" in refused(*tag, "--text", "--from", "csv", cwd=home)
    bad = '{"text": "ok"}\n\n{"text": 3}\n'
    assert "standard input, line 3: the object has neither" in refused(*tag, input=bad, cwd=home)
    (home / "items").write_text("D\tw=the\nN\tw=dog\n\n")
    good("train", "items", "-o", "items.model", "--epochs", "2", cwd=home)
    line = refused("tag", "-m", "items.model", "--text", input="a\n", cwd=home)
    assert line == "tagfield: the model was trained on attributes, not on words; give it CRFsuite items"
    (home / "pos.txt").write_text("The DT B-NP\n")
    good("train", "pos.txt", "-o", "pos.model", "--epochs", "2", cwd=home)
    line = refused("tag", "-m", "pos.model", "--text", input="The dog\n", cwd=home)
    assert "standard input, line 1: template chunking reads word and pos, but the data has only word" in line


@pytest.mark.parametrize("label", ["a\tb", "a\nb", "a b", ""])
def test_labels_that_no_column_can_hold(label: str, tmp_path: Path) -> None:
    """Python takes any string for a label. As columns it would break the rows, and as JSON it comes back."""
    Model.train_words([["x", "y"]] * 3, [[label, "O"]] * 3, template="words").save(tmp_path / "m")
    assert f"the label {label!r} cannot stand in a column; print the labels with --format jsonl" in refused(
        "tag", "-m", "m", input="x\ny\n", cwd=tmp_path, code=3
    )
    [line] = good("tag", "-m", "m", "--format", "jsonl", input="x\ny\n", cwd=tmp_path).splitlines()
    assert [token["label"] for token in json.loads(line)["sentences"][0]["tokens"]] == [label, "O"]


def test_a_template_with_transitions_tags_text_and_json(home: Path, tmp_path: Path) -> None:
    (tmp_path / "edges.template").write_text("U00:%x[0,0]\nU01:%x[-1,0]\nB01:%x[0,0]\nB\n")
    options = ["--template", tmp_path / "edges.template", "--algorithm", "lbfgs", "--c2", "0.01"]
    said = good("train", "train.txt", "-o", tmp_path / "model", *options, cwd=home)
    assert " state, " in said
    assert " edge features" in said
    model = Model.load(tmp_path / "model")
    text = TEXTS[0]
    rows = good("tag", "-m", tmp_path / "model", "--text", "-", input=text + "\n", cwd=home).split("\n\n")[0]
    assert [row.split("\t")[1] for row in rows.splitlines()] == [t.label for t in model.tag_text(text).tokens]
    found = json.loads(
        good("tag", "-m", tmp_path / "model", "--format", "jsonl", "train.jsonl", cwd=home).splitlines()[0]
    )
    assert found["sentences"] == model.tag_text(text).to_dict()["sentences"]


@pytest.mark.parametrize("command", ["tag", "eval"])
def test_a_model_of_raw_observations_reads_no_files(command: str) -> None:
    said = refused(command, "-m", MODELS / "raw.wapiti", MODELS / "data.txt")
    assert "no template, so it reads no files; in Python, use model.tag(X, edges=…)" in said
