"""The table of file formats: how each one is recognised, read and written.

    source ─▶ detect.py: begins, endings, recognise ─▶ layout ─▶ FileFormat ─▶ read ─▶ Sentences or Documents
    Sentences or Documents ─▶ writing.py: Target.write ─▶ a file

A new format is a file in this folder and an entry in FILE_FORMATS. The entries are tried in their order.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from tagfield.data.text.formats.brat import read_brat, store_brat
from tagfield.data.text.formats.columns import columns_layout, read_column_file, write_columns
from tagfield.data.text.formats.conllu import conllu_layout, is_conllu, read_conllu, write_conllu
from tagfield.data.text.formats.csv_tsv import is_csv, is_tsv, read_table, table_layout, write_table
from tagfield.data.text.formats.docbin import ZLIB, read_docbin, write_docbin
from tagfield.data.text.formats.file_format import SPOKEN, FileFormat, Known
from tagfield.data.text.formats.items import is_items, refuse_items
from tagfield.data.text.formats.json_file import is_json, is_jsonl, read_json, read_jsonl
from tagfield.data.text.formats.json_objects import (
    doccano_object,
    json_lines,
    json_list,
    label_studio_object,
    prodigy_object,
)
from tagfield.data.text.formats.plain import read_plain
from tagfield.data.text.records import Record
from tagfield.data.text.sources import Source
from tagfield.data.text.spans import Policy, Split
from tagfield.errors import InputError

Reader: TypeAlias = Callable[[Source, FileFormat, Sequence[str] | None], Iterator[Record]]  # …, label names
Writer: TypeAlias = Callable[[list[Any], Split, Policy], Iterable[str] | bytes]

LINE, BLANK = (b"\n",), (b"\n\n", b"\n\r\n")  # what ends a record
SEPARATORS = {"\t": "tab", " ": "space", ",": "comma", ";": "semicolon", "|": "bar"}


@dataclass(frozen=True)
class Target:
    """How a format is written."""

    about: str
    takes: str  # sentences, documents, or records: each as it is
    holds: frozenset[str]  # of id, text, comments, meta and columns, beside tokens, labels and spans
    write: Writer | None = None  # None: `store` writes several files
    store: Callable[..., None] | None = None
    keeps: str = ""  # a field of meta that it holds in any case


@dataclass(frozen=True)
class Format:
    """A file format. Formats without `read` are dialects that are only written."""

    about: str = ""  # in messages
    read: Reader | None = None
    endings: tuple[str, ...] = ()  # of file names
    decides: bool = False  # whether the ending is enough to recognise it
    begins: tuple[bytes, ...] = ()  # bytes that begin every file of it
    recognise: Callable[[str], bool] | None = None  # from the first part of the text
    layout: Callable[[Source, str, Known], FileFormat] | None = None  # separator, header and roles of columns
    ends: tuple[bytes, ...] = ()  # what ends a record, so that input can be read as it comes; empty: it cannot be cut
    target: Target | None = None


_COLUMNS, _TEXT = frozenset({"id", "columns"}), frozenset({"id", "text", "meta"})
_ALL = _COLUMNS | _TEXT | {"comments"}

# fmt: off
FILE_FORMATS: dict[str, Format] = {
    "columns": Format(  # whatever no other format recognises
        "columns", read_column_file, (".conll", ".bio", ".iob", ".iob2", ".bioes", ".txt"),
        layout=columns_layout, ends=BLANK,
        target=Target("columns with tabs", "sentences", frozenset({"columns"}), write_columns, keeps="docstart")),
    "conllu": Format(
        "CoNLL-U", read_conllu, (".conllu", ".conllup"), decides=True, recognise=is_conllu,
        layout=conllu_layout, ends=BLANK,
        target=Target("CoNLL-U", "sentences", _ALL - {"meta"}, write_conllu, keeps="conllu")),
    "jsonl": Format(
        "JSON lines", read_jsonl, (".jsonl", ".ndjson"), decides=True, recognise=is_jsonl, ends=LINE,
        target=Target("JSON lines: tokens or text, as in the input", "records", _ALL, json_lines)),
    "json": Format(
        "JSON", read_json, (".json",), decides=True, recognise=is_json,
        target=Target("a JSON list: tokens or text, as in the input", "records", _ALL, json_list)),
    "items": Format(
        "CRFsuite items", refuse_items, (".items", ".crfsuite"), decides=True, recognise=is_items, ends=BLANK),
    "csv": Format(
        "table", read_table, (".csv",), decides=True, recognise=is_csv, layout=partial(table_layout, tabs=False),
        target=Target("a table with commas", "sentences", _COLUMNS, partial(write_table, separator=","))),
    "tsv": Format(
        "table", read_table, (".tsv", ".tab"), recognise=is_tsv, layout=partial(table_layout, tabs=True),
        target=Target("a table with tabs", "sentences", _COLUMNS, partial(write_table, separator="\t"))),
    "brat": Format(  # inputs.py recognises it by its two files
        "brat", read_brat, (".ann",),
        target=Target("brat: a folder, or one .ann", "documents", _TEXT - {"meta"}, store=store_brat, keeps="brat")),
    "spacy": Format(
        "spaCy DocBin", read_docbin, (".spacy",), decides=True, begins=ZLIB,
        target=Target("spaCy's DocBin", "records", frozenset({"text"}), write_docbin, keeps="cats")),
    "text": Format("plain text, a line at a time", read_plain, ends=LINE),
    "tokens": Format(target=Target("JSON lines with tokens and labels", "sentences", _ALL, json_lines)),
    "spans": Format(target=Target("JSON lines with text and spans", "documents", _TEXT, json_lines)),
    "prodigy": Format(
        target=Target("JSON lines for Prodigy", "documents", _TEXT, partial(json_lines, make=prodigy_object))),
    "doccano": Format(
        target=Target("JSON lines for doccano", "documents", _TEXT, partial(json_lines, make=doccano_object))),
    "label-studio": Format(
        target=Target("a JSON list for Label Studio", "documents", _TEXT,
                      partial(json_list, make=label_studio_object))),
}
# fmt: on
READ = tuple(name for name, format in FILE_FORMATS.items() if format.read is not None)  # formats that can be read
WRITTEN = {name: format.target for name, format in FILE_FORMATS.items() if format.target is not None}


def check_format(name: str) -> str:
    """The format to read with this name; raises InputError for other names.

    >>> check_format("xml")
    Traceback (most recent call last):
    tagfield.errors.InputError: no format named 'xml'; choose columns, conllu, jsonl, json, items, csv, tsv, brat, \
spacy or text
    """
    if name not in READ:
        raise InputError(f"no format named {name!r}; choose {', '.join(READ[:-1])} or {READ[-1]}")
    return name


def describe(form: FileFormat, labels: int | None = None) -> str:
    """What a file was taken for, in one line.

    >>> describe(FileFormat("columns", ("w", "y"), "\\t", header=True), labels=13)
    'columns: word, label (tab-separated, header line skipped, 13 labels)'
    """
    roles = ", ".join(SPOKEN.get(role, role) for role in form.roles)
    what = ": ".join(part for part in (FILE_FORMATS[form.kind].about, roles or form.holds) if part)
    details = [f"{SEPARATORS[form.separator]}-separated"] if form.separator in SEPARATORS and form.roles else []
    details += ["header line skipped"] if form.header else []
    details += ["-DOCSTART- lines skipped"] if form.documents else []
    details += ["comments skipped"] if form.comments and form.kind == "columns" else []
    details += [f"{labels:,} label{'' if labels == 1 else 's'}"] if labels is not None else []
    return f"{what} ({', '.join(details)})" if details else what
