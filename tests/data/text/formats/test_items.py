"""Item lines against the naive twin, written and read back, and wrong lines."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.encode import encode_files
from tagfield.data.text.formats.items import ItemSequence, parse_items, write_items
from tagfield.data.text.sources import Source
from tagfield.errors import InputError
from tests.data.test_encode import check
from tests.support import naive_text as naive

names = st.text(alphabet=st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]), max_size=5) | st.text(
    alphabet="\\:ab @#", max_size=5
)
labels = names.filter(lambda label: label and not label.startswith(("@", "\ufeff")))
finite = st.floats(-1e30, 1e30)
sequences = st.builds(
    lambda rows, weight: ItemSequence([token for _, token in rows], [label for label, _ in rows], weight),
    st.lists(st.tuples(labels, st.lists(st.tuples(names, st.just(1.0) | finite), max_size=4)), min_size=1, max_size=5),
    st.just(1.0) | st.floats(0, 1e300),
)
lines = st.text(alphabet="ab\\:\t\n\r 1.5e@", max_size=60) | st.lists(
    st.sampled_from(
        ["A", "\t", "a", ":", "2.5", "\\:", "\\\\", "\\", "\n", "\r\n", "@weight:", "é", "-1e3", " ", "inf"]
    ),
    max_size=30,
).map("".join)


def plain(sequence: ItemSequence) -> tuple:
    return sequence.tokens, sequence.labels, sequence.weight


@given(st.lists(sequences, max_size=4))
def test_sequences_written_as_items_are_read_back(written: list[ItemSequence]) -> None:
    stream = io.BytesIO()
    assert write_items(iter(written), stream) == len(written)
    back = list(parse_items(Source("items", stream.getvalue())))
    assert [plain(sequence) for sequence in back] == [plain(sequence) for sequence in written]
    again = io.BytesIO()
    write_items(back, again)
    assert again.getvalue() == stream.getvalue()


@given(lines)
def test_items_are_read_as_the_twin_reads_them(text: str) -> None:
    source = Source("items", text.encode())
    try:
        expected = list(naive.items(text))
    except ValueError:
        with pytest.raises(InputError, match="items, line "):
            list(parse_items(source))
        with pytest.raises(InputError, match="items, line "):
            encode_files([source], format="items")
        return
    assert [plain(sequence) for sequence in parse_items(source)] == expected
    if not expected or not all(label for _, labels, _ in expected for label in labels):
        with pytest.raises(InputError, match=r"no sequence|has no label;"):
            encode_files([source], format="items")
        return
    encoded = encode_files([source], format="items")
    ids: dict[str, int] = {}
    check(encoded.dataset, naive.pack([tokens for tokens, _, _ in expected], ids))
    assert encoded.attributes.strings() == list(ids)
    assert encoded.gold_labels() == [labels for _, labels, _ in expected]
    assert encoded.dataset.weight.tolist() == [weight for _, _, weight in expected]


def test_dataset_to_items_and_back() -> None:
    text = b"@weight:2.5\nA\tw=a b\tlength:3\nB\tw=12\\:30\tb\\\\c\n\nA\tw=a b\n"
    first = encode_files([Source("items", text)], format="items")
    stream = io.BytesIO()
    write_items(first.sequences(), stream)
    second = encode_files([Source("again", stream.getvalue())], format="items")
    for field in ("tokens", "slots", "attribute", "stop", "position", "value", "labels", "weight"):
        np.testing.assert_array_equal(getattr(first.dataset, field), getattr(second.dataset, field))
    assert first.attributes.strings() == ["w=a b", "length", "w=12:30", "b\\c"]
    assert [first.where(0), first.where(1)] == ["items, line 2", "items, line 5"]
    with pytest.raises(InputError, match="column files only"):
        first.lines(0)


def test_frozen_items_may_lack_labels() -> None:
    train = encode_files([Source("train", b"A\ta\tb\n")], format="items")
    test = encode_files(
        [Source("test", b"\ta\tz\nC\tb\n")], format="items", attributes=train.attributes, labels=train.labels
    )
    assert test.gold_labels() == [["", "C"]]
    assert test.dataset.labels.tolist() == [-1, -1]
    assert test.dataset.attribute.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A\tw=a:b", r"items, line 1: the value 'b' of 'w=a' is not a number; write \\: for a colon"),
        ("A\ta\nA\t12:30:45", "line 2: the value '30:45' of '12' is not a number"),
        ("A\ta:nan", "must be a finite"),
        ("A\ta:inf", "must be a finite"),
        ("A\ta:1e39", "must be a finite 32-bit number"),
        ("A\ta: 1", "is not a number"),
        ("A\ta:1 ", "is not a number"),
        ("A\ta:1\0", r"'1\\x00' of 'a' is not a number"),
        ("@" + "é" * 70, "unknown declaration '@" + "é" * 30 + "…'"),
        ("A:b\ta", "the label 'A:b' has a colon"),
        ("@weight:x\nA\ta", "line 1: the weight must be a finite number ≥ 0, got 'x'"),
        ("@weight:-1\nA\ta", "got '-1'"),
        ("@weight:inf\nA\ta", "got 'inf'"),
        ("@weight\nA\ta", "unknown declaration '@weight'"),
        ("@wait:1\nA\ta", "unknown declaration '@wait:1'; the only one is @weight:NUMBER"),
        ("@weight:1\n@weight:1\nA\ta", "line 2: .* second"),
        ("@weight:1\n\nA\ta", "@weight has no sequence"),
        ("A\ta\n\n@weight:1", "@weight has no sequence"),
        ("\n\n", "no sequence"),
        ("\ta", "items, line 1: token 1 of the sequence has no label"),
    ],
)
def test_wrong_items_are_refused_with_their_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        encode_files([Source("items", text.encode())], format="items")


def test_bytes_that_are_not_utf_8_and_unknown_formats_are_refused() -> None:
    with pytest.raises(InputError, match=r"items, line 2: .*UTF-8"):
        encode_files([Source("items", b"A\ta\nA\t\xff")], format="items")
    with pytest.raises(InputError, match="no format named 'xml'"):
        encode_files([Source("items", b"A")], format="xml")


@pytest.mark.parametrize(
    "sequence",
    [
        ItemSequence([], []),
        ItemSequence([[]], []),
        ItemSequence([[]], [""]),
        ItemSequence([[("a\tb", 1.0)]], ["A"]),
        ItemSequence([[("a", 1.0)]], ["@A"]),
        ItemSequence([[("a", 1.0)]], ["A\n"]),
    ],
)
def test_sequences_that_item_lines_cannot_hold_are_refused(sequence: ItemSequence) -> None:
    with pytest.raises(InputError, match="sequence 0"):
        write_items([sequence], io.BytesIO())


@given(st.binary(max_size=80))
def test_random_bytes_are_read_or_refused(text: bytes) -> None:
    try:
        encoded = encode_files([Source("items", text)], format="items")
    except InputError:
        return
    assert len(encoded) > 0
