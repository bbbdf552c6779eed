"""spaCy's binary files (.spacy, DocBin): texts with entities, tokens and sentences. Needs spaCy.

Entities become spans. A file without entities but with tags (token.tag_) or parts of speech gives sentences with those
as labels. Tokens of spaces are left out; they hold no label.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import Any

from tagfield.data.labels.schemes import is_chunk_label
from tagfield.data.text.records import WORD, Document, Offsets, Record, Sentence, TextSpan
from tagfield.data.text.sources import SMALL, Source
from tagfield.data.text.spans import Policy, Split, cover, placed, to_document
from tagfield.errors import InputError, TagfieldError
from tagfield.system.memory import check_fits, spell

ZLIB = (b"x\x01", b"x\x5e", b"x\x9c", b"x\xda")  # the first bytes of a DocBin
DIVIDE = "divide the file"
BINARY = (0xC4, 0xC5, 0xC6)  # the first byte of an array in msgpack
ARRAY, OBJECT, TEXT = 8.0, 100.0, 1500.0  # bytes of memory for a byte of arrays, a byte of the rest, a text; measured


def import_spacy() -> Any:
    """The module spacy.tokens, or an error that says how to install it."""
    try:
        import spacy.tokens
    except ImportError:
        raise InputError(
            "reading and writing .spacy files needs spaCy; install it with: pip install 'tagfield[spacy]'"
        ) from None
    return spacy.tokens


def read_docbin(source: Source, *_: object) -> Iterator[Record]:
    """The documents of a .spacy file."""
    tokens = import_spacy()
    from spacy.vocab import Vocab

    try:
        check_docbin(source)
        docs = tokens.DocBin().from_bytes(source.text).get_docs(Vocab())
        found = [each for k, doc in enumerate(docs, start=1) for each in _records(doc, f"{source.name}, document {k}")]
    except TagfieldError:
        raise
    except Exception as error:  # zlib, msgpack and NumPy all raise their own, and so do docs with forged ids
        reason = " ".join(str(error).split())[:80] or type(error).__name__
        raise InputError(f"{source.name}: this is not a DocBin of spaCy, or it is damaged ({reason})") from None
    yield from found


def check_docbin(source: Source) -> None:
    """Raise MemoryLimitError if the documents do not fit into memory, InputError if bytes follow the file's end.

    The file is unpacked piece by piece, and its msgpack is skipped through: nothing is made of it yet.
    """
    from srsly.msgpack import Unpacker

    stream, size, rest = zlib.decompressobj(), 0, source.text
    pieces = []
    while not stream.eof:
        piece = stream.decompress(rest, SMALL)
        rest = stream.unconsumed_tail
        if not piece and not rest:
            raise InputError(f"{source.name}: this is not a DocBin of spaCy, or it is damaged (it ends early)")
        pieces.append(piece)
        size += len(piece)
        if size > SMALL:
            check_fits(4.0 * size, f"{source.name}: the unpacked file", DIVIDE)
    if stream.unused_data:
        end = len(source.text) - len(stream.unused_data)
        raise InputError(
            f"{source.name}: {len(stream.unused_data):,} bytes follow the end of the DocBin, which is {end:,} bytes "
            "long; write one DocBin in each file"
        )
    raw = b"".join(pieces)
    found = Unpacker(BytesIO(raw), max_buffer_size=len(raw), read_size=min(size, SMALL))
    needed, texts = 0.0, 0
    for _ in range(found.read_map_header()):
        key = found.unpack()
        at = found.tell()
        found.skip()
        length = found.tell() - at
        binary = raw[at] in BINARY
        needed += length * (ARRAY if binary else OBJECT)
        texts = length // 4 if key == "lengths" and binary else texts
    check_fits(needed + TEXT * texts, f"{source.name}: reading the {spell(size)} of documents", DIVIDE)


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
