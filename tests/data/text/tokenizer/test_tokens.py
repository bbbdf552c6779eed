"""Words of running text: the shadow of a text, contractions and abbreviations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.text.tokenizer.tokens import FLAG, IDEOGRAPH, JOINER, MARK, SYMBOL, find_tokens, shadow_of


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in find_tokens(shadow_of(text))]


@given(st.text(max_size=30))
def test_a_shadow_has_the_length_of_its_text_and_is_its_own_shadow_on_ascii(text: str) -> None:
    assert len(shadow_of(text)) == len(text)
    plain = "".join(c for c in text if c.isascii() and (c.isprintable() or c == "\n"))
    assert shadow_of(plain) == plain


@pytest.mark.parametrize(
    ("character", "stands_for"),
    [
        ("\u0301", MARK),
        ("\U0001f3fd", MARK),  # a skin tone
        ("\u00ad", JOINER),
        ("ー", IDEOGRAPH),
        ("\U00020000", IDEOGRAPH),
        ("🇩", FLAG),
        ("😀", SYMBOL),
        ("‑", "-"),
        ("ʼ", "'"),
        ("\u00a0", " "),
        ("\n", "\n"),
        ("\x00", " "),
        ("é", "é"),
    ],
)
def test_a_character_stands_for_its_class(character: str, stands_for: str) -> None:
    assert shadow_of(character) == stands_for


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we'll they'd I'm", "we 'll they 'd I 'm"),
        ("DON'T CANNOT", "DO N'T CAN NOT"),
        ("'s n't", "'s n't"),  # alone they are tokens, and are not cut again
        ("cannots", "cannots"),
        ("co\u00adop naïve", "co\u00adop naïve"),  # a soft hyphen splits nothing
        ("Approx. approx. 5", "Approx . approx. 5"),
        ("No. no. 5", "No . no. 5"),  # only before a number
        ("Illinois. Ill. X. x.", "Illinois . Ill. X. x ."),
    ],
)
def test_contractions_are_split_and_abbreviations_keep_their_period(text: str, expected: str) -> None:
    assert " ".join(words(text)) == expected


def test_text_without_a_visible_character_has_no_token() -> None:
    assert words("") == words(" \n\t\u200b\x00") == []
