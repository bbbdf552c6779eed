"""`write`: records ─▶ a file of any format.

    records ─▶ sentences or documents, as the format needs them ─▶ its writer ─▶ a file, whole or not at all

formats/table.py has the formats that can be written, with what each one holds beside tokens, labels and spans.
"""

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tagfield.data.text.formats.decoding import encode_text
from tagfield.data.text.formats.table import FILE_FORMATS, WRITTEN, Target
from tagfield.data.text.reading import ReadOptions, Records, reading_of, recoded, sentences_of
from tagfield.data.text.records import Record, Sentence
from tagfield.data.text.sources import STDIN, PathLike
from tagfield.data.text.spans import to_document
from tagfield.data.text.tokenizer.tokenizer import tokenize
from tagfield.errors import InputError
from tagfield.system.atomic import write_atomically


@dataclass(frozen=True)
class Written:
    """How many records were written, and how many lost which of their fields."""

    count: int
    lost: Counter[str]


def write(data: Records | Iterable[Record], path: PathLike, format: str | None = None, **options: Any) -> Written:
    """Write records to a file; returns what the format could not hold.

    path: a file, a folder for brat, or - for standard output
    format: a name in `formats.table.WRITTEN`; without it, found from the ending of the path
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
    reading = reading_of(data.reading if isinstance(data, Records) else None, options)
    format = target_of(path) if format is None else format
    if format not in WRITTEN:
        raise InputError(f"cannot write the format {format!r}; choose {', '.join(WRITTEN)}")
    given, target = list(data), WRITTEN[format]
    records = list(_records(given, target.takes, reading))
    lost = _lost(given if target.takes == "documents" else records, target)
    _store(records, path, target, reading)
    return Written(len(records), lost)


def target_of(path: PathLike) -> str:
    """The format for a path, from its ending.

    >>> target_of("a.jsonl"), target_of("a.spacy"), target_of("out.txt")
    ('jsonl', 'spacy', 'columns')
    """
    name = os.fspath(path).lower()
    found = next((kind for kind, each in FILE_FORMATS.items() if name.endswith(each.endings)), None)
    if found is None and os.path.isdir(path):
        return "brat"
    if found is None or found not in WRITTEN:
        raise InputError(f"{os.fspath(path)}: the name does not say which format to write; name it with --to")
    return found


def _records(data: Iterable[Record], takes: str, reading: ReadOptions) -> Iterator[Record]:
    scheme = reading.policy.scheme
    source = sentences_of(data, reading) if takes == "sentences" else data
    for record in source:
        if isinstance(record, Sentence):
            record = recoded(record, scheme)
        yield to_document(record) if takes == "documents" and isinstance(record, Sentence) else record


def _lost(records: list[Record], target: Target) -> Counter[str]:
    """How many records have something that the format cannot hold."""
    lost = Counter[str]()
    for record in records:
        found = {"id": record.id is not None, "meta": bool(record.meta.keys() - {target.keeps})}
        if isinstance(record, Sentence):
            found |= {"text": record.text is not None, "comments": bool(record.comments)}
            found["columns"] = len(record.roles) > 1
        lost.update(name for name, there in found.items() if there and name not in target.holds)
    return lost


def _store(records: list[Record], path: PathLike, target: Target, reading: ReadOptions) -> None:
    if target.store is not None:
        target.store(records, path)
        return
    assert target.write is not None
    made = target.write(records, lambda text: tokenize(text, reading.tokenizer), reading.policy)
    data = made if isinstance(made, bytes) else encode_text("".join(made))
    if path == STDIN:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    with write_atomically(path) as file:
        file.write(data)
