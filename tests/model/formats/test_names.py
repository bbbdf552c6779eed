"""Names of bytes: any bytes make a string, and the string makes the bytes again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.errors import InputError
from tagfield.model.formats.names import arrays_of, bytes_of, name_of, vocabulary_of
from tagfield.native._text import Vocabulary

reserved = st.sampled_from([b"\xef\xb7\x90", b"\xef\xb7\xa5", b"\xef\xb7", b"\xff", "é".encode(), "\ufdfa".encode()])
raw = st.lists(st.binary(max_size=4) | reserved, max_size=6).map(b"".join)


@given(raw)
def test_every_name_comes_back(name: bytes) -> None:
    found = name_of(name)
    found.encode()  # no lone surrogate
    assert bytes_of(found) == name


@given(raw, raw)
def test_different_bytes_are_different_names(one: bytes, other: bytes) -> None:
    assert (name_of(one) == name_of(other)) == (one == other)


@given(st.text(st.characters(codec="utf-8") | st.just("\ufdfa")))
def test_text_stays_as_it_is(name: str) -> None:
    if not any("\ufdd0" <= c <= "\ufdef" for c in name):
        assert name_of(name.encode()) == name
        assert bytes_of(name) == name.encode()


@given(st.lists(raw, unique=True, max_size=8))
def test_a_vocabulary_of_any_bytes_gives_the_bytes_again(names: list[bytes]) -> None:
    offsets = np.concatenate([[0], np.cumsum([len(name) for name in names])]).astype(np.int64)
    made = vocabulary_of(np.frombuffer(b"".join(names), np.uint8), offsets)
    assert made.strings() == [name_of(name) for name in names]
    text, again = arrays_of(made)
    assert text.tobytes() == b"".join(names)
    assert again.tolist() == offsets.tolist()


@pytest.mark.parametrize("name", [b"a", b"\xff"])
def test_a_repeated_name_is_refused(name: bytes) -> None:
    with pytest.raises(InputError, match="vocabulary string 1 occurs twice"):
        vocabulary_of(np.frombuffer(name * 2, np.uint8), np.array([0, 1, 2]))
    assert len(Vocabulary([name_of(name)] * 2)) == 1
