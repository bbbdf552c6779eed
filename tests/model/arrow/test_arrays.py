"""Arrow arrays of answers: labels and probabilities of words, spans and tokens of text, and null rows."""

import numpy as np
import pyarrow as pa

from tagfield.model.arrow.arrays import (
    Labels,
    column_of_marks,
    columns_of_labels,
    labels_type,
    marks_type,
    of_text,
    of_words,
    probabilities_type,
)
from tagfield.model.sentences import Sentences
from tests.support.arrow_tables import X, Y, names

THERE = np.array([True, False, True])
TEXTS = ["Ben ! Anna lives .", "Paris is large ."]
SENTENCES = Sentences.of(TEXTS, "whitespace")
MARKS = ["start", "end", "label", "text", "probability"]


def labels(ids: list[int], lengths: list[int], valid: list[bool], sure: list[float] | None = None) -> Labels:
    found = None if sure is None else np.array(sure, np.float32)
    return Labels(np.array(ids, np.int32), found, np.array(lengths), np.array(valid))


def marks(tokens: bool, probabilities: bool = True) -> pa.Array:
    decoder = names.decoder(names.encode_words(SENTENCES.words()))
    return of_text(decoder, names.label_names, SENTENCES, THERE, tokens=tokens, probabilities=probabilities)


def test_labels_of_words_have_probabilities_only_if_they_are_wanted() -> None:
    decoder = names.decoder(names.encode_words(X[:2]))
    for wanted in (False, True):
        found = of_words(decoder, np.ones(2, bool), wanted)
        assert [names.label_names[i] for i in found.ids] == Y[0] + Y[1]
        assert found.lengths.tolist() == [len(X[0]), len(X[1])]
        assert (found.probability is not None) == wanted
    assert found.probability is not None
    node = np.concatenate(names.marginals(names.encode_words(X[:2])))
    assert found.probability.tolist() == node[np.arange(len(node)), found.ids].tolist()


def test_pieces_become_one_column_and_null_rows_stay_null() -> None:
    pieces = [labels([1, 0], [2, 0], [True, False], [0.5, 0.25]), labels([1], [0, 1], [True, True], [0.75])]
    column, sure = columns_of_labels(iter(pieces), ["X", "Y"], True)
    assert column.to_pylist() == [["Y", "X"], None, [], ["Y"]]
    assert sure.to_pylist() == [[0.5, 0.25], None, [], [0.75]]
    for found, type in ((column, labels_type()), (sure, probabilities_type())):
        assert found.type == type
        found.validate(full=True)


def test_no_pieces_make_empty_columns_of_the_right_types() -> None:
    assert [column.type for column in columns_of_labels([], ["X"], True)] == [labels_type(), probabilities_type()]
    assert [len(column) for column in columns_of_labels([], ["X"], False)] == [0]
    assert (column_of_marks([]).type, len(column_of_marks([]))) == (marks_type(), 0)


def test_spans_of_text_have_offsets_of_the_text_and_null_rows_stay_null() -> None:
    first, missing, last = marks(tokens=False).to_pylist()
    assert missing is None
    for text, row in zip(TEXTS, (first, last), strict=True):
        assert all(list(span) == MARKS and text[span["start"] : span["end"]] == span["text"] for span in row)
        assert all(0 < span["probability"] <= 1.0001 for span in row)
    assert [(span["label"], span["text"]) for span in first + last] == [
        ("PER", "Ben"),
        ("PER", "Anna"),
        ("LOC", "Paris"),
    ]


def test_tokens_of_text_are_all_there_and_have_no_probability_unless_wanted() -> None:
    first, _, last = marks(tokens=True, probabilities=False).to_pylist()
    assert [[token["text"] for token in row] for row in (first, last)] == [text.split() for text in TEXTS]
    assert [token["label"] for token in last] == Y[2]
    assert {token["probability"] for token in first + last} == {None}
    joined = column_of_marks([marks(tokens=True), marks(tokens=False)])
    assert joined.to_pylist() == marks(tokens=True).to_pylist() + marks(tokens=False).to_pylist()
    joined.validate(full=True)
