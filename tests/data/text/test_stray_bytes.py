"""Bytes that are not UTF-8, as text and back."""

from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.text.stray_bytes import bytes_of_text, text_of_bytes


@given(st.binary(max_size=8))
def test_stray_bytes_come_back(data: bytes) -> None:
    text = text_of_bytes(data)
    text.encode()
    assert bytes_of_text(text) == data
