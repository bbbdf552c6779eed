"""Sentences of words: the same attributes as a column file with these words, whoever asks and however often."""

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.dataset import UNKNOWN
from tagfield.data.encode import Encoded, Vocabulary, WordEncoder, encode_files, encode_words
from tagfield.data.text.encoders.words import IDLE, WordTable
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.presets import PRESETS
from tagfield.data.text.templates.template import Pattern, Template
from tagfield.errors import InputError
from tests.data.text.encoders.test_columns import patterns

words = st.text(alphabet="abAB1-.é漢😀_B", min_size=1, max_size=4)
sentences = st.lists(st.lists(st.tuples(words, words, words), min_size=1, max_size=5), min_size=1, max_size=5)


def same(one: Encoded, other: Encoded) -> None:
    assert one.attributes == other.attributes
    assert one.labels == other.labels
    for name, array in one.dataset.to_arrays().items():
        assert array.tolist() == getattr(other.dataset, name).tolist(), name


def as_file(rows: list[list[tuple[str, ...]]]) -> Source:
    return Source("file", "\n\n".join("\n".join(" ".join(row) for row in sentence) for sentence in rows).encode())


@given(sentences, st.lists(patterns(2), min_size=1, max_size=4), st.booleans(), st.booleans())
def test_words_are_encoded_as_a_file_of_them(rows: list, lines: list[str], padding: bool, edges: bool) -> None:
    template = Template("drawn", tuple(map(Pattern, lines)), ("a", "b", "y"), padding, edges)
    X = [[row[:2] for row in sentence] for sentence in rows]
    y = [[row[2] for row in sentence] for sentence in rows]
    from_file = encode_files([as_file(rows)], template=template)
    same(from_file, encode_words(X, y, template=template))
    known = {"attributes": from_file.attributes, "labels": from_file.labels}
    same(
        encode_files([as_file(rows[:1])], template=template, **known),
        encode_words(X[:1], y[:1], template=template, **known),
    )


@pytest.mark.parametrize("name", ["words", "chunking", "crfpp"])
@given(rows=sentences)
def test_presets_encode_words_as_a_file_of_them(name: str, rows: list) -> None:
    if name == "words":
        rows = [[(row[0], row[2]) for row in sentence] for sentence in rows]
    X = [[row[0] if len(row) == 2 else list(row[:-1]) for row in sentence] for sentence in rows]
    y = [[row[-1] for row in sentence] for sentence in rows]
    same(encode_files([as_file(rows)], template=name), encode_words(X, y, template=name))


@given(st.lists(st.tuples(sentences, st.booleans()), min_size=2, max_size=6), st.booleans())
def test_an_encoder_that_is_kept_gives_what_a_new_one_gives(batches: list, gather: bool) -> None:
    X = [[[row[:2] for row in sentence] for sentence in rows] for rows, _ in batches]
    first, second = (encode_words(X[0], template="crfpp").attributes for _ in range(2))
    kept = WordEncoder("crfpp", first)
    for x, (_, grow) in zip(X, batches, strict=True):
        expected = encode_words(x, template="crfpp", attributes=second, grow=grow, gather=gather)
        same(expected, kept.encode(x, grow=grow, gather=gather))
    same(encode_words(X[0], template="crfpp", attributes=second), kept.encode(X[0]))


def test_a_vocabulary_that_grows_elsewhere_is_seen() -> None:
    attributes = Vocabulary(["w[0]=a"])
    encoder = WordEncoder("words", attributes)
    assert encoder.encode([["b"]]).dataset.attribute.tolist() == []
    attributes.add("w[0]=b")
    assert encoder.encode([["b"]]).dataset.attribute.tolist() == [1]
    assert len(attributes) == 2


def test_a_word_that_was_left_out_joins_a_vocabulary_that_may_grow() -> None:
    attributes = Vocabulary(["w[0]=a"])
    encoder = WordEncoder("words", attributes)
    assert encoder.encode([["b"]]).dataset.attribute.tolist() == []
    assert encoder.encode([["b"]], grow=True).dataset.attribute[0] == 1
    assert attributes.strings()[:2] == ["w[0]=a", "w[0]=b"]


def test_columns_that_are_skipped_and_cells_with_spaces() -> None:
    encoded = encode_words([[("1", "New York")], []], [["B"], []], columns="_ w")
    assert "w[0]=New York" in encoded.attributes
    assert (len(encoded), encoded.dataset.tokens.tolist()) == (2, [0, 1, 1])


def test_labels_may_be_missing_and_weights_given() -> None:
    encoded = encode_words([["a", "b"]], [["X", None]], weights=[2.0])
    assert encoded.dataset.labels.tolist() == [0, UNKNOWN]
    assert encoded.dataset.weight.tolist() == [2.0]


