"""Tables with a header: CSV, and TSV with a column that names the sentence.

    Sentence #,Word,POS,Tag          the header gives the roles: sentence, w, pos, y
    Sentence: 1,Thousands,NNS,O      a new sentence begins where the first column says another name
    ,of,IN,O                         an empty cell there continues the sentence

Without a sentence column, empty rows separate sentences. Cells may be quoted, as spreadsheets do it.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tagfield.data.text.formats.columns import check_alike, rows_of
from tagfield.data.text.formats.decoding import decode_lines
from tagfield.data.text.formats.file_format import SENTENCE, SPOKEN, FileFormat, Known
from tagfield.data.text.formats.roles import is_header, roles_of, usual_roles
from tagfield.data.text.lines import BLANKS, full_lines
from tagfield.data.text.records import WORD, Sentence
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.template import IGNORED, LABEL
from tagfield.errors import InputError

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


def is_csv(head: str) -> bool:
    """Whether the first line names columns with a comma, semicolon or bar between them."""
    first = next(iter(full_lines(head)), "")
    return "\t" not in first and any(
        is_header([cell.strip(BLANKS).strip('"') for cell in first.split(m)]) for m in ",;|"
    )


def is_tsv(head: str) -> bool:
    """Whether the first line names columns with tabs between them, one of them that of the sentence.

    >>> is_tsv("sentence\\tword\\ttag"), is_tsv("word\\ttag")
    (True, False)
    """
    cells = [cell.strip('"') for cell in next(iter(full_lines(head)), "").split("\t")]
    return len(cells) > 1 and is_header(cells) and SENTENCE in roles_of(cells)


def table_layout(source: Source, head: str, known: Known, *, tabs: bool) -> FileFormat:
    """The separator of a table, and the roles that its header names."""
    kind, name = "tsv" if tabs else "csv", source.name
    first = next(iter(full_lines(head)), "")
    separator = "\t" if tabs else max(",;|\t", key=first.count)
    form = FileFormat(kind, separator=separator)
    cells = next((row for _, row in table_rows(head, form, name) if any(row)), [])
    named = is_header(cells) if known.header is None else known.header
    roles = known.roles or (roles_of(cells, known.expected) if named else usual_roles(len(cells), (), known.expected))
    if WORD not in roles or (not named and known == Known()):
        found = ", ".join(repr(cell) for cell in cells[:8])
        raise InputError(
            f"{name}, line 1: none of the columns {found} is named like words; name the columns with --columns, such "
            f"as '{SENTENCE} {WORD} {LABEL}', where {IGNORED} skips a column"
        )
    return FileFormat(kind, roles, separator, header=named)


def table_rows(text: str, form: FileFormat, name: str) -> Iterator[tuple[int, list[str]]]:
    """(line number, cells) of each row, quotes removed.

    >>> list(table_rows('a,"b ""c"" d"\\n', FileFormat("csv", separator=","), "a.csv"))
    [(1, ['a', 'b "c" d'])]
    """
    quoted = form.separator != "\t" or _is_quoted(text)
    lines = (found[0] for found in _LINE.finditer(text))  # csv refuses a CR alone outside of quotes
    reader = csv.reader(
        lines, delimiter=form.separator, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE, strict=True
    )
    line = 1
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = f"the row cannot be read ({error}); check its quotes"
            if "new-line character" in str(error):
                reason = "a carriage return (CR) stands without a line feed (LF); end lines with LF or CRLF"
            raise InputError(f"{name}, line {line}: {reason}") from None
        yield line, row
        line = reader.line_num + 1


def _is_quoted(text: str) -> bool:
    """Whether a table with tabs has quotes around cells, and not as words."""
    lines = full_lines(text)
    if len({line.count("\t") for line in lines}) > 1:  # a line break inside quotes, perhaps
        return '"' in text
    cells = [cell for line in lines for cell in line.split("\t") if cell.startswith('"')]
    return bool(cells) and all(_QUOTED.fullmatch(cell) for cell in cells)


def read_table(source: Source, form: FileFormat, *_: object) -> Iterator[Sentence]:
    """The sentences of a table.

    >>> text = b"Sentence #,Word,Tag\\nSentence: 1,Anna,B-PER\\n,sings,O\\nSentence: 2,Hi,O\\n"
    >>> form = FileFormat("csv", ("sentence", "w", "y"), ",", header=True)
    >>> [(s.id, s.words, s.labels) for s in read_table(Source("a.csv", text), form)]
    [('Sentence: 1', ('Anna', 'sings'), ('B-PER', 'O')), ('Sentence: 2', ('Hi',), ('O',))]
    """
    roles = form.roles
    label = roles.index(LABEL) if LABEL in roles else None
    mark = roles.index(SENTENCE) if SENTENCE in roles else None
    kept = [k for k, role in enumerate(roles) if role not in (LABEL, IGNORED, SENTENCE)]
    names = tuple(roles[k] for k in kept)
    tokens: list[tuple[str, ...]] = []
    labels: list[str] = []
    id: str | None = None
    start, header = 0, form.header

    def sentence() -> Sentence:
        gold = None if label is None else tuple(labels)
        return Sentence(tuple(tokens), gold, names, id=id, where=f"{source.name}, line {start}")

    for number, row in table_rows(decode_lines(source, returns=True), form, source.name):
        if header and any(row):
            header = False
            continue
        if not any(row):
            if tokens and mark is None:
                yield sentence()
                tokens, labels = [], []
            continue
        _check(row, roles, kept, label, f"{source.name}, line {number}")
        if mark is not None and row[mark] and row[mark] != id:
            if tokens:
                yield sentence()
                tokens, labels = [], []
            id = row[mark]
        start = start if tokens else number
        tokens.append(tuple(row[k] for k in kept))
        if label is not None:
            labels.append(row[label])
    if tokens:
        yield sentence()


def _check(row: list[str], roles: tuple[str, ...], kept: list[int], label: int | None, where: str) -> None:
    if len(row) != len(roles):
        raise InputError(f"{where}: found {len(row)} columns instead of {len(roles)}; give every row the same number")
    for k in kept if label is None else [*kept, label]:
        if not row[k]:
            raise InputError(f"{where}: the {SPOKEN.get(roles[k], roles[k])} is empty; fill it in, or remove the row")


def write_table(sentences: Iterable[Sentence], *_: object, separator: str) -> Iterator[str]:
    """CSV or TSV with a header and a first column that names the sentence.

    >>> print("".join(write_table([Sentence((("a,b",),), ("X",))], separator=",")), end="")
    sentence,word,label
    1,"a,b",X
    """
    every = list(sentences)
    roles, labelled = check_alike(every, "a table")
    ids = Counter("" if sentence.id is None else str(sentence.id) for sentence in every)
    named = all(id and count == 1 for id, count in ids.items())
    header = [SENTENCE, *(SPOKEN.get(role, role) for role in roles), *(["label"] if labelled else [])]
    yield _line(header, separator)
    for number, sentence in enumerate(every, start=1):
        if not sentence.tokens:
            raise InputError(f"{sentence.where or f'sentence {number}'}: a table cannot hold a sentence without tokens")
        name = str(sentence.id) if named else str(number)
        yield "".join(_line([name, *row], separator) for row in rows_of(sentence, labelled))


def _line(cells: Sequence[str], separator: str) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    if any("\r" in cell for cell in cells):  # which Python 3.11 and 3.12 leave without quotes
        writer = csv.writer(stream, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(cells)
    return stream.getvalue()
