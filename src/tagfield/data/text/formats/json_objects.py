"""Documents as JSON objects with text and spans, as each annotation tool reads them.

spans          {"text", "spans": [{"start", "end", "label"}], "tokens": [{"text", "start", "end", "id"}]}
prodigy        the same with token_start and token_end, everything else in "meta"
doccano        {"text", "label": [[0, 4, "PER"]]}
label-studio   {"data": {"text"}, "annotations": [{"result": [{"value": {"start", "end", "labels"}}]}]}, a list of
               these; offsets in UTF-16 units, as a browser counts
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tagfield.data.text.formats.json_values import CELLS, LABELS, SPANS, TOKENS
from tagfield.data.text.records import WORD, Document, Record, Sentence
from tagfield.data.text.spans import placed
from tagfield.data.text.utf16 import Units

RESERVED = {*TOKENS, *LABELS, *CELLS, *SPANS}
RESERVED |= {"text", "answer", "data", "sentences", "comments", "columns", "id", "meta"}

Make = Callable[[Document], dict[str, Any]]


def json_lines(records: Iterable[Record], *_: object, make: Make | None = None) -> Iterator[str]:
    """Records as JSON, one a line; `make` is the dialect of documents, and by default that of spans."""
    for record in records:
        made = token_object(record) if isinstance(record, Sentence) else (make or span_object)(record)
        yield json.dumps(made, ensure_ascii=False) + "\n"


def json_list(records: Iterable[Record], *_: object, make: Make | None = None) -> Iterator[str]:
    """Records as one JSON list."""
    yield "[\n" + ",\n".join(line[:-1] for line in json_lines(records, make=make)) + "\n]\n"


def span_object(document: Document) -> dict[str, Any]:
    """Text, spans and tokens.

    >>> from tagfield.data.text.records import TextSpan
    >>> span_object(Document("Anna", (TextSpan(0, 4, "PER"),)))
    {'text': 'Anna', 'spans': [{'start': 0, 'end': 4, 'label': 'PER'}]}
    """
    made: dict[str, Any] = {} if document.id is None else {"id": document.id}
    made["text"] = document.text
    if document.spans is not None:
        made["spans"] = [span._asdict() for span in document.spans]
    if document.sentences is not None:
        made["tokens"] = tokens_of(document)
    return made | further_fields(document.meta)


def prodigy_object(document: Document) -> dict[str, Any]:
    """What Prodigy writes: spans also in tokens, where they are whole tokens.

    >>> prodigy_object(Document("Anna", ()))
    {'text': 'Anna', 'spans': [], 'answer': 'accept'}
    """
    tokens = tokens_of(document)
    starts, ends = ({token[side]: k for k, token in enumerate(tokens)} for side in ("start", "end"))
    made: dict[str, Any] = {"text": document.text}
    if tokens:
        made["tokens"] = tokens
    made["spans"] = []
    for span in document.spans or ():
        entry: dict[str, Any] = span._asdict()
        if span.start in starts and span.end in ends:
            entry |= {"token_start": starts[span.start], "token_end": ends[span.end]}
        made["spans"].append(entry)
    meta = dict(document.meta) | ({} if document.id is None else {"id": document.id})
    return made | ({"meta": meta} if meta else {}) | ({} if document.spans is None else {"answer": "accept"})


def doccano_object(document: Document) -> dict[str, Any]:
    """What doccano reads and writes.

    >>> from tagfield.data.text.records import TextSpan
    >>> doccano_object(Document("Anna", (TextSpan(0, 4, "PER"),)))
    {'text': 'Anna', 'label': [[0, 4, 'PER']]}
    """
    made: dict[str, Any] = {} if document.id is None else {"id": document.id}
    made |= {"text": document.text, "label": [list(span) for span in document.spans or ()]}
    return made | further_fields(document.meta)


def label_studio_object(document: Document) -> dict[str, Any]:
    """A task of Label Studio; its labelling interface must call the text `text` and the labels `label`.

    >>> from tagfield.data.text.records import TextSpan
    >>> task = label_studio_object(Document("😀 Anna", (TextSpan(2, 6, "PER"),)))
    >>> task["annotations"][0]["result"][0]["value"]
    {'start': 3, 'end': 7, 'text': 'Anna', 'labels': ['PER']}
    """
    result, units = [], Units(document.text)
    for start, end, label in document.spans or ():
        value = {"start": units.of(start), "end": units.of(end), "text": document.text[start:end], "labels": [label]}
        result.append({"from_name": "label", "to_name": "text", "type": "labels", "value": value})
    made: dict[str, Any] = {} if document.id is None else {"id": document.id}
    made["data"] = {"text": document.text, **{key: other for key, other in document.meta.items() if key != "text"}}
    return made | {"annotations": [] if document.spans is None else [{"result": result}]}


def tokens_of(document: Document) -> list[dict[str, Any]]:
    """The tokens of all sentences, as Prodigy writes them.

    >>> tokens_of(Document("Hi", None, (((0, 2),),)))
    [{'text': 'Hi', 'start': 0, 'end': 2, 'id': 0}]
    """
    places = [place for sentence in document.sentences or () for place in sentence]
    return [{"text": document.text[a:b], "start": a, "end": b, "id": k} for k, (a, b) in enumerate(places)]


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
