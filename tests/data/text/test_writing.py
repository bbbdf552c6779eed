"""Drawn records, written in every format and read again: what both sides hold is kept, the rest is told."""

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.text.formats.table import WRITTEN
from tagfield.data.text.reading import Records, read
from tagfield.data.text.records import Document, Record, Sentence, TextSpan
from tagfield.data.text.writing import target_of, write
from tagfield.errors import InputError, OutputError

WORDS = st.text(alphabet="ab\"'é#,;😀\\-{中", min_size=1, max_size=4)
SPACED = WORDS | st.just("New York")
LABELS = st.sampled_from(["B-X", "I-X", "O", "B-Y"])
META = st.dictionaries(
    st.sampled_from(["source", "n", "label", "tokens"]), st.integers() | st.text(max_size=3), max_size=2
)
IDS = st.none() | st.integers(0, 99) | st.text(alphabet="ab1", min_size=1, max_size=3)


@st.composite
def sentences(draw: st.DrawFn, words: Any = SPACED, columns: bool = True) -> list[Sentence]:
    """Sentences with the same columns, all with labels or all without."""
    roles = draw(st.sampled_from([("w",), ("w", "pos"), ("w", "pos", "other")])) if columns else ("w",)
    labelled = draw(st.booleans())
    made = []
    for _ in range(draw(st.integers(1, 3))):
        length = draw(st.integers(1, 4))
        tokens = tuple(tuple(draw(words) for _ in roles) for _ in range(length))
        labels = tuple(draw(st.lists(LABELS, min_size=length, max_size=length))) if labelled else None
        made.append(Sentence(tokens, labels, roles, id=draw(IDS), meta=draw(META)))
    return made


@st.composite
def documents(draw: st.DrawFn) -> list[Document]:
    """Texts with spans of whole tokens that do not overlap, in order; or not labelled at all."""
    made = []
    for number in range(draw(st.integers(1, 3))):
        words = draw(st.lists(WORDS.filter(lambda word: word.strip("'")), min_size=1, max_size=5))
        gaps = [draw(st.sampled_from([" ", "  ", "\n", " \n "])) for _ in words]
        text, places = "", []
        for word, gap in zip(words, gaps, strict=True):
            places.append((len(text), len(text) + len(word)))
            text += word + gap
        spans, at = [], 0
        while at < len(places):
            end = draw(st.integers(at + 1, len(places)))
            if draw(st.booleans()):
                spans.append(TextSpan(places[at][0], places[end - 1][1], draw(st.sampled_from(["X", "Y"]))))
            at = end
        labelled = draw(st.booleans())
        made.append(Document(text, tuple(spans) if labelled else None, (tuple(places),), f"d{number}", draw(META)))
    return made


