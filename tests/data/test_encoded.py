"""Encoded: sentences with their names, lines and words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.encode import Vocabulary, encode_files, encode_sequences
from tagfield.data.encoded import same_vocabulary
from tagfield.data.text.sources import Source
from tagfield.errors import InputError


def test_sentences_taken_remember_their_lines() -> None:
    whole = encode_files([Source("f", b"a A X\n\nb B Y\nc C X\n")])
    assert whole.take(np.array([1])).where(0) == whole.where(1) == "f, line 3"
    assert whole.take(np.array([1])).lines(0) == ["b B Y", "c C X"]


def test_words_are_the_column_of_words_of_a_plain_file() -> None:
    encoded = encode_files([Source("f", b"POS word label\nNNP Anna X\nVB sings Y\n\nNN Bo X\n")])
    assert [encoded.words(s) for s in range(2)] == [["Anna", "sings"], ["Bo"]]
    assert encode_files([Source("a.jsonl", b'{"tokens": ["a"], "labels": ["X"]}')]).words(0) is None
    assert encode_sequences([[["a"]]]).words(0) is None


def test_objects_of_python_have_no_lines() -> None:
    encoded = encode_sequences([[["a"]], [["b"]]], [["X"], ["Y"]])
    assert encoded.where(1) == "sequence 1"
    assert encoded.describe() == ""
    with pytest.raises(InputError, match="only column files have lines, but these sequences came from Python objects"):
        encoded.lines(0)


def test_gold_labels_beyond_the_label_set_keep_their_names() -> None:
    encoded = encode_sequences([[["a"], ["b"], ["c"]]], [["X", "Z", None]], labels=Vocabulary(["X", "Y"]))
    assert (encoded.unseen_labels, encoded.labelled, encoded.tokens) == (["Z"], False, 3)
    assert encoded.gold_labels() == [["X", "Z", ""]]
    assert encoded.take(np.array([0, 0])).gold_labels() == [["X", "Z", ""]] * 2


def test_edge_attributes_cannot_be_item_lines() -> None:
    encoded = encode_sequences([[["a"], ["b"]]], [["X", "Y"]], edges=[[[], ["e"]]])
    assert repr(encoded) == "<Encoded: 1 sequences, 2 tokens, 2 labels, 2 attributes, 1 edge attributes>"
    assert "edge attributes" in encoded._repr_html_()
    with pytest.raises(InputError, match="item lines cannot hold edge attributes"):
        list(encoded.sequences())


@given(st.lists(st.text("ab", max_size=3), unique=True), st.lists(st.text("ab", max_size=3), unique=True))
def test_vocabularies_are_the_same_if_their_strings_are_in_order(one: list[str], other: list[str]) -> None:
    assert same_vocabulary(Vocabulary(one), Vocabulary(other)) is (one == other)
