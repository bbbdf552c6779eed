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
from tagfield.data.text.formats.decoding import decode
from tagfield.data.text.formats.file_format import SENTENCE, FileFormat
from tagfield.data.text.records import WORD, Sentence
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.template import IGNORED, LABEL
from tagfield.errors import InputError

HEADERS = {  # role: names of its column, in lower case with only letters and digits; the first that is there counts
    WORD: ("word", "words", "token", "tokens", "form", "surface", "w", "text"),
    LABEL: ("label", "labels", "tag", "tags", "nertag", "nertags", "ner", "bio", "iob", "iob2", "bioes", "entity", "y"),
    SENTENCE: ("sentence", "sentenceid", "sentid", "sentenceno", "sentencenumber", "sent", "sentenceidx", "sid"),
    "pos": ("pos", "postag", "postags", "upos", "xpos", "partofspeech"),
    "chunk": ("chunk", "chunktag", "chunktags"),
    "lemma": ("lemma", "lemmas"),
}
_NAMES = {WORD: "word", LABEL: "label"}
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


def roles_of(header: list[str], expected: Sequence[str] = ()) -> tuple[str, ...]:
    """The roles that a header names; a column of another name has that name as its role.

    expected: columns that a template reads, so that they are not taken for the label

    >>> roles_of(["Sentence #", "Word", "POS", "Tag"]), roles_of(["token", "POS", "Cap?"])
    (('sentence', 'w', 'pos', 'y'), ('w', 'y', 'cap'))
    """
    plain = [re.sub(r"[\W_]+", "", name.lower()) for name in header]
    roles: dict[int, str] = {}
    for role, names in HEADERS.items():
        found = next((plain.index(name) for name in names if name in plain), None)
        if found is not None and found not in roles:
            roles[found] = role
    if LABEL not in roles.values():
        last = next((k for k in reversed(range(len(header))) if roles.get(k) in {"pos", "chunk"} - {*expected}), None)
        roles |= {} if last is None else {last: LABEL}
    taken = set(roles.values())
    for k, name in enumerate(plain):
        if k not in roles:
            fresh = name if name and name not in taken and name != LABEL else f"column{k + 1}"
            roles[k] = fresh
            taken.add(fresh)
    return tuple(roles[k] for k in range(len(header)))


def is_header(cells: list[str]) -> bool:
    """Whether cells look like names of columns, two of them at least.

    >>> is_header(["word", "label"]), is_header(["Sentence #", "Word", "Tag", "Cap"]), is_header(["The", "DT"])
    (True, True, False)
    """
    known = {name for names in HEADERS.values() for name in names}
    plain = [re.sub(r"[\W_]+", "", cell.lower()) for cell in cells]
    count = sum(name in known for name in plain)
    return count >= 2 and 2 * count >= len(cells) and len(set(plain)) == len(plain)


def table_rows(text: str, form: FileFormat, name: str) -> Iterator[tuple[int, list[str]]]:
    """(line number, cells) of each row, quotes removed.

    >>> list(table_rows('a,"b ""c"" d"\\n', FileFormat("csv", separator=","), "a.csv"))
    [(1, ['a', 'b "c" d'])]
    """
    quoted = form.separator != "\t" or _is_quoted(text)
    lines = io.StringIO(text, newline="")
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
            raise InputError(f"{name}, line {line}: the row cannot be read ({error}); check its quotes") from None
        yield line, row
        line = reader.line_num + 1


def _is_quoted(text: str) -> bool:
    """Whether a table with tabs has quotes around cells, and not as words."""
    lines = [line.removesuffix("\r") for line in text.split("\n") if line.strip()]
    if len({line.count("\t") for line in lines}) > 1:  # a line break inside quotes, perhaps
        return '"' in text
    cells = [cell for line in lines for cell in line.split("\t") if cell.startswith('"')]
    return bool(cells) and all(_QUOTED.fullmatch(cell) for cell in cells)


def read_table(source: Source, form: FileFormat) -> Iterator[Sentence]:
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

    for number, row in table_rows(decode(source), form, source.name):
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
            spoken = {WORD: "word", LABEL: "label"}.get(roles[k], roles[k])
            raise InputError(f"{where}: the {spoken} is empty; fill it in, or remove the row")


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
