"""Files of any format through a template: headers choose the columns, and what cannot be encoded."""

import pytest

from tagfield.data.encode import Vocabulary, encode_files
from tagfield.data.text.sources import Source
from tagfield.errors import InputError


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("POS word label\nNNP Anna B-PER\n", ("pos", "w", "y")),
        ("label pos word\nB-PER NNP Anna\n", ("y", "pos", "w")),
        ("pos word\nNNP Anna\n", ("pos", "w")),  # without labels, pos is no label
        ("word feature label\nAnna NNP B-PER\n", ("w", "pos", "y")),  # a name of its own: the order counts
    ],
)
def test_a_template_reads_the_columns_that_a_header_names(text: str, columns: tuple[str, ...]) -> None:
    encoded = encode_files(Source("a.txt", text.encode()), template="chunking", labels=Vocabulary(["O"]))
    assert encoded.template is not None
    assert encoded.template.columns == columns
    assert encoded.attributes.strings()[:2] == ["w[0]=Anna", "pos[0]=NNP"]


def test_a_header_without_what_the_template_reads() -> None:
    source = Source("a.txt", b"word label\nAnna B-PER\n")
    with pytest.raises(
        InputError, match=r"a\.txt: template chunking reads word and pos, but the header names only word"
    ):
        encode_files(source, template="chunking", labels=Vocabulary(["O"]))


def test_files_whose_headers_differ() -> None:
    one, two = b"POS word label\nNNP Anna B-PER\n", b"word pos label\nAnna NNP B-PER\n"
    encoded = encode_files([Source("a.txt", one), Source("b.txt", two)], template="chunking")
    assert [name for name in encoded.attributes.strings() if "[0]=" in name] == ["w[0]=Anna", "pos[0]=NNP"]
