"""`write`: records ─▶ a file of any format.

    Corpus or records ─▶ sentences or documents, as the format needs them ─▶ its writer ─▶ a file, whole or not at all

TARGETS is the table of formats that can be written, with what each one holds beside tokens, labels and spans.
"""

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tagfield.data.text.formats.brat import brat_files
from tagfield.data.text.formats.columns import write_columns
from tagfield.data.text.formats.conllu import write_conllu
from tagfield.data.text.formats.csv_tsv import write_table
from tagfield.data.text.formats.docbin import write_docbin
from tagfield.data.text.formats.file_format import KINDS
from tagfield.data.text.formats.json_objects import (
    doccano_object,
    label_studio_object,
    prodigy_object,
    span_object,
    token_object,
)
from tagfield.data.text.reading import Corpus, ReadOptions, reading_of, recoded, sentences_of
from tagfield.data.text.records import Document, Record, Sentence
from tagfield.data.text.sources import STDIN, PathLike
from tagfield.data.text.spans import to_document
from tagfield.data.text.tokenizer.tokenizer import tokenize
from tagfield.errors import InputError, OutputError
from tagfield.system.atomic import write_atomically


@dataclass(frozen=True)
class Target:
    """A format that can be written."""

    about: str
    takes: str  # sentences, documents, or records: each as it is
    holds: frozenset[str]  # of id, text, comments, meta and columns


_ALL = frozenset({"id", "text", "comments", "meta", "columns"})

TARGETS: dict[str, Target] = {
    "columns": Target("columns with tabs", "sentences", frozenset({"columns"})),
    "conllu": Target("CoNLL-U", "sentences", frozenset({"id", "text", "comments", "columns"})),
    "csv": Target("a table with commas", "sentences", frozenset({"id", "columns"})),
    "tsv": Target("a table with tabs", "sentences", frozenset({"id", "columns"})),
    "jsonl": Target("JSON lines: tokens or text, as in the input", "records", _ALL),
    "json": Target("a JSON list: tokens or text, as in the input", "records", _ALL),
    "tokens": Target("JSON lines with tokens and labels", "sentences", _ALL),
    "spans": Target("JSON lines with text and spans", "documents", frozenset({"id", "text", "meta"})),
    "prodigy": Target("JSON lines for Prodigy", "documents", frozenset({"id", "text", "meta"})),
    "doccano": Target("JSON lines for doccano", "documents", frozenset({"id", "text", "meta"})),
    "label-studio": Target("a JSON list for Label Studio", "documents", frozenset({"id", "text", "meta"})),
    "brat": Target("brat: a folder, or one .ann", "documents", frozenset({"id", "text"})),
    "spacy": Target("spaCy's DocBin", "records", frozenset({"text"})),
}


@dataclass(frozen=True)
class Written:
    """How many records were written, and how many lost which of their fields."""

    count: int
    lost: Counter[str]


def write(data: Corpus | Iterable[Record], path: PathLike, format: str | None = None, **options: Any) -> Written:
    """Write records to a file; returns what the format could not hold.

    path: a file, a folder for brat, or - for standard output
    format: one of TARGETS; without it, found from the ending of the path
    options: as for `read`: tokenizer, on_cut, on_overlap, and scheme (iob1, bio, iobes or bilou), into which labels are
        recoded

    >>> import tempfile
    >>> from tagfield.data.text.reading import read
    >>> corpus = read([{"text": "Anna sings.", "spans": [[0, 4, "PER"]]}])
    >>> path = tempfile.mkdtemp() + "/a.txt"
    >>> write(corpus, path).count
    1
    >>> from pathlib import Path
    >>> Path(path).read_text()
    'Anna\\tB-PER\\nsings\\tO\\n.\\tO\\n\\n'
    """
    reading = reading_of(data.reading if isinstance(data, Corpus) else None, options)
    format = target_of(path) if format is None else format
    if format not in TARGETS:
        raise InputError(f"cannot write the format {format!r}; choose {', '.join(TARGETS)}")
    given = list(data)
    records = list(_records(given, TARGETS[format].takes, reading))
    lost = _lost(given if TARGETS[format].takes == "documents" else records, format)
    _store(records, path, format, reading)
    return Written(len(records), lost)


