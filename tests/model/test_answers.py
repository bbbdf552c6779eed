"""Answers: what a decoder says about each sentence, and what spans labels form."""

from tagfield.model.answers import span_kind


def test_what_spans_labels_form() -> None:
    assert span_kind(["U-A", "B-A", "I-A", "L-A", "O"]) == "iobes"
    assert span_kind(["B-A", "I-A", "O"]) == "iob"
    assert span_kind(["LOC", "O", "B"]) == "runs"
    assert span_kind(["NN", "-LRB-", "B"]) is None
