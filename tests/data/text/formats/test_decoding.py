"""Bytes to text in any encoding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.text.formats.decoding import decode, decode_lines, recode
from tagfield.data.text.sources import Source
from tagfield.errors import InputError


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32-le", "latin-1"])
@given(text=st.text("aé\n\u00ff\x00ß", max_size=20))
def test_recoded_text_is_the_same_text(encoding: str, text: str) -> None:
    assert decode(recode(Source("a.txt", text.encode(encoding)), encoding)) == text


def test_a_source_without_an_encoding_is_left_as_it_is() -> None:
    source = Source("a.txt", b"\xff")
    assert recode(source, None) is source


def test_a_byte_order_mark_is_no_text() -> None:
    assert recode(Source("a.txt", "\ufeffa".encode()), "utf-8").text == b"a"
    assert recode(Source("a.txt", "\ufeffa".encode("utf-16-le")), "utf-16-le").text == b"a"


def test_bytes_that_are_not_utf_8_are_refused_with_their_line() -> None:
    with pytest.raises(InputError, match=r"a\.txt, line 3: the bytes are not valid UTF-8; name the encoding"):
        decode(Source("a.txt", b"a\nb\n\xff\n"))


def test_codecs_that_are_not_for_text_are_no_encodings() -> None:
    with pytest.raises(InputError, match="no encoding named 'hex'; use a name such as utf-8"):
        recode(Source("a.txt", b"00"), "hex")
    with pytest.raises(InputError, match=r"a\.txt: the bytes are not valid utf-16"):
        recode(Source("a.txt", b"\xff\xfea"), "utf-16")


def test_what_is_read_by_lines_is_checked() -> None:
    with pytest.raises(InputError, match=r"a\.txt, line 2: a carriage return"):
        decode_lines(Source("a.txt", b"a\nb\rc\n"))
    assert decode_lines(Source("a.json", b"{\r}"), returns=True) == "{\r}"