def through(records: list[Any], format: str, name: str = "a.data", kind: str | None = None) -> list[Record]:
    """Write records and read them again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        write(records, path, format)
        return list(read(path, format=kind))


def held(sentence: Record) -> tuple[Any, ...]:
    assert isinstance(sentence, Sentence)
    return sentence.tokens, sentence.labels


@settings(deadline=None)
@given(made=sentences())
def test_columns_written_and_read_keep_cells_and_labels(made: list[Sentence]) -> None:
    if len(made[0].roles) == 1 and made[0].labels is None and any(" " in word for s in made for word in s.words):
        with pytest.raises(InputError, match="columns cannot hold the cell 'New York'"):
            through(made, "columns")
        return
    roles = " ".join(made[0].roles) + (" y" if made[0].labels else "")
    with tempfile.TemporaryDirectory() as folder:
        write(made, Path(folder, "a.txt"))
        back = read(Path(folder, "a.txt"), format="columns", columns=roles, header=False)
    assert [held(s) for s in back] == [held(s) for s in made]


@pytest.mark.parametrize("format", ["csv", "tsv"])
@settings(deadline=None)
@given(made=sentences(words=SPACED | st.just("a\nb")))
def test_tables_written_and_read_keep_cells_labels_and_ids(format: str, made: list[Sentence]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(made, Path(folder, "a.data"), format)
        columns = None if made[0].labels else " ".join(["sentence", *made[0].roles])  # else pos would be the label
        back = read(Path(folder, "a.data"), format=format, columns=columns).records
    assert [held(s) for s in back] == [held(s) for s in made]
    assert [s.roles for s in back] == [s.roles for s in made]
    ids = [str(s.id) for s in made]
    if len(set(ids)) == len(ids) and "None" not in ids:
        assert [s.id for s in back] == ids


@pytest.mark.parametrize("format", ["jsonl", "json", "tokens"])
@settings(deadline=None)
@given(made=sentences(words=SPACED | st.just("a\nb")))
def test_json_with_tokens_keeps_everything(format: str, made: list[Sentence]) -> None:
    back = through(made, format, kind="json" if format == "json" else "jsonl")
    for one, two in zip(made, back, strict=True):
        assert held(one) == held(two)
        assert (one.roles, one.id, one.meta) == (two.roles, two.id, two.meta)  # type: ignore[union-attr]


def test_columns_begin_with_the_word(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text("1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n")
    write(read(tmp_path / "a.conllu"), tmp_path / "a.txt")
    [sentence] = read(tmp_path / "a.txt")
    assert isinstance(sentence, Sentence)
    assert (sentence.words, sentence.labels) == (("Go",), ("VERB",))


def test_conllu_without_labels_is_read_without_labels(tmp_path: Path) -> None:
    write([Sentence((("Go",), ("now",)))], tmp_path / "a.conllu")
    [sentence] = read(tmp_path / "a.conllu")
    assert isinstance(sentence, Sentence)
    assert (sentence.words, sentence.labels) == (("Go", "now"), None)


@settings(deadline=None)
@given(made=sentences(columns=False))
def test_conllu_written_and_read_keeps_words_labels_and_comments(made: list[Sentence]) -> None:
    tagged = [
        Sentence(
            s.tokens,
            tuple(f"T{k}" for k, _ in enumerate(s.tokens)),
            id=None if s.id is None else str(s.id),
            comments=("x = y",),
        )
        for s in made
    ]
    back = through(tagged, "conllu", kind="conllu")
    for one, two in zip(tagged, back, strict=True):
        assert isinstance(two, Sentence)
        assert (one.words, one.labels, one.id) == (two.words, two.labels, two.id)
        assert "x = y" in two.comments


@pytest.mark.parametrize("format", ["jsonl", "json", "spans", "prodigy"])
@settings(deadline=None)
@given(made=documents())
def test_json_with_text_keeps_spans_tokens_and_fields(format: str, made: list[Document]) -> None:
    back = through(made, format, kind="json" if format == "json" else "jsonl")
    for one, two in zip(made, back, strict=True):
        assert isinstance(two, Document)
        assert (one.text, one.id, one.meta) == (two.text, two.id, two.meta)
        assert one.sentences == two.sentences
        assert (one.spans or ()) == two.spans if format == "prodigy" else one.spans == two.spans


@pytest.mark.parametrize(("format", "kind"), [("doccano", "jsonl"), ("label-studio", "json")])
@settings(deadline=None)
@given(made=documents())
def test_doccano_and_label_studio_keep_spans(format: str, kind: str, made: list[Document]) -> None:
    for one, two in zip(made, through(made, format, kind=kind), strict=True):
        assert isinstance(two, Document)
        assert (one.text, one.spans or (), one.id) == (two.text, two.spans or (), two.id)


@settings(deadline=None)
@given(made=documents())
def test_brat_written_and_read_keeps_spans_and_names(made: list[Document]) -> None:
    for one, two in zip(made, through(made, "brat", "folder", "brat"), strict=True):
        assert isinstance(two, Document)
        assert (one.text, one.spans, one.id) == (two.text, two.spans, two.id)


@settings(deadline=None, max_examples=30)
@given(made=documents())
def test_docbin_written_and_read_keeps_spans_and_sentences(made: list[Document]) -> None:
    pytest.importorskip("spacy", reason="DocBin is spaCy's format")
    for one, two in zip(made, through(made, "spacy"), strict=True):
        assert isinstance(two, Document)
        assert (one.text, one.spans, one.sentences) == (two.text, two.spans, two.sentences)


def test_docbin_keeps_tags_of_sentences(tmp_path: Path) -> None:
    pytest.importorskip("spacy", reason="DocBin is spaCy's format")
    made = Sentence((("Go",), ("!",)), ("VB", "."), ("w",), "Go!", ((0, 2), (2, 3)))
    write([made], tmp_path / "a.spacy")
    [back] = read(tmp_path / "a.spacy")
    assert isinstance(back, Sentence)
    assert (back.words, back.labels, back.text) == (made.words, made.labels, "Go!")


def test_files_of_brat_keep_relations(tmp_path: Path) -> None:
    notes = "T7\tPER 0 4\tAnna\nR1\tKnows Arg1:T7 Arg2:T7\n"
    (tmp_path / "a.txt").write_text("Anna")
    (tmp_path / "a.ann").write_text(notes)
    corpus = read(tmp_path / "a.ann")
    write(corpus, tmp_path / "b.ann", "brat")
    assert (tmp_path / "b.ann").read_text() == notes
    write(corpus, tmp_path / "c.jsonl")
    write(read(tmp_path / "c.jsonl"), tmp_path / "d.ann")
    assert (tmp_path / "d.ann").read_text() == notes


def test_conllu_keeps_ranges_and_comments(tmp_path: Path) -> None:
    text = (
        "# sent_id = s1\n# text = Al go\n1-2\tAl\t_\t_\t_\t_\t_\t_\t_\t_\n1\tAl\ta\tADP\tIN\t_\t2\tcase\t_\t_\n"
        "2\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\tX=y\n2.1\tx\t_\tX\t_\t_\t_\t_\t_\t_\n\n"
    )
    (tmp_path / "a.conllu").write_text(text)
    write(read(tmp_path / "a.conllu"), tmp_path / "b.conllu")
    assert (tmp_path / "b.conllu").read_text() == text
    write(read(tmp_path / "a.conllu"), tmp_path / "c.jsonl")
    write(read(tmp_path / "c.jsonl"), tmp_path / "d.conllu")
    assert (tmp_path / "d.conllu").read_text() == text


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    made = [Sentence((("a", "NN"),), ("B-X",), ("w", "pos"), id=1, meta={"x": 1}, comments=("c",)), Document("b", ())]
    assert write(made, tmp_path / "a.jsonl").lost == Counter()
    assert write(made, tmp_path / "b.jsonl", "spans").lost == Counter(columns=1, comments=1)
    assert write(made[:1], tmp_path / "a.txt").lost == Counter(id=1, meta=1, comments=1)


@pytest.mark.parametrize(
    ("record", "format", "message"),
    [
        (Sentence((("a\tb",),), ("X",)), "columns", r"columns cannot hold the cell 'a\\tb'"),
        (Sentence((), ()), "columns", "columns cannot hold a sentence without tokens"),
        (Sentence((), ()), "csv", "a table cannot hold a sentence without tokens"),
        (Sentence((("a",), ("b",)), ("X", None)), "csv", "a table cannot hold tokens without a label beside"),
        (Sentence((("a",),), ("NN",)), "spans", "the label 'NN' of token 1 is neither O nor"),
        (Sentence((("a",),), ("B-X",)), "conllu", "CoNLL-U has no column for the label 'B-X'"),
        (Sentence((("a\nb",),), ("X",)), "conllu", "CoNLL-U cannot hold a line break"),
        (Document("a b", (TextSpan(0, 1, "two words"),)), "brat", "brat cannot hold the label 'two words'"),
        (Document("ab", (TextSpan(0, 1, "X"),)), "columns", "cuts the token 'ab'"),
        (Document("ab", (TextSpan(0, 1, "X"),)), "xml", "cannot write the format 'xml'; choose columns, conllu"),
    ],
)
def test_what_cannot_be_held_is_refused_and_nothing_is_written(
    record: Record, format: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        write([record], tmp_path / "out", format)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_names_of_files_say_the_format(tmp_path: Path) -> None:
    assert {target_of(f"a.{end}") for end in ("jsonl", "json", "csv", "tsv", "conllu", "spacy", "ann", "conll")} <= {
        *WRITTEN
    }
    assert target_of(tmp_path) == "brat"
    with pytest.raises(InputError, match="the name does not say which format to write"):
        target_of("nothing")
    with pytest.raises(OutputError, match="there are 2 texts, but one file of brat holds one"):
        write([Document("a"), Document("b")], tmp_path / "a.ann")
    with pytest.raises(OutputError, match="standard output cannot hold"):
        write([Document("a")], "-", "brat")


def test_options_of_read_apply_to_write(tmp_path: Path) -> None:
    corpus = read([{"text": "New Yorkers", "spans": [[0, 8, "LOC"]]}])
    assert isinstance(corpus, Records)
    write(corpus, tmp_path / "a.txt", on_cut="widen", scheme="iobes")
    assert (tmp_path / "a.txt").read_text() == "New\tB-LOC\nYorkers\tE-LOC\n\n"
    write(corpus, tmp_path / "a.json", "label-studio")
    assert json.loads((tmp_path / "a.json").read_text())[0]["data"] == {"text": "New Yorkers"}
