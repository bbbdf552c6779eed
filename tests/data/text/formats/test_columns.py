"""Column files: what is a token, a comment, a header; and cells that hold spaces."""

import pytest

from tagfield.data.text.formats.columns import without_other_lines, write_columns
from tagfield.data.text.formats.file_format import FileFormat
from tagfield.data.text.records import Sentence
from tagfield.data.text.sources import Source
from tagfield.errors import InputError
from tests.support.reading import sentences


def test_columns_with_documents_comments_and_header() -> None:
    text = "word tag\n-DOCSTART- O\n\n# id 7 x\n# SYM\na B\n\nb O\n"
    first, second = sentences("a.txt", text)
    assert first.tokens == (("#",), ("a",))
    assert (first.labels, first.comments, first.meta) == (("SYM", "B"), ("id 7 x",), {"docstart": "-DOCSTART- O"})
    assert (second.words, second.where) == (("b",), "a.txt, line 8")


def test_columns_with_spaces_in_cells() -> None:
    [sentence] = sentences("a.txt", "New York\tB-LOC\nis\tO\n")
    assert (sentence.words, sentence.labels) == (("New York", "is"), ("B-LOC", "O"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b X\na b\n", "a.txt, line 2: found 2 columns instead of 3; give every line the same number"),
        ("a X\n\nb\n", "a.txt, line 3: found 1 column instead of 2"),
        ("New York\tNNP\tX\nis\t\tY\n", "a.txt, line 2: column 2 is empty; write _ where there is nothing"),
    ],
)
def test_wrong_lines_are_refused_with_their_number(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        sentences("a.txt", text)
    assert str(caught.value).startswith(message)


def test_lines_that_are_no_tokens_become_spaces_so_that_no_line_moves() -> None:
    form = FileFormat("columns", ("w", "y"), " ", header=True, comments=True, documents=True)
    text = b"word tag\n-DOCSTART- O\n# a b c\n# SYM\na X\nword tag\n"
    left = without_other_lines(Source("a.txt", text), form)
    assert [line.strip() for line in left.text.split(b"\n")] == [b"", b"", b"", b"# SYM", b"a X", b"word tag", b""]
    assert len(left.text) == len(text)
    plain = Source("a.txt", b"a X\n")
    assert without_other_lines(plain, FileFormat("columns", ("w", "y"), " ")) is plain


def test_sentences_of_different_columns_are_not_one_file() -> None:
    with pytest.raises(InputError, match="sentence 2: the columns are w, but w pos in the first sentence"):
        list(write_columns([Sentence((("a", "b"),), None, ("w", "pos")), Sentence((("a",),))]))
