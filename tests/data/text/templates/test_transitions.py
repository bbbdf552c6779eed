"""Patterns of transitions: drawn templates against the naive twin, both notations, and what is refused."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.encode import Vocabulary, WordEncoder, encode_files, encode_words
from tagfield.data.text.encoders.words import WordTable
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.template import Pattern, Template
from tagfield.errors import InputError
from tagfield.native._text import TemplateEncoder
from tagfield.templates import column, parse_template, template
from tests.data.test_encode import check, check_edges
from tests.data.text.templates.test_language import RESOURCES, patterns, sentences
from tests.support import naive_template as twin
from tests.support import naive_text as naive


def named(rows: Any, drawn: Any, padding: bool, transitions: bool) -> list[list[tuple[str, float]]]:
    cells = [("U:", cells) for _, cells in drawn]
    tokens = twin.attributes(rows, cells, padding, not transitions)
    return [[(name, 1.0) for name in token if t or not transitions] for t, token in enumerate(tokens)]


@settings(deadline=None)  # the twin computes every cell anew
@given(
    st.lists(sentences, min_size=1, max_size=3),
    st.lists(patterns(), max_size=3),
    st.lists(patterns(), min_size=1, max_size=3),
    st.booleans(),
)
def test_transitions_are_what_their_twin_says(batches: list, states: list, pairs: list, padding: bool) -> None:
    lines = [tuple(Pattern(text) for text, _ in drawn) for drawn in (states, pairs)]
    made = Template("drawn", lines[0], ("a", "b", "y"), padding, True, RESOURCES, lines[1])
    made.check()
    assert Template.from_json(made.to_json()) == made
    one = WordEncoder(made, Vocabulary(), None, edges := Vocabulary())
    ids: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for X in batches:
        found = one.encode(X, grow=True)
        check(found.dataset, naive.pack([named(rows, states, padding, False) for rows in X], ids[0]))
        check_edges(found, naive.pack([named(rows, pairs, padding, True) for rows in X], ids[1], grouped=False))
        assert found.edges is edges
    assert edges.strings() == list(ids[1])
    half = {name: k for k, name in enumerate(list(ids[1])[::2])}
    frozen = WordEncoder(made, Vocabulary(list(ids[0])), None, Vocabulary(list(half)))
    for X in (*batches, *batches):
        packed = naive.pack([named(rows, pairs, padding, True) for rows in X], half, frozen=True, gather=False)
        check_edges(frozen.encode(X, gather=False), packed)


def test_crfpp_and_windows_say_the_same() -> None:
    text = "columns w pos y\nedges on\npadding off\nw\ntransition w.lower[-1:0]|pos\nB1:%x[-1,w]/%x[0,1]\nB\nB9\n"
    read = parse_template(text)
    assert [p.text for p in read.transitions] == [
        "w.lower[-1]|pos[0]=%x[-1,w.lower]|%x[0,pos]",
        "w.lower[0]|pos[0]=%x[0,w.lower]|%x[0,pos]",
        "B1:%x[-1,w]/%x[0,1]",
    ]
    w, pos = column("w"), column("pos")
    made = template(w, transitions=[w.lower[-1:0] & pos, "B1:%x[-1,w]/%x[0,1]"])
    assert [p.text for p in made.transitions] == [p.text for p in read.transitions]
    assert made.columns == read.columns
    assert repr(made) == "Template 'template': 1 patterns, columns w pos y, 3 patterns of transitions, __BOS__/__EOS__"


def test_files_and_words_give_the_same() -> None:
    read = parse_template("U0:%x[0,0]\nB0:%x[-2,0]/%x[0,0]\nB0:%x[-2,0]/%x[0,0]\nB1\n")
    rows = [["a", "b", "a"], ["c"]]
    from_words = encode_words(rows, [["X", "Y", "X"], ["Y"]], template=read)
    from_file = encode_files(Source("a.txt", b"a X\nb Y\na X\n\nc Y\n"), template=read)
    for found in (from_words, from_file):
        assert found.edges.strings() == ["B0:_B-1/b", "B0:a/a"]
        assert found.dataset.edge_slots.position.tolist() == [1, 1, 2, 2]  # a line that is there twice counts twice
        assert found.dataset.edge_slots.slots.tolist() == [0, 2, 2]
    known = {"attributes": from_words.attributes, "labels": from_words.labels}
    again = encode_words(rows, template=read.with_columns("x0 y"), edge_attributes=from_words.edges, **known)
    assert again.dataset.edge_slots.attribute.tolist() == from_words.dataset.edge_slots.attribute.tolist()
    without = encode_words(rows, template=read.with_columns("x0 y"), **known)
    assert without.dataset.edge_slots is None
    assert without.edges is None


def test_crfpp_pads_rows_beyond_the_ends() -> None:
    lines = [f"U{k}:%x[{k},0]" for k in (-8, -1, 1, 8)]
    read = parse_template("\n".join([*lines, "B:%x[-8,0]%x[8,0]", "U"]))
    encoded = encode_words([["a", "b"]], template=read)
    assert encoded.attributes.strings()[:5] == ["U-8:_B-8", "U-1:_B-1", "U1:b", "U8:_B+7", "U"]
    assert encoded.edges.strings() == ["B:_B-7_B+8"]


def test_a_template_of_transitions_alone() -> None:
    encoded = encode_words([["a", "b"]], [["X", "Y"]], template=parse_template("B:%x[0,0]"))
    assert (len(encoded.attributes), encoded.edges.strings()) == (0, ["B:b"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("U\nB:%y[0,0]", "line 2: 'B:%y[0,0]' has a % that does not begin %x[row,column]"),
        ("U\nB:%x[9,0]", "line 2: 'B:%x[9,0]' reads 9 rows away"),
        ("w\ntransition w.sufix2", "line 2: no function named 'sufix2'; did you mean suffixN?"),
        ("w\ntransition w[1:0]", "line 2: 'w[1:0]': the range 1:0 is empty"),
        ("w\ntransition", "line 2: '' is not a pattern"),
        ("w\ntransitions w pos", "line 2: 'transitions w pos' is not a pattern; did you mean transition?"),
        ("u:%x[0,0]", "begin each pattern with U; for the patterns of Wapiti write syntax wapiti on the first line"),
        ("syntax crf\nu", "line 1: found 'syntax crf'; write syntax wapiti, or leave it out"),
    ],
)
def test_wrong_lines_of_transitions_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_template(text)
    assert message in str(caught.value)


def test_json_of_forged_transitions_is_refused() -> None:
    made = parse_template("U:%x[0,0]\nB:%x[0,0]")
    for old, new in (('"B:%x[0,0]", 2', '"B:%x[0,0]", "2"'), ('[["B:%x[0,0]", 2]]', "3"), ("%x[0,0]", "%z[0,0]")):
        with pytest.raises(InputError):
            Template.from_json(made.to_json().replace(old, new))
    forged = made.to_json().replace('"padding"', '"syntax": "sed", "padding"')
    with pytest.raises(InputError, match="every pattern must have the syntax of the template"):
        Template.from_json(forged)


def test_padding_that_does_not_fit_the_native_encoder_is_refused() -> None:
    encoder = TemplateEncoder([True], 1000, "one column")
    pattern = [(["=", ""], [(-1, 0)])]
    with pytest.raises(InputError, match="one entry for each column"):
        encoder.set_patterns(pattern, [(["a"], ["b"])] * 2, False)
    with pytest.raises(InputError, match="at least one cell on each side"):
        encoder.set_patterns(pattern, [([], ["b"])], False)
    with pytest.raises(InputError, match="padding on each side"):
        encoder.at_row(0, 1, ([], []))
    with pytest.raises(InputError, match="there is no column 7"):
        encoder.set_patterns(pattern, [], False, [(["=", ""], [(0, 7)])])
    with pytest.raises(InputError, match="needs patterns"):
        encoder.encode_words([["a"]], None, Vocabulary(), False, Vocabulary(), True)


def test_what_is_remembered_is_bounded_for_transitions_too() -> None:
    made = parse_template("U:%x[0,0]\nB:%x[-1,0]/%x[0,0]").with_columns("w y")
    known, edges = Vocabulary(["U:w7"]), Vocabulary(["B:w7/w7", "B:w1/w7"])
    table, largest = WordTable(made, capacity=2000), 0
    for k in range(400):
        _, _, slots = table.encode([[f"w{k}", "w7"]], None, known, True, Vocabulary(), False, edges)
        assert slots is not None
        assert slots[2].tolist() == {7: [0], 1: [1]}.get(k, [])
        largest = max(largest, len(table))
    assert 1000 < largest < 6000
