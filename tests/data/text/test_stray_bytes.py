"""Bytes that are not UTF-8, as text and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.text.stray_bytes import bytes_of_text, has_stray, text_of_bytes


@given(st.binary(max_size=8))
def test_stray_bytes_come_back(data: bytes) -> None:
    text = text_of_bytes(data)
    text.encode()
    assert bytes_of_text(text) == data


@given(st.text(st.characters().filter(str.isprintable), max_size=8))
def test_text_without_noncharacters_stays_as_it_is(text: str) -> None:
    assert text_of_bytes(text.encode()) == text
    assert bytes_of_text(text) == text.encode()
    assert not has_stray(text)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"\x80", "\ufdd0\ufde0"),
        (b"\xff", "\ufdd7\ufdef"),
        (b"a\xc3", "a\ufdd4\ufde3"),  # the first half of a character
        ("\ufdd0".encode(), "\ufdd6\ufdef\ufdd3\ufde7\ufdd1\ufde0"),  # a noncharacter is three stray bytes
    ],
)
def test_a_stray_byte_is_two_noncharacters(raw: bytes, text: str) -> None:
    assert text_of_bytes(raw) == text
    assert bytes_of_text(text) == raw
    assert has_stray(text)


def test_half_of_a_pair_is_text() -> None:
    assert bytes_of_text("\ufdd0") == "\ufdd0".encode()
    assert not has_stray("\ufde0\ufdd0")