def target_of(path: PathLike) -> str:
    """The format for a path, from its ending.

    >>> target_of("a.jsonl"), target_of("a.spacy"), target_of("out.txt")
    ('jsonl', 'spacy', 'columns')
    """
    name = os.fspath(path).lower()
    found = next((kind for kind, about in KINDS.items() if about.endings and name.endswith(about.endings)), None)
    if found is None and os.path.isdir(path):
        return "brat"
    if found is None or found not in TARGETS:
        raise InputError(f"{os.fspath(path)}: the name does not say which format to write; name it with --to")
    return found


def _records(data: Iterable[Record], takes: str, reading: ReadOptions) -> Iterator[Record]:
    scheme = reading.policy.scheme
    source = sentences_of(data, reading) if takes == "sentences" else data
    for record in source:
        if isinstance(record, Sentence):
            record = recoded(record, scheme)
        yield to_document(record) if takes == "documents" and isinstance(record, Sentence) else record


def _lost(records: list[Record], format: str) -> Counter[str]:
    """How many records have something that the format cannot hold."""
    holds, lost = TARGETS[format].holds, Counter[str]()
    kept = {"columns": {"docstart"}, "conllu": {"conllu"}, "brat": {"brat"}, "spacy": {"cats"}}.get(format, set())
    for record in records:
        found = {"id": record.id is not None, "meta": bool(record.meta.keys() - kept)}
        if isinstance(record, Sentence):
            found |= {"text": record.text is not None, "comments": bool(record.comments)}
            found["columns"] = len(record.roles) > 1
        lost.update(name for name, there in found.items() if there and name not in holds)
    return lost


def _store(records: list[Record], path: PathLike, format: str, reading: ReadOptions) -> None:
    if format == "brat":
        _store_brat([record for record in records if isinstance(record, Document)], path)
        return
    if format == "spacy":
        data = write_docbin(records, lambda text: tokenize(text, reading.tokenizer), reading.policy)
    else:
        data = "".join(_text(records, format)).encode()
    if path == STDIN:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    with write_atomically(path) as file:
        file.write(data)


def _text(records: list[Record], format: str) -> Iterator[str]:
    sentences = (record for record in records if isinstance(record, Sentence))
    if format == "columns":
        return write_columns(sentences)
    if format == "conllu":
        return write_conllu(sentences)
    if format in ("csv", "tsv"):
        return write_table(sentences, "," if format == "csv" else "\t")
    objects = (json.dumps(_object(record, format), ensure_ascii=False) for record in records)
    if format in ("json", "label-studio"):
        return iter(("[\n" + ",\n".join(objects) + "\n]\n",))
    return (f"{line}\n" for line in objects)


_DIALECTS: dict[str, Callable[[Document], dict[str, Any]]] = {
    "prodigy": prodigy_object,
    "doccano": doccano_object,
    "label-studio": label_studio_object,
}


def _object(record: Record, format: str) -> dict[str, Any]:
    if isinstance(record, Sentence):
        return token_object(record)
    return _DIALECTS.get(format, span_object)(record)


def _store_brat(documents: list[Document], path: PathLike) -> None:
    if path == STDIN:
        raise OutputError("brat has two files for each text, which standard output cannot hold; name a folder")
    target = Path(path)
    single = target.suffix in (".ann", ".txt")
    if single and len(documents) != 1:
        raise OutputError(f"{target}: there are {len(documents)} texts, but one file of brat holds one; name a folder")
    if not single:
        try:
            target.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"cannot create the folder {os.fspath(path)!r}: {error.strerror or error}") from None
    for name, text, annotations in brat_files(documents):
        base = target.with_suffix("") if single else target / name
        for ending, content in ((".txt", text), (".ann", annotations)):
            if content is not None:
                with write_atomically(base.with_name(base.name + ending)) as file:
                    file.write(content.encode())
