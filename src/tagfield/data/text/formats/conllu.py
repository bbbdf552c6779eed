"""CoNLL-U (universaldependencies.org/format.html) and CoNLL-U Plus, where a first line names the columns.

    # sent_id = 3                          comments belong to the sentence below them
    # text = Al dai.
    1-2  Al  _  _  …                       a multiword token: kept in meta["conllu"], not a token
    1    a   a  ADP  …   SpaceAfter=No     tokens; the label is UPOS unless you name another column
    1.1  …                                 an empty node: kept in meta["conllu"], not a token

Only tabs separate cells. The text of the `# text` comment gives the offsets of the tokens, where it fits them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tagfield.data.labels.schemes import is_chunk_label
from tagfield.data.text.formats.decoding import decode_lines
from tagfield.data.text.formats.file_format import FileFormat, Known
from tagfield.data.text.lines import cells_in, is_blank, split_lines
from tagfield.data.text.records import WORD, Sentence
from tagfield.data.text.sources import Source
from tagfield.data.text.spans import align, placed
from tagfield.data.text.templates.template import IGNORED, LABEL
from tagfield.errors import InputError

COLUMNS = ("id", WORD, "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
NOTHING = "_"
_FIRST_TOKEN = re.compile(r"[ \t\r\n]*(?:#[^\n]*\n)*1(?:-[0-9]+)?\t[^\t\n]+(?:\t[^\t\n]*){8}\r?(?:\n|\Z)")
_NODE = re.compile(r"[0-9]+(?:[-.][0-9]+)?")


def columns_of(text: str) -> tuple[str, ...]:
    """The columns of a file: CoNLL-U's ten, or those that a first `# global.columns` names.

    >>> columns_of("# global.columns = ID FORM PARSEME:MWE\\n")
    ('id', 'w', 'parseme:mwe')
    """
    found = re.match(r"#[ \t]*global\.columns[ \t]*=[ \t]*(.+)", text)
    if found is None:
        return COLUMNS
    return tuple(WORD if name == "FORM" else name.lower() for name in cells_in(found[1].removesuffix("\r")))


def is_conllu(head: str) -> bool:
    """Whether comments and a first token of ten columns begin the text."""
    return _FIRST_TOKEN.match(head) is not None


def conllu_layout(source: Source, head: str, known: Known) -> FileFormat:
    """The columns of CoNLL-U, or of CoNLL-U Plus as the file names them."""
    return FileFormat("conllu", _roles(columns_of(head), known.roles, source.name), "\t", comments=True)


def _roles(names: tuple[str, ...], given: tuple[str, ...], file: str) -> tuple[str, ...]:
    """The columns with `y` for the label: UPOS, or the last one of CoNLL-U Plus, or as given."""
    if given:
        if len(given) != len(names):
            raise InputError(f"{file}: columns names {len(given)} columns, but the file has {len(names)}")
        pairs = zip(given, names, strict=True)  # a column that is skipped keeps its name, so that writing keeps it
        return tuple((name if name not in given else f"{name}0") if role == IGNORED else role for role, name in pairs)
    label = names.index("upos") if "upos" in names else len(names) - 1
    return tuple(LABEL if k == label else name for k, name in enumerate(names))


@dataclass
class _Open:
    """A sentence that is being read."""

    rows: list[list[str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    others: list[list[object]] = field(default_factory=list)  # [tokens before it, line]
    line: int = 0


def read_conllu(source: Source, form: FileFormat, *_: object) -> Iterator[Sentence]:
    """The sentences of a CoNLL-U file; form.roles names the columns, one of them `y`.

    >>> text = b"# sent_id = a\\n1\\tGo\\tgo\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> [s] = read_conllu(Source("a.conllu", text), FileFormat("conllu", (*COLUMNS[:3], "y", *COLUMNS[4:])))
    >>> s.words, s.labels, s.id
    (('Go',), ('VERB',), 'a')
    """
    count = len(form.roles)
    found = _Open()
    for number, line in enumerate([*split_lines(decode_lines(source)), ""], start=1):
        if is_blank(line):
            if found.rows:
                yield _sentence(found, form, f"{source.name}, line {found.line}")
            elif found.others:
                raise InputError(f"{source.name}, line {number}: the sentence has no token, only ranges or empty nodes")
            found = _Open() if found.rows else found
            continue
        if line.startswith("#") and not found.rows:
            if not line.startswith(("# global.columns", "#global.columns")):
                found.comments.append(line[1:].removeprefix(" "))
            continue
        cells = line.split("\t")
        where = f"{source.name}, line {number}"
        if len(cells) != count:
            raise InputError(
                f"{where}: found {len(cells)} columns instead of {count}; CoNLL-U has tabs between columns"
            )
        if form.roles[0] == "id" and not _NODE.fullmatch(cells[0]):
            raise InputError(f"{where}: {cells[0]!r} is not a token number, such as 1, 1-2 or 1.1")
        if form.roles[0] == "id" and not cells[0].isdigit():
            found.others.append([len(found.rows), line])
            continue
        if "" in cells:
            raise InputError(f"{where}: column {cells.index('') + 1} is empty; write _ where there is nothing")
        found.line = found.line or number
        found.rows.append(cells)


def _sentence(found: _Open, form: FileFormat, where: str) -> Sentence:
    roles = form.roles
    label = roles.index(LABEL) if LABEL in roles else None
    kept = [k for k in range(len(roles)) if k != label]
    tokens = tuple(tuple(row[k] for k in kept) for row in found.rows)
    labels = None if label is None else tuple(row[label] for row in found.rows)
    if label == COLUMNS.index("upos") and set(labels or ()) == {NOTHING}:
        labels = None  # the tokens have no part of speech yet
    said = dict(comment.split(" = ", 1) for comment in found.comments if " = " in comment)
    names = tuple(roles[k] for k in kept)
    words = [row[roles.index(WORD)] for row in found.rows] if WORD in roles else []
    offsets = align(words, said["text"]) if "text" in said and words else None
    text = said["text"] if offsets is not None else None
    meta = {"conllu": found.others} if found.others else {}
    return Sentence(tokens, labels, names, text, offsets, said.get("sent_id"), meta, tuple(found.comments), where)


def write_conllu(sentences: Iterable[Sentence], *_: object) -> Iterator[str]:
    """CoNLL-U with its ten columns.

    >>> print("".join(write_conllu([Sentence((("Go",),), ("VERB",), id="a")])).replace("\\t", " "), end="")
    # sent_id = a
    1 Go _ VERB _ _ _ _ _ _
    <BLANKLINE>
    """
    for number, sentence in enumerate(sentences, start=1):
        where = sentence.where or f"sentence {number}"
        if not sentence.tokens:
            raise InputError(f"{where}: CoNLL-U cannot hold a sentence without tokens")
        lines = [f"# {line}" if line else "#" for line in _comments(sentence)]
        others = _other_lines(sentence)
        for t, row in enumerate(sentence.tokens):
            lines += [line for before, line in others if before == t]
            lines.append("\t".join(_cells(sentence, t, row, where)))
        lines += [line for before, line in others if before >= len(sentence.tokens)]
        for line in lines:
            if "\n" in line or "\r" in line:
                raise InputError(f"{where}: CoNLL-U cannot hold a line break in {line!r:.60}; remove it")
        yield "\n".join(lines) + "\n\n"


def _comments(sentence: Sentence) -> list[str]:
    comments = list(sentence.comments)
    if sentence.id is not None and not any(line.startswith("sent_id =") for line in comments):
        comments.insert(0, f"sent_id = {sentence.id}")
    if sentence.text is not None and not any(line.startswith("text =") for line in comments):
        comments.append(f"text = {' '.join(placed(sentence)[0].split())}")
    return comments


def _other_lines(sentence: Sentence) -> list[tuple[int, str]]:
    """Ranges and empty nodes with the number of tokens before them, as the reader kept them."""
    kept: Any = sentence.meta.get("conllu", ())
    return [(pair[0], pair[1]) for pair in kept if isinstance(pair, list | tuple) and len(pair) == 2]


def _cells(sentence: Sentence, t: int, row: tuple[str, ...], where: str) -> list[str]:
    known = dict(zip(sentence.roles, row, strict=True))
    label = sentence.labels[t] if sentence.labels is not None else None
    if label is not None:
        free = next((name for name in ("upos", "xpos") if name not in known), None)
        if free is None or (is_chunk_label(label) and "lemma" not in known):
            raise InputError(f"{where}: CoNLL-U has no column for the label {label!r}; write columns or jsonl instead")
        known[free] = label
    if "pos" in known:
        known.setdefault("xpos", known.pop("pos"))
    known.setdefault(WORD, row[0])
    cells = [known.get(name, str(t + 1) if name == "id" else NOTHING) for name in COLUMNS]
    for cell in cells:
        if not cell or "\t" in cell:
            raise InputError(f"{where}: CoNLL-U cannot hold the cell {cell!r} of token {t + 1}; write jsonl instead")
    return cells
