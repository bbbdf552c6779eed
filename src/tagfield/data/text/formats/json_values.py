"""One JSON value ─▶ records. The dialects, by the fields that they have:

    tokens    {"tokens": ["The", …], "labels" | "tags" | "ner_tags" | …: ["B-NP", …], "pos_tags": […]}; further columns
              also as {"columns": {"lemma": […]}}
    text      {"text": …, "spans" | "entities" | "label": [[0, 4, "PER"] or {"start": 0, "end": 4, "label": …}]}
    spaCy 2   ["Anna sings.", {"entities": [[0, 4, "PER"]]}]
    Prodigy   text, tokens with start and end, spans (also by token_start and token_end), "answer"
    doccano   text, and "label" or "entities" with start_offset and end_offset
    Label Studio   {"data": {"text": …}, "annotations": [{"result": [{"value": {"start", "end", "labels"}}]}]}
    tagfield  {"text": …, "sentences": [{"tokens": [{"text", "start", "end", "label"}]}]}, from `tag --format jsonl`

Fields that no dialect names are kept in `meta`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tagfield.data.text.formats.json_spans import Spans, read_spans
from tagfield.data.text.records import WORD, Document, Offsets, Record, Sentence
from tagfield.data.text.spans import align
from tagfield.errors import InputError, shown

TOKENS = ("tokens", "words")
LABELS = (
    "labels",
    "tags",
    "ner_tags",
    "ner",
    "bio",
    "iob",
    "label",
    "y",
    "chunk_tags",
    "pos_tags",
    "upos",
    "pos",
    "xpos",
)
CELLS = {"pos_tags": "pos", "pos": "pos", "upos": "upos", "xpos": "xpos", "lemmas": "lemma", "lemma": "lemma"}
CELLS |= {"chunk_tags": "chunk"}
SPANS = ("spans", "entities", "label", "labels", "annotations")


def records_of(value: Any, where: str, names: Sequence[str] | None = None) -> Iterator[Record]:
    """The records of one value; none if Prodigy's answer is not accept.

    >>> [document] = records_of(["Anna sings.", {"entities": [[0, 4, "PER"]]}], "a.json, line 1")
    >>> document.spans
    (TextSpan(start=0, end=4, label='PER'),)
    """
    if (
        isinstance(value, list | tuple)
        and len(value) == 2
        and isinstance(value[0], str)
        and isinstance(value[1], Mapping)
    ):
        value = {**value[1], "text": value[0]}
    if not isinstance(value, Mapping):
        raise InputError(f"{where}: found {_kind(value)} instead of an object with tokens or text")
    if value.get("answer", "accept") != "accept":
        return
    if isinstance(value.get("data"), Mapping) and ("annotations" in value or "predictions" in value):
        yield _label_studio(value, where)
    elif isinstance(value.get("sentences"), list) and isinstance(value.get("text"), str):
        yield from _tagged(value, where)
    elif isinstance(value.get("text"), str) and not _has_words(value):
        yield _document(value, where)
    elif any(isinstance(value.get(key), list | tuple) for key in TOKENS):
        yield _sentence(value, where, names)
    else:
        found = ", ".join(map(repr, list(value)[:6])) or "nothing"
        raise InputError(f'{where}: the object has neither "tokens" nor "text", only {found}')


def _kind(value: Any) -> str:
    kinds = {type(None): "null", bool: "true or false", int: "a number", float: "a number", str: "a string"}
    return kinds.get(type(value), "a list")


def _has_words(value: Mapping[str, Any]) -> bool:
    """Whether the tokens are words, and not Prodigy's tokens of a text."""
    tokens = next((value[key] for key in TOKENS if isinstance(value.get(key), list | tuple)), None)
    return tokens is not None and all(isinstance(token, str) for token in tokens)


def _sentence(value: Mapping[str, Any], where: str, names: Sequence[str] | None) -> Sentence:
    key = next(key for key in TOKENS if isinstance(value.get(key), list | tuple))
    tokens: list[Any] = [token.get("text") if isinstance(token, Mapping) else token for token in value[key]]
    for t, token in enumerate(tokens):
        if not isinstance(token, str) or not token:
            raise InputError(f"{where}: token {t + 1} is {shown(token)}; a token is a string of at least one letter")
    label = next((name for name in LABELS if _per_token(value.get(name), tokens) or value.get(name) == []), None)
    listed = next((name for name in LABELS[:-4] if isinstance(value.get(name), list | tuple)), None)
    if listed is not None and label != listed:
        raise InputError(f"{where}: found {len(tokens)} tokens but {len(value[listed])} {listed}; give one per token")
    used, roles, cells = {key, label}, [WORD], [tokens]
    for field, role in CELLS.items():
        column = value.get(field)
        if field != label and role not in roles and _per_token(column, tokens) and all(map(_is_cell, column or ())):
            used.add(field)
            roles.append(role)
            cells.append(list(column or ()))
    labels = None if label is None else tuple(_label(v, t, label, where, names) for t, v in enumerate(value[label]))
    if labels is not None and tokens and all(one is None for one in labels):
        labels = None
    offsets, text = None, value.get("text")
    if isinstance(text, str):
        offsets = align(tokens, text)
        used |= {"text"} if offsets is not None else set()
    columns = value.get("columns")
    if isinstance(columns, Mapping) and all(_per_token(c, tokens) and all(map(_is_cell, c)) for c in columns.values()):
        used.add("columns")
        for role, column in columns.items():
            if role not in roles:
                roles.append(role)
                cells.append(list(column))
    rows = tuple(zip(*cells, strict=True))
    kept, id = _rest(value, used)
    text = text if offsets is not None else None
    comments = kept.pop("comments", ())
    if not (isinstance(comments, list) and all(isinstance(line, str) for line in comments)):
        kept |= {"comments": comments} if comments else {}
        comments = ()
    return Sentence(rows, labels, tuple(roles), text, offsets, id, kept, tuple(comments), where)


