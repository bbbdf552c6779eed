"""Finds the format of a file from its name and its first part, and the template that fits it.

    Source ─▶ kind: by content, else by name ─▶ layout: separator, header, roles of the columns ─▶ FileFormat
    FileFormat, labels ─▶ preset_for ─▶ the name of a template

Every choice can be made by you instead: format, columns, header. What was found is one line, FileFormat.describe().
"""

import json
import re
from collections.abc import Collection, Iterable, Sequence

from tagfield.data.labels.schemes import is_chunk_label
from tagfield.data.text.formats.brat import BratSource
from tagfield.data.text.formats.columns import DOCSTART, is_comment
from tagfield.data.text.formats.conllu import columns_of
from tagfield.data.text.formats.csv_tsv import is_header, roles_of, table_rows
from tagfield.data.text.formats.file_format import KINDS, SENTENCE, FileFormat, check_kind
from tagfield.data.text.records import WORD
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.template import IGNORED, LABEL
from tagfield.errors import InputError

HEAD = 1 << 16  # bytes that are looked at

_CONLLU = re.compile(r"\s*(?:#[^\n]*\n)*1(?:-[0-9]+)?\t[^\t\n]+(?:\t[^\t\n]*){8}\r?(?:\n|\Z)")
_JSON = re.compile(r'\s*(?:\{\s*["}]|\[\s*(?:\{|\[\s*"|\]|"(?:[^"\\]|\\.)*"\s*,\s*\{))')
_ATTRIBUTE = re.compile(r".*[=\[].*|.*[^\\]:[-+.0-9eE]+|__[BE]OS__.*")
_ZLIB = (b"x\x01", b"x\x5e", b"x\x9c", b"x\xda")
_SPACES = re.compile(rb"[^\t\n ] +[^\t\n\r ]")
_DOCSTART = re.compile(rb"^-DOCSTART-(?=[ \t\r\n]|\Z)", re.MULTILINE)
_SEGMENTS = frozenset("BMESI")


def detect(
    source: Source,
    *,
    format: str | None = None,
    columns: str | None = None,
    header: bool | None = None,
    expected: Sequence[str] = (),
) -> FileFormat:
    """What a file is.

    format, columns, header: what you know; the rest is found
    expected: the columns of a model's template, for files whose columns have no names

    >>> detect(Source("train.txt", b"word\\tlabel\\nAnna\\tB-PER\\n")).describe()
    'columns: word, label (tab-separated, header line skipped)'
    >>> detect(Source("data", b'{"text": "Anna sings.", "spans": []}')).kind
    'jsonl'
    """
    head = _head(source)
    kind = check_kind(format) if format is not None else _kind(source, head)
    given = tuple(columns.split()) if columns is not None else ()
    if columns is not None and not {*given} - {LABEL, IGNORED, SENTENCE}:
        raise InputError(f"columns {columns!r}: name at least one column besides the label")
    roles = [role for role in given if role != IGNORED]
    if len(set(roles)) < len(roles):
        raise InputError(f"columns {columns!r}: a role occurs twice; name each role once")
    if kind == "conllu":
        return FileFormat(kind, _conllu_roles(columns_of(head), given, source.name), "\t", comments=True)
    if kind in ("csv", "tsv"):
        return _table(kind, head, given, header, expected, source.name)
    if kind == "columns":
        return _columns(source, head, given, header, expected)
    return FileFormat(kind)


def kind_of(source: Source) -> str:
    """The format of a file, one of KINDS.

    >>> kind_of(Source("data", b"NN\\tw=dog\\tlength:3\\n"))
    'items'
    """
    return _kind(source, _head(source))


def _head(source: Source) -> str:
    raw = source.text[:HEAD] if source.text[:1] not in (b"\n", b"\r") else source.text.lstrip(b"\r\n")[:HEAD]
    text = raw.decode(errors="replace")
    return text if len(raw) < HEAD else text[: text.rfind("\n") + 1] or text


def _kind(source: Source, head: str) -> str:
    if isinstance(source, BratSource):
        return "brat"
    name = source.name.lower().removesuffix(".gz")
    named = next((kind for kind, about in KINDS.items() if name.endswith(about.endings or (" ",))), None)
    if named == "spacy" or source.text.startswith(_ZLIB):
        return "spacy"
    if named in ("jsonl", "json", "conllu", "items", "csv"):
        return named
    if _JSON.match(head):
        return _json_kind(head)
    if _CONLLU.match(head):
        return "conllu"
    lines = [line for line in head.replace("\r\n", "\n").split("\n") if line.strip()]
    if not lines:
        return "columns"
    if lines[0].startswith("@weight:") or all(_is_item(line) for line in lines[:50]):
        return "items"
    if "\t" in lines[0]:
        cells = [cell.strip('"') for cell in lines[0].split("\t")]
        return "tsv" if is_header(cells) and SENTENCE in roles_of(cells) else "columns"
    return "csv" if any(is_header(_unquoted(lines[0], mark)) for mark in ",;|") else "columns"


def _is_item(line: str) -> bool:
    label, *fields = line.split("\t")
    return bool(fields) and not {":", "\\"} & set(label) and all(map(_ATTRIBUTE.fullmatch, fields))


def _json_kind(head: str) -> str:
    first = head.lstrip().split("\n", 1)[0]
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return "json"
    return "jsonl" if isinstance(value, dict) or (len(value) == 2 and isinstance(value[0], str)) else "json"


