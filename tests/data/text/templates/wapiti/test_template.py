"""Pattern files of Wapiti: drawn ones against the naive twin, lines and comments, and wrong patterns."""

import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.encode import Vocabulary, WordEncoder, encode_files, encode_words
from tagfield.data.text.sources import Source
from tagfield.data.text.stray_bytes import text_of_bytes
from tagfield.data.text.templates.presets import load_template
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.templates import parse_wapiti
from tests.data.test_encode import check, check_edges
from tests.data.text.templates.wapiti.test_regex import bytes_in_reach, expressions
from tests.support import naive_text as naive
from tests.support import naive_wapiti as twin


@st.composite
def macros(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from("xxXtTmM"))
    row = draw(st.sampled_from(["", "", "@"])) + str(draw(st.integers(-7, 7)))
    expression = "" if kind in "xX" else f',"{draw(expressions)}"'
    return f"%{kind}[{row},{draw(st.integers(0, 1))}{expression}]"


lines = st.builds(
    lambda kind, name, made: f"{kind}{name}:{'/'.join(made)}",
    st.sampled_from("uUbB*"),
    st.sampled_from("12"),
    st.lists(macros(), max_size=3),
)


sentences = st.lists(st.lists(st.tuples(bytes_in_reach, bytes_in_reach), max_size=5), max_size=4)


def expected(patterns: list[str], rows: list[tuple[str, ...]], kinds: bytes) -> list[list[tuple[str, float]]]:
    """The attributes of each token that come from patterns of some kinds; those of transitions have a macro."""
    made = []
    for t, found in enumerate(twin.observations(patterns, rows)):
        pairs = list(zip(found, patterns, strict=True))
        if kinds == b"b*":
            pairs = [(name, line) for name, line in pairs if t and "%" in line]
        made.append([(text_of_bytes(name), 1.0) for name, _ in pairs if name[0] in kinds])
    return made


@settings(deadline=None)  # the twin expands every pattern anew
@given(st.lists(sentences, min_size=1, max_size=3), st.lists(lines, min_size=1, max_size=5))
def test_patterns_expand_as_their_twin_says(batches: list, patterns: list[str]) -> None:
    if all(line[0] in "bB" and "%" not in line for line in patterns):
        patterns = [*patterns, "u:%x[0,0]"]
    template = parse_wapiti("\n".join(patterns)).with_columns("a b y")
    edges = Vocabulary() if template.transitions else None
    one = WordEncoder(template, Vocabulary(), None, edges)
    states: dict[str, int] = {}
    pairs: dict[str, int] = {}
    for X in batches:
        found = one.encode(X, grow=True)
        check(found.dataset, naive.pack([expected(patterns, rows, b"u*") for rows in X], states))
        check_edges(found, naive.pack([expected(patterns, rows, b"b*") for rows in X], pairs, grouped=False))
    assert one.attributes.strings() == list(states)
    assert list(edges or []) == list(pairs)


def test_files_and_words_give_the_same() -> None:
    template = parse_wapiti('u:%m[0,0,"..$"]\n*:%X[-1,0]/%t[1,0,"\\d"]\nb\nu1:%x[@-1,0]').with_columns("w y")
    from_file = encode_files(Source("a.txt", "Café X\nB1 Y\n\nc X\n".encode()), template=template)
    from_words = encode_words([["Café", "B1"], ["c"]], [["X", "Y"], ["X"]], template=template)
    assert from_file.attributes.strings() == from_words.attributes.strings()
    assert from_words.attributes.strings()[:3] == ["u:é", "*:_x-1/true", "u1:B1"]
    assert from_words.edges.strings() == ["*:café/true"]


def test_comments_are_dropped_and_equal_lines_count_twice(tmp_path: Path) -> None:
    text = "# words\nU00:%x[0,0]   # the word\r\n\nb\nB1\n*2\nu00:%x[0,0]\n"
    template = parse_wapiti(text)
    assert [(p.text, p.line) for p in template.patterns] == [("u00:%x[0,0]", 2), ("*2", 6), ("u00:%x[0,0]", 7)]
    assert template.transitions == ()
    encoded = encode_words([["a"]], template=template)
    assert encoded.attributes.strings() == ["u00:a", "*2"]
    assert encoded.dataset.position.tolist() == [0, 0, 0]  # a line that is there twice counts twice
    (tmp_path / "p").write_text("syntax wapiti\nu:%x[0,0]\n")
    assert load_template(tmp_path / "p").patterns[0].line == 2


def test_a_template_survives_json_and_pickle() -> None:
    template = parse_wapiti('*:%m[0,0,"^.?"]\nb:%x[@1,0]').with_columns("w y")
    assert Template.from_json(template.to_json()) == template
    assert pickle.loads(pickle.dumps(template)) == template


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x:%x[0,0]", "template template, line 1: 'x:%x[0,0]' starts with 'x'; begin each pattern with u, b or *"),
        ("u\n u", "line 2: ' u' starts with ' '"),
        ("u:%y[0,0]", "has a % that begins no macro"),
        ("u:%x[0,0", "has a % that begins no macro"),
        ("u:100%", "has a % that begins no macro"),
        ("u:%x[0.0,0]", "has a % that begins no macro"),
        ("u:%m[0,0]", 'has no expression; write %m[row,column,"expression"]'),
        ('u:%x[0,0,"a"]', "has an expression; only %t and %m take one"),
        ('u:%t[0,0,"*"]', "the expression '*' has a * with nothing before it"),
        ('u:%m[0,0,"a**"]', "has a * with nothing before it"),
        ('u:%m[0,0,"#"]', "has a % that begins no macro"),
        ("u:%x[5000,0]", "reads 5000 rows away; the limit is 4096 rows"),
        ("# nothing\nb\n", "found no pattern; add at least one, such as u:%x[0,0]"),
    ],
)
def test_wrong_patterns_are_refused_with_their_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_wapiti(text)
    assert message in str(caught.value)


def test_columns_that_the_data_lacks_are_refused() -> None:
    with pytest.raises(InputError, match="names column 3, but a token has only w besides the label"):
        encode_words([["a"]], template=parse_wapiti("u:%x[0,3]").with_columns("w y"))
