"""The automaton finds what Python's `re` finds: drawn expressions and texts, and what it cannot follow."""

import re
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.text.templates import automaton
from tagfield.data.text.templates.automaton import Automaton, NotRegular

CHARACTERS = (
    "abAkKsS\u212a\u017féÉßıİσςΣǅ1٣²_- .\n\r\t\x85\u2028\ud800😀"  # with odd cases, digits, spaces, line breaks
)
ATOMS = [
    *("a", "b", "A", "é", "ß", "\u017f", "\u212a", "İ", "ı", "σ", "1", "٣", "_", "-", r"\n", "\u2028"),
    *(r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", ".", "[ab]", "[^a]", r"[\w-]", r"[^\d\n]", "[a-z]", "[A-Zé]"),
    *(r"\b", r"\B", "^", "$", r"\A", r"\Z"),
    *("(?i:a)", "(?i:[k-s])", r"(?a:\w)", r"(?a:\b)", "(?m:^)", "(?m:$)", "(?s:.)", "(?-i:b)"),
]
REPEATS = ["*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,3}?", "{2,}", "{0}"]


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(inner, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda each: f"(?:{'|'.join(each)})"),
        st.builds("({}){}".format, inner, st.sampled_from(REPEATS)),
    )


expressions = st.builds(
    str.__add__,
    st.sampled_from(["", "", "(?i)", "(?m)", "(?s)", "(?a)", "(?im)", "(?x)"]),
    st.recursive(st.sampled_from(ATOMS), _larger, max_leaves=8),
)
texts = st.text(st.sampled_from(CHARACTERS), max_size=12) | st.text(max_size=8)


@settings(max_examples=600, deadline=None)
@given(expressions, st.lists(texts, min_size=1, max_size=12))
def test_drawn_expressions_find_what_re_finds(expression: str, drawn: list[str]) -> None:
    made, expected = Automaton(expression), re.compile(expression)
    for text in drawn:
        assert made.search(text) == (expected.search(text) is not None), text


@pytest.mark.parametrize("flags", ["", "(?i)", "(?a)", "(?ai)"])
def test_every_character_is_of_the_class_that_re_says(flags: str) -> None:
    some = [chr(code) for code in (*range(0x3000), *range(0xFB00, 0xFF80), *range(0x10400, 0x10450), 0x1D7D8, 0x10FFFF)]
    for expression in (r"\w", r"\d", r"\s", r"\b", r"\Wa|é", "[a-zß]", "σ|k|ǆ", "[^\\wK]"):
        made, expected = Automaton(flags + expression), re.compile(flags + expression)
        for text in some:
            assert made.search(text) == (expected.search(text) is not None), (expression, text)


@pytest.mark.parametrize(
    "expression",
    [
        r"(a)\1",
        "(?=a)",
        "(?!a)",
        "(?<=a)b",
        "(?<!a)b",
        "(?>a+)",
        "a++",
        "(a)?(?(1)b|c)",
        "a{600}",
        "((a{0}){60000}){60000}",
    ],
)
def test_what_no_automaton_can_follow(expression: str) -> None:
    with pytest.raises(NotRegular):
        Automaton(expression)


def test_what_is_remembered_is_bounded_and_the_answers_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automaton, "HELD", 50)
    monkeypatch.setattr(automaton, "CHARACTERS", 20)
    made, expected = Automaton("(?:[a-f]|é)*b[^x]{6}c"), re.compile("(?:[a-f]|é)*b[^x]{6}c")
    text = "".join(chr(97 + k * k % 11) for k in range(400)) + "".join(map(chr, range(0x100, 0x180)))
    for k in range(0, len(text), 7):
        assert made.search(text[k : k + 60]) == (expected.search(text[k : k + 60]) is not None)
        assert made._held <= 50 + made._steps
        assert len(made._sorts) <= 20


def test_threads_share_an_automaton() -> None:
    made, expected = Automaton(r"(\w+,)+b\d$"), re.compile(r"(\w+,)+b\d$")
    cells = [f"{'a' * (k % 5)},{k},{chr(0x100 + k)},b{k % 13}" for k in range(600)]
    found: list[list[bool]] = []
    threads = [threading.Thread(target=lambda: found.append([made.search(cell) for cell in cells])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[expected.search(cell) is not None for cell in cells]] * 4
