"""Column files: what is a token, a comment, a header; and cells that hold spaces."""

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
