"""One JSON value in the dialects of the annotation tools."""

import json

import pytest

from tagfield.data.text.formats.json_file import read_jsonl
from tagfield.data.text.records import Document, Record, Sentence, TextSpan
from tagfield.data.text.sources import Source
from tagfield.errors import InputError

TEXT = "Anna sings in New York."


SPANS = (TextSpan(0, 4, "PER"), TextSpan(14, 22, "LOC"))


TOKENS = [
    {"text": w, "start": TEXT.index(w), "end": TEXT.index(w) + len(w), "id": k} for k, w in enumerate(["Anna", "sings"])
]


def lines(*values: object) -> Source:
    return Source("a.jsonl", "\n".join(json.dumps(value) for value in values).encode())


def one(value: object, names: list[str] | None = None) -> Record:
    [record] = read_jsonl(lines(value), names=names)
    return record


DIALECTS = {
    "spans as lists": {"text": TEXT, "spans": [[0, 4, "PER"], [14, 22, "LOC"]]},
    "spaCy's dicts": {"text": TEXT, "entities": [{"start": s, "end": e, "label": y} for s, e, y in SPANS]},
    "spaCy 2's pairs": [TEXT, {"entities": [[0, 4, "PER"], [14, 22, "LOC"]]}],
    "doccano": {"text": TEXT, "label": [[0, 4, "PER"], [14, 22, "LOC"]]},
    "doccano's other one": {"text": TEXT, "labels": [[0, 4, "PER"], [14, 22, "LOC"]]},
    "doccano with relations": {
        "text": TEXT,
        "entities": [{"id": 1, "start_offset": s, "end_offset": e, "label": y} for s, e, y in SPANS],
        "relations": [],
    },
    "Label Studio": {
        "id": 7,
        "data": {"text": TEXT},
        "annotations": [
            {"was_cancelled": True, "result": []},
            {
                "result": [
                    {"type": "labels", "value": {"start": s, "end": e, "text": TEXT[s:e], "labels": [y]}}
                    for s, e, y in SPANS
                ]
                + [{"type": "choices", "value": {"choices": ["good"]}}]
            },
        ],
    },
    "Label Studio, short": {
        "text": TEXT,
        "label": [{"start": s, "end": e, "text": TEXT[s:e], "labels": [y]} for s, e, y in SPANS],
    },
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_with_text_gives_the_same_spans(dialect: str) -> None:
    record = one(DIALECTS[dialect])
    assert isinstance(record, Document)
    assert (record.text, record.spans) == (TEXT, SPANS)


def test_prodigy_counts_spans_in_tokens_and_rejects_answers() -> None:
    spans = [{"token_start": 0, "token_end": 0, "label": "PER"}, {"start": 5, "end": 10, "label": "VB"}]
    record = one({"text": TEXT, "tokens": TOKENS, "spans": spans, "answer": "accept", "meta": {"source": "web"}})
    assert isinstance(record, Document)
    assert record.spans == (TextSpan(0, 4, "PER"), TextSpan(5, 10, "VB"))
    assert record.sentences == (((0, 4), (5, 10)),)
    assert record.meta == {"source": "web"}
    assert list(read_jsonl(lines({"text": TEXT, "spans": [], "answer": "reject"}))) == []


def test_text_that_is_not_labelled_and_text_without_a_span_differ() -> None:
    bare, labelled = read_jsonl(lines({"text": TEXT}, {"text": TEXT, "spans": []}))
    assert isinstance(bare, Document)
    assert isinstance(labelled, Document)
    assert (bare.spans, labelled.spans) == (None, ())


@pytest.mark.parametrize("field", ["labels", "tags", "ner_tags", "ner", "label"])
def test_tokens_have_labels_under_many_names_and_further_columns(field: str) -> None:
    record = one({"tokens": ["Anna", "sings"], field: ["B-PER", None], "pos_tags": ["NNP", "VBZ"], "x": 1, "id": 3})
    assert isinstance(record, Sentence)
    assert record.tokens == (("Anna", "NNP"), ("sings", "VBZ"))
    assert (record.labels, record.roles, record.meta, record.id) == (("B-PER", None), ("w", "pos"), {"x": 1}, 3)


def test_parts_of_speech_are_labels_if_there_are_no_others() -> None:
    record = one({"words": ["Anna"], "upos": ["PROPN"], "text": "Anna"})
    assert isinstance(record, Sentence)
    assert (record.labels, record.roles, record.offsets) == (("PROPN",), ("w",), ((0, 4),))


def test_labels_that_are_numbers_need_names() -> None:
    record = one({"tokens": ["Anna", "sings"], "ner_tags": [1, 0]}, ["O", "B-PER"])
    assert isinstance(record, Sentence)
    assert record.labels == ("B-PER", "O")
    with pytest.raises(InputError, match="the ner_tags are numbers; name them in order with label_names"):
        one({"tokens": ["Anna"], "ner_tags": [1]})
    with pytest.raises(InputError, match="token 1 has the label 2, but there are only 1 names"):
        one({"tokens": ["Anna"], "ner_tags": [2]}, ["O"])


def test_what_tag_writes_is_read() -> None:
    tokens = [{"text": "Anna", "start": 0, "end": 4, "label": "B-PER", "probability": 0.9}]
    record = one({"text": TEXT, "sentences": [{"start": 0, "end": 4, "tokens": tokens, "spans": []}]})
    assert isinstance(record, Sentence)
    assert (record.words, record.labels) == (("Anna",), ("B-PER",))