def test_a_template_without_columns_numbers_them(tmp_path: Any) -> None:
    path = tmp_path / "template"
    path.write_text("U0:%x[0,0]/%x[0,1]\n")
    encoded = encode_words(iter([iter([]), iter([("a", "b")])]), template=path)
    assert encoded.template is not None
    assert (encoded.template.columns, encoded.attributes.strings()) == (("x0", "x1", "y"), ["U0:a/b"])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ("The dog", r"X is a list of sentences; got a string; did you mean \[text.split\(\)\]\?"),
        (["The dog"], r"sentence 1 \(X\[0\]\) is a string; a sentence is a list of words; did you mean"),
        ([["a"], ["b", ""]], r"sentence 2, token 2 \(X\[1\]\[1\]\): the string is empty; leave"),
        ([[3]], r"token 1 .*: a token is a string or a tuple of strings, but this one is of type int"),
        ([[{"w": "a"}]], "of type dict; pass words, or leave the template out"),
        ([[b"a"]], "of type bytes"),
        ([["\ud800"]], "token 1 .* lone surrogate"),
        ([[("a", "b")]], r"found 2 columns, but template words reads 1 column \(w\); choose another template"),
        ([[()]], "found 0 columns, but template words reads 1 column"),
        ([[("a", 3)]], "found 2 columns"),
        ([[(3,)]], "a cell must be a string, but this one is of type int"),
        (3, "X is of type int; expected a list of sentences"),
        ([None], r"sentence 1 \(X\[0\]\) is of type NoneType; expected a list of words"),
        ({"a": 1}, "X is of type dict"),
    ],
)
def test_wrong_words_are_refused_with_their_place(X: Any, message: str) -> None:
    encoder = WordEncoder("words")
    with pytest.raises(InputError, match=message):
        encoder.encode(X)
    assert encoder.encode([["good"]]).attributes.strings()[0] == "w[0]=good"


@pytest.mark.parametrize("X", ["The dog", 3, ["The dog"], [3], {"a": 1}])
def test_wrong_words_for_a_template_without_columns(X: Any) -> None:
    with pytest.raises(InputError, match=r"expected a list|did you mean"):
        encode_words(X, template=parse_template("U0:%x[0,0]"))


def test_an_encoder_needs_columns() -> None:
    with pytest.raises(InputError, match=r"template mine names no columns; use template.with_columns"):
        WordEncoder(parse_template("U0:%x[0,0]", "mine"))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([["A", "B"]], "y ends after 1 sequences"),
        ([["A"], ["B"]], r"X\[0\] has 2 tokens, but y\[0\] has 1 labels"),
        ([["A", 3], ["B"]], r"y\[0\]\[1\] is of type int; a label must be a string"),
        ("AB", "y is of type str"),
    ],
)
def test_wrong_labels_are_refused_with_their_place(y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        encode_words([["a", "b"], ["c"]], y)


def test_one_string_for_two_columns() -> None:
    with pytest.raises(
        InputError,
        match=r"found 1 string, but template chunking reads 2 columns \(w, pos\); write each token as a tuple of 2",
    ):
        encode_words([["a"]], template="chunking")


def test_sentences_that_encode_while_they_are_read() -> None:
    encoder = WordEncoder("words", Vocabulary(["w[0]=a", "w[0]=b"]))

    def sentence(depth: int) -> Iterator[str]:
        yield "a"
        if depth:
            inner = encoder.encode([sentence(depth - 1)])
            assert inner.dataset.attribute.tolist() == [0, 1]
        yield "b"

    assert encoder.encode([sentence(2 * IDLE)]).dataset.attribute.tolist() == [0, 1]


def test_threads_share_an_encoder() -> None:
    rng = np.random.default_rng(0)
    X = [[[f"w{k}" for k in rng.integers(500, size=9)] for _ in range(5)] for _ in range(60)]
    attributes = encode_words([sentence for x in X[::2] for sentence in x], template="words").attributes
    encoder, wrong = WordEncoder("words", attributes), []

    def work() -> None:
        for x in X:
            expected = encode_words(x, template="words", attributes=attributes).dataset.attribute
            if not np.array_equal(encoder.encode(x).dataset.attribute, expected):
                wrong.append(x)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_long_sentences_before_many_short_ones() -> None:
    long, short = [["a"] * 20_000] * 64, [["a"]] * 1_000_000  # room for as many long ones would be terabytes
    assert len(encode_words(long + short, template=parse_template("w", "mine").with_columns("w y"))) == 1_000_064


def test_what_is_remembered_is_bounded() -> None:
    table, attributes = WordTable(PRESETS["words"], capacity=2000), Vocabulary(["w[0]=w7", "w.suffix1[0]=7"])
    largest = 0
    for k in range(300):
        arrays, *_ = table.encode([[f"w{k}", "w7"]], None, attributes, True, Vocabulary(), False)
        assert arrays[3].tolist() == ([1, 0, 1] if k % 10 == 7 and k != 7 else [0, 1, 0, 1] if k == 7 else [0, 1])
        largest = max(largest, len(table))
    assert 1000 < largest < 4000
    assert len(attributes) == 2
