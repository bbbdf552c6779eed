"""Column files as Sentences, and the lines that the native reader must not see.

The\tDT\tB-NP        one token a line; tabs or spaces between cells
dog\tNN\tI-NP
                     a blank line ends the sentence
-DOCSTART- -X- O     a line of its own: kept in meta["docstart"] of the next sentence
# id 7               with `comments`: a line of another length that begins with #
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tagfield.data.text.formats.decoding import decode_lines
from tagfield.data.text.formats.file_format import FileFormat, Known
from tagfield.data.text.formats.roles import is_header, roles_of, usual_roles
from tagfield.data.text.lines import BLANKS, cells_in, check_lines, full_lines, is_blank, split_lines
from tagfield.data.text.records import WORD, Sentence
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.template import IGNORED, LABEL
from tagfield.errors import InputError

DOCSTART = "-DOCSTART-"
_CELL = re.compile(rb"[^ \t]+")
_SPACES = re.compile(rb"[^\t\n ] +[^\t\n\r ]")
_DOCSTART = re.compile(rb"^-DOCSTART-(?=[ \t\r\n]|\Z)", re.MULTILINE)


def columns_layout(source: Source, head: str, known: Known) -> FileFormat:
    """The separator and the roles of columns, and whether there are lines other than tokens."""
    check_lines(source)
    lines = [line for line in full_lines(head) if cells_in(line)[0] != DOCSTART]
    tabs = bool(lines) and all("\t" in line.strip(BLANKS) for line in lines if not line.startswith("#"))
    strict = tabs and _SPACES.search(source.text) is not None and _only_tabs(source, known.roles or known.expected)
    rows = [line.split("\t") if strict else cells_in(line) for line in lines]
    usual = _usual(len(row) for row in rows)
    marks = [line.startswith("#") for line in lines]
    comments = any(is_comment(line, len(row), usual) for line, row in zip(lines, rows, strict=True))
    comments = comments and not all(marks)
    body = [row for row, mark in zip(rows, marks, strict=True) if not (comments and mark and len(row) != usual)]
    count = len(body[0]) if body else 0
    named = (bool(body) and is_header(body[0])) if known.header is None else known.header
    table = body[1:] if named else body
    roles = known.roles or (
        roles_of(body[0], known.expected) if named and body else usual_roles(count, table, known.expected)
    )
    documents = _DOCSTART.search(source.text) is not None
    separator = "\t" if tabs else " " if count > 1 else ""
    return FileFormat("columns", roles, separator, named, comments, documents, strict)


def _only_tabs(source: Source, expected: Sequence[str]) -> bool:
    """Whether tabs give every line the same number of cells, and tabs with spaces do not."""
    lines = full_lines(source.text.decode(errors="replace"))
    counts = {len(line.split("\t")) for line in [line for line in lines if line[0] != "#"] or lines}
    if len(counts) != 1:
        return False
    both = {len(cells_in(line)) for line in lines if len(line.split("\t")) in counts}  # without comments
    fits = {len(expected), len(expected) - 1} if expected else set()
    return len(both) > 1 or bool(counts & fits and not both & fits)


def _usual(counts: Iterable[int]) -> int:
    found = sorted(counts)
    return max(set(found), key=found.count) if found else 0


def cells_of(line: str, form: FileFormat) -> list[str]:
    """The cells of a line: between tabs if only they separate, else between any spaces and tabs.

    >>> cells_of("New York\\tB", FileFormat("columns", separator="\\t", strict=True))
    ['New York', 'B']
    """
    if form.strict:
        return [] if is_blank(line) else line.split("\t")
    return cells_in(line)


def is_comment(line: str, cells: int, count: int) -> bool:
    """Whether a line is a comment: it begins with # and has another number of cells than a token.

    >>> is_comment("# id 7", 3, 2), is_comment("# SYM", 2, 2)
    (True, False)
    """
    return line.startswith("#") and cells != count


def read_column_file(source: Source, form: FileFormat, *_: object) -> Iterator[Sentence]:
    """The sentences of a column file.

    >>> form = FileFormat("columns", ("w", "pos", "y"))
    >>> [s.labels for s in read_column_file(Source("a.txt", b"The DT B-NP\\ndog NN I-NP\\n"), form)]
    [('B-NP', 'I-NP')]
    """
    roles, count = form.roles, len(form.roles)
    label = roles.index(LABEL) if LABEL in roles else None
    kept = [k for k, role in enumerate(roles) if role not in (LABEL, IGNORED)]
    names = tuple(roles[k] for k in kept)
    rows: list[tuple[str, ...]] = []
    labels: list[str] = []
    comments: list[str] = []
    meta: dict[str, Any] = {}
    start, header = 0, form.header

    def sentence() -> Sentence:
        where = f"{source.name}, line {start}"
        gold = None if label is None else tuple(labels)
        return Sentence(tuple(rows), gold, names, meta=dict(meta), comments=tuple(comments), where=where)

    for number, line in enumerate([*split_lines(decode_lines(source)), ""], start=1):
        cells = cells_of(line, form)
        if not cells:
            if rows:
                yield sentence()
                rows, labels, comments, meta = [], [], [], {}
            continue
        if header:
            header = False
            continue
        if form.documents and cells[0] == DOCSTART:
            meta["docstart"] = line
            continue
        if form.comments and is_comment(line, len(cells), count):
            comments.append(line[1:].removeprefix(" "))
            continue
        _check(cells, count, f"{source.name}, line {number}")
        if not rows:
            start = number
        rows.append(tuple(cells[k] for k in kept))
        if label is not None:
            labels.append(cells[label])


def without_other_lines(source: Source, form: FileFormat) -> Source:
    """The file with spaces in place of its header, -DOCSTART- lines and comments, so that no line number changes.

    >>> without_other_lines(Source("a.txt", b"word tag\\na B\\n"), FileFormat("columns", ("w", "y"), header=True)).text
    b'        \\na B\\n'
    """
    if not (form.header or form.documents or form.comments):
        return source
    lines = source.text.split(b"\n")
    header, mark = form.header, DOCSTART.encode()
    for k, line in enumerate(lines):
        cells = _CELL.findall(line.removesuffix(b"\r")) if header or line[:1] in (b"#", b"-") else []
        comment = form.comments and line.startswith(b"#") and len(cells) != len(form.roles)
        if cells and (header or comment or (form.documents and cells[0] == mark)):
            lines[k] = b" " * len(line)
            header = False
    return Source(source.name, b"\n".join(lines))


def _check(cells: list[str], count: int, where: str) -> None:
    if len(cells) != count:
        raise InputError(
            f"{where}: found {len(cells)} column{'s' if len(cells) > 1 else ''} instead of {count}; give every line "
            "the same number of columns, with a blank line between sentences"
        )
    if "" in cells:
        raise InputError(f"{where}: column {cells.index('') + 1} is empty; write _ where there is nothing")


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


def _is_cell(text: str) -> bool:
    """Whether a cell can be read again: spaces at its ends would be taken for separators."""
    return bool(text.strip()) and text == text.strip(" ") and not any(c in text for c in "\t\n\r")


def write_columns(sentences: Iterable[Sentence], *_: object) -> Iterator[str]:
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
                if not _is_cell(cell) or (single and " " in cell):
                    raise InputError(
                        f"{sentence.where or f'sentence {number}'}: columns cannot hold the cell {cell!r}; "
                        "remove the white space in it, or write csv or jsonl"
                    )
            if row[0].startswith("\ufeff"):
                where = sentence.where or f"sentence {number}"
                raise InputError(f"{where}: a line of columns cannot begin with {row[0]!r}; remove its byte order mark")
            lines.append("\t".join(row) + "\n")
        yield "".join(lines) + "\n"
