"""Records as the JSON objects of each annotation tool."""

import json

import pytest

from tagfield.data.text.formats.json_objects import (
    RESERVED,
    doccano_object,
    further_fields,
    json_lines,
    json_list,
    label_studio_object,
    prodigy_object,
    span_object,
    token_object,
)
from tagfield.data.text.formats.json_values import records_of
from tagfield.data.text.records import Document, Sentence, TextSpan

TEXT = "Anna sings."
TOKENS = (((0, 4), (5, 10), (10, 11)),)


def test_prodigy_counts_tokens_only_where_a_span_is_whole_tokens() -> None:
    made = prodigy_object(Document(TEXT, (TextSpan(5, 11, "A"), TextSpan(0, 3, "B")), TOKENS))
    assert made["spans"] == [
        {"start": 5, "end": 11, "label": "A", "token_start": 1, "token_end": 2},
        {"start": 0, "end": 3, "label": "B"},
    ]
    assert [token["id"] for token in made["tokens"]] == [0, 1, 2]


def test_prodigy_accepts_only_what_is_labelled_and_keeps_the_id_in_meta() -> None:
    made = prodigy_object(Document(TEXT, None, id=7, meta={"source": "web"}))
    assert "answer" not in made
    assert made["meta"] == {"source": "web", "id": 7}


def test_a_text_that_is_not_labelled_has_no_annotation() -> None:
    bare = Document(TEXT)
    assert "spans" not in span_object(bare)
    assert label_studio_object(bare)["annotations"] == []
    assert doccano_object(bare)["label"] == []  # doccano knows no difference


def test_a_field_named_text_does_not_replace_the_text_of_a_task() -> None:
    made = label_studio_object(Document(TEXT, (), meta={"text": "other", "source": "web"}))
    assert made["data"] == {"text": TEXT, "source": "web"}


def test_columns_of_tokens_without_labels_are_not_taken_for_labels() -> None:
    sentence = Sentence((("The", "DT", "x"),), None, ("w", "pos", "mine"))
    made = token_object(sentence)
    assert made == {"tokens": ["The"], "columns": {"pos": ["DT"], "mine": ["x"]}}
    [back] = records_of(made, "a.jsonl, line 1")
    assert isinstance(back, Sentence)
    assert (back.labels, back.roles, back.tokens) == (None, sentence.roles, sentence.tokens)


def test_the_text_of_a_sentence_is_that_between_its_tokens() -> None:
    made = token_object(Sentence((("sings",), (".",)), None, ("w",), TEXT, ((5, 10), (10, 11)), comments=("x",)))
    assert (made["text"], made["comments"]) == ("sings.", ["x"])


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_fields_whose_names_mean_something_are_nested(name: str) -> None:
    assert further_fields({name: 3, "source": "web"}) == {"source": "web", "meta": {name: 3}}


def test_lines_and_a_list_hold_the_same_records() -> None:
    records = [Document("é\n", ()), Sentence((("a",),), ("X",))]
    lines = list(json_lines(records))
    assert [json.loads(line) for line in lines] == json.loads("".join(json_list(records)))
    assert "é" in lines[0]
    assert all(line.count("\n") == 1 for line in lines)
    assert json.loads("".join(json_list([]))) == []
    assert json.loads(next(json_lines(records, make=doccano_object))) == {"text": "é\n", "label": []}
