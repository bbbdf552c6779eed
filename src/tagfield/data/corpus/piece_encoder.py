"""Pieces of files ─▶ datasets with vocabularies of their own, which packing.py joins.

    first piece ─▶ format, template ─▶ PieceEncoder ─▶ piece ─▶ EncodedPiece (local ids, slots not yet grouped)

The first piece of the first file decides the template, and the first piece of each file decides its format.
Threads share an encoder; the native readers of columns release the interpreter's lock.
"""

from dataclasses import dataclass, replace
from threading import Lock

from tagfield.data.corpus.joining import join
from tagfield.data.corpus.pieces import PIECE, Piece
from tagfield.data.dataset import Dataset
from tagfield.data.text.encoders.columns import read_columns
from tagfield.data.text.encoders.files import (
    check_labelled,
    check_scheme_applies,
    detect_form,
    encode_sentences,
    sentences_in,
)
from tagfield.data.text.encoders.footprint import check_piece
from tagfield.data.text.formats.columns import without_other_lines
from tagfield.data.text.formats.file_format import FileFormat
from tagfield.data.text.formats.items import read_items
from tagfield.data.text.formats.table import describe
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.fitting import by_header, template_for_columns, template_for_sentences
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.native._text import Vocabulary


@dataclass(frozen=True)
class EncodedPiece:
    """The sentences of a piece; ids are those of its own vocabularies."""

    dataset: Dataset
    attributes: Vocabulary
    labels: Vocabulary
    edges: Vocabulary | None


class PieceEncoder:
    """Encodes pieces by one template.

    >>> piece = Piece(Source("a.txt", b"The DT B-NP\\ndog NN I-NP\\n"), "columns")
    >>> encoder = PieceEncoder(piece, ReadOptions(), None)
    >>> encoder.template.name, encoder.encode(piece, encoder.form_of(piece)).labels.strings()
    ('chunking', ['B-NP', 'I-NP'])
    """

    def __init__(self, piece: Piece, reading: ReadOptions, template: Template | None, hash_bits: int = 0) -> None:
        """piece: the first one of all; template: None takes a preset that fits it; hash_bits: 0 keeps names"""
        self._reading = reading
        self._chooses = template is None  # the template fits the first file
        self._large = Lock()  # held while a piece is encoded that takes much memory
        self._hash_bits = hash_bits
        check_piece(piece.source, PIECE)
        form = detect_form(piece.source, reading, template)
        check_scheme_applies([form], reading, piece.source.name)
        if form.kind == "items":
            template = None
        elif form.plain and template is None:
            template = template_for_columns(form, without_other_lines(piece.source, form), reading.add)
        elif form.plain and template is not None:
            if template.columns and form.header and reading.columns is None:
                template = by_header(template, form.roles, piece.source.name)
        elif template is None:
            sentences, form = sentences_in([piece.source], [form], reading, Vocabulary())
            template = template_for_sentences(sentences, reading.add)
        self.template = template  # None for item files
        self.form = form
        self._forms = {piece.source.name: form}
        if self.template is not None and not self.template.columns:
            self.encode(piece, form)  # names the columns by their numbers

    def encode(self, piece: Piece, form: FileFormat) -> EncodedPiece:
        """The sentences of a piece; InputError names the line of the file. Threads may call it at the same time."""
        if check_piece(piece.source, PIECE):
            with self._large:
                check_piece(piece.source, PIECE)  # again, beside what the one before it has left
                return self._encoded(piece, form)
        return self._encoded(piece, form)

    def _encoded(self, piece: Piece, form: FileFormat) -> EncodedPiece:
        try:
            return self._encode(form, piece.source)
        except InputError:
            if not piece.before:
                raise
        return self._encode(form, piece.numbered())

    def _encode(self, form: FileFormat, source: Source) -> EncodedPiece:
        attributes = Vocabulary.hashed(self._hash_bits) if self._hash_bits else Vocabulary()
        grouped = bool(self._hash_bits)  # such ids are final
        labels, edges = Vocabulary(), Vocabulary()
        if form.kind == "items":
            data, places = read_items([source], attributes, labels, grouped=grouped)
        elif form.plain:
            assert self.template is not None
            source = without_other_lines(source, form)
            if not source.text.strip():  # only comments and -DOCSTART- lines
                return EncodedPiece(join([]), attributes, labels, None)
            data, self.template, places = read_columns(
                [source], self.template, attributes, labels, edges=edges, grouped=grouped
            )
        else:
            assert self.template is not None
            sentences, _ = sentences_in([source], [form], self._reading, Vocabulary())
            data, self.template, places = encode_sentences(
                sentences, [source], self.template, attributes, labels, frozen=False, edges=edges, grouped=grouped
            )
        check_labelled(data, places)
        return EncodedPiece(data, attributes, labels, None if data.edge_slots is None else edges)

    def form_of(self, piece: Piece) -> FileFormat:
        """The format of the piece's file, decided on its first piece; later pieces have no header. Call it in order.

        >>> piece = Piece(Source("a.txt", b"word tag\\nThe D\\n"), "columns")
        >>> PieceEncoder(piece, ReadOptions(), None).form_of(replace(piece, first=False)).header
        False
        """
        name = piece.source.name
        if name not in self._forms:
            form = detect_form(piece.source, self._reading, self.template)
            if self._chooses:
                kind = detect_form(piece.source, self._reading, None).kind  # its words may look like attributes
                form = form if kind != "items" else FileFormat(kind)
            if (form.kind == "items") != (self.form.kind == "items"):
                raise InputError(
                    f"{name}: this is {describe(form)}, but the first file is {describe(self.form)}; pack files with "
                    "attributes and files with words separately"
                )
            self._forms[name] = form
        form = self._forms[name]
        return form if piece.first else replace(form, header=False, documents=form.kind == "columns")
