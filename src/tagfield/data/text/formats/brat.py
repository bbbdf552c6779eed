"""brat's standoff files (brat.nlplab.org/standoff.html): a.txt holds the text, a.ann beside it the annotations.

    T1<TAB>PER 0 4<TAB>Anna               a span of characters
    T2<TAB>PER 0 4;9 12<TAB>Anna Lee      a span with a gap: cannot be a span here, so it is left out and counted
    R1<TAB>Knows Arg1:T1 Arg2:T2          relations, events, attributes, notes: left out and counted

The lines that are left out are kept in meta["brat"] with the names of the spans, so that writing brat again keeps them.
"""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tagfield.data.text.formats.decoding import decode, decode_lines, encode_text, recode
from tagfield.data.text.lines import is_blank, split_lines
from tagfield.data.text.records import Document, TextSpan
from tagfield.data.text.sources import BOM, STDIN, PathLike, Source, open_source, read_bytes
from tagfield.errors import InputError, OutputError
from tagfield.system.atomic import write_atomically

_SPAN = re.compile(r"(T\S*)\t(\S+) ([0-9]{1,15}) ([0-9]{1,15})(?:\t(.*))?", re.DOTALL)
_GAPS = re.compile(r"T\S*\t\S+ [0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)+(?:\t.*)?", re.DOTALL)
_OTHER = re.compile(r"[REAMN#*]\S*\t.*", re.DOTALL)


@dataclass(frozen=True)
class BratSource(Source):
    """The text of a document, and its annotations; None where there is no .ann file."""

    annotations: Source | None = None
    kind: ClassVar[str] = "brat"

    def recoded(self, encoding: str | None) -> "BratSource":
        """The same files as UTF-8."""
        text = recode(Source(self.name, self.text), encoding).text
        return BratSource(self.name, text, None if self.annotations is None else recode(self.annotations, encoding))


def find_brat(path: Path, format: str | None) -> list[BratSource]:
    """The brat files that a path names; empty if there are none.

    format: "brat" takes a folder without .ann files, too
    """
    try:
        if path.is_dir() and (format == "brat" or any(path.glob("*.ann"))):
            texts = sorted({file.with_suffix(".txt") for end in ("*.ann", "*.txt") for file in path.glob(end)})
        elif path.suffix in (".txt", ".ann") and path.with_suffix(".ann").exists():
            texts = [path.with_suffix(".txt")]
        else:
            texts = []
    except (OSError, ValueError):  # a NUL in the name; opening it raises the error
        texts = []
    return [_open_pair(text, text.with_suffix(".ann")) for text in texts]


def _open_pair(text: Path, annotations: Path) -> BratSource:
    if not text.exists():
        raise InputError(f"{annotations}: there is no {text.name} beside it; brat keeps the text there")
    notes = (
        Source(str(annotations), read_bytes(annotations, str(annotations)).removeprefix(BOM))
        if annotations.exists()
        else None
    )
    return BratSource(str(text), open_source(text).text, notes)


def read_brat(source: Source, *_: object) -> Iterator[Document]:
    """The document of a .txt file and its .ann file.

    >>> annotations = Source("a.ann", b"T1\\tPER 0 4\\tAnna\\n#1\\tNote T1\\tsure\\n")
    >>> [document] = read_brat(BratSource("a.txt", b"Anna sings.", annotations))
    >>> document.spans, document.meta
    ((TextSpan(start=0, end=4, label='PER'),), {'brat': {'ids': ['T1'], 'lines': ['#1\\tNote T1\\tsure']}})
    """
    text = decode(source)
    annotations = getattr(source, "annotations", None)
    if annotations is None:
        yield Document(text, id=Path(source.name).stem, where=source.name)
        return
    spans, ids, others = [], [], []
    for number, line in enumerate(split_lines(decode_lines(annotations)), start=1):
        where = f"{annotations.name}, line {number}"
        found = _SPAN.fullmatch(line)
        if found:
            start, end = int(found[3]), int(found[4])
            if not start <= end <= len(text):
                raise InputError(f"{where}: {start} to {end} is outside the text, which has {len(text)} characters")
            quoted = found[5]
            if quoted is not None and quoted.split() != text[start:end].split():
                inside = text[start:end]
                raise InputError(f"{where}: {start} to {end} is {inside!r:.60} in the text, not {quoted!r:.60}")
            spans.append(TextSpan(start, end, found[2]))
            ids.append(found[1])
        elif _GAPS.fullmatch(line) or _OTHER.fullmatch(line):
            others.append(line)
        elif not is_blank(line):
            raise InputError(f"{where}: {line!r:.60} is not an annotation, such as T1<TAB>PER 0 4<TAB>Anna")
    meta = {"brat": {"ids": ids, "lines": others}} if others else {}
    yield Document(text, tuple(spans), None, Path(source.name).stem, meta, source.name)


def store_brat(documents: list[Document], path: PathLike) -> None:
    """Write documents into a folder, or one document to NAME.txt and NAME.ann."""
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
                    file.write(encode_text(content))


def brat_files(documents: Iterable[Document]) -> Iterator[tuple[str, str, str | None]]:
    """(name, text, annotations) of each document; annotations are None where it has not been labelled.

    >>> from tagfield.data.text.records import TextSpan
    >>> list(brat_files([Document("Anna sings.", (TextSpan(0, 4, "PER"),))]))
    [('1', 'Anna sings.', 'T1\\tPER 0 4\\tAnna\\n')]
    """
    taken: set[str] = set()
    for number, document in enumerate(documents, start=1):
        name = re.sub(r"[^\w.-]+", "_", "" if document.id is None else str(document.id))[:80].strip("._") or str(number)
        while name.lower() in taken:
            name = f"{name}_{number}"
        taken.add(name.lower())
        yield name, document.text, None if document.spans is None else annotations_of(document)


def annotations_of(document: Document) -> str:
    """The lines of the .ann file.

    >>> annotations_of(Document("a b", (), meta={"brat": {"ids": [], "lines": ["#1\\tNote T1\\tsure"]}}))
    '#1\\tNote T1\\tsure\\n'
    """
    spans = document.spans or ()
    kept = document.meta.get("brat")
    ids: list[str] = kept.get("ids", []) if isinstance(kept, dict) else []
    others: list[str] = kept.get("lines", []) if isinstance(kept, dict) else []
    if len(ids) != len(spans):
        ids = [f"T{k}" for k in range(1, len(spans) + 1)]
    lines = []
    for id, (start, end, label) in zip(ids, spans, strict=True):
        if re.search(r"\s", label):
            raise InputError(
                f"{document.where or 'a text'}: brat cannot hold the label {label!r}; a label there has no spaces"
            )
        quoted = re.sub(r"\s", " ", document.text[start:end])
        lines.append(f"{id}\t{label} {start} {end}\t{quoted}")
    return "".join(f"{line}\n" for line in [*lines, *others])
