"""One dataset of several, sentence after sentence.

parts ─▶ offsets moved up, arrays one behind the other; places and values in the form that suits all parts
"""

from typing import Any

import numpy as np

from tagfield.data.dataset import Dataset, Floats, Longs, Places, Slots

MARK = np.uint32(1 << 15)  # of the last occurrence of a slot, in 16 bits


def join(parts: list[Dataset]) -> Dataset:
    """One dataset of several, whose ids mean the same.

    >>> from tagfield.data.encode import encode_sequences
    >>> one = encode_sequences([[["a"], ["b"]]], [["X", "Y"]]).dataset
    >>> both = join([one, one])
    >>> both.tokens.tolist(), both.slots.tolist(), both.attribute.tolist()
    ([0, 2, 4], [0, 2, 4], [0, 1, 0, 1])
    """
    if len(parts) == 1:
        return parts[0]
    return Dataset(
        tokens=_offsets([part.tokens for part in parts]),
        slots=_offsets([part.slots for part in parts]),
        occurrences=_offsets([part.occurrences for part in parts]),
        attribute=_flat([part.attribute for part in parts], np.int32),
        place=_places([part.place for part in parts]),
        value=_values([(part.value, len(part.place)) for part in parts]),
        labels=_flat([part.labels for part in parts], np.int32),
        weight=_flat([part.weight for part in parts], np.float64),
        edge_slots=_join_edges(parts),
    )


def widened(place: Places) -> Places:
    """Places of 32 bits, as sentences of more than 32,767 tokens need them: the mark moves to the top.

    >>> widened(np.array([7 | 1 << 15, 2], np.uint16)).tolist() == [7 | 1 << 31, 2]
    True
    """
    if place.dtype == np.uint32:
        return place
    wide = place.astype(np.uint32)
    return (wide & (MARK - np.uint32(1))) | ((wide & MARK) << np.uint32(16))


def _join_edges(parts: list[Dataset]) -> Slots | None:
    found = [part.edge_slots for part in parts]
    if all(edges is None for edges in found):
        return None
    full = [no_edges(len(part)) if edges is None else edges for part, edges in zip(parts, found, strict=True)]
    return Slots(
        _offsets([edges.slots for edges in full]),
        _offsets([edges.occurrences for edges in full]),
        _flat([edges.attribute for edges in full], np.int32),
        _flat([edges.stop for edges in full], np.int32),
        _flat([edges.position for edges in full], np.int32),
        _values([(edges.value, len(edges.position)) for edges in full]),
    )


def no_edges(sentences: int) -> Slots:
    """The slots of sentences without edge attributes.

    >>> no_edges(2).slots.tolist()
    [0, 0, 0]
    """
    nothing, none = np.zeros(sentences + 1, np.int64), np.empty(0, np.int32)
    return Slots(nothing, nothing, none, none, none)


def _offsets(parts: list[Longs]) -> Longs:
    sizes = [np.diff(part) for part in parts]
    return np.concatenate([[0], np.cumsum(np.concatenate([*sizes, np.empty(0, np.int64)]))]).astype(np.int64)


def _flat(parts: list[Any], kind: Any) -> Any:
    return np.concatenate([*parts, np.empty(0, kind)]).astype(kind, copy=False)


def _places(parts: list[Places]) -> Places:
    if any(place.dtype == np.uint32 for place in parts):
        return np.concatenate([widened(place) for place in parts])
    return np.concatenate([*parts, np.empty(0, np.uint16)])


def _values(parts: list[tuple[Floats | None, int]]) -> Floats | None:
    if all(value is None for value, _ in parts):
        return None
    return np.concatenate([np.ones(size, np.float32) if value is None else value for value, size in parts])
