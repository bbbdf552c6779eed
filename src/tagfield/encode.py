"""Attribute strings and labels → ids → Dataset.

    files ──────────▶ columns.py (templates) or item lines ─┐
    Python objects ─▶ lists of strings, or dicts ───────────┴─▶ Encoded: Dataset, attributes, labels

With vocabularies given, nothing new is learned: an unknown attribute is left out, and an unknown gold label
is UNKNOWN in the Dataset while its name is still known to `Encoded`, so that evaluation can count it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tagfield._text import ItemEncoder, Vocabulary, encode_objects
from tagfield.dataset import UNKNOWN, Dataset, Doubles, Ints, Longs
from tagfield.errors import InputError
from tagfield.text.columns import Origins, Packed, read_columns
from tagfield.text.items import ItemSequence, Token
from tagfield.text.presets import load_template
from tagfield.text.sources import PathLike, Source, open_sources
from tagfield.text.templates import Template

Format: TypeAlias = Literal["columns", "items"]

__all__ = ["Encoded", "Format", "Vocabulary", "encode_files", "encode_sequences", "encode_sources"]


@dataclass(frozen=True)
class Encoded:
    """A Dataset with the names of its ids, and where its sentences came from."""

    dataset: Dataset
    attributes: Vocabulary
    labels: Vocabulary  # the label set; gold labels beyond it are UNKNOWN in the dataset
    gold: Ints  # [T]  ids in `names`, UNKNOWN where there is no gold label
    names: Vocabulary  # the label set, then the gold labels that it lacks
    template: Template | None = None
    origins: Origins | None = None

    def __len__(self) -> int:
        return len(self.dataset)

    @property
    def labelled(self) -> bool:
        """Whether every token has a gold label."""
        return bool((self.gold != UNKNOWN).all())

    @property
    def unseen_labels(self) -> list[str]:
        """Gold labels that are not in the label set."""
        return self.names.strings()[len(self.labels) :]

    def take(self, sentences: Longs) -> "Encoded":
        """Some of the sequences, by index.

        >>> encoded = encode_sequences([[["a"]], [["b"], ["c"]]], [["X"], ["X", "Y"]])
        >>> encoded.take(np.array([1])).gold_labels()
        [['X', 'Y']]
        """
        gold, origins = self.gold[self.dataset.tokens_of(sentences)], self.origins
        if origins is not None:
            places = {name: getattr(origins, name) for name in ("file", "line", "begin", "end")}
            origins = replace(
                origins, **{name: ids[sentences] for name, ids in places.items() if ids is not None}
            )
        return replace(self, dataset=self.dataset.take(sentences), gold=gold, origins=origins)

    def gold_labels(self) -> list[list[str]]:
        """The gold labels by name, for each sentence; empty strings where there is none."""
        names = [*self.names.strings(), ""]  # UNKNOWN is the last one
        flat = [names[label] for label in self.gold.tolist()]
        return [flat[start:end] for start, end in pairwise(self.dataset.tokens.tolist())]

    def where(self, sentence: int) -> str:
        """File and line of a sentence, or its index, for messages."""
        return self.origins.where(sentence) if self.origins else f"sequence {sentence}"

    def lines(self, sentence: int) -> list[str]:
        """The lines of a sentence as they stand in its column file."""
        if self.origins is None:
            raise InputError("these sequences came from Python objects, not from a file")
        return self.origins.lines(sentence)

    def sequences(self) -> Iterator[ItemSequence]:
        """Back to strings, sentence by sentence, as `write_items` takes them.

        Within a token the attributes stand in the order of the sentence's slots, not of the input.
        """
        data = self.dataset
        for s, labels in enumerate(self.gold_labels()):
            tokens: list[Token] = [[] for _ in labels]
            base = int(data.occurrences[s])
            start = base
            for d in range(data.slots[s], data.slots[s + 1]):
                name = self.attributes[int(data.attribute[d])]
                end = base + int(data.stop[d])
                for n in range(start, end):
                    value = 1.0 if data.value is None else float(data.value[n])
                    tokens[data.position[n]].append((name, value))
                start = end
            yield ItemSequence(tokens, labels, float(data.weight[s]), self.where(s))


def encode_files(
    paths: PathLike | Iterable[PathLike],
    *,
    template: Template | PathLike = "chunking",
    columns: str | None = None,
    format: Format = "columns",
    attributes: Vocabulary | None = None,
    labels: Vocabulary | None = None,
) -> Encoded:
    """Encodes column files (CoNLL) or item files (CRFsuite); `-` is standard input, .gz is decompressed.

    template, columns: for column files; a preset, a CRF++ template file or a Template, and the roles
    attributes, labels: vocabularies of a model; without them new ones are learned, every token needs a label

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.txt")
    >>> _ = path.write_text("The DT B-NP\\ndog NN I-NP\\n\\nBark VB B-VP\\n")
    >>> encoded = encode_files(path)
    >>> len(encoded), encoded.labels.strings(), encoded.attributes.strings()[:2]
    (2, ['B-NP', 'I-NP', 'B-VP'], ['w[0]=The', 'w[1]=dog'])
    """
    return encode_sources(
        open_sources(paths),
        template=template,
        columns=columns,
        format=format,
        attributes=attributes,
        labels=labels,
    )


def encode_sources(
    sources: list[Source],
    *,
    template: Template | PathLike = "chunking",
    columns: str | None = None,
    format: Format = "columns",
    attributes: Vocabulary | None = None,
    labels: Vocabulary | None = None,
) -> Encoded:
    """`encode_files` for text that is already in memory.

    >>> encode_sources([Source("tiny", b"NN\\tw=dog\\n")], format="items").attributes.strings()
    ['w=dog']
    """
    known = Vocabulary() if attributes is None else attributes
    names = Vocabulary() if labels is None else labels.copy()
    frozen = attributes is not None
    settled: Template | None = None
    weights: Doubles | None = None
    if format == "columns":
        plan = load_template(template)
        plan = plan.with_columns(columns) if columns is not None else plan
        data = read_columns(sources, plan, known, frozen, names)
        packed, gold, settled, origins = data.packed, data.gold, data.template, data.origins
    elif format == "items":
        encoder = ItemEncoder(known, frozen, names)
        for index, source in enumerate(sources):
            encoder.read(source.text, source.name, index)
        packed, gold, weights, file, line = encoder.finish()
        origins = Origins(sources, file, line)
    else:
        raise InputError(f"there is no format {format!r}; there are columns and items")
    if len(packed[0]) < 2:
        raise InputError(f"{sources[0].name}: the file holds no sequence")
    encoded = _assemble(packed, gold, weights, known, labels, names, settled, origins)
    bare = encoded.dataset.first_unlabelled(encoded.gold) if labels is None else None
    if bare is not None:
        raise InputError(
            f"{encoded.where(bare)}: the sequence has no labels; training needs one for each token"
        )
    return encoded


def encode_sequences(
    X: Iterable[object],
    y: Iterable[Iterable[str]] | None = None,
    *,
    weights: ArrayLike | None = None,
    attributes: Vocabulary | None = None,
    labels: Vocabulary | None = None,
    grow: bool = False,
    gather: bool = True,
) -> Encoded:
    """Encodes Python sequences: each token a list of attribute strings, or a dict as in python-crfsuite.

    In a dict {k: v}: a number is the attribute's value, True is 1, a string v makes the attribute `k:v`, and
    nested dicts, lists and sets make attributes `k:...`. X and y are any iterables; empty sequences are kept.
    With `grow`, new attributes are added to the given vocabulary instead of being left out. Training wants the
    occurrences of an attribute in a sequence together; where only scores are asked for, `gather=False` saves the time.

    >>> encoded = encode_sequences([[["w=The"], {"w": "dog", "length": 3}]], [["DT", "NN"]])
    >>> encoded.attributes.strings(), encoded.dataset.value.tolist()
    (['w=The', 'w:dog', 'length'], [1.0, 1.0, 3.0])
    """
    known = Vocabulary() if attributes is None else attributes
    names = Vocabulary() if labels is None else labels.copy()
    packed, gold = encode_objects(X, y, known, attributes is not None and not grow, names, gather)
    checked = None if weights is None else check_weights(weights, len(packed[0]) - 1)
    return _assemble(packed, None if y is None else gold, checked, known, labels, names)


def check_weights(weights: ArrayLike, count: int, name: str = "weights") -> Doubles:
    """One weight for each sequence, checked; `name` is what the user calls them.

    >>> check_weights([2, 0.5], 2)
    array([2. , 0.5])
    """
    try:
        array = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: not numbers: {error}") from None
    if array.shape != (count,):
        raise InputError(f"there are {count} sequences, but {name} has the shape {array.shape}")
    if not (np.isfinite(array) & (array >= 0)).all():
        bad = int(np.flatnonzero(~(np.isfinite(array) & (array >= 0)))[0])
        raise InputError(f"{name}[{bad}] is {array[bad]}; a weight is a finite number from 0 on")
    return array


def _assemble(
    packed: Packed,
    gold: Ints | None,
    weights: Doubles | None,
    attributes: Vocabulary,
    labels: Vocabulary | None,
    names: Vocabulary,
    template: Template | None = None,
    origins: Origins | None = None,
) -> Encoded:
    tokens = packed[0]
    known = names if labels is None else labels
    gold = np.full(int(tokens[-1]), UNKNOWN, np.int32) if gold is None else gold
    seen = gold if labels is None else np.where(gold < len(known), gold, np.int32(UNKNOWN))
    weights = np.ones(len(tokens) - 1) if weights is None else weights
    return Encoded(Dataset(*packed, seen, weights), attributes, known, gold, names, template, origins)
