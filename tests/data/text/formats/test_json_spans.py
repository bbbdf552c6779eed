"""Spans of JSON in characters, UTF-16 units and tokens, checked against their text."""

import time

from tagfield.data.text.records import Document, TextSpan
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
