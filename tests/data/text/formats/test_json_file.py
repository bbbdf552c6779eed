"""JSON lines and JSON files: values with their line, and what is wrong with them."""

import time

import pytest

from tagfield.data.text.formats.json_file import read_json, read_jsonl
from tagfield.data.text.reading import read
from tagfield.data.text.sources import Source
from tagfield.errors import InputError


@pytest.mark.parametrize(
    "text",
    [
        '[{"text": "a"},\n {"text": "b"}]',
        '{"annotations": [["a", {"entities": []}], ["b", {"entities": []}]], "classes": []}',
        '{"text": "a"}\n\n{\n"text": "b"}',
        '{"data": [{"text": "a"}, {"text": "b"}]}',
    ],
)
def test_a_json_file_is_a_list_or_an_object_with_one_or_values_in_a_row(text: str) -> None:
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
def test_a_wrong_line_is_refused_with_its_number(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        list(read_jsonl(Source("a.jsonl", b'{"text": "ok"}\n' + line.encode())))
    assert str(raised.value).startswith("a.jsonl, line 2")
