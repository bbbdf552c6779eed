"""What Wapiti's macros do to a cell."""

import pytest

from tagfield.data.encode import encode_words
from tagfield.data.text.stray_bytes import bytes_of_text
from tagfield.errors import InputError
from tagfield.templates import parse_wapiti


def test_a_part_of_a_character_is_kept_or_refused() -> None:
    template = parse_wapiti('u:%m[0,0,"^."]/%m[0,0,".$"]').with_columns("w y")
    (name,) = encode_words([["é"]], template=template).attributes
    assert bytes_of_text(name) == b"u:\xc3/\xa9"
    beside = parse_wapiti('u:%m[0,0,"^."]%m[0,0,".$"]').with_columns("w y")
    assert encode_words([["ab"]], template=beside).attributes.strings() == ["u:ab"]
    with pytest.raises(InputError, match="cuts a character of 'é' in two, next to another %m; write some text between"):
        encode_words([["é"]], template=beside)
