"""What a file is taken for, and the line that says so."""

import gzip
import time
from pathlib import Path

import pytest

from tagfield.data.encode import encode_files
from tagfield.data.text.formats.detect import detect, kind_of
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.presets import PRESETS
from tagfield.errors import InputError
from tests.support.corpus import TRAIN, needs_corpus

CONLLU_LINE = "1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n"
TOLD = {  # name, content: what is told about it
    ("a.txt", "Anna\tB-PER\nsings\tO\n"): "columns: word, label (tab-separated, 2 labels)",
    ("a.txt", "Anna B-PER\nsings O\n"): "columns: word, label (space-separated, 2 labels)",
    ("a.txt", "word\tlabel\nAnna\tB-PER\n"): "columns: word, label (tab-separated, header line skipped, 1 label)",
    (
        "a.txt",
        "Token NER_tag\r\nAnna B-PER\r\n",
    ): "columns: word, label (space-separated, header line skipped, 1 label)",
    ("a.txt", "POS word label\nNNP Anna B-PER\n"): "columns: pos, word, label (space-separated, header line skipped, "
    "1 label)",
    ("a.txt", "Anna NNP B-PER\n"): "columns: word, pos, label (space-separated, 1 label)",
    ("a.txt", "EU NNP B-NP B-ORG\n"): "columns: word, pos, chunk, label (space-separated, 1 label)",
    ("a.txt", "-DOCSTART- -X- O\n\nEU NNP B-ORG\n"): "columns: word, pos, label (space-separated, -DOCSTART- lines "
    "skipped, 1 label)",
    ("a.txt", "# id 1 2 3\nAnna B-PER\n# SYM\n"): "columns: word, label (space-separated, comments skipped, 2 labels)",
    ("a.txt", "New York\tB-LOC\nis\tO\n"): "columns: word, label (tab-separated, 2 labels)",
    ("a.conllu", CONLLU_LINE): "CoNLL-U: id, word, lemma, label, xpos, feats, head, deprel, deps, misc (tab-separated, "
    "1 label)",
    ("data", "# x\n" + CONLLU_LINE): "CoNLL-U: id, word, lemma, label, xpos, feats, head, deprel, deps, misc "
    "(tab-separated, 1 label)",
    ("data", '{"tokens": ["a"], "labels": ["X"]}\n'): "JSON lines: word, label (1 label)",
    ("data", '{"text": "a", "spans": []}\n{"text": "b", "spans": []}'): "JSON lines: text with spans (1 label)",
    ("data", '[{"text": "a", "spans": []}]'): "JSON: text with spans (1 label)",
    ("data", '[\n  {"text": "a",\n "entities": []}]'): "JSON: text with spans (1 label)",
    ("data", '["a", {"entities": []}]\n'): "JSON lines: text with spans (1 label)",
    ("data", "Sentence #,Word,POS,Tag\nS1,a,b,X\n"): "table: sentence, word, pos, label (comma-separated, header line "
    "skipped, 1 label)",
    (
        "data",
        '"sentence_id"\t"word"\t"tag"\n"1"\t"a"\t"X"\n',
    ): "table: sentence, word, label (tab-separated, header line skipped, 1 label)",
    ("data", "X\tw[0]=a\tlength:3\nY\tw[0]=b\n"): "CRFsuite items (2 labels)",
    ("data", "@weight:2\nX\ta\n"): "CRFsuite items (1 label)",
}


@pytest.mark.parametrize("case", TOLD, ids=range(len(TOLD)))
def test_a_file_is_described_as_what_it_is(case: tuple[str, str]) -> None:
    name, content = case
    encoded = encode_files(Source(name, content.encode()))
    assert encoded.describe() == TOLD[case]


def test_lines_that_are_almost_items_take_no_time() -> None:
    start = time.perf_counter()
    assert kind_of(Source("data", b"O" + b"\ta==" * 5000 + b"\tplain\n")) == "columns"
    assert time.perf_counter() - start < 5  # milliseconds; backtracking took longer than anyone waits


@pytest.mark.parametrize("columns", ["", " ", "y", "_ y", "sentence y"])
def test_columns_must_name_one_that_is_read(columns: str) -> None:
    with pytest.raises(InputError, match="name at least one column besides the label"):
        detect(Source("a.txt", b"a X\n"), columns=columns)


def test_a_role_is_named_once() -> None:
    with pytest.raises(InputError, match="columns 'w w': a role occurs twice; name each role once"):
        detect(Source("a.txt", b"a X\n"), columns="w w")


def test_every_choice_can_be_made_by_hand() -> None:
    text = b"word label\nAnna X\n"
    assert detect(Source("a", text), header=False).header is False
    assert encode_files(Source("a", text)).labels.strings() == ["X"]
    assert encode_files(Source("a", text), columns="y w").labels.strings() == ["Anna"]
    assert detect(Source("a", b"Anna X\n"), header=True).header
    assert detect(Source("a", b'{"text": "a"}'), format="columns").kind == "columns"
    assert detect(Source("a.csv", b"a X\n"), format="columns").roles == ("w", "y")


def test_columns_without_names_are_those_of_the_model() -> None:
    assert detect(Source("a", b"dog NN\n"), expected=("w", "pos", "y")).roles == ("w", "pos")
    assert detect(Source("a", b"dog NN X\n"), expected=("w", "pos", "y")).roles == ("w", "pos", "y")
    assert detect(Source("a", b"dog\tNN X\n"), expected=("w", "pos", "y")).plain
    assert not detect(Source("a", b"hot dog\tNN X\n"), expected=("w", "y")).plain


def test_names_of_files_count_less_than_their_content(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b'{"tokens": ["a"], "labels": ["X"]}\n'))
    assert encode_files(tmp_path / "a.txt.gz").describe() == "JSON lines: word, label (1 label)"
    assert kind_of(Source("A.JSONL", b"")) == "jsonl"
    assert kind_of(Source("a.txt", b"{ ( O\n")) == "columns"
    assert kind_of(Source("a.txt", b"[ ( O\n")) == "columns"


@needs_corpus
def test_conll_2000_keeps_its_template_and_the_native_reader() -> None:
    encoded = encode_files(TRAIN)
    assert encoded.template == PRESETS["chunking"]
    assert encoded.describe() == "columns: word, pos, label (space-separated, 22 labels)"
    assert encoded.form is not None
    assert encoded.form.plain
