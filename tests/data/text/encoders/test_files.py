"""Files of any format through a template: headers choose the columns, and what cannot be encoded."""

import pytest

from tagfield.data.encode import Vocabulary, encode_files
from tagfield.data.text.encoders.files import detect_form, read_any
from tagfield.data.text.reading import ReadOptions, reading_of
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.presets import PRESETS
from tagfield.errors import InputError


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


def test_files_of_different_formats_are_one_dataset() -> None:
    table, lines = Source("a.csv", b"word,tag\nAnna,X\n"), Source("b.jsonl", b'{"tokens": ["Bo"], "labels": ["Y"]}')
    encoded = encode_files([table, lines], template="words")
    assert encoded.gold_labels() == [["X"], ["Y"]]
    assert [encoded.where(s) for s in range(2)] == ["a.csv, line 2", "b.jsonl, line 1"]


def test_with_a_template_a_file_has_words_and_not_attributes() -> None:
    source = Source("a", b"NN\tw=dog\n")
    assert detect_form(source, ReadOptions(), None).kind == "items"
    assert detect_form(source, ReadOptions(), PRESETS["words"]).kind == "columns"
    assert detect_form(source, ReadOptions(columns="w y"), None).kind == "columns"
    assert detect_form(source, ReadOptions(format="items"), PRESETS["words"]).kind == "items"


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (Source("a.txt", b"a X\n"), {"scheme": "iobes"}, r"a\.txt: a scheme applies to text with spans"),
        (Source("a.txt", b"word tag\n"), {"header": True}, r"a\.txt: the file holds only blank lines"),
        (Source("a.jsonl", b"\n"), {}, r"a\.jsonl: the file holds no sequence"),
    ],
)
def test_files_that_cannot_be_encoded_are_refused(source: Source, options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_any([source], reading_of(None, dict(options)), None, Vocabulary(), Vocabulary())
