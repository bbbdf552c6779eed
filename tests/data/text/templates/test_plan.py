"""A template over the columns of its input: the native encoder that expands it."""

import pytest

from tagfield.data.encode import WordEncoder, encode_files
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.cell_functions import ngrams
from tagfield.data.text.templates.parsing import parse_template
from tagfield.errors import InputError


def test_a_long_word_has_a_limited_number_of_attributes() -> None:
    encoder = WordEncoder(parse_template("w.ngrams1-9|w.ngrams1-9", "mine").with_columns("w y"))
    found = encoder.encode([["abcdefghijklmnopqrstuvwxyz"]]).attributes.strings()
    every = ngrams("abcdefghijklmnopqrstuvwxyz", 1, 9)
    assert [name.partition("=")[2] for name in found] == [f"{a}|{b}" for a in every for b in every][:4096]
    assert len(encoder.encode([["a"]]).attributes) == 36
    one = WordEncoder(parse_template("w.ngrams1", "mine").with_columns("w y"))
    assert len(one.encode([["".join(map(chr, range(0x4E00, 0x7000)))]]).attributes) == 4096


@pytest.mark.parametrize("column", ["3", "2", "pos", "99999", "y", "_"])
def test_a_column_that_the_file_lacks_is_refused(column: str) -> None:
    template = parse_template(f"U0:%x[0,0]\n\nU1:%x[0,{column}]", "mine")
    message = rf"template mine, line 3: .* names column {column}, but file, line 1 has only x0, x1 besides the label"
    with pytest.raises(InputError, match=message):
        encode_files([Source("file", b"a b A\n")], template=template)
