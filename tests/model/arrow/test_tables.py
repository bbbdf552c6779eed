"""tag_arrow: every form in which Arrow keeps texts and words, against tag_text and tag_words, row by row."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import Model, Settings, encode_sequences
from tagfield.errors import InputError
from tagfield.model.arrow import columns
from tests.support.arrow_tables import X, Y, names

tags = Model.train_words(X, [["T" + word[:1] for word in s] for s in X], template="words", settings=Settings("lbfgs"))
pairs = Model.train_words([[(w, w[:1]) for w in s] for s in X], Y, template="chunking", settings=Settings("lbfgs"))

NEWER = {name: getattr(pa, name) for name in ("string_view", "list_view", "large_list_view") if hasattr(pa, name)}
STRINGS = [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())]
STRINGS += [NEWER.pop(name)() for name in ("string_view",) if name in NEWER]
LISTS = [pa.list_, pa.large_list, *NEWER.values()]
word = st.sampled_from(["Anna", "New", "York", "Paris", "is", ".", "東京", "é", "a\0b", "😀", "unknown"])
rows = st.lists(st.none() | st.lists(word, max_size=5), max_size=8)
PIECES = [*"Anb .!?\n'-1\0", "New York", "Anna", "doesn't", "é", "東京", "😀"]
texts = st.lists(st.none() | st.lists(st.sampled_from(PIECES), max_size=9).map("".join), max_size=6)


@st.composite
def arrays(draw: st.DrawFn, type: pa.DataType, values: list) -> pa.ChunkedArray:
    """The values in chunks, each a slice of a longer array."""
    cuts = sorted(draw(st.lists(st.integers(0, len(values)), max_size=3)))
    chunks = []
    for start, end in pairwise([0, *cuts, len(values)]):
        before, after = draw(rest(type)), draw(rest(type))
        whole = pa.array([*before, *values[start:end], *after], type)
        chunks.append(whole.slice(len(before), end - start))
    return pa.chunked_array(chunks, type)


def rest(type: pa.DataType) -> st.SearchStrategy[list]:
    texts = st.sampled_from([None, "Anna"])
    return st.lists(texts if columns.kind_of(type, "") == "text" else texts.map(lambda w: w and [w, w]), max_size=2)


def spans_of(tagged) -> list[dict]:
    return [span._asdict() for span in tagged.spans]


@given(st.data(), rows, st.sampled_from(STRINGS), st.sampled_from(LISTS), st.integers(1, 7), st.integers(1, 2))
@settings(deadline=None)  # it starts threads
def test_words_get_the_labels_of_tag_words(data, values, string, listed, piece, threads) -> None:
    table = pa.table({"id": range(len(values)), "tokens": data.draw(arrays(listed(string), values))})
    before = columns.TOKENS
    try:
        columns.TOKENS = piece
        found = names.tag_arrow(table, probabilities=True, threads=threads)
    finally:
        columns.TOKENS = before
    there = [row for row in values if row is not None]
    labels = iter(names.tag_words(there))
    node = iter(names.marginals(names.read_words(there)))
    assert found["labels"].to_pylist() == [None if row is None else next(labels) for row in values]
    for path, sure in zip(found["labels"].to_pylist(), found["probabilities"].to_pylist(), strict=True):
        assert (path is None) == (sure is None)
        if path is not None:
            ids = [names.labels.find(label) for label in path]
            assert np.array_equal(np.array(sure, np.float32), next(node)[np.arange(len(ids)), ids])
    assert found.select(["id", "tokens"]).equals(table)
    assert [str(type) for type in found.schema.types[2:]] == ["list<item: string>", "list<item: float>"]
    found.validate(full=True)


@given(st.data(), texts, st.sampled_from(STRINGS), st.integers(1, 20), st.booleans(), st.integers(1, 2))
@settings(max_examples=50, deadline=None)  # it starts threads
def test_texts_get_the_spans_and_tokens_of_tag_text(data, values, string, piece, sure, threads) -> None:
    table = pa.table({"text": data.draw(arrays(string, values))})
    before = columns.CHARACTERS
    try:
        columns.CHARACTERS = piece
        spans = names.tag_arrow(table, probabilities=sure, threads=threads)["spans"]
        tokens = tags.tag_arrow(table, probabilities=sure)["tokens"]
    finally:
        columns.CHARACTERS = before
    for text, row, parts in zip(values, spans.to_pylist(), tokens.to_pylist(), strict=True):
        if text is None:
            assert row is parts is None
            continue
        assert row == spans_of(names.tag_text(text, probabilities=sure))
        tagged = tags.tag_text(text, probabilities=sure)
        assert parts == [token._asdict() for sentence in tagged for token in sentence]


@given(st.data(), rows)
@settings(max_examples=30, deadline=None)
def test_a_template_of_several_columns_reads_several_columns(data, values) -> None:
    first = [row and [w[:1] for w in row] for row in values]
    first = [None if data.draw(st.booleans()) and k % 2 else row for k, row in enumerate(first)]
    table = pa.table({"w": pa.array(values, pa.list_(pa.string())), "pos": pa.array(first, pa.large_list(pa.string()))})
    found = pairs.tag_arrow(table, ["w", "pos"])["labels"].to_pylist()
    for row, other, labels in zip(values, first, found, strict=True):
        both = None if row is None or other is None else [list(zip(row, other, strict=True))]
        assert labels == (None if both is None else pairs.tag_words(both)[0])


def test_a_table_without_rows_and_a_column_without_chunks() -> None:
    for type, made in ((pa.string(), "spans"), (pa.list_(pa.string()), "labels"), (pa.null(), "spans")):
        empty = pa.table({"x": pa.chunked_array([], type)})
        found = names.tag_arrow(empty)
        assert found.column_names == ["x", made]
        assert found.num_rows == 0
        assert len(names.tag_arrow(pa.array([], type))) == 0
    assert names.tag_arrow(pa.array([None, None], pa.null())).to_pylist() == [None, None]
    assert names.tag_arrow(pa.array([[], None], pa.list_(pa.null()))).to_pylist() == [[], None]


def test_the_result_is_of_the_kind_that_was_given() -> None:
    table = pa.table({"text": ["Anna left", "Paris"]})
    batch = table.to_batches()[0]
    expected = names.tag_arrow(table)
    assert isinstance(expected, pa.Table)
    assert names.tag_arrow(batch).equals(expected.to_batches()[0])
    assert names.tag_arrow(table["text"]).equals(expected["spans"])
    assert names.tag_arrow(batch.column(0)).equals(expected["spans"].chunk(0))
    stream = names.tag_arrow(pa.RecordBatchReader.from_batches(table.schema, [batch, batch]))
    assert isinstance(stream, pa.RecordBatchReader)
    assert stream.read_all().equals(pa.concat_tables([expected, expected]))


def test_a_stream_is_tagged_batch_by_batch() -> None:
    asked = []

    def batches():
        for k in range(3):
            asked.append(k)
            yield pa.RecordBatch.from_pydict({"text": ["Anna"] * (k + 1)})

    stream = names.tag_arrow(pa.RecordBatchReader.from_batches(pa.schema([("text", pa.string())]), batches()))
    assert asked == []
    assert stream.read_next_batch().num_rows == 1
    assert asked == [0]


class Foreign:
    """Arrow data of another library."""

    def __init__(self, data) -> None:
        self.data = data

    def __arrow_c_stream__(self, requested_schema=None):
        return self.data.__arrow_c_stream__(requested_schema)


def test_data_of_other_libraries_comes_through_the_stream_interface() -> None:
    table = pa.table({"text": ["Anna left", None]})
    assert names.tag_arrow(Foreign(table)).equals(names.tag_arrow(table))
    assert names.tag_arrow(Foreign(table["text"])).equals(names.tag_arrow(table["text"]))


def test_name_output_tokenizer_and_rules_are_respected(tmp_path) -> None:
    table = pa.table({"a": [["Ben", "left"]], "b": ["Ben  left-right"]})
    assert names.tag_arrow(table, "a", name="ner", probabilities=True).column_names == [
        *"ab",
        "ner",
        "ner_probabilities",
    ]
    tokens = names.tag_arrow(table, "b", output="tokens", tokenizer="whitespace")["tokens"].to_pylist()
    assert [token["text"] for token in tokens[0]] == ["Ben", "left-right"]
    only = [[before == after == "O" for after in names.label_names] for before in names.label_names]
    assert names.tag_arrow(table, "a", rules=only)["labels"].to_pylist() == [["O", "O"]]


UNNAMED = "name the column to tag, such as column='a'"
LISTED = pa.table({"tokens": [["Anna"], ["left", "Paris"]], "labels": [1, 2]})
TEXTS = pa.table({"text": ["Anna left"], "n": [1]})
WRONG = {
    "no table": ([["Anna"]], {}, "got list; for lists of words use tag_words"),
    "no column": (TEXTS, {"column": "txt"}, "the table has no column named 'txt'; did you mean 'text'"),
    "unnamed": (pa.table({"a": ["x"], "b": ["x"]}), {}, UNNAMED),
    "none": (TEXTS, {"column": []}, "column is an empty list"),
    "type": (TEXTS, {"column": "n"}, r"column 'n' holds int64; give strings \(text\) or lists of strings \(tokens\)"),
    "twice": (pa.table([["x"], ["x"]], ["text", "text"]), {}, "2 columns named 'text'; rename one of them"),
    "taken": (LISTED, {}, "has a column 'labels' already; choose another name for it with name="),
    "output": (LISTED, {"output": "spans"}, "output must be 'labels' for a column of tokens, got 'spans'"),
    "other output": (TEXTS, {"output": "labels"}, "output must be 'spans' or 'tokens' for a column of text"),
    "tokenizer": (
        LISTED.select(["tokens"]),
        {"tokenizer": "words"},
        "holds tokens already, so tokenizer has no effect",
    ),
    "two texts": (TEXTS, {"column": ["text", "text"]}, "several columns must be lists of strings"),
    "threads": (TEXTS, {"threads": 0}, "threads must be between 1 and 4096, got 0"),
    "no tokenizer": (TEXTS, {"tokenizer": "word"}, "column 'text', row 0: no tokenizer named 'word'"),
    "null token": (pa.array([["a"], ["b", None]]), {}, "column 'text', row 1, token 1 is null"),
    "empty token": (pa.array([["a"], None, ["b", ""]]), {}, "row 2, token 1: the string is empty"),
    "column of a column": (pa.array(["a"]), {"column": "x"}, "a single column has no name"),
    "two answers": (pa.array([["a"]]), {"probabilities": True}, "probabilities of tokens need a column of their own"),
    "no path": (
        pa.array([["a"], ["b"]]),
        {"rules": lambda before, after: False},
        "column 'text', rows 0 to 1: sequence 0: the constraints",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_in_a_sentence(case: str) -> None:
    given, options, message = WRONG[case]
    with pytest.raises(InputError, match=message):
        names.tag_arrow(given, **options)


def test_a_model_without_a_template_reads_no_words() -> None:
    model = Model.train(encode_sequences([[["a"]]], [["X"]]), Settings("lbfgs"))
    for table in (LISTED.select(["tokens"]), TEXTS):
        with pytest.raises(InputError, match="has no template, so it cannot read words"):
            model.tag_arrow(table)
