"""What a file turned out to be: its format, the roles of its columns, and the sentence that says so."""

from dataclasses import dataclass, replace

from tagfield.data.text.records import WORD
from tagfield.data.text.templates.template import IGNORED, LABEL
from tagfield.errors import InputError

SENTENCE = "sentence"  # the role of a column that says which sentence a row belongs to


@dataclass(frozen=True)
class Kind:
    """A file format: what it is called in messages, and which names of files it has."""

    about: str
    endings: tuple[str, ...] = ()
    text: bool = False  # it holds text with spans, and not tokens
    lines: bool = False  # a record is one line, or ends at a blank one, so that input can be read as it comes


KINDS: dict[str, Kind] = {
    "columns": Kind("columns", (".conll", ".bio", ".iob", ".iob2", ".bioes", ".txt"), lines=True),
    "conllu": Kind("CoNLL-U", (".conllu", ".conllup"), lines=True),
    "items": Kind("CRFsuite items", (".items", ".crfsuite"), lines=True),
    "jsonl": Kind("JSON lines", (".jsonl", ".ndjson"), lines=True),
    "json": Kind("JSON", (".json",)),
    "csv": Kind("table", (".csv",)),
    "tsv": Kind("table", (".tsv", ".tab")),
    "brat": Kind("brat", (".ann",), text=True),
    "spacy": Kind("spaCy DocBin", (".spacy",), text=True),
    "text": Kind("plain text, a line at a time", text=True, lines=True),
}

SEPARATORS = {"\t": "tab", " ": "space", ",": "comma", ";": "semicolon", "|": "bar"}
SPOKEN = {WORD: "word", LABEL: "label", IGNORED: "ignored"}


@dataclass(frozen=True)
class FileFormat:
    """The format of one file and how it is laid out.

    >>> FileFormat("columns", ("w", "y"), "\\t", header=True).describe(labels=13)
    'columns: word, label (tab-separated, header line skipped, 13 labels)'
    """

    kind: str
    roles: tuple[str, ...] = ()  # of all columns, the label's among them; empty where there are no columns
    separator: str = ""
    header: bool = False
    comments: bool = False  # lines that begin with # and are not tokens
    documents: bool = False  # -DOCSTART- lines
    strict: bool = False  # only tabs separate cells, which may hold spaces
    holds: str = ""  # of JSON: tokens, or text with spans

    @property
    def plain(self) -> bool:
        """Whether the native reader takes the file."""
        return self.kind == "columns" and not self.strict

    def with_roles(self, roles: tuple[str, ...]) -> "FileFormat":
        """The same with the roles that were used, if there are as many as columns."""
        return replace(self, roles=roles) if len(roles) == len(self.roles) else self

    def describe(self, labels: int | None = None) -> str:
        """The line for people: what it was taken for."""
        roles = ", ".join(SPOKEN.get(role, role) for role in self.roles)
        what = ": ".join(part for part in (KINDS[self.kind].about, roles or self.holds) if part)
        details = [f"{SEPARATORS[self.separator]}-separated"] if self.separator in SEPARATORS and self.roles else []
        details += ["header line skipped"] if self.header else []
        details += ["-DOCSTART- lines skipped"] if self.documents else []
        details += ["comments skipped"] if self.comments and self.kind == "columns" else []
        details += [f"{labels:,} label{'' if labels == 1 else 's'}"] if labels is not None else []
        return f"{what} ({', '.join(details)})" if details else what


def check_kind(name: str) -> str:
    """The format with this name; raises InputError for other names.

    >>> check_kind("xml")
    Traceback (most recent call last):
    tagfield.errors.InputError: no format named 'xml'; choose columns, conllu, items, jsonl, json, csv, tsv, brat, \
spacy or text
    """
    if name not in KINDS:
        *most, last = KINDS
        raise InputError(f"no format named {name!r}; choose {', '.join(most)} or {last}")
    return name
