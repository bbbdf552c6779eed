"""Documents and sentences as spaCy's DocBin. Needs spaCy.

Spans become entities, which must be whole tokens; labels of tokens that are no chunks become tags (token.tag_).
"""

from collections.abc import Iterable, Sequence
from typing import Any

from tagfield.data.labels.schemes import is_chunk_label
from tagfield.data.text.readers.docbin import import_spacy
from tagfield.data.text.records import Document, Offsets, Record, Sentence
from tagfield.data.text.spans import Policy, Split, cover, placed, to_document
from tagfield.errors import InputError


def write_docbin(records: Iterable[Record], split: Split, policy: Policy) -> bytes:
    """The bytes of a .spacy file."""
    tokens = import_spacy()
    from spacy.vocab import Vocab

    store, vocab = tokens.DocBin(store_user_data=False), Vocab()
    for record in records:
        tags = isinstance(record, Sentence) and not all(is_chunk_label(label or "O") for label in record.labels or ())
        if isinstance(record, Sentence) and tags:
            text, offsets = placed(record)
            doc = _doc(vocab, text, [offsets], record.where)
            places = {token.idx: token for token in doc}
            for (start, _), label in zip(offsets, record.labels or (), strict=True):
                if label is not None:
                    places[start].tag_ = label
            store.add(doc)
            continue
        document = record if isinstance(record, Document) else to_document(record)
        sentences = split(document.text) if document.sentences is None else document.sentences
        doc = _doc(vocab, document.text, sentences, document.where)
        if document.spans is not None:
            flat = [place for sentence in sentences for place in sentence]
            chunks = cover(flat, document, policy)
            spans = [doc.char_span(flat[c.start][0], flat[c.end - 1][1], label=c.label) for c in chunks]
            doc.set_ents(spans, default="outside")
        cats = document.meta.get("cats")
        doc.cats = dict(cats) if isinstance(cats, dict) else {}
        store.add(doc)
    made: bytes = store.to_bytes()
    return made


def _doc(vocab: Any, text: str, sentences: Sequence[Sequence[Offsets]], where: str) -> Any:
    """A Doc with exactly this text: white space other than single spaces becomes tokens of its own, as in spaCy."""
    import spacy.tokens

    words: list[str] = []
    spaces: list[bool] = []
    starts: list[bool] = []
    at = 0
    for sentence in sentences:
        for number, (start, end) in enumerate(sentence):
            at = _gap(text, at, start, words, spaces, starts, where)
            words.append(text[start:end])
            spaces.append(False)
            starts.append(number == 0)
            at = end
    _gap(text, at, len(text), words, spaces, starts, where)
    doc = spacy.tokens.Doc(vocab, words=words, spaces=spaces)
    for token, first in zip(doc, starts, strict=True):
        if token.i:
            token.is_sent_start = first
    return doc


def _gap(text: str, at: int, end: int, words: list[str], spaces: list[bool], starts: list[bool], where: str) -> int:
    """Fill the text between two tokens: one space belongs to the token before it, more are a token of their own."""
    between = text[at:end]
    if between.strip():
        raise InputError(
            f"{where or 'a text'}: {between!r:.60} belongs to no token; spaCy needs all of the text in tokens"
        )
    if between.startswith(" ") and words:
        spaces[-1] = True
        between = between[1:]
    if between:
        words.append(between)
        spaces.append(False)
        starts.append(False)
    return end
