"""`tagfield convert`: every format to every other, what is told, and what is refused."""

import json
from pathlib import Path

import pytest

from tagfield.data.text.reading import read
from tests.support.cli_process import good, inside, refused

TEXT = "Anna Lee sings in New York. Bo too."
ROW = {"id": 1, "text": TEXT, "entities": [[0, 8, "PER"], [18, 26, "LOC"], [28, 30, "PER"]], "source": "web"}
SPANS = [{"start": s, "end": e, "label": y} for s, e, y in ROW["entities"]]  # type: ignore[attr-defined]
TARGETS = {
    "spans": "a.out",
    "prodigy": "a.out",
    "doccano": "a.out",
    "label-studio": "a.out",
    "brat": "folder",
    "spacy": "a.spacy",
    "jsonl": "b.jsonl",
    "json": "b.json",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "a.jsonl").write_text(json.dumps(ROW) + "\n")
    return tmp_path


@pytest.mark.parametrize("format", TARGETS)
def test_texts_there_and_back(format: str, home: Path) -> None:
    if format == "spacy":
        pytest.importorskip("spacy", reason="DocBin is spaCy's format")
    said = good("convert", "a.jsonl", TARGETS[format], "--to", format, cwd=home)
    assert said.startswith("read   a.jsonl: JSON lines: text with spans (2 labels)\nwrote  ")
    code, out, _ = inside("convert", TARGETS[format], "-", "--to", "spans", input=b"", cwd=home)
    assert code == 0
    back = json.loads(out)
    assert (back["text"], back["spans"]) == (TEXT, SPANS)
    assert ("left out: further fields of 1 record" in said) == (format in ("brat", "spacy"))
    assert ("source" in back) == (format not in ("brat", "spacy"))


@pytest.mark.parametrize("target", ["a.txt", "a.csv", "a.tsv", "a.conll", "b.jsonl"])
def test_tokens_there_and_back(target: str, home: Path) -> None:
    options = ["--to", "tokens"] if target == "b.jsonl" else []
    said = good("convert", "a.jsonl", target, *options, cwd=home)
    assert "2 records" in said
    assert ("left out: ids of 2 records" in said) == (target in ("a.txt", "a.conll"))
    again = list(read(home / target).sentences())
    assert [s.words[:2] for s in again] == [("Anna", "Lee"), ("Bo", "too")]
    assert again[0].labels == ("B-PER", "I-PER", "O", "O", "B-LOC", "I-LOC", "O")
    good("convert", target, "again.txt", cwd=home)
    assert (home / "again.txt").read_text().startswith("Anna\tB-PER\nLee\tI-PER\n")


def test_standard_input_and_output_and_schemes(home: Path) -> None:
    code, out, said = inside(
        "convert", "-", "-", "--to", "columns", "--scheme", "bilou", input="Anna I-PER\nLee I-PER\nsings O\n", cwd=home
    )
    assert (code, out) == (0, "Anna\tB-PER\nLee\tL-PER\nsings\tO\n\n")
    assert said.startswith("read   -: columns: word, label (space-separated, 2 labels)\n")  # beside the output


def test_columns_become_items(home: Path) -> None:
    (home / "a.txt").write_text("Anna B-PER\n\nBo O\n")
    assert good("convert", "a.txt", "a.items", "--template", "words", cwd=home).endswith("items, 2 sequences\n")
    assert (home / "a.items").read_text().startswith("B-PER\tw[0]=Anna\t")
    assert "contain attributes instead of words" in refused("convert", "a.items", "b.txt", cwd=home)


