"""Encoded: a Dataset with the names of its ids, where its sentences stand, and what its files were taken for.

encode.py makes it; training, decoding and evaluation read it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tagfield.data.dataset import UNKNOWN, Dataset, Ints, Longs
from tagfield.data.text.formats.file_format import FileFormat
from tagfield.data.text.formats.items import ItemSequence, Token
from tagfield.data.text.formats.table import describe
from tagfield.data.text.lines import cells_in
from tagfield.data.text.records import WORD
from tagfield.data.text.sources import Locations
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.native._text import Vocabulary
from tagfield.system.contents import ByContent
from tagfield.system.html import facts, some


class Unknown(NamedTuple):
    """Attributes that a model's vocabulary lacks."""

    occurrences: int = 0
    some: tuple[str, ...] = ()  # the first three


NONE_UNKNOWN = Unknown()


@dataclass(frozen=True, eq=False)
class Encoded(ByContent):
    """A Dataset with the names of its ids, and where its sentences came from."""

    dataset: Dataset
    attributes: Vocabulary
    labels: Vocabulary  # the label set; gold labels beyond it are UNKNOWN in the dataset
    gold: Ints  # [T]  ids in `names`, UNKNOWN where there is no gold label
    names: Vocabulary  # the label set, then the gold labels that it lacks
    template: Template | None = None
    locations: Locations | None = None
    unknown: Unknown = NONE_UNKNOWN  # given attributes that were left out
    form: FileFormat | None = None  # what the first file was taken for
    edges: Vocabulary | None = None  # edge attributes: they look at the input of a transition

    def __len__(self) -> int:
        return len(self.dataset)

    def _facts(self) -> list[tuple[str, str]]:
        rows = [("sequences", f"{len(self):,}"), ("tokens", f"{len(self.gold):,}")]
        rows += [("labels", f"{len(self.labels):,}"), ("attributes", f"{len(self.attributes):,}")]
        rows += [("edge attributes", f"{len(self.edges):,}")] if self.edges is not None else []
        return rows + ([("template", self.template.name)] if self.template is not None else [])

    def __repr__(self) -> str:
        words = [f"{name} {text}" if name == "template" else f"{text} {name}" for name, text in self._facts()]
        return f"<Encoded: {', '.join(words)}>"

    def _repr_html_(self) -> str:
        rows = self._facts()
        rows[2] = ("labels", f"{rows[2][1]}: {some(self.labels)}")
        rows[3] = ("attributes", f"{rows[3][1]}: {some(self.attributes)}")
        return facts("Encoded", rows)

    @property
    def tokens(self) -> int:
        """How many tokens there are."""
        return int(self.dataset.tokens[-1])

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

        >>> from tagfield.data.encode import encode_sequences
        >>> encoded = encode_sequences([[["a"]], [["b"], ["c"]]], [["X"], ["X", "Y"]])
        >>> encoded.take(np.array([1])).gold_labels()
        [['X', 'Y']]
        """
        gold, locations = self.gold[self.dataset.tokens_of(sentences)], self.locations
        if locations is not None:
            places = {name: getattr(locations, name) for name in ("file", "line", "begin", "end")}
            locations = replace(locations, **{name: ids[sentences] for name, ids in places.items() if ids is not None})
        return replace(self, dataset=self.dataset.take(sentences), gold=gold, locations=locations)

    def gold_labels(self) -> list[list[str]]:
        """The gold labels of each sentence by name; an empty string where the label is not known."""
        names = [*self.names.strings(), ""]  # UNKNOWN is −1, the last one
        flat = [names[label] for label in self.gold.tolist()]
        return [flat[start:end] for start, end in pairwise(self.dataset.tokens.tolist())]

    def describe(self) -> str:
        """What the first file was taken for, and how many labels there are."""
        return "" if self.form is None else describe(self.form, len(self.names))

    def where(self, sentence: int) -> str:
        """File and line of a sentence, or its index, for messages."""
        return self.locations.where(sentence) if self.locations else f"sequence {sentence}"

    def lines(self, sentence: int) -> list[str]:
        """The lines of a sentence, as they stand in its column file."""
        if self.locations is None:
            raise InputError("only column files have lines, but these sequences came from Python objects")
        return self.locations.lines(sentence)

    def words(self, sentence: int) -> list[str] | None:
        """The words of a sentence of a plain column file: its column `w`, or else the first; None for other data.

        >>> from tagfield.data.encode import encode_files
        >>> from tagfield.data.text.sources import Source
        >>> encode_files(Source("tiny.txt", b"The DT B-NP\\ndog NN I-NP\\n")).words(0)
        ['The', 'dog']
        """
        if self.locations is None or self.locations.begin is None:
            return None
        roles = () if self.form is None else self.form.roles
        column = roles.index(WORD) if WORD in roles else 0
        rows = [cells_in(line) for line in self.lines(sentence)]
        found = [row[column] for row in rows if len(row) > column]
        return found if len(found) == self.dataset.tokens[sentence + 1] - self.dataset.tokens[sentence] else None

    def sequences(self) -> Iterator[ItemSequence]:
        """Back to strings, sentence by sentence, as `write_items` takes them.

        Within a token, attributes come in the order of the sentence's slots, which may differ from the input.
        """
        data = self.dataset
        if data.edge_slots is not None:
            raise InputError("item lines cannot hold edge attributes; use a template, or sequences without them")
        stop, position = data.stop, data.position
        for s, labels in enumerate(self.gold_labels()):
            tokens: list[Token] = [[] for _ in labels]
            base = int(data.occurrences[s])
            start = base
            for d in range(data.slots[s], data.slots[s + 1]):
                name = self.attributes[int(data.attribute[d])]
                end = base + int(stop[d])
                for n in range(start, end):
                    value = 1.0 if data.value is None else float(data.value[n])
                    tokens[position[n]].append((name, value))
                start = end
            yield ItemSequence(tokens, labels, float(data.weight[s]), self.where(s))


def same_vocabulary(one: Vocabulary, other: Vocabulary) -> bool:
    """Whether two vocabularies give every string the same id; takes milliseconds for two distinct objects.

    >>> same_vocabulary(Vocabulary(["a", "b"]), Vocabulary(["a", "b"])), same_vocabulary(Vocabulary(), Vocabulary("a"))
    (True, False)
    """
    if one is other or len(one) != len(other):
        return one is other
    (text, offsets), (other_text, other_offsets) = one.to_arrays(), other.to_arrays()
    return np.array_equal(offsets, other_offsets) and np.array_equal(text, other_text)
