"""What a file turned out to be: its format, and how it is laid out."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from tagfield.data.text.records import WORD
from tagfield.data.text.templates.template import IGNORED, LABEL

SENTENCE = "sentence"  # the role of a column that says which sentence a row belongs to
SPOKEN = {WORD: "word", LABEL: "label", IGNORED: "ignored"}


class Known(NamedTuple):
    """What you say about the columns of a file; the rest is found."""

    roles: tuple[str, ...] = ()
    header: bool | None = None  # whether the first line names the columns
    expected: tuple[str, ...] = ()  # the columns of a model's template, for files whose columns have no names


@dataclass(frozen=True)
class FileFormat:
    """The format of one file and how it is laid out; `describe` in table.py says it in one line."""

    kind: str  # a name in table.FILE_FORMATS
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
