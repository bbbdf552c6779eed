"""Tagging of records: any format that is not plain columns, and JSON or marked text as output.

    block ─▶ records ─▶ sentences of words ─▶ the model's answers ─▶ columns, or JSON or marked text for each record

A JSON object is `TaggedText.to_dict()` with the id and the further fields of its record.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tagfield.cli.shared.input_blocks import Block
from tagfield.data.encode import Encoded
from tagfield.data.text.encoders.footprint import check_long_words
from tagfield.data.text.formats.detect import detect
from tagfield.data.text.formats.json_objects import further_fields
from tagfield.data.text.reading import ReadOptions, records_of_source, sentences_of
from tagfield.data.text.records import Document, Record, Sentence
from tagfield.data.text.sources import Source
from tagfield.data.text.spans import placed
from tagfield.data.text.templates.fitting import cells_for
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.model.model import Model
from tagfield.model.sentences import Sentences
from tagfield.model.tagged import TaggedText


class RecordTagger:
    """A model that tags records."""

    def __init__(self, model: Model, reading: ReadOptions, rules: str | None, threads: int) -> None:
        if model.template is None:
            raise InputError("the model was trained on attributes, not on words; give it CRFsuite items")
        self.template: Template = model.template
        self.model, self.reading, self.rules, self.threads = model, reading, rules, threads
        self._encoder = model.word_encoder

    def as_json(self, block: Block) -> Iterator[str]:
        """One JSON object for each record."""
        for record, tagged in self._tagged(block):
            made: dict[str, Any] = {} if record.id is None else {"id": record.id}
            made |= tagged.to_dict() | further_fields(record.meta)
            yield json.dumps(made, ensure_ascii=False) + "\n"

    def as_text(self, block: Block) -> Iterator[str]:
        """The text of each record with its spans in brackets, or with the label of each token behind it."""
        for _, tagged in self._tagged(block):
            yield f"{tagged}\n"

    def _tagged(self, block: Block) -> Iterator[tuple[Record, TaggedText]]:
        records = block.read(lambda source: list(self._records(source, block)))
        groups = [self._sentences(record) for record in records]
        places = [_places(record, sentences) for record, sentences in zip(records, groups, strict=True)]
        encoded = self._encode([sentence for sentences in groups for sentence in sentences])
        texts = Sentences([text for text, _ in places], [offsets for _, offsets in places])
        decoder = self.model.decoder(encoded, rules=self.rules, threads=self.threads)
        yield from zip(records, texts.tagged(decoder, self.model.labels.strings()), strict=True)

    def as_rows(self, block: Block) -> tuple[Encoded, list[list[str]]]:
        """The encoded sentences, and the lines to print before the labels: cells and, where known, gold labels."""
        records = block.read(lambda source: list(self._records(source, block)))
        sentences = [sentence for record in records for sentence in self._sentences(record)]
        return self._encode(sentences), [_lines(sentence) for sentence in sentences]

    def _records(self, source: Source, block: Block) -> Iterator[Record]:
        header = block.header(self.reading.header)
        columns, expected = self.reading.columns or block.columns, self.template.columns
        form = detect(source, format=block.kind, columns=columns, header=header, expected=expected)
        return records_of_source(source, form, self.reading)

    def _sentences(self, record: Record) -> list[Sentence]:
        """The sentences of a record that have tokens; spans of a text are not needed, so they may cut tokens."""
        bare = replace(record, spans=None) if isinstance(record, Document) else record
        return [sentence for sentence in sentences_of([bare], self.reading) if sentence.tokens]

    def _encode(self, sentences: list[Sentence]) -> Encoded:
        rows = [cells_for(self.template, sentence) for sentence in sentences]
        for sentence, cells in zip(sentences, rows, strict=True):
            check_long_words((len(cell) for row in cells for cell in row), sentence.where or "the input")
        return self._encoder.encode(rows, gather=False)


def _places(record: Record, sentences: list[Sentence]) -> tuple[str, list[list[tuple[int, int]]]]:
    """The text of a record, and the offsets of the tokens of each of its sentences."""
    if isinstance(record, Document):
        return record.text, [list(sentence.offsets or ()) for sentence in sentences]
    text, offsets = placed(record)
    return text, [list(offsets)] if offsets else []


def _lines(sentence: Sentence) -> list[str]:
    labels = sentence.labels or (None,) * len(sentence.tokens)
    return [
        "\t".join(row if label is None else (*row, label)) + ("\t" if len(row) + (label is not None) == 1 else "")
        for row, label in zip(sentence.tokens, labels, strict=True)
    ]
