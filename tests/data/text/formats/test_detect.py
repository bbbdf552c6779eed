"""What a file is taken for, and the line that says so."""

import gzip
import time
from pathlib import Path

import pytest

from tagfield.data.encode import Vocabulary, encode_files
from tagfield.data.text.formats.csv_tsv import is_header
from tagfield.data.text.formats.detect import detect, kind_of, preset_for
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
def test_what_is_told(case: tuple[str, str]) -> None:
    name, content = case
    encoded = encode_files(Source(name, content.encode()))
    assert encoded.describe() == TOLD[case]


def test_lines_that_are_almost_items_take_no_time() -> None:
    start = time.perf_counter()
    assert kind_of(Source("data", b"O" + b"\ta==" * 5000 + b"\tplain\n")) == "columns"
    assert time.perf_counter() - start < 5  # milliseconds; backtracking took longer than anyone waits


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("POS word label\nNNP Anna B-PER\n", ("pos", "w", "y")),
        ("label pos word\nB-PER NNP Anna\n", ("y", "pos", "w")),
        ("pos word\nNNP Anna\n", ("pos", "w")),  # without labels, pos is no label
        ("word feature label\nAnna NNP B-PER\n", ("w", "pos", "y")),  # a name of its own: the order counts
    ],
)
def test_a_template_reads_the_columns_that_a_header_names(text: str, columns: tuple[str, ...]) -> None:
    encoded = encode_files(Source("a.txt", text.encode()), template="chunking", labels=Vocabulary(["O"]))
    assert encoded.template is not None
    assert encoded.template.columns == columns
    assert encoded.attributes.strings()[:2] == ["w[0]=Anna", "pos[0]=NNP"]


def test_a_header_without_what_the_template_reads() -> None:
    source = Source("a.txt", b"word label\nAnna B-PER\n")
    with pytest.raises(
        InputError, match=r"a\.txt: template chunking reads word and pos, but the header names only word"
    ):
        encode_files(source, template="chunking", labels=Vocabulary(["O"]))


def test_files_whose_headers_differ() -> None:
    one, two = b"POS word label\nNNP Anna B-PER\n", b"word pos label\nAnna NNP B-PER\n"
    encoded = encode_files([Source("a.txt", one), Source("b.txt", two)], template="chunking")
    assert [name for name in encoded.attributes.strings() if "[0]=" in name] == ["w[0]=Anna", "pos[0]=NNP"]


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


def test_the_columns_of_a_model_come_first() -> None:
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


@pytest.mark.parametrize(
    ("cells", "named"),
    [(["word", "label"], True), (["Word", "POS", "Tag"], True), (["word", "NN"], False), (["The", "DT"], False)],
)
def test_headers(cells: list[str], named: bool) -> None:
    assert is_header(cells) is named


def test_the_template_follows_what_is_found() -> None:
    words = ["w", "y"]
    wanted = {
        preset_for(words, {"B-PER", "O"}, ["Anna"]): "ner",
        preset_for(words, {"NN", "VB"}, ["Anna"]): "pos",
        preset_for(words, {"B", "M", "E", "S"}, ["中", "国"]): "segmentation",
        preset_for(["w", "pos", "y"], {"B-NP"}, ["The"]): "chunking",
        preset_for(["w", "pos", "chunk", "y"], {"B-NP"}, ["The"]): "ner",
    }
    for found, preset in wanted.items():
        assert found == (preset if preset in PRESETS else "words")
    assert preset_for(words, {"B", "E"}, ["ab"]) != "segmentation"  # whole words, not characters


@needs_corpus
def test_conll_2000_keeps_its_template_and_the_native_reader() -> None:
    encoded = encode_files(TRAIN)
    assert encoded.template == PRESETS["chunking"]
    assert encoded.describe() == "columns: word, pos, label (space-separated, 22 labels)"
    assert encoded.form is not None
    assert encoded.form.plain
