"""`read`: files and rows as records, their labels, sentences and documents."""

from pathlib import Path

import pytest

from tagfield.data.text.reading import ReadOptions, read, read_files, reading_of, recoded
from tagfield.data.text.records import Document, Sentence, TextSpan
from tagfield.data.text.sources import Source
from tagfield.errors import InputError

COLUMNS = Source("a.txt", b"Anna B-PER\nsings O\n")
SPANS = Source("b.jsonl", b'{"text": "Bo left Rome.", "spans": [[8, 12, "LOC"]]}\n')


def test_each_file_has_its_own_format_and_the_first_is_described() -> None:
    corpus = read([COLUMNS, SPANS])
    assert [type(record) for record in corpus] == [Sentence, Document]
    assert (len(corpus), corpus.form.kind) == (2, "columns")
    assert corpus.describe() == "columns: word, label (space-separated, 3 labels)"


def test_labels_are_listed_in_the_order_of_their_first_use() -> None:
    assert read([COLUMNS, SPANS, COLUMNS]).labels == ["B-PER", "O", "LOC"]
    assert read([{"text": "a"}, {"tokens": ["a"], "labels": [None]}]).labels == []


def test_records_become_sentences_or_documents() -> None:
    corpus = read([COLUMNS, SPANS])
    assert [sentence.labels for sentence in corpus.sentences()] == [("B-PER", "O"), ("O", "O", "B-LOC", "O")]
    assert [(document.text, document.spans) for document in corpus.documents()] == [
        ("Anna sings", (TextSpan(0, 4, "PER"),)),
        ("Bo left Rome.", (TextSpan(8, 12, "LOC"),)),
    ]


def test_paths_of_any_kind_are_files_and_dicts_are_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(COLUMNS.text)
    for data in (path, str(path), [path], (str(path),), iter([path])):
        assert read(data).labels == ["B-PER", "O"]
    rows = read(iter([{"tokens": ["a"], "labels": ["X"]}]))
    assert (rows.form.kind, rows.form.roles) == ("json", ("w", "y"))


@pytest.mark.parametrize(("row", "holds"), [({"text": "a"}, "text"), ({"text": "a", "spans": []}, "text with spans")])
def test_what_json_holds_is_said(row: dict[str, object], holds: str) -> None:
    assert read([row]).form.holds == holds


def test_options_replace_fields_of_reading_and_of_its_policy() -> None:
    given = ReadOptions(format="csv", columns="w y")
    found = reading_of(given, {"columns": "y w", "on_cut": "widen"})
    assert (found.format, found.columns, found.policy.on_cut) == ("csv", "y w", "widen")
    assert given.policy.on_cut == "error"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (Source("a.jsonl", b"\n"), r"a\.jsonl: the file holds no sequence"),
        (Source("a.items", b"X\tw=a\n"), r"a\.items: item files contain attributes instead of words"),
    ],
)
def test_files_without_sentences_of_words_are_refused(data: Source, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(data)


def test_no_file_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="no input file was given"):
        read_files([], ReadOptions())


def test_labels_are_recoded_only_where_every_token_has_one() -> None:
    sentence = Sentence((("a",), ("b",)), ("B-X", None), where="a.txt, line 1")
    assert recoded(sentence, None) is sentence
    assert recoded(Sentence((("a",),)), "bio").labels is None
    with pytest.raises(InputError, match=r"a\.txt, line 1: some tokens have no label, so the scheme cannot be changed"):
        recoded(sentence, "iobes")