def _per_token(column: Any, tokens: Sequence[Any]) -> bool:
    return isinstance(column, list | tuple) and len(column) == len(tokens)


def _is_cell(cell: Any) -> bool:
    return isinstance(cell, str) and bool(cell)


def _label(value: Any, t: int, field: str, where: str, names: Sequence[str] | None) -> str | None:
    if value is None or (isinstance(value, str) and value):
        return value
    if type(value) is int:
        if names is None:
            raise InputError(
                f"{where}: the {field} are numbers; name them in order with label_names (--label-names O,B-PER,…)"
            )
        if not 0 <= value < len(names):
            raise InputError(f"{where}: token {t + 1} has the label {value}, but there are only {len(names)} names")
        return names[value]
    raise InputError(f"{where}: the label of token {t + 1} is {value!r}; a label is a string, a number or null")


def _document(value: Mapping[str, Any], where: str) -> Document:
    text = value["text"]
    used = {"text", "answer"}
    tokens = _offsets(value, text, where) if isinstance(value.get("tokens"), list) else None
    spans: Spans = None
    for key in SPANS:
        if isinstance(value.get(key), list | tuple):
            spans = read_spans(value[key], text, where, tokens)
            used.add(key)
            break
    sentences = None
    if tokens is not None:
        used.add("tokens")
        sentences = (tuple((a, b) for a, b in tokens if text[a:b].strip()),)  # spaCy's tokens of spaces hold no label
    kept, id = _rest(value, used)
    return Document(text, spans, sentences, id, kept, where)


def _offsets(value: Mapping[str, Any], text: str, where: str) -> tuple[Offsets, ...]:
    """The places of Prodigy's tokens."""
    found, before = [], 0
    for t, token in enumerate(value["tokens"]):
        start, end = (token.get("start"), token.get("end")) if isinstance(token, Mapping) else (None, None)
        if type(start) is not int or type(end) is not int or not before <= start <= end <= len(text):
            raise InputError(
                f"{where}: token {t + 1} has no start and end that fit the text; tokens need both, in order"
            )
        found.append((start, end))
        before = end
    return tuple(found)


def _label_studio(value: Mapping[str, Any], where: str) -> Document:
    data = value["data"]
    strings = {key: text for key, text in data.items() if isinstance(text, str)}
    field = "text" if "text" in strings else next(iter(strings), None)
    if field is None:
        raise InputError(f"{where}: the data of the task has no text")
    spans: Spans = None
    for annotation in value.get("annotations") or ():
        if isinstance(annotation, Mapping) and not annotation.get("was_cancelled"):
            results = annotation.get("result")
            if not isinstance(results, list):
                raise InputError(f"{where}: an annotation has no list of results")
            values = [r["value"] for r in results if isinstance(r, Mapping) and _is_span(r.get("value"))]
            spans = read_spans(values, strings[field], where, utf16=True)
            break
    kept, id = _rest(value, {"data", "annotations", "predictions"})
    kept |= {key: other for key, other in data.items() if key != field}
    return Document(strings[field], spans, None, id, kept, where)


def _is_span(value: Any) -> bool:
    return isinstance(value, Mapping) and "start" in value and "labels" in value


def _tagged(value: Mapping[str, Any], where: str) -> Iterator[Sentence]:
    text = value["text"]
    kept, id = _rest(value, {"text", "sentences"})
    for sentence in value["sentences"]:
        if not isinstance(sentence, Mapping) or not isinstance(sentence.get("tokens"), list):
            raise InputError(f"{where}: a sentence has no list of tokens")
        offsets = _offsets(sentence, text, where)
        given = [token.get("label") for token in sentence["tokens"]]
        labels = None
        if given and None not in given and len(given) == len(offsets):
            labels = tuple(_label(label, t, "labels", where, None) for t, label in enumerate(given))
        yield Sentence(tuple((text[a:b],) for a, b in offsets), labels, (WORD,), text, offsets, id, kept, where=where)


def _rest(value: Mapping[str, Any], used: set[Any]) -> tuple[dict[str, Any], str | int | None]:
    """The fields that were not used, and the id among them."""
    kept = {key: other for key, other in value.items() if key not in used}
    id = kept.pop("id", None)
    if id is not None and (not isinstance(id, str | int) or isinstance(id, bool)):
        kept["id"] = id
        id = None
    meta = kept.pop("meta", None)
    if id is None and isinstance(meta, Mapping) and isinstance(meta.get("id"), str | int) and "id" not in kept:
        id, meta = meta["id"], {key: other for key, other in meta.items() if key != "id"}  # Prodigy's place for it
    if isinstance(meta, Mapping):
        kept |= {key: other for key, other in meta.items() if key not in kept}
    elif meta is not None:
        kept["meta"] = meta
    return kept, id
