"""Files of any format → Dataset.

    plain columns ─▶ columns.py (native) ─────────────────────────────────────────┐
    item files ────▶ items.py (native) ───────────────────────────────────────────┤
    all others ────▶ formats/ ─▶ sentences ─▶ cells of the template ─▶ words.py ──┴─▶ Dataset, Template, Locations

Without a template, the preset that fits the columns and the labels is taken.
"""

from dataclasses import replace
from itertools import chain

import numpy as np

from tagfield.data.dataset import UNKNOWN, Dataset, Slots
from tagfield.data.labels.schemes import scheme_of
from tagfield.data.text.encoders.columns import read_columns
from tagfield.data.text.encoders.footprint import check_reading
from tagfield.data.text.encoders.words import WordTable, number_columns
from tagfield.data.text.formats.columns import without_other_lines
from tagfield.data.text.formats.detect import detect
from tagfield.data.text.formats.file_format import FileFormat
from tagfield.data.text.formats.items import read_items
from tagfield.data.text.reading import ReadOptions, recoded, records_of_source, sentences_of, with_contents
from tagfield.data.text.records import Sentence
from tagfield.data.text.sources import Locations, Source
from tagfield.data.text.templates.fitting import by_header, cells_for, template_for_columns, template_for_sentences
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.native._text import Vocabulary


def read_any(
    sources: list[Source],
    reading: ReadOptions,
    template: Template | None,
    attributes: Vocabulary,
    labels: Vocabulary,
    *,
    frozen: bool = False,
    needs_labels: bool = True,
    edges: Vocabulary | None = None,
) -> tuple[Dataset, Template | None, Locations, FileFormat]:
    """Encode files of any format; also returns the template that was used, and what the first file was taken for.

    edges: the vocabulary of the attributes of transitions; None leaves them out

    >>> source = Source("a.csv", b"Sentence #,Word,Tag\\nSentence: 1,Anna,B-PER\\n")
    >>> data, template, _, form = read_any([source], ReadOptions(), None, Vocabulary(), Vocabulary())
    >>> len(data), template.columns, form.kind, form.roles
    (1, ('w', 'y'), 'csv', ('sentence', 'w', 'y'))
    """
    forms = [detect_form(source, reading, template) for source in sources]
    check_scheme_applies(forms, reading, sources[0].name)
    named = {form.roles for form in forms if form.header and reading.columns is None}
    if all(form.plain for form in forms) and len(named) <= 1:
        for roles in named if template is not None and template.columns else ():
            template = by_header(template, roles, sources[0].name)  # type: ignore[arg-type]
        sources = [without_other_lines(source, form) for source, form in zip(sources, forms, strict=True)]
        if not any(source.text.strip() for source in sources):
            raise InputError(f"{sources[0].name}: the file holds only blank lines; give a file that has sentences")
        used = template_for_columns(forms[0], sources[0], reading.add) if template is None else template
        check_reading(sources, lambda some: _sampled(some, used, labels, needs_labels))
        data, used, locations = read_columns(
            sources, used, attributes, labels, frozen=frozen, needs_labels=needs_labels, edges=edges
        )
        return data, used, locations, forms[0].with_roles(used.columns)
    check_reading(sources)
    if all(form.kind == "items" for form in forms):
        data, locations = read_items(sources, attributes, labels, frozen=frozen)
        return data, None, locations, forms[0]
    sentences, form = sentences_in(sources, forms, reading, labels)
    used = template_for_sentences(sentences, reading.add) if template is None else template
    data, used, locations = encode_sentences(sentences, sources, used, attributes, labels, frozen=frozen, edges=edges)
    return data, used, locations, form


def check_scheme_applies(forms: list[FileFormat], reading: ReadOptions, name: str) -> None:
    """Raise InputError if a scheme is given for files whose tokens have labels already."""
    scheme = reading.policy.scheme
    if scheme is not None and all(form.plain or form.kind == "items" for form in forms):
        raise InputError(
            f"{name}: a scheme applies to text with spans, but this file has labels; recode them first with tagfield "
            f"convert --scheme {scheme}"
        )


def check_labelled(data: Dataset, places: Locations) -> None:
    """Raise InputError if a token has no label."""
    bare = np.flatnonzero(data.labels == UNKNOWN)
    if len(bare):
        sentence = data.sentence_of(int(bare[0]))
        raise InputError(
            f"{places.where(sentence)}: token {bare[0] - data.tokens[sentence] + 1} of the sequence has no label; "
            "training on files needs a label for every token"
        )


def encode_sentences(
    sentences: list[Sentence],
    sources: list[Source],
    template: Template,
    attributes: Vocabulary,
    labels: Vocabulary,
    *,
    frozen: bool,
    edges: Vocabulary | None = None,
    grouped: bool = True,
) -> tuple[Dataset, Template, Locations]:
    """Encode sentences of words; also returns the template with numbered columns if it named none.

    >>> from tagfield.data.text.templates.presets import PRESETS
    >>> words = [Sentence((("Anna",),), ("B-PER",), where="a.jsonl, line 1")]
    >>> data, _, places = encode_sentences(words, [], PRESETS["words"], Vocabulary(), Vocabulary(), frozen=False)
    >>> data.labels.tolist(), places.where(0)
    ([0], 'a.jsonl, line 1')
    """
    X = [cells_for(template, sentence) for sentence in sentences]
    template, _ = number_columns(template, X)
    y = [sentence.labels or (None,) * len(sentence.tokens) for sentence in sentences]
    arrays, gold, slots = WordTable(template).encode(X, y, attributes, frozen, labels, True, edges, grouped)
    count = len(sentences)
    places = tuple(sentence.where for sentence in sentences)
    locations = Locations(sources, np.zeros(count, np.int32), np.arange(count), named=places)
    data = Dataset(*arrays, gold, np.ones(count), None if slots is None else Slots(*slots))
    return data, template, locations


def _sampled(
    sources: list[Source], template: Template, labels: Vocabulary, needs_labels: bool
) -> tuple[Dataset, Vocabulary]:
    """Some text encoded with vocabularies of its own."""
    attributes = Vocabulary()
    data, _, _ = read_columns(sources, template, attributes, labels.copy(), frozen=False, needs_labels=needs_labels)
    return data, attributes


def detect_form(source: Source, reading: ReadOptions, template: Template | None) -> FileFormat:
    """What a file is; with a template or columns it has words, so it is not taken for an item file."""
    expected = () if template is None else template.columns
    form = detect(source, format=reading.format, columns=reading.columns, header=reading.header, expected=expected)
    if form.kind == "items" and reading.format is None and (template is not None or reading.columns is not None):
        return detect(source, format="columns", columns=reading.columns, header=reading.header, expected=expected)
    return form


def sentences_in(
    sources: list[Source], forms: list[FileFormat], reading: ReadOptions, labels: Vocabulary
) -> tuple[list[Sentence], FileFormat]:
    """The sentences of files other than plain columns, and the first file's format with what it holds."""
    records = [list(records_of_source(*pair, reading)) for pair in zip(sources, forms, strict=True)]
    for source, found in zip(sources, records, strict=True):
        if not found:
            raise InputError(f"{source.name}: the file holds no sequence")
    policy = replace(reading.policy, scheme=reading.policy.scheme or scheme_of(labels))  # spans as a model has them
    sentences = sentences_of(chain.from_iterable(records), replace(reading, policy=policy))
    return [recoded(sentence, reading.policy.scheme) for sentence in sentences], with_contents(forms[0], records[0][:1])
