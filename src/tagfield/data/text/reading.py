"""`read`: any file, or rows from Python ─▶ Records, whose sentences and documents are made when you ask for them.

paths ─▶ Sources ─▶ detect ─▶ formats/table.py ─▶ Sentences or Documents
rows  ─▶ formats/rows.py ───────────────────────────────▶ Sentences or Documents
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tagfield.data.labels.schemes import recode
from tagfield.data.text.formats.detect import detect
from tagfield.data.text.formats.file_format import FileFormat
from tagfield.data.text.formats.rows import read_rows
from tagfield.data.text.formats.table import FILE_FORMATS, describe
from tagfield.data.text.inputs import open_inputs
from tagfield.data.text.records import Document, Record, Sentence
from tagfield.data.text.sources import PathLike, Source
from tagfield.data.text.spans import Policy, to_document, to_sentences
from tagfield.data.text.templates.template import LABEL
from tagfield.data.text.tokenizer.tokenizer import Tokenizer, tokenize
from tagfield.errors import InputError


@dataclass(frozen=True)
class ReadOptions:
    """How to read files: what you know about them, and what to do with spans that do not fit tokens."""

    format: str | None = None  # None: found from the name and the first part of the file
    columns: str | None = None  # roles, such as "w pos y"
    header: bool | None = None  # whether the first line names the columns
    encoding: str | None = None  # of the bytes; None: UTF-8
    label_names: Sequence[str] | None = None  # for labels that are numbers
    tokenizer: Tokenizer | None = None  # for text
    policy: Policy = field(default_factory=Policy)
    add: tuple[str, ...] = ()  # lines that extend the template, given by name or chosen to fit the files


@dataclass(frozen=True)
class Records:
    """Records of one or several files; iterate to get them as they are, or ask for `sentences` or `documents`.

    >>> corpus = read(Source("a.jsonl", b'{"text": "Anna sings.", "spans": [[0, 4, "PER"]]}'))
    >>> [(s.words, s.labels) for s in corpus.sentences()]
    [(('Anna', 'sings', '.'), ('B-PER', 'O', 'O'))]
    """

    records: tuple[Record, ...]
    form: FileFormat  # of the first file
    reading: ReadOptions = field(default_factory=ReadOptions)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def labels(self) -> list[str]:
        """The different labels of tokens and spans, in order of appearance."""
        found: dict[str, None] = {}
        for record in self.records:
            if isinstance(record, Document):
                found |= dict.fromkeys(span.label for span in record.spans or ())
            else:
                found |= dict.fromkeys(label for label in record.labels or () if label is not None)
        return list(found)

    def sentences(self) -> Iterator[Sentence]:
        """Every record as sentences of tokens; texts are tokenized, and their spans become labels."""
        return sentences_of(self.records, self.reading)

    def documents(self) -> Iterator[Document]:
        """Every record as text with spans; words without a text are joined by spaces."""
        for record in self.records:
            yield record if isinstance(record, Document) else to_document(record)

    def describe(self) -> str:
        """What the first file was taken for."""
        return describe(self.form, len(self.labels))


def read(data: Any, reading: ReadOptions | None = None, **options: Any) -> Records:
    """Read labelled or unlabelled sequences from files in any format, or from rows such as a Hugging Face dataset.

    data: a path, several paths, a Source, or an iterable of dicts with tokens or text
    options: the fields of ReadOptions, such as format, columns, header, encoding, label_names and tokenizer; and those
        of Policy: scheme, on_cut and on_overlap

    >>> corpus = read([{"tokens": ["Anna", "sings"], "ner_tags": [1, 0]}], label_names=["O", "B-PER"])
    >>> [sentence.labels for sentence in corpus]
    [('B-PER', 'O')]
    >>> read(Source("a.txt", b"Anna B-PER\\nsings O\\n")).describe()
    'columns: word, label (space-separated, 2 labels)'
    """
    reading = reading_of(reading, options)
    if isinstance(data, str | Source) or hasattr(data, "__fspath__"):
        return read_files(data, reading)
    listed = data if hasattr(data, "features") else list(data)
    if (
        isinstance(listed, list)
        and listed
        and all(isinstance(i, str | Source) or hasattr(i, "__fspath__") for i in listed)
    ):
        return read_files(listed, reading)
    records = tuple(read_rows(listed, reading.label_names))
    return Records(records, with_contents(FileFormat("json"), records[:1]), reading)


def reading_of(reading: ReadOptions | None, options: dict[str, Any]) -> ReadOptions:
    """A ReadOptions with some of its fields, or of its policy's, replaced.

    >>> reading_of(None, {"format": "csv", "scheme": "iobes"}).policy.scheme
    'iobes'
    """
    reading = reading or ReadOptions()
    known = {name: options.pop(name) for name in list(options) if name in ReadOptions.__dataclass_fields__}
    rules = {name: options.pop(name) for name in ("scheme", "on_cut", "on_overlap") if name in options}
    if options:
        raise InputError(f"read has no option named {next(iter(options))!r}; see help(tagfield.read)")
    reading = replace(reading, **known)
    return replace(reading, policy=replace(reading.policy, **rules)) if rules else reading


def read_files(paths: PathLike | Source | Iterable[PathLike | Source], reading: ReadOptions) -> Records:
    """The records of files; each file's format is found by itself."""
    records: list[Record] = []
    first: FileFormat | None = None
    for source in open_inputs(paths, reading.format, reading.encoding):
        form = detect(source, format=reading.format, columns=reading.columns, header=reading.header)
        found = list(records_of_source(source, form, reading))
        if not found:
            raise InputError(f"{source.name}: the file holds no sequence")
        first = first or with_contents(form, found[:1])
        records += found
    if first is None:
        raise InputError("no input file was given")
    return Records(tuple(records), first, reading)


def records_of_source(source: Source, form: FileFormat, reading: ReadOptions) -> Iterator[Record]:
    """The records of one file of a known format."""
    read = FILE_FORMATS[form.kind].read
    assert read is not None, form.kind
    return read(source, form, reading.label_names)


def sentences_of(records: Iterable[Record], reading: ReadOptions) -> Iterator[Sentence]:
    """Records as sentences, by the tokenizer and the policy for spans."""
    for record in records:
        if isinstance(record, Document):
            yield from to_sentences(record, lambda text: tokenize(text, reading.tokenizer), reading.policy)
        else:
            yield record


def recoded(sentence: Sentence, scheme: str | None) -> Sentence:
    """A sentence with its labels in another scheme; None leaves them as they are.

    >>> recoded(Sentence((("Anna",),), ("B-PER",)), "iobes").labels
    ('S-PER',)
    """
    if scheme is None or sentence.labels is None:
        return sentence
    known = [label for label in sentence.labels if label is not None]
    if len(known) < len(sentence.labels):
        raise InputError(f"{sentence.where}: some tokens have no label, so the scheme cannot be changed; leave it out")
    return replace(sentence, labels=tuple(recode(known, scheme, sentence.where)))


def with_contents(form: FileFormat, records: Sequence[Record]) -> FileFormat:
    """The format, with what its first record holds, for JSON."""
    if form.kind not in ("jsonl", "json") or not records:
        return form
    first = records[0]
    if isinstance(first, Document):
        return replace(form, holds="text" if first.spans is None else "text with spans")
    return replace(form, roles=first.roles if first.labels is None else (*first.roles, LABEL))
