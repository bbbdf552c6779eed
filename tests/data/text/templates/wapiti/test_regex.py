"""Wapiti's regular expressions: the program's own answers, and drawn ones against the naive twin."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.text.stray_bytes import text_of_bytes
from tagfield.data.text.templates.wapiti.regex import compile_wapiti
from tests.support import naive_wapiti as twin

# What Wapiti 1.5 gives for %m with an expression and a cell; "\0" ends the whole observation.
PARTS = [
    ("^.?.?", "Rome", "Ro"),
    ("..$", "Rome", "me"),
    (".*", "Rome", ""),
    (r"\u\l*", "McDonald", "M"),
    (r"\a*$", "p53kit", "kit"),
    (".?G", "doG7", "oG"),
    (r"\S", "doG", "d"),
    (r"\p", "u_u-a", "_"),
    (r"\W", "ab_c", "_"),
    (r"\.", "a.b", "."),
    (r"\"", 'a"b', '"'),
    ("h+e", "The", ""),
    ("[hd]", "The", ""),
    ("e$*", "The", "e"),
    ("z", "The", ""),
    ("a.?b", "abcdefgh", "abc"),
    ("a.?.?b", "abcdefgh", "abcde"),
    ("a.?.?.?b", "abcdefgh", "abcdefgh\0"),
    ("a.?b.?c", "abcdefgh", "abcde"),
    ("a.?.*b", "abcdefgh", "abcdefgh\0"),
    (".*.?$", "abcdef", "abcdef"),
    ("a*.*.$", "abcdef", "abcdef"),
    ("a?a?a?c", "abcdefgh", "c"),
    (".?.?b", "aaaab", "aab"),
    (".é*", "doG7é", "7\ufdd4\ufde3"),
]


@pytest.mark.parametrize(("expression", "cell", "part"), PARTS)
def test_parts_are_those_of_the_program(expression: str, cell: str, part: str) -> None:
    assert text_of_bytes(compile_wapiti(expression).part(cell.encode()) or b"") == part
    assert text_of_bytes(twin.search(expression.encode(), cell.encode()) or b"") == part


bytes_in_reach = st.text(alphabet='aBcD1é漢-_.$^*"x', min_size=1, max_size=6)


atoms = st.sampled_from([*"aB1é漢-_.$^x+[|", *(f"\\{c}" for c in 'dawslupDAWSLUP.*?$^"\\z')])


expressions = st.builds(
    lambda start, parts, end: start + "".join(parts) + end,
    st.sampled_from(["", "^"]),
    st.lists(st.builds(str.__add__, atoms, st.sampled_from(["", "", "*", "?"])), max_size=5),
    st.sampled_from(["", "$"]),
).filter(lambda expression: expression[:2] not in ("^*", "^?"))  # which is refused


@given(expressions, bytes_in_reach)
def test_expressions_are_what_their_twin_says(expression: str, cell: str) -> None:
    found = twin.search(expression.encode(), cell.encode())
    assert compile_wapiti(expression).part(cell.encode()) == found
    assert compile_wapiti(expression).matches(cell.encode()) == (found is not None)
