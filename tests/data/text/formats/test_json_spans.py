"""Spans of JSON in characters, UTF-16 units and tokens, checked against their text."""

import time
from typing import Any

import pytest

from tagfield.data.text.formats.json_spans import read_spans
from tagfield.data.text.records import Document, TextSpan
from tagfield.errors import InputError
from tests.data.text.formats.test_json_values import one


def test_a_text_with_many_spans_is_read_in_linear_time() -> None:
    start, text = time.perf_counter(), "😀 " * 500_000
    record = one({"text": text, "spans": [[at, at + 1, "X"] for at in range(0, len(text), 50)]})
    assert isinstance(record, Document)
    assert len(record.spans or ()) == 20_000
    assert time.perf_counter() - start < 20  # 1 s; a text that was encoded for every span took minutes


def test_offsets_in_utf16_units() -> None:
    text = "😀aaa"
    span = {"start": 2, "end": 3, "labels": ["X"], "text": "a"}  # in a browser the face counts twice
    task = {"data": {"text": text}, "annotations": [{"result": [{"value": span}]}]}
    record = one(task)
    assert isinstance(record, Document)
    assert record.spans == (TextSpan(1, 2, "X"),)


@pytest.mark.parametrize(
    "span",
    [
        [0, 4, "PER"],
        (0, 4, "PER"),
        {"begin": 0, "end": 4, "type": "PER"},
        {"start_offset": 0, "end_offset": 4, "entity": "PER"},
        {"token_start": 0, "token_end": 0, "label": "PER"},
        {"start": 0, "end": 4, "labels": ["PER"], "text": " Anna\n"},  # white space at its ends is no matter
    ],
)
def test_every_way_to_write_a_span_is_read(span: Any) -> None:
    assert read_spans([span], "Anna sings", "a", [(0, 4), (5, 10)]) == (TextSpan(0, 4, "PER"),)


def test_a_span_of_several_labels_is_several_spans() -> None:
    found = read_spans([{"start": 0, "end": 1, "labels": ["X", "Y"]}], "a", "a")
    assert found == (TextSpan(0, 1, "X"), TextSpan(0, 1, "Y"))


def test_offsets_that_fit_both_ways_are_those_of_the_tool() -> None:
    span = {"start": 2, "end": 3, "label": "X", "text": "a"}
    assert read_spans([span], "😀aaa", "a") == (TextSpan(2, 3, "X"),)
    assert read_spans([span], "😀aaa", "a", utf16=True) == (TextSpan(1, 2, "X"),)


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ({"token_start": 0, "token_end": 2, "label": "X"}, "start is None and end is None; both must be whole"),
        ({"start": 2, "end": 1, "label": "X"}, "a, span 1: 2 to 1 is outside the text, which has 5 characters"),
        ({"start": 0, "end": 1, "label": ["X", 3]}, "the label is 3; a label is a string of at least one letter"),
        ("ab", "a, span 1: 'ab' is not a span"),
    ],
)
def test_wrong_spans_are_refused_with_their_number(span: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_spans([span], "a b c", "a", [(0, 1), (2, 3)])
