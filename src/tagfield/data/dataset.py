"""Dataset: labelled sequences as packed arrays; every other module reads this record.

A sentence stores its *distinct* attributes ("slots"), each with the positions where it occurs. The natural gradient
needs this: it applies the response f to an attribute's u summed over the sentence, so each slot costs one call of f and
one update of one row of weights.

    sentence s ─▶ tokens[s] .. tokens[s+1]            its positions; labels[...] the gold labels
               ─▶ slots[s] .. slots[s+1]              its distinct attributes
                      slot d ─▶ attribute[d]          attribute id
               ─▶ occurrences[s] .. occurrences[s+1]  where they occur, slot after slot
                      place[n], value[n]              position, with the top bit set at the last occurrence of a slot

Slots of a sentence are sorted by (group, whether they occur several times, rank within the token, position), where the
group of an attribute is (id / 4) % 8: the kernels sum scores up by groups, so that threads can share the rows of
weights and give the same bits. Neighbouring slots touch different positions, and additions to the scores do not wait
for each other.

Edge attributes look at the input of a transition: each has a weight for (previous label, label). They have ids and
slots of their own, in `edge_slots`, at positions ≥ 1: the first token has no transition.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagfield.data.slots import Slots, last_of, places_of, spans_of
from tagfield.errors import InputError
from tagfield.native._text import renumber
from tagfield.system.arrays import Doubles, Floats, Ints, Longs, Places
from tagfield.system.contents import ByContent
from tagfield.system.html import facts
from tagfield.system.storage import load_tensors, save_tensors

__all__ = ["EDGES", "UNKNOWN", "Dataset", "Doubles", "Floats", "Ints", "Longs", "Places", "Slots", "read_only"]

EDGES = "edges."  # prefix of the arrays of edge attributes in a file
UNKNOWN = -1  # an unknown label: not given, or not in the model's label set


@dataclass(frozen=True, eq=False)
class Dataset(ByContent):
    """S sentences, T tokens in all, D slots, N attribute occurrences."""

    tokens: Longs  # [S+1]  first token of each sentence
    slots: Longs  # [S+1]  first slot of each sentence
    occurrences: Longs  # [S+1]  first occurrence of each sentence
    attribute: Ints  # [D]    attribute id of each slot
    place: Places  # [N]    position in the sentence; the top bit marks the last occurrence of a slot
    value: Floats | None  # [N]    None if every value is 1
    labels: Ints  # [T]    label ids, or UNKNOWN
    weight: Doubles  # [S]    instance weights
    edge_slots: Slots | None = None  # of edge attributes, at positions ≥ 1; None if there are none

    sealed = False  # whether all arrays are read-only; see `seal`

    def seal(self) -> "Dataset":
        """The dataset with read-only arrays, so that what the kernels have checked cannot change.

        Arrays over read-only memory, such as those of the readers and of mapped files, are kept; others are copied.

        >>> from tagfield.data.encode import encode_sequences
        >>> encode_sequences([[["a"]]], [["X"]]).dataset.labels[0] = 7
        Traceback (most recent call last):
        ValueError: assignment destination is read-only
        """
        if self.sealed:
            return self
        edges = None if self.edge_slots is None else Slots(**_sealed(self.edge_slots.arrays()))
        made = Dataset(**_sealed(self._own_arrays()), edge_slots=edges)
        object.__setattr__(made, "sealed", True)
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # unpickled arrays can be written to

    def __len__(self) -> int:
        return len(self.tokens) - 1

    def _own_arrays(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "edge_slots"}

    @property
    def position(self) -> Ints:
        """The position of each occurrence in its sentence [N], as a copy."""
        found: Ints = (self.place & (last_of(self.place) - 1)).astype(np.int32)
        return found

    @property
    def stop(self) -> Ints:
        """The end of the occurrences of each slot [D], relative to the first of its sentence; a copy."""
        ends = np.flatnonzero(self.place & last_of(self.place)) + 1
        if len(ends) != len(self.attribute):
            raise InputError(
                f"the dataset is inconsistent: it has {len(self.attribute)} slots, but {len(ends)} of its places are "
                "marked as the last of a slot; create datasets with encode_sequences"
            )
        return (ends - np.repeat(self.occurrences[:-1], np.diff(self.slots))).astype(np.int32)

    @property
    def states(self) -> Slots:
        """The slots of the attributes that have a weight for each label, with stops and positions; copies."""
        return Slots(self.slots, self.occurrences, self.attribute, self.stop, self.position, self.value)

    def sizes(self) -> list[tuple[str, int]]:
        """The number of sequences, tokens, slots and occurrences, by name."""
        parts = (len(self), len(self.labels), len(self.attribute), len(self.place))
        rows = list(zip(("sequences", "tokens", "attributes in sequences", "occurrences"), parts, strict=True))
        return (
            rows
            if self.edge_slots is None
            else [*rows, ("occurrences of edge attributes", len(self.edge_slots.position))]
        )

    def __repr__(self) -> str:
        return f"<Dataset: {', '.join(f'{size:,} {name}' for name, size in self.sizes())}>"

    def _repr_html_(self) -> str:
        return facts("Dataset", [(name, f"{size:,}") for name, size in self.sizes()])

    def sentence_of(self, token: int) -> int:
        """The sentence that a token is in."""
        return int(np.searchsorted(self.tokens, token, side="right")) - 1

    def first_unlabelled(self, gold: Ints | None = None) -> int | None:
        """The first sentence that has an UNKNOWN label (in `gold` [T], if given); None if every label is known.

        >>> from tagfield.data.encode import encode_sequences
        >>> data = encode_sequences([[["a"]], [["b"], ["c"]]], [["X"], ["Y", "X"]]).dataset
        >>> data.first_unlabelled(), data.first_unlabelled(np.array([0, 0, UNKNOWN]))
        (None, 1)
        """
        bare = np.flatnonzero((self.labels if gold is None else gold) == UNKNOWN)
        return self.sentence_of(int(bare[0])) if len(bare) else None

    def tokens_of(self, sentences: Longs) -> Longs:
        """The token indices of some sentences, in the given order."""
        return spans_of(self.tokens, sentences)[1]

    def take(self, sentences: Longs) -> "Dataset":
        """The dataset of some sentences, in the given order.

        >>> from tagfield.data.encode import encode_sequences
        >>> data = encode_sequences([[["a"]], [["b"], ["c"]]], [["X"], ["Y", "X"]]).dataset
        >>> part = data.take(np.array([1]))
        >>> part.labels.tolist(), part.attribute.tolist(), part.tokens.tolist()
        ([1, 0], [1, 2], [0, 2])
        """
        tokens, token = spans_of(self.tokens, sentences)
        slots, slot = spans_of(self.slots, sentences)
        occurrences, occurrence = spans_of(self.occurrences, sentences)
        return Dataset(
            tokens,
            slots,
            occurrences,
            self.attribute[slot],
            self.place[occurrence],
            None if self.value is None else self.value[occurrence],
            self.labels[token],
            self.weight[sentences],
            None if self.edge_slots is None else self.edge_slots.take(sentences),
        )

    def keep_attributes(self, keep: NDArray[np.bool_]) -> "Dataset":
        """The dataset with only the attributes in `keep` [A], which get new ids.

        >>> from tagfield.data.encode import encode_sequences
        >>> data = encode_sequences([[["a"], ["b", "c"]]], [["X", "Y"]]).dataset
        >>> data.keep_attributes(np.array([False, True, True])).attribute.tolist()
        [0, 1]
        """
        if not isinstance(keep, np.ndarray) or keep.dtype != bool or keep.ndim != 1:
            raise InputError(f"keep must be an array of bools, one for each attribute, got {type(keep).__name__}")
        ids = np.cumsum(keep, dtype=np.int64).astype(np.int32) - np.int32(1)
        ids[~keep] = -1
        return self.renumbered(ids)

    def renumbered(self, ids: Ints) -> "Dataset":
        """The dataset with the attribute ids[a] for each attribute a; −1 leaves it out. Slots are ordered by group.

        >>> from tagfield.data.encode import encode_sequences
        >>> data = encode_sequences([[["a"], ["b", "c"]]], [["X", "Y"]]).dataset
        >>> data.renumbered(np.array([16, -1, 0], np.int32)).attribute.tolist()
        [0, 16]
        """
        parts = renumber(self.slots, self.occurrences, self.attribute, self.place, self.value, ids)
        slots, occurrences, attribute, place, value = parts
        return replace(self, slots=slots, occurrences=occurrences, attribute=attribute, place=place, value=value)

    def keep_edges(self, keep: NDArray[np.bool_]) -> "Dataset":
        """The dataset with only the edge attributes in `keep` [E], which get new ids."""
        return self if self.edge_slots is None else replace(self, edge_slots=self.edge_slots.keep(keep))

    def slot_sizes(self) -> Longs:
        """The number of occurrences of each slot [D]."""
        return np.diff(np.flatnonzero(self.place & last_of(self.place)), prepend=-1)

    def to_arrays(self, prefix: str = "") -> dict[str, NDArray[Any]]:
        """The arrays by name, ready to be saved.

        >>> from tagfield.data.encode import encode_sequences
        >>> data = encode_sequences([[["a"], ["b"]]], [["X", "Y"]]).dataset
        >>> Dataset.from_arrays(data.to_arrays("train."), "train.").labels.tolist()
        [0, 1]
        """
        arrays = {f"{prefix}{name}": array for name, array in self._own_arrays().items()}
        if self.edge_slots is not None:
            arrays |= {f"{prefix}{EDGES}{name}": array for name, array in self.edge_slots.arrays().items()}
        return {name: array for name, array in arrays.items() if array is not None}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str = "") -> "Dataset":
        """The inverse of `to_arrays`; `open_corpus` checks the bounds."""
        found: dict[str, Any] = {field.name: arrays.get(f"{prefix}{field.name}") for field in fields(cls)}
        own: dict[str, Any] = {field.name: arrays.get(f"{prefix}{EDGES}{field.name}") for field in fields(Slots)}
        found["edge_slots"] = None if own["slots"] is None else Slots(**own)
        if found["place"] is None and f"{prefix}stop" in arrays:  # version 1
            names = {field.name: arrays.get(f"{prefix}{field.name}") for field in fields(Slots)}
            try:
                states, found["place"] = places_of(Slots(**names))  # type: ignore[arg-type]
            except (AttributeError, IndexError, TypeError, ValueError) as error:
                raise InputError(f"the dataset is inconsistent: {error}; encode the data again") from None
            found |= {name: getattr(states, name) for name in ("slots", "occurrences", "attribute", "value")}
        return cls(**found)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the arrays to one safetensors file; `Dataset.load` maps it."""
        save_tensors(path, self.to_arrays(), {"format": "tagfield dataset 2"})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Dataset":
        """Maps what `save` wrote, also in earlier versions."""
        return cls.from_arrays(load_tensors(path)[0])


def _sealed(arrays: dict[str, Any]) -> dict[str, Any]:
    return {name: None if array is None else read_only(array) for name, array in arrays.items()}


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The array over read-only memory: itself if it is so already, else a copy.

    >>> read_only(np.arange(2))[0] = 7
    Traceback (most recent call last):
    ValueError: assignment destination is read-only
    """
    base = array.base
    if not array.flags.writeable and (isinstance(base, bytes) or (isinstance(base, memoryview) and base.readonly)):
        return array
    return np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape)