def _unquoted(line: str, mark: str) -> list[str]:
    return [cell.strip().strip('"') for cell in line.split(mark)]


def _conllu_roles(names: tuple[str, ...], given: tuple[str, ...], file: str) -> tuple[str, ...]:
    """The columns with `y` for the label: UPOS, or the last one of CoNLL-U Plus, or as given."""
    if given:
        if len(given) != len(names):
            raise InputError(f"{file}: columns names {len(given)} columns, but the file has {len(names)}")
        pairs = zip(given, names, strict=True)  # a column that is skipped keeps its name, so that writing keeps it
        return tuple((name if name not in given else f"{name}0") if role == IGNORED else role for role, name in pairs)
    label = names.index("upos") if "upos" in names else len(names) - 1
    return tuple(LABEL if k == label else name for k, name in enumerate(names))


def _table(
    kind: str, head: str, given: tuple[str, ...], header: bool | None, expected: Sequence[str], name: str
) -> FileFormat:
    first = next((line for line in head.split("\n") if line.strip()), "")
    separator = "\t" if kind == "tsv" else max(",;|\t", key=first.count)
    form = FileFormat(kind, separator=separator)
    cells = next((row for _, row in table_rows(head, form, name) if any(row)), [])
    named = is_header(cells) if header is None else header
    roles = given or (roles_of(cells, expected) if named else _roles(len(cells), (), expected))
    if WORD not in roles or (not named and header is None and not given and not expected):
        found = ", ".join(repr(cell) for cell in cells[:8])
        raise InputError(
            f"{name}, line 1: none of the columns {found} is named like words; name the columns with --columns, such "
            f"as '{SENTENCE} {WORD} {LABEL}', where {IGNORED} skips a column"
        )
    return FileFormat(kind, roles, separator, header=named)


def _columns(
    source: Source, head: str, given: tuple[str, ...], header: bool | None, expected: Sequence[str]
) -> FileFormat:
    lines = [line.removesuffix("\r") for line in head.split("\n")]
    lines = [line for line in lines if line.strip(" \t") and line.split()[:1] != [DOCSTART]]
    tabs = bool(lines) and all("\t" in line.strip() for line in lines if not line.startswith("#"))
    strict = tabs and _SPACES.search(source.text) is not None and _only_tabs(source, given or expected)
    rows = [line.split("\t") if strict else line.split() for line in lines]
    usual = _usual(len(row) for row in rows)
    marks = [line.startswith("#") for line in lines]
    comments = any(is_comment(line, len(row), usual) for line, row in zip(lines, rows, strict=True))
    comments = comments and not all(marks)
    body = [row for row, mark in zip(rows, marks, strict=True) if not (comments and mark and len(row) != usual)]
    count = len(body[0]) if body else 0
    named = (bool(body) and is_header(body[0])) if header is None else header
    table = body[1:] if named else body
    roles = given or (roles_of(body[0], expected) if named and body else _roles(count, table, expected))
    documents = _DOCSTART.search(source.text) is not None
    separator = "\t" if tabs else " " if count > 1 else ""
    return FileFormat("columns", roles, separator, named, comments, documents, strict)


def _only_tabs(source: Source, expected: Sequence[str]) -> bool:
    """Whether tabs give every line the same number of cells, and tabs with spaces do not."""
    text = source.text.decode(errors="replace").replace("\r\n", "\n")
    lines = [line for line in text.split("\n") if line.strip()]
    counts = {len(line.split("\t")) for line in [line for line in lines if line[0] != "#"] or lines}
    if len(counts) != 1:
        return False
    both = {len(line.split()) for line in lines if len(line.split("\t")) in counts}  # without comments
    fits = {len(expected), len(expected) - 1} if expected else set()
    return len(both) > 1 or bool(counts & fits and not both & fits)


def _usual(counts: Iterable[int]) -> int:
    found = sorted(counts)
    return max(set(found), key=found.count) if found else 0


def _roles(count: int, rows: Sequence[Sequence[str]], expected: Sequence[str]) -> tuple[str, ...]:
    """The roles of columns without names."""
    if expected and count in (len(expected), len(expected) - 1):
        return tuple(role for role in expected if count == len(expected) or role != LABEL)
    if count <= 1:
        return (WORD,)
    if count == 2:
        return (WORD, LABEL)
    if count == 3:
        return (WORD, "pos", LABEL)
    if count == 4 and all(len(row) == 4 and is_chunk_label(row[2]) and is_chunk_label(row[3]) for row in rows):
        return (WORD, "pos", "chunk", LABEL)  # CoNLL-2003
    return (WORD, *(f"x{k}" for k in range(1, count - 1)), LABEL)


def preset_for(roles: Sequence[str], labels: Collection[str], words: Iterable[str]) -> str:
    """The preset that fits columns with these roles, given the labels and some of the words.

    >>> preset_for(["w", "pos", "y"], ["B-NP"], []), preset_for(["w", "y"], ["B-PER", "O"], ["Anna"])
    ('chunking', 'ner')
    """
    named = {role for role in roles if role not in (LABEL, IGNORED, SENTENCE)}
    if named == {WORD, "pos"}:
        return "chunking"  # `phrases` is a little better, but `chunking` is what earlier figures were measured with
    found = "pos"
    if labels and set(labels) <= _SEGMENTS and all(len(word) == 1 for word in words):
        found = "segmentation"
    elif labels and all(is_chunk_label(label) for label in labels):
        found = "ner"
    return found
