"""JSON in the dialects of the annotation tools, and what is wrong with it."""

import json
import time

import pytest

from tagfield.data.text.formats.json_file import read_json, read_jsonl
from tagfield.data.text.reading import read
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
    [record] = read_jsonl(lines(value), names)
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
def test_dialects_with_text(dialect: str) -> None:
    record = one(DIALECTS[dialect])
    assert isinstance(record, Document)
    assert (record.text, record.spans) == (TEXT, SPANS)


def test_prodigy() -> None:
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
def test_tokens(field: str) -> None:
    record = one({"tokens": ["Anna", "sings"], field: ["B-PER", None], "pos_tags": ["NNP", "VBZ"], "x": 1, "id": 3})
    assert isinstance(record, Sentence)
    assert record.tokens == (("Anna", "NNP"), ("sings", "VBZ"))
    assert (record.labels, record.roles, record.meta, record.id) == (("B-PER", None), ("w", "pos"), {"x": 1}, 3)


def test_parts_of_speech_are_labels_if_there_are_no_others() -> None:
    record = one({"words": ["Anna"], "upos": ["PROPN"], "text": "Anna"})
    assert isinstance(record, Sentence)
    assert (record.labels, record.roles, record.offsets) == (("PROPN",), ("w",), ((0, 4),))


def test_numbers_have_names() -> None:
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


@pytest.mark.parametrize(
    "text",
    [
        '[{"text": "a"},\n {"text": "b"}]',
        '{"annotations": [["a", {"entities": []}], ["b", {"entities": []}]], "classes": []}',
        '{"text": "a"}\n\n{\n"text": "b"}',
        '{"data": [{"text": "a"}, {"text": "b"}]}',
    ],
)
def test_json_files(text: str) -> None:
    assert [record.text for record in read_json(Source("a.json", text.encode()))] == ["a", "b"]


def test_many_values_one_after_the_other_are_read_in_linear_time() -> None:
    start = time.perf_counter()
    records = list(read_json(Source("a.json", b'{"text": "a", "note": "%s"}\n' % (b"x" * 400) * 60_000)))
    assert records[-1].where == "a.json, line 60000"
    assert time.perf_counter() - start < 30  # 1 s; counting lines from the start of the file took minutes


def test_line_separators_of_unicode_and_crlf_and_a_mark() -> None:
    raw = '\ufeff{"tokens": ["a\u2028b"], "labels": ["X"]}\r\n\r\n{"tokens": ["c"], "labels": ["X"]}\r\n'.encode()
    assert [s.words for s in read(Source("a.jsonl", raw.removeprefix(b"\xef\xbb\xbf"))).sentences()] == [
        ("a\u2028b",),
        ("c",),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"tokens": ["a"]', "this is not JSON"),
        ('{"tokens": ["a"]} {}', "more than one JSON value on the line"),
        ('{"tokens": ["a"], "x": NaN}', "NaN is not a JSON number"),
        ('{"tokens": ["a"], "x": -Infinity}', "-Infinity is not a JSON number"),
        ('{"tokens": ["\\ud800"]}', r"\\ud800 is half of a character"),
        ("[" * 100_000, "this is not JSON|nested too deeply"),
        ('{"x":' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
        ('{"text": "a", "spans": [[0, ' + "9" * 5000 + ', "X"]]}', "this is not JSON"),
        ('{"text": "a", "spans": [[0, 99999999999999999999, "X"]]}', "span 1: 0 to 9+ is outside the text"),
        ('{"text": "a", "spans": [[0, 1.0, "X"]]}', "both must be whole numbers"),
        ('{"text": "a", "spans": [[0, true, "X"]]}', "both must be whole numbers"),
        ('{"text": "a", "spans": [[0, 1]]}', "is not a span"),
        ('{"text": "a", "spans": [[0, 1, ""]]}', "the label is ''"),
        (
            '{"text": "ab", "spans": [{"start": 0, "end": 1, "label": "X", "text": "b"}]}',
            "0 to 1 is 'a' in the text, not",
        ),
        ('{"tokens": ["a", ""], "labels": ["X", "Y"]}', "token 2 is ''; a token is a string"),
        ('{"tokens": ["a", 3], "labels": ["X", "Y"]}', "token 2 is 3"),
        ('{"tokens": ["a", "b"], "labels": ["X"]}', "found 2 tokens but 1 labels"),
        ('{"tokens": ["a"], "labels": [["X"]]}', "the label of token 1 is"),
        ('{"sentence": "a"}', 'neither "tokens" nor "text", only \'sentence\''),
        ("3", "found a number instead of an object"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        list(read_jsonl(Source("a.jsonl", b'{"text": "ok"}\n' + line.encode())))
    assert str(raised.value).startswith("a.jsonl, line 2")


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
