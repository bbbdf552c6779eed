"""Untokenised text: every line is a document without labels."""

from collections.abc import Iterator

from tagfield.data.text.formats.decoding import decode
from tagfield.data.text.lines import is_blank, split_lines
from tagfield.data.text.records import Document
from tagfield.data.text.sources import Source


def read_plain(source: Source, *_: object) -> Iterator[Document]:
    """A document for each line that is not blank.

    >>> [d.text for d in read_plain(Source("a.txt", b"Anna sings.\\n\\nBo too.\\n"))]
    ['Anna sings.', 'Bo too.']
    """
    for number, line in enumerate(split_lines(decode(source)), start=1):
        if not is_blank(line):
            yield Document(line, where=f"{source.name}, line {number}")
