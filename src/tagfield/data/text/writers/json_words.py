"""Sentences as JSON objects with tokens and labels."""

from collections.abc import Mapping
from typing import Any

from tagfield.data.text.readers.json_values import CELLS, LABELS, SPANS, TOKENS
from tagfield.data.text.records import WORD, Sentence
from tagfield.data.text.spans import placed

RESERVED = {
    *TOKENS,
    *LABELS,
    *CELLS,
    *SPANS,
    "text",
    "answer",
    "data",
    "sentences",
    "comments",
    "columns",
    "id",
    "meta",
}


def token_object(sentence: Sentence) -> dict[str, Any]:
    """One sentence.

    >>> token_object(Sentence((("The", "DT"),), ("B-NP",), ("w", "pos"), id="7"))
    {'id': '7', 'tokens': ['The'], 'labels': ['B-NP'], 'pos': ['DT']}
    """
    made: dict[str, Any] = {} if sentence.id is None else {"id": sentence.id}
    made["tokens"] = list(sentence.words)
    if sentence.labels is not None:
        made["labels"] = list(sentence.labels)
    word = WORD if WORD in sentence.roles else sentence.roles[0]
    others = {role: list(sentence.column(role)) for role in sentence.roles if role != word}
    if sentence.labels is not None:  # without labels, a field named pos would be taken for them
        made |= {role: others.pop(role) for role in list(others) if role in ("pos", "upos", "xpos", "lemma")}
    if others:
        made["columns"] = others
    if sentence.text is not None and sentence.offsets is not None:
        made["text"] = placed(sentence)[0]
    if sentence.comments:
        made["comments"] = list(sentence.comments)
    return made | further_fields(sentence.meta)


def further_fields(meta: Mapping[str, Any]) -> dict[str, Any]:
    """The further fields of a record, nested where their names mean something else.

    >>> further_fields({"source": "web", "label": 3})
    {'source': 'web', 'meta': {'label': 3}}
    """
    made = {key: value for key, value in meta.items() if key not in RESERVED}
    nested = {key: value for key, value in meta.items() if key in RESERVED}
    return made | ({"meta": nested} if nested else {})
