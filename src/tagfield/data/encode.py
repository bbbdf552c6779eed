"""Attribute strings and labels → ids → Dataset.

    files ──────────▶ data/text/encoders/files.py (templates, or items) ──────┐
    words ──────────▶ data/text/encoders/words.py (templates) ────────────────────┤
    Python objects ─▶ lists of strings, or dicts ───────────────────┴─▶ Encoded: Dataset, attributes, labels

Without vocabularies, new ones are learned. With the vocabularies of a model nothing is learned: an unknown attribute
is left out, and an unknown gold label is UNKNOWN in the Dataset. `Encoded` keeps its name for evaluation.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tagfield.data.dataset import UNKNOWN, Dataset, Doubles, Ints, Longs, Slots
from tagfield.data.encoded import Encoded, Unknown, same_vocabulary
from tagfield.data.text.encoders.files import check_labelled, read_any
from tagfield.data.text.encoders.words import WordTable, as_lists, number_columns
from tagfield.data.text.inputs import open_inputs
from tagfield.data.text.reading import ReadOptions, reading_of
from tagfield.data.text.sources import PathLike, Source
from tagfield.data.text.templates.fitting import template_for_words
from tagfield.data.text.templates.presets import load_template
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.native._text import ArrowWords, Vocabulary, encode_objects, encode_transitions
from tagfield.system.checks import not_none

AUTO = "auto"  # stands for the preset that fits the labels

__all__ = [
    "Encoded",
    "Vocabulary",
    "WordEncoder",
    "check_weights",
    "encode_files",
    "encode_sequences",
    "encode_words",
    "same_vocabulary",
]


def encode_files(
    paths: PathLike | Source | Iterable[PathLike | Source],
    *,
    template: Template | PathLike | None = None,
    columns: str | None = None,
    format: str | None = None,
    attributes: Vocabulary | None = None,
    labels: Vocabulary | None = None,
    edge_attributes: Vocabulary | None = None,
    reading: ReadOptions | None = None,
) -> Encoded:
    """Encode files: columns, CoNLL-U, JSON, CSV, brat, spaCy, CRFsuite items; see docs/formats.md.

    paths: one path or several; `-` is standard input, gzip is decompressed, and a Source is text in memory
    template: the name of a preset, the path of a CRF++ template, or a Template; without one, a preset that fits
    columns: the roles of the columns if they are not the template's, such as "w _ pos y"
    format: columns, items, jsonl, …; without it, found from the name and the first part of each file
    attributes, labels: vocabularies of a model; without them new ones are learned, and every token needs a label
    edge_attributes: the vocabulary of a model's attributes of transitions
    reading: further choices, such as the encoding, the tokenizer, and what to do with spans that cut tokens

    >>> encoded = encode_files(Source("tiny.txt", b"The DT B-NP\\ndog NN I-NP\\n\\nBark VB B-VP\\n"))
    >>> len(encoded), encoded.labels.strings(), encoded.attributes.strings()[:2]
    (2, ['B-NP', 'I-NP', 'B-VP'], ['w[0]=The', 'w[1]=dog'])
    >>> encode_files(Source("a.jsonl", b'{"tokens": ["Anna", "sings"], "labels": ["B-PER", "O"]}')).describe()
    'JSON lines: word, label (2 labels)'
    """
    given = {"columns": columns, "format": format}
    reading = reading_of(reading, {name: value for name, value in given.items() if value is not None})
    _check_vocabularies(attributes, labels, edge_attributes)
    known = Vocabulary() if attributes is None else attributes
    names = Vocabulary() if labels is None else labels.copy()
    frozen, learning = attributes is not None, labels is None
    sources = open_inputs(paths, reading.format, reading.encoding)
    chosen = None if template is None else load_template(template, reading.columns, reading.add)
    edges = edge_attributes if frozen else Vocabulary()
    data, used, locations, form = read_any(
        sources, reading, chosen, known, names, frozen=frozen, needs_labels=learning, edges=edges
    )
    if not len(data):
        raise InputError(f"{sources[0].name}: the file holds no sequence")
    label_set = names if labels is None else labels
    if learning:
        check_labelled(data, locations)
    edges = None if data.edge_slots is None else edges
    within = _within(data, label_set)
    return Encoded(within, known, label_set, data.labels, names, used, locations, form=form, edges=edges)


def encode_sequences(
    X: Iterable[object],
    y: Iterable[Iterable[str | None]] | None = None,
    *,
    edges: Iterable[object] | None = None,
    weights: ArrayLike | None = None,
    attributes: Vocabulary | None = None,
    labels: Vocabulary | None = None,
    edge_attributes: Vocabulary | None = None,
    grow: bool = False,
    gather: bool = True,
) -> Encoded:
    """Encode Python sequences: each token is a list of attribute strings, or a dict as in python-crfsuite.

    In a dict {k: v}: a number is the attribute's value, True is 1, a string v makes the attribute `k:v`, and
    nested dicts, lists and sets make attributes `k:...`. X and y may be any iterables; empty sequences are kept.

    y: a label for each token, `None` where the label is not known
    edges: attributes of the transition into each token, as lists or dicts like those of X; they have a weight for each
        pair of labels. There is no transition into the first token of a sequence, so its entry is ignored.
    weights: one weight >= 0 for each sequence
    attributes, labels, edge_attributes: vocabularies of a model; without them new ones are learned
    grow: add new attributes to the given vocabulary instead of leaving them out
    gather: keep the occurrences of an attribute in a sequence together, as training needs them; False is faster
        and enough to score sequences

    >>> encoded = encode_sequences([[["w=The"], {"w": "dog", "length": 3}]], [["DT", None]])
    >>> encoded.attributes.strings(), encoded.dataset.value.tolist(), encoded.gold_labels()
    (['w=The', 'w:dog', 'length'], [1.0, 1.0, 3.0], [['DT', '']])
    >>> encode_sequences([[["a"], ["b"]]], edges=[[None, ["same sentence"]]]).edges.strings()
    ['same sentence']
    """
    not_none("X", X, "pass a list of sequences")
    _check_vocabularies(attributes, labels, edge_attributes)
    known = Vocabulary() if attributes is None else attributes
    names = Vocabulary() if labels is None else labels.copy()
    arrays, gold, missing, some = encode_objects(X, y, known, attributes is not None and not grow, names, gather)
    count = len(arrays[0]) - 1
    weight = np.ones(count) if weights is None else check_weights(weights, count)
    label_set = names if labels is None else labels
    slots, pairs = None, None
    if edges is not None:
        frozen = attributes is not None and not grow
        pairs = Vocabulary() if edge_attributes is None else edge_attributes
        slots = _edge_slots(edges, arrays[0], pairs, frozen, gather)
    data = _within(Dataset(*arrays, gold, weight, slots), label_set)
    return Encoded(data, known, label_set, gold, names, unknown=Unknown(missing, tuple(some)), edges=pairs)


def encode_words(
    X: Iterable[object],
    y: Iterable[Iterable[str | None]] | None = None,
    *,
    template: Template | PathLike | None = None,
    columns: str | None = None,
    weights: ArrayLike | None = None,
    attributes: Vocabulary | None = None,
    labels: Vocabulary | None = None,
    edge_attributes: Vocabulary | None = None,
    grow: bool = False,
    gather: bool = True,
) -> Encoded:
    """Encode sentences of words; the template makes their attributes, as `encode_files` does for column files.

    X: sentences; a token is a string, or a tuple of strings for a template that reads several columns
    y: a label for each token, `None` where the label is not known
    template: the name of a preset, the path of a CRF++ template, or a Template; None or "auto" takes the preset that
        fits the labels: ner for chunks (B-PER, I-PER, O), segmentation for B, M, E, S on single characters, else pos;
        and chunking if a token is a word with its part of speech
    columns: the roles of a token's strings if they are not the template's, such as "w _ pos y"; the label, y, may be
        left out
    weights, attributes, labels, edge_attributes, grow, gather: as in `encode_sequences`

    >>> encoded = encode_words([["The", "dog"], ["Bark"]], [["DT", "NN"], ["VB"]])
    >>> len(encoded), encoded.labels.strings(), encoded.template.name
    (2, ['DT', 'NN', 'VB'], 'pos')
    >>> encode_words([[("The", "DT"), ("dog", "NN")]], template="chunking").attributes.strings()[3]
    'pos[0]=DT'
    """
    if template is None or template == AUTO:
        if attributes:
            raise InputError("these attributes were made by a template; give that template, or use model.encode_words")
        X, y = as_lists(X), as_lists(y)
        template, columns = template_for_words(X, y, columns), None
    chosen, X = number_columns(load_template(template, columns), X)
    encoder = WordEncoder(chosen, attributes, labels, edge_attributes)
    return encoder.encode(X, y, weights=weights, grow=grow, gather=gather)


class WordEncoder:
    """Encodes sentences of words, call after call, with one template; `encode_words` in a form that you keep.

    It remembers words and their attributes from earlier calls, up to a limit, so a call with one sentence takes
    microseconds. Threads can share it.

    attributes, labels, edges: vocabularies of a model; without them every call learns new ones

    >>> trained = encode_words([["The", "dog"]], [["DT", "NN"]], template="words")
    >>> encoder = WordEncoder("words", trained.attributes, trained.labels)
    >>> found = encoder.encode([["The", "cat"]]).dataset.attribute
    >>> sorted(trained.attributes[attribute] for attribute in found)[-2:]
    ['w[-1]=The', 'w[0]=The']
    """

    def __init__(
        self,
        template: Template | PathLike = "words",
        attributes: Vocabulary | None = None,
        labels: Vocabulary | None = None,
        edges: Vocabulary | None = None,
    ) -> None:
        _check_vocabularies(attributes, labels, edges)
        self.template = load_template(template)
        self.attributes = attributes
        self.labels = labels
        self.edges = edges
        self._table = WordTable(self.template)

    def encode(
        self,
        X: Iterable[object],
        y: Iterable[Iterable[str | None]] | None = None,
        *,
        weights: ArrayLike | None = None,
        grow: bool = False,
        gather: bool = True,
    ) -> Encoded:
        """Encode some sentences; see `encode_words`."""
        known = Vocabulary() if self.attributes is None else self.attributes
        label_set = Vocabulary() if self.labels is None else self.labels
        learning = self.labels is None or y is None  # then no label can be beyond the label set
        names = label_set if learning else label_set.copy()
        frozen = self.attributes is not None and not grow
        edges = Vocabulary() if self.template.transitions and self.edges is None and not frozen else self.edges
        arrays, gold, slots = self._table.encode(X, y, known, frozen, names, gather, edges)
        count = len(arrays[0]) - 1
        weight = np.ones(count) if weights is None else check_weights(weights, count)
        data = Dataset(*arrays, gold, weight, None if slots is None else Slots(*slots))
        data = data if learning else _within(data, label_set)
        edges = None if slots is None else edges
        return Encoded(data, known, label_set, gold, names, self.template, edges=edges)

    def tag(self, X: Iterable[object], native_decoder: object, names: tuple[str, ...]) -> list[list[str]]:
        """The best labels of some sentences without a Dataset; `Model.direct` holds the native decoder.

        >>> from tagfield import Model
        >>> model = Model.train_words([["to", "be"]], [["TO", "VB"]])
        >>> model.word_encoder.tag([["be", "to"]], model.direct.sequences.decoder, model.label_names)
        [['VB', 'TO']]
        """
        assert self.attributes is not None
        return self._table.tag(X, self.attributes, native_decoder, names)

    def tag_arrow(self, words: ArrowWords, native_decoder: object) -> tuple[Ints, Longs]:
        """The ids of the best labels of words in Arrow's buffers, and the first token of each row; see `WordTable`."""
        assert self.attributes is not None
        return self._table.tag_arrow(words, self.attributes, native_decoder)