def test_cuts_and_overlaps(home: Path) -> None:
    (home / "cut.jsonl").write_text('{"text": "New Yorkers", "spans": [[0, 8, "LOC"], [0, 3, "X"]]}\n')
    line = refused("convert", "cut.jsonl", "b.txt", cwd=home)
    assert line.startswith("tagfield: cut.jsonl, line 1: the span 'New York' (0 to 8, LOC) cuts the token 'Yorkers'")
    line = refused("convert", "cut.jsonl", "b.txt", "--on-cut", "widen", cwd=home)
    assert "the spans 'New Yorkers' (0 to 11, LOC) and 'New' (0 to 3, X) overlap" in line
    assert not (home / "b.txt").exists()
    said = good("convert", "cut.jsonl", "b.txt", "--on-cut", "widen", "--on-overlap", "longest", cwd=home)
    assert "spans widened to whole tokens: 1\nspans dropped, because they overlap: 1\n" in said
    said = good("convert", "cut.jsonl", "b.txt", "--on-cut", "drop", cwd=home)
    assert "spans dropped: 1\n" in said
    assert (home / "b.txt").read_text() == "New\tB-X\nYorkers\tO\n\n"
    assert good("convert", "cut.jsonl", "c.jsonl", "--to", "doccano", cwd=home)  # texts hold both


def test_several_inputs_label_names_and_encodings(home: Path) -> None:
    (home / "a.json").write_text('[{"tokens": ["Anna"], "ner_tags": [1]}]')
    (home / "b.csv").write_bytes("word,tag\nCafé,O\n".encode("latin-1"))
    (home / "names").write_text("O\nB-PER\n")
    for names in ("O,B-PER", "names"):
        good("convert", "a.json", "c.txt", "--label-names", names, cwd=home)
        assert (home / "c.txt").read_text() == "Anna\tB-PER\n\n"
    good("convert", "c.txt", "b.csv", "d.txt", "--encoding", "latin-1", cwd=home)
    assert (home / "d.txt").read_text() == "Anna\tB-PER\n\nCafé\tO\n\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.jsonl"], "convert needs two names"),
        (["a.jsonl", "-"], "name it with --to"),
        (["a.jsonl", "b.xyz"], "b.xyz: the name does not say which format to write"),
        (["a.jsonl", "b.txt", "--to", "xml"], "cannot write the format 'xml'"),
        (["a.jsonl", "b.txt", "--from", "xml"], "no format named 'xml'"),
        (["a.jsonl", "b.txt", "--on-cut", "shrink"], "on_cut must be error, widen or drop"),
        (["a.jsonl", "b.txt", "--scheme", "bi"], "no scheme named 'bi'"),
        (["a.jsonl", "b.txt", "--tokenizer", "bi"], "no tokenizer named 'bi'"),
        (["a.jsonl", "b.txt", "--template", "words"], "--template makes CRFsuite items"),
        (["no.jsonl", "b.txt"], "no.jsonl: there is no such file"),
        (["a.jsonl", "no/b.txt"], "cannot write 'no/b.txt': its folder does not exist"),
        (["a.jsonl", "a.jsonl/b", "--to", "brat"], "cannot create the folder 'a.jsonl/b'"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str, home: Path) -> None:
    assert message in refused("convert", *arguments, cwd=home)
    assert sorted(path.name for path in home.iterdir()) == ["a.jsonl"]


def test_what_it_did_goes_to_standard_error_or_into_json(home: Path) -> None:
    code, out, said = inside("convert", "a.jsonl", "a.txt", input=b"", cwd=home)
    assert (code, out) == (0, "")
    assert said.splitlines()[0] == "read   a.jsonl: JSON lines: text with spans (2 labels)"
    assert inside("convert", "a.jsonl", "a.txt", "--quiet", input=b"", cwd=home) == (0, "", "")
    code, out, said = inside("convert", "a.jsonl", "a.txt", "--json", "--quiet", input=b"", cwd=home)
    found = json.loads(out)
    assert (found["output"], found["format"], found["records"]) == ("a.txt", "columns", 2)
    assert found["left_out"]["id"] == 2
    assert "--json prints a report" in refused("convert", "a.jsonl", "-", "--to", "columns", "--json", cwd=home)


def test_items_say_what_was_read(home: Path) -> None:
    _, _, said = inside("convert", "a.jsonl", "a.items", input=b"", cwd=home)
    assert said.splitlines()[0].endswith("JSON lines: text with spans (5 labels); template ner")
    assert said.splitlines()[1] == "wrote  a.items: CRFsuite items, 2 sequences"
