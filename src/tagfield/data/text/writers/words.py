"""Sentences as columns or as a table: a row for each token, the label in the last column."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tagfield.data.text.file_format import SENTENCE
from tagfield.data.text.records import WORD, Sentence
from tagfield.data.text.templates import LABEL
from tagfield.errors import InputError

_NAMES = {WORD: "word", LABEL: "label"}


def check_alike(sentences: Sequence[Sentence], format: str) -> tuple[tuple[str, ...], bool]:
    """The roles of all sentences, and whether they have labels; raises InputError if they differ.

    >>> check_alike([Sentence((("a",),), ("X",)), Sentence((("b",),))], "columns")
    Traceback (most recent call last):
    tagfield.errors.InputError: sentence 2: columns cannot hold tokens without a label beside labelled ones; label \
every token or none
    """
    roles = sentences[0].roles if sentences else (WORD,)
    labelled = any(sentence.labels is not None for sentence in sentences)
    for number, sentence in enumerate(sentences, start=1):
        where = sentence.where or f"sentence {number}"
        if sentence.roles != roles:
            raise InputError(
                f"{where}: the columns are {' '.join(sentence.roles)}, but {' '.join(roles)} in the first sentence"
            )
        if labelled and (sentence.labels is None or None in sentence.labels):
            raise InputError(
                f"{where}: {format} cannot hold tokens without a label beside labelled ones; label every token or none"
            )
    return roles, labelled


def rows_of(sentence: Sentence, labelled: bool) -> Iterator[tuple[str, ...]]:
    """The cells of each token, with the label at the end.

    >>> list(rows_of(Sentence((("a", "DT"),), ("X",), ("w", "pos")), labelled=True))
    [('a', 'DT', 'X')]
    """
    if not labelled:
        yield from sentence.tokens
        return
    for row, label in zip(sentence.tokens, sentence.labels or (), strict=True):
        yield (*row, label or "")


def write_columns(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Columns with tabs between them and a blank line after each sentence; the word is the first one.

    >>> "".join(write_columns([Sentence((("The", "DT"),), ("B-NP",), ("w", "pos"))]))
    'The\\tDT\\tB-NP\\n\\n'
    """
    every = list(sentences)
    roles, labelled = check_alike(every, "columns")
    single = len(roles) + labelled == 1
    order = sorted(range(len(roles)), key=lambda k: roles[k] != WORD)  # nothing in the file names the columns
    for number, sentence in enumerate(every, start=1):
        if not sentence.tokens:
            raise InputError(f"{sentence.where or f'sentence {number}'}: columns cannot hold a sentence without tokens")
        lines = [f"{sentence.meta['docstart']}\n\n"] if "docstart" in sentence.meta else []
        for cells in rows_of(sentence, labelled):
            row = (*(cells[k] for k in order), *cells[len(order) :])
            for cell in row:
                if not cell.strip() or any(c in cell for c in "\t\n\r") or (single and " " in cell):
                    raise InputError(
                        f"{sentence.where or f'sentence {number}'}: columns cannot hold the cell {cell!r}; "
                        "remove the white space in it, or write csv or jsonl"
                    )
            lines.append("\t".join(row) + "\n")
        yield "".join(lines) + "\n"


def write_table(sentences: Iterable[Sentence], separator: str) -> Iterator[str]:
    """CSV or TSV with a header and a first column that names the sentence.

    >>> print("".join(write_table([Sentence((("a,b",),), ("X",))], ",")), end="")
    sentence,word,label
    1,"a,b",X
    """
    every = list(sentences)
    roles, labelled = check_alike(every, "a table")
    ids = Counter("" if sentence.id is None else str(sentence.id) for sentence in every)
    named = all(id and count == 1 for id, count in ids.items())
    header = [SENTENCE, *(_NAMES.get(role, role) for role in roles), *(["label"] if labelled else [])]
    yield _line(header, separator)
    for number, sentence in enumerate(every, start=1):
        if not sentence.tokens:
            raise InputError(f"{sentence.where or f'sentence {number}'}: a table cannot hold a sentence without tokens")
        name = str(sentence.id) if named else str(number)
        yield "".join(_line([name, *row], separator) for row in rows_of(sentence, labelled))


def _line(cells: Sequence[str], separator: str) -> str:
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator, lineterminator="\n").writerow(cells)
    return stream.getvalue()