def check_weights(weights: ArrayLike, count: int, name: str = "weights") -> Doubles:
    """Check that there is one weight >= 0 for each sequence; messages call them `name`.

    >>> check_weights([2, 0.5], 2)
    array([2. , 0.5])
    """
    try:
        array = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers: {error}") from None
    if array.shape != (count,):
        raise InputError(f"{name} must have one number for each of the {count} sequences, got the shape {array.shape}")
    wrong = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if len(wrong):
        raise InputError(f"{name}[{wrong[0]}] must be a finite number ≥ 0, got {array[wrong[0]]}")
    return array


def _edge_slots(edges: Iterable[object], tokens: Longs, known: Vocabulary, frozen: bool, gather: bool) -> Slots:
    """The slots of transitions; there must be as many entries as X has tokens."""
    (found, slots, occurrences, attribute, stop, position, value), *_ = encode_transitions(edges, known, frozen, gather)
    if len(found) != len(tokens):
        raise InputError(f"X has {len(tokens) - 1} sequences, but edges has {len(found) - 1}; give one list for each")
    if not np.array_equal(found, tokens):
        s = int(np.argmax(np.diff(found) != np.diff(tokens)))
        sizes = [int(offsets[s + 1] - offsets[s]) for offsets in (tokens, found)]
        raise InputError(
            f"X[{s}] has {sizes[0]} tokens, but edges[{s}] has {sizes[1]} entries; give one for each token"
        )
    return Slots(slots, occurrences, attribute, stop, position, value)


def _check_vocabularies(attributes: object, labels: object, edges: object) -> None:
    for name, given in (("attributes", attributes), ("labels", labels), ("edges", edges)):
        if given is not None and not isinstance(given, Vocabulary):
            called = "edge_attributes" if name == "edges" else name
            raise InputError(f"{called} must be a Vocabulary, such as model.{name}, got {type(given).__name__}")
    if edges is not None and edges is attributes:
        raise InputError("attributes and edge_attributes are the same Vocabulary; give each its own")


def _within(data: Dataset, labels: Vocabulary) -> Dataset:
    """The dataset, sealed, with UNKNOWN in place of each label that the label set lacks."""
    unseen = data.labels >= len(labels)
    if unseen.any():
        data = replace(data, labels=np.where(unseen, np.int32(UNKNOWN), data.labels))
    return data.seal()
