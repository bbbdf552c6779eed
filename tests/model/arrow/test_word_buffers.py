"""Words from Arrow's buffers: the same ids as the same words in lists, and no offset is believed."""

import threading

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.encode import WordEncoder, encode_words
from tagfield.errors import InputError
from tagfield.native._text import ArrowWords, Vocabulary
from tests.support.arrow_tables import names
from tests.support.naive_arrow import words_of

words = st.text(st.sampled_from("aB1é東😀\0\xff -"), min_size=1, max_size=4)
sentences = st.lists(st.lists(words, max_size=4), max_size=6)


def buffers(X: list[list[str]], rows: type = np.int32, offsets: type = np.int32) -> tuple:
    """The three buffers of a list of lists of strings."""
    cells = [word.encode() for sentence in X for word in sentence]
    ends = np.cumsum([0, *map(len, cells)]).astype(offsets)
    return (np.cumsum([0, *map(len, X)]).astype(rows), ends, np.frombuffer(b"".join(cells) or b"", np.uint8))


@given(sentences, sentences, st.sampled_from([np.int32, np.int64]), st.sampled_from([np.int32, np.int64]))
def test_the_ids_are_those_of_the_same_words_in_lists(train, X, rows, offsets) -> None:
    known = encode_words(train, template="words")
    encoder = WordEncoder("words", known.attributes, Vocabulary())
    for _ in range(2):  # the second time from the caches
        found = encoder.encode(ArrowWords([("w", *buffers(X, rows, offsets))]), gather=False)
        expected = encoder.encode(X, gather=False)
        for name in ("tokens", "slots", "occurrences", "attribute", "stop", "position", "labels"):
            assert np.array_equal(getattr(found.dataset, name), getattr(expected.dataset, name)), name


numbers = st.integers(-2, 9) | st.sampled_from([2**31 - 1, -(2**31)])


@given(st.lists(numbers, min_size=1, max_size=5), st.lists(numbers, min_size=1, max_size=6), st.binary(max_size=8))
def test_forged_buffers_are_read_as_the_twin_reads_them_or_refused(rows, offsets, text) -> None:
    encoder = WordEncoder("words", Vocabulary(), Vocabulary())
    given = ("w", np.array(rows, np.int32), np.array(offsets, np.int64), np.frombuffer(text, np.uint8))
    try:
        expected = words_of(rows, offsets, text)
    except ValueError:
        with pytest.raises(InputError, match="column 'w', row"):
            encoder.encode(ArrowWords([given]))
        return
    assert encoder.encode(ArrowWords([given])).dataset.tokens.tolist() == [0, *np.cumsum([len(s) for s in expected])]


def test_offsets_may_be_unaligned() -> None:
    rows, offsets, text = buffers([["ab", "c"]])
    raw = np.frombuffer(b"x" + offsets.tobytes(), np.uint8)[1:].view(np.int32)
    encoder = WordEncoder("words", Vocabulary(), Vocabulary())
    assert encoder.encode(ArrowWords([("w", rows, raw, text)])).dataset.tokens.tolist() == [0, 2]


def test_several_columns_have_the_same_rows() -> None:
    encoder = WordEncoder("chunking", Vocabulary(), Vocabulary())
    one, two, other = buffers([["a", "b"]]), buffers([["X", "Y"]]), buffers([["X"]])
    assert len(encoder.encode(ArrowWords([("w", *one), ("pos", *two)]))) == 1
    with pytest.raises(InputError, match="row 7: column 'w' has 2 tokens, but column 'pos' has 1"):
        encoder.encode(ArrowWords([("w", *one), ("pos", *other)], 7))
    with pytest.raises(InputError, match=r"found 1 column of words, but template chunking reads 2 columns \(w, pos\)"):
        encoder.encode(ArrowWords([("w", *one)]))
    with pytest.raises(InputError, match="the same number of rows"):
        ArrowWords([("w", *one), ("pos", *buffers([]))])


def test_buffers_that_form_no_column_are_refused() -> None:
    rows, offsets, text = buffers([["a"]])
    nothing = np.empty(0, np.int32)
    for wrong in ([], [("w", nothing, offsets, text)], [("w", rows, nothing, text)]):
        with pytest.raises(InputError):
            ArrowWords(wrong)
    for wrong_type in (rows.astype(np.int16), rows.astype(float), rows[::-1], rows.reshape(1, -1), rows.tolist()):
        with pytest.raises(TypeError):
            ArrowWords([("w", wrong_type, offsets, text)])
    found = ArrowWords([("w", rows, offsets, text)])
    with pytest.raises(InputError, match="tagged, but not learned from"):
        encode_words(found, template="words")
    with pytest.raises(InputError, match="tagged, but not learned from"):
        WordEncoder("words", Vocabulary(), Vocabulary()).encode(found, [["X"]])


def test_a_vocabulary_may_grow_while_another_thread_reads() -> None:
    X = [[f"word{k % 977}", "b"] for k in range(4000)]
    known = encode_words(X, template="words")
    expected = WordEncoder("words", known.attributes.copy(), Vocabulary()).encode(X, gather=False).dataset.attribute
    encoder = WordEncoder("words", known.attributes, Vocabulary())
    ends = threading.Event()

    def grow() -> None:
        for k in range(100_000):
            if ends.is_set():
                return
            known.attributes.add(f"more{k}")

    thread = threading.Thread(target=grow)
    thread.start()
    try:
        given = ArrowWords([("w", *buffers(X))])
        for _ in range(5):
            assert np.array_equal(encoder.encode(given, gather=False).dataset.attribute, expected)
    finally:
        ends.set()
        thread.join()


def test_the_buffers_outlive_their_table() -> None:
    def held() -> ArrowWords:
        array = pa.array([["Ben", "!"]] * 1000)
        values = array.values
        offsets, text = (np.frombuffer(b, t) for b, t in zip(values.buffers()[1:], (np.int32, np.uint8), strict=True))
        return ArrowWords([("w", array.offsets.to_numpy(), offsets[: len(values) + 1], text)])

    found = held()
    _ = [pa.array([["xx", "yy"]] * 1000) for _ in range(50)]
    assert names.tag(names.encode_words(found)) == [["B-PER", "O"]] * 1000
