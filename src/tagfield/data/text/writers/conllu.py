"""Sentences as CoNLL-U. Columns that the sentences lack are `_`; labels that are no chunks go to UPOS."""

from collections.abc import Iterable, Iterator
from typing import Any

from tagfield.data.labels.schemes import is_chunk_label
from tagfield.data.text.readers.conllu import COLUMNS
from tagfield.data.text.records import WORD, Sentence
from tagfield.data.text.spans import placed
from tagfield.errors import InputError

EMPTY = "_"


def write_conllu(sentences: Iterable[Sentence]) -> Iterator[str]:
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
        lines = [f"# {line}".rstrip() for line in _comments(sentence)]
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
    cells = [known.get(name, str(t + 1) if name == "id" else EMPTY) for name in COLUMNS]
    for cell in cells:
        if not cell or "\t" in cell:
            raise InputError(f"{where}: CoNLL-U cannot hold the cell {cell!r} of token {t + 1}; write jsonl instead")
    return cells
