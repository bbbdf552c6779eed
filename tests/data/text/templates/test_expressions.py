"""Regular expressions of templates take bounded time and give the answers of `re`, whichever way is taken."""

import re
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tagfield import Model
from tagfield.data.text.templates import expressions as module
from tagfield.data.text.templates.expressions import Expression
from tagfield.data.text.templates.parsing import parse_template
from tests.data.text.templates.test_automaton import CHARACTERS, expressions

BOUND = 20.0  # seconds, on a busy machine, for what took years
HOSTILE = [
    "(a+)+$",
    "(a|a)*b$",
    "(.*a){20}$",
    "(a?){30}a{30}b",
    r"^(\w+\s?)*$",
    "(?i)(A|a|aa)+$",
    r"(\d*a*)*x",
    "a*a*a*b",
]


@pytest.mark.parametrize("expression", HOSTILE)
def test_hostile_words_take_no_longer_than_others(expression: str) -> None:
    made, start = Expression(expression), time.monotonic()
    for size in (26, 40, 1000, 20_000):
        assert made.search("a" * size + "!") == made.search("a!")
    assert time.monotonic() - start < BOUND
    assert made.linear


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        expressions, st.sampled_from([r"(.)\1", r"(?=.*1)\w+$", r"(?<!a)b", r"(?>a+)b", r"(a)?(?(1)b|c)", "a++b"])
    ),
    st.text(st.sampled_from(CHARACTERS), max_size=40),
)
def test_the_answer_is_that_of_re(expression: str, text: str) -> None:
    made = Expression(expression)
    assume(made.linear)
    assert made.search(text) == (re.search(expression, text) is not None)


def test_what_templates_have_is_searched_by_re_itself() -> None:
    """Words are short, so these expressions are as fast as before."""
    for expression in (
        r"^(19|20)\d\d$",
        "^[0-9]+$",
        r"^\d{4,5}$",
        "(?i)street|road",
        r"\d+x",
        "^(?=.*[0-9])[a-z0-9]+$",
    ):
        assert Expression(expression)._quick >= 50


def test_expressions_that_are_neither_regular_nor_slow() -> None:
    doubled, both = Expression(r"(.)\1"), Expression(r"^(?=.*\d)(?=.*[a-z]).+$")
    assert doubled.linear
    assert both.linear
    assert (doubled.search("ab" * 100_000), doubled.search("ab" * 100_000 + "b")) == (False, True)
    assert (both.search("1" * 100_000), both.search("1" * 100_000 + "a")) == (False, True)


def test_what_may_be_slow_is_searched_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(module, "slow_search", lambda expression, text: bool(asked.append(text)))
    made = Expression(r"(\w+)-\1")
    assert not made.linear
    assert made.search("bye-bye")
    assert not asked
    assert not made.search("a" * 50 + "-" + "a" * 50)
    assert len(asked) == 1


def test_tagging_hostile_text_is_quick() -> None:
    template = parse_template("columns w y\nregex hostile = (a+)+$\nw\nw.match(hostile)\n")
    model = Model.train_words([["aa", "x"]] * 3, [["A", "B"]] * 3, template=template, settings="lbfgs")
    start = time.monotonic()
    model.tag_text(" ".join(f"{'a' * size}{size}" for size in range(26, 300)), tokenizer="whitespace")
    assert time.monotonic() - start < BOUND
