"""The places of words in their text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.text.formats.alignment import align

WORDS = st.lists(st.text("ab.é😀", min_size=1, max_size=3), max_size=6)
GAPS = st.sampled_from(["", " ", "\n", " \u00a0\t"])


@given(WORDS, st.data())
def test_words_with_any_white_space_between_them_are_found_where_they_were_put(
    words: list[str], data: st.DataObject
) -> None:
    text, places = data.draw(GAPS), []
    for word in words:
        places.append((len(text), len(text) + len(word)))
        text += word + data.draw(GAPS)
    assert align(words, text) == tuple(places)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["a", "c"], "a-c"),  # other text between
        (["a"], "a b"),  # behind
        (["b"], "a b"),  # before
        (["a", "b"], "a"),
        (["b", "a"], "a b"),
        (["é"], "e\u0301"),  # the same to the eye, not to the computer
        ([], "a"),
    ],
)
def test_words_that_do_not_make_up_the_text_have_no_places(words: list[str], text: str) -> None:
    assert align(words, text) is None


def test_a_word_with_a_space_is_found_as_a_whole() -> None:
    assert align(["New York", "is"], "New York is") == ((0, 8), (9, 11))
    assert align(["New York"], "New  York") is None
