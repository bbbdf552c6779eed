"""Untokenised text: a document for each line."""

import pytest

from tagfield.data.text.formats.plain import read_plain
from tagfield.data.text.reading import read
from tagfield.data.text.sources import Source
from tagfield.errors import InputError


def test_every_line_that_is_not_blank_is_a_document_with_its_line() -> None:
    found = list(read_plain(Source("a.txt", b"\nAnna sings.\r\n \t\nBo too.")))
    assert [(document.text, document.where) for document in found] == [
        ("Anna sings.", "a.txt, line 2"),
        ("Bo too.", "a.txt, line 4"),
    ]
    assert {document.spans for document in found} == {None}  # not labelled


def test_white_space_within_a_line_stays() -> None:
    [document] = read_plain(Source("a.txt", "  a\u2028b\tc \n".encode()))
    assert document.text == "  a\u2028b\tc "


def test_plain_text_is_read_where_the_format_says_so() -> None:
    text = Source("a.txt", b"Anna sings.\n")
    assert [sentence.words for sentence in read(text, format="text").sentences()] == [("Anna", "sings", ".")]
    assert read(text).form.kind == "columns"


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(InputError, match=r"a\.txt, line 2: the bytes are not valid UTF-8"):
        list(read_plain(Source("a.txt", b"a\n\xff\n")))
