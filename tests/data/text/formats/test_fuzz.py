"""Whatever bytes a file holds, a reader yields records or raises an InputError that names the file."""

import json
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.encode import encode_files
from tagfield.data.text.formats.brat import BratSource
from tagfield.data.text.formats.detect import detect
from tagfield.data.text.formats.table import READ
from tagfield.data.text.reading import ReadOptions, read, records_of_source, sentences_of
from tagfield.data.text.records import Document, Record, Sentence
from tagfield.data.text.sources import Source
from tagfield.data.text.spans import Policy
from tagfield.errors import InputError

WORDS = [kind for kind in READ if kind not in ("items", "spacy", "brat")]
RAW = st.binary(max_size=120) | st.text(alphabet='ab1# \t\r\n\0é",;:[]{}_-', max_size=120).map(str.encode)
LEAF = st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.text(max_size=4) | st.just("Anna")
NAMES = "tokens words labels tags ner_tags pos text spans entities label start end token_start token_end id meta data "
NAMES += "value annotations result sentences comments columns answer"
KEYS = st.sampled_from(NAMES.split(" "))
VALUES = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
ROWS = st.dictionaries(KEYS, VALUES, max_size=5)


def consume(source: Source, kind: str | None) -> None:
    """Read a file and make sentences of it; every record must be sound."""
    options = ReadOptions(format=kind, policy=Policy(on_cut="widen", on_overlap="longest"))
    try:
        form = detect(source, format=kind)
        records = list(records_of_source(source, form, options))
        sentences = list(sentences_of(records, options))
    except InputError as error:
        said = str(error)
    else:
        said = source.name
        check(records, sentences)
    assert source.name.removesuffix(".txt") in said


def check(records: list[Record], sentences: list[Sentence]) -> None:
    """Spans are inside their texts, and every token has its cells, its label and its place."""
    for record in records:
        if isinstance(record, Document):
            assert all(0 <= s <= e <= len(record.text) for s, e, _ in record.spans or ())
    for sentence in sentences:
        assert isinstance(sentence, Sentence)
        assert sentence.labels is None or len(sentence.labels) == len(sentence.tokens)
        assert all(len(row) == len(sentence.roles) and all(row) for row in sentence.tokens)
        if sentence.offsets is not None and sentence.text is not None:
            assert tuple(sentence.text[a:b] for a, b in sentence.offsets) == sentence.words


@pytest.mark.parametrize("kind", [*WORDS, None])
@settings(deadline=None)
@given(raw=RAW)
def test_random_bytes_are_read_or_refused_by_every_reader(kind: str | None, raw: bytes) -> None:
    consume(Source("file.txt", raw), kind)


@pytest.mark.parametrize("kind", ["jsonl", "json"])
@settings(deadline=None)
@given(value=VALUES | ROWS | st.lists(ROWS, max_size=3))
def test_random_json_is_read_or_refused(kind: str, value: object) -> None:
    consume(Source("file.txt", json.dumps(value).encode()), kind)


@settings(deadline=None)
@given(rows=st.lists(ROWS | VALUES, max_size=3), names=st.none() | st.just(["O", "B-X"]))
def test_random_rows_are_read_or_refused(rows: list[object], names: list[str] | None) -> None:
    try:
        list(read([{"text": "a"}, *rows], label_names=names).sentences())  # a list of strings is one of paths
    except InputError as error:
        said = str(error)
    else:
        said = "row 0"
    assert said.startswith("row ")


@settings(deadline=None)
@given(
    text=st.text(max_size=20), notes=RAW | st.from_regex(r"T1\tX [0-9]{1,2} [0-9]{1,2}(;1 2)?\t.*\n").map(str.encode)
)
def test_random_annotations_of_brat_are_read_or_refused(text: str, notes: bytes) -> None:
    consume(BratSource("file.txt", text.encode(), Source("file.ann", notes)), "brat")


@settings(max_examples=30, deadline=None)  # importing spaCy takes seconds
@given(raw=st.binary(max_size=60))
def test_random_docbins_are_refused(raw: bytes) -> None:
    pytest.importorskip("spacy", reason="DocBin is spaCy's format")
    for content in (raw, zlib.compress(raw)):
        consume(Source("file.spacy", content), "spacy")


@settings(deadline=None)
@given(raw=RAW)
def test_random_bytes_are_encoded_or_refused(raw: bytes) -> None:
    try:
        encoded = encode_files(Source("file.txt", raw))
    except InputError as error:
        said = str(error)
    else:
        assert encoded.labelled
        said = f"file.txt: {encoded.describe()}"
    assert "file.txt" in said
