"""spaCy's binary files (.spacy, DocBin): texts with entities, tokens and sentences. Needs spaCy.

Entities become spans. A file without entities but with tags (token.tag_) or parts of speech gives sentences with those
as labels. Tokens of spaces are left out; they hold no label.
"""

from collections.abc import Iterator
from typing import Any

from tagfield.data.text.records import WORD, Document, Record, Sentence, TextSpan
from tagfield.data.text.sources import Source
from tagfield.errors import InputError


def import_spacy() -> Any:
    """The module spacy.tokens, or an error that says how to install it."""
    try:
        import spacy.tokens
    except ImportError:
        raise InputError(
            "reading and writing .spacy files needs spaCy; install it with: pip install 'tagfield[spacy]'"
        ) from None
    return spacy.tokens


def read_docbin(source: Source) -> Iterator[Record]:
    """The documents of a .spacy file."""
    tokens = import_spacy()
    from spacy.vocab import Vocab

    try:
        docs = tokens.DocBin().from_bytes(source.text).get_docs(Vocab())
        found = [each for k, doc in enumerate(docs, start=1) for each in _records(doc, f"{source.name}, document {k}")]
    except Exception as error:  # zlib, msgpack and NumPy all raise their own, and so do docs with forged ids
        reason = " ".join(str(error).split())[:80] or type(error).__name__
        raise InputError(f"{source.name}: this is not a DocBin of spaCy, or it is damaged ({reason})") from None
    yield from found


def _records(doc: Any, where: str) -> Iterator[Record]:
    sentences = list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]]
    words = [[token for token in sentence if not token.text.isspace()] for sentence in sentences]
    words = [sentence for sentence in words if sentence]
    offsets = tuple(tuple((token.idx, token.idx + len(token)) for token in sentence) for sentence in words)
    meta = {"cats": dict(doc.cats)} if doc.cats else {}
    entities, tag = doc.has_annotation("ENT_IOB"), doc.has_annotation("TAG")
    if not entities and (tag or doc.has_annotation("POS")):
        for sentence, places in zip(words, offsets, strict=True):
            labels = tuple((token.tag_ if tag else token.pos_) or None for token in sentence)
            rows = tuple((token.text,) for token in sentence)
            yield Sentence(rows, labels, (WORD,), doc.text, places, None, meta, where=where)
        return
    spans = tuple(TextSpan(span.start_char, span.end_char, span.label_) for span in doc.ents) if entities else None
    yield Document(doc.text, spans, offsets, None, meta, where)
