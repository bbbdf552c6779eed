"""The sequences that a Trainer has been given: encoded at once, so that no dict is kept.

append(xseq, yseq, group) ─▶ encode ─▶ arrays of one sequence … ─▶ join, now and then ─▶ Encoded of some groups
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from tagfield.compat.pycrfsuite.items import ItemSequence, text_of
from tagfield.data.corpus.joining import join
from tagfield.data.dataset import Dataset
from tagfield.data.encode import Encoded, encode_sequences
from tagfield.errors import InputError
from tagfield.native._text import Vocabulary

TOGETHER = 1024  # sequences that are joined as soon as there are so many: arrays of their own take 2 KB each


class Corpus:
    """Sequences with their labels and groups.

    >>> corpus = Corpus()
    >>> corpus.append([["a"], {"b": 2}], ["X", "Y"], 0)
    >>> corpus.encoded([0]).gold_labels(), corpus.attributes.strings()
    ([['X', 'Y']], ['a', 'b'])
    """

    def __init__(self) -> None:
        self.attributes = Vocabulary()
        self.labels = Vocabulary()
        self.groups: list[int] = []
        self._joined: list[Dataset] = []
        self._recent: list[Dataset] = []

    def __len__(self) -> int:
        return len(self.groups)

    def append(self, xseq: Any, yseq: Iterable[Any], group: int) -> None:
        """Add one sequence; it is copied."""
        items = xseq if isinstance(xseq, list | tuple | ItemSequence) else list(xseq)
        names = [text_of(label) for label in yseq]
        if len(items) != len(names):
            raise ValueError(f"The numbers of items and labels differ: |x| = {len(items)}, |y| = {len(names)}")
        if not names:
            return
        part = encode_items(items, self.attributes)
        ids = np.array([self.labels.add(name) for name in names], np.int32)
        self._recent.append(replace(part, labels=ids))
        self.groups.append(int(group))
        if len(self._recent) == TOGETHER:
            self._joined.append(join(self._recent))
            self._recent = []

    def encoded(self, groups: Iterable[int]) -> Encoded:
        """The sequences of some groups, in the order in which they were appended."""
        wanted = set(groups)
        chosen = np.array([i for i, group in enumerate(self.groups) if group in wanted], np.int64)
        data = join([*self._joined, *self._recent])
        data = (data if len(chosen) == len(self) else data.take(chosen)).seal()
        return Encoded(data, self.attributes, self.labels, data.labels, self.labels)

    def check_names(self) -> None:
        """Raise InputError if a name cannot be stored in a file of CRFsuite."""
        for what, names in (("attribute", self.attributes), ("label", self.labels)):
            text, offsets = names.to_arrays()
            found = np.flatnonzero(text == 0)
            if len(found):
                name = names[int(np.searchsorted(offsets, found[0], side="right")) - 1]
                raise InputError(
                    f"the {what} {name[:60]!r} holds a NUL, which a CRFsuite model cannot store; rename it"
                )


def encode_items(xseq: Any, attributes: Vocabulary) -> Dataset:
    """One sequence in any form that python-crfsuite takes, encoded; new attributes are added to the vocabulary."""
    if not isinstance(xseq, ItemSequence):
        try:
            return encode_sequences([xseq], attributes=attributes, grow=True).dataset
        except (InputError, TypeError):
            xseq = ItemSequence(xseq)  # bytes, text as an item, numbers of NumPy; or it says what is wrong
    return encode_sequences([xseq.for_encoding()], attributes=attributes, grow=True).dataset
