"""Slots: the distinct attributes of sentences with the places where they occur, and the two forms of those places.

stop [D], position [N]   int32; Slots, which edge attributes have
place [N]                uint16 or uint32: the position, and in the top bit a mark on the last occurrence of a slot
"""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagfield.errors import InputError
from tagfield.system.arrays import Floats, Ints, Longs, Places
from tagfield.system.contents import ByContent

MOST_TOKENS = 32_767  # of a sentence, for places of 16 bits


@dataclass(frozen=True, eq=False)
class Slots(ByContent):
    """The distinct attributes of S sentences: D slots with N occurrences in all."""

    slots: Longs  # [S+1]  first slot of each sentence
    occurrences: Longs  # [S+1]  first occurrence of each sentence
    attribute: Ints  # [D]    attribute id of each slot
    stop: Ints  # [D]    end of the slot's occurrences, relative to the sentence's first
    position: Ints  # [N]    position in the sentence
    value: Floats | None = None  # [N]    None if every value is 1

    def arrays(self) -> dict[str, Any]:
        """The arrays by name; None where every value is 1."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def sizes(self) -> Longs:
        """The number of occurrences of each slot [D]."""
        start = np.zeros(len(self.stop), np.int64)
        start[1:] = self.stop[:-1]
        start[self.slots[:-1][np.diff(self.slots) > 0]] = 0
        return self.stop - start

    def sentences(self) -> Longs:
        """The sentence of each occurrence [N]."""
        return np.repeat(np.arange(len(self.occurrences) - 1), np.diff(self.occurrences))

    def take(self, sentences: Longs) -> "Slots":
        """The slots of some sentences, in the given order."""
        slots, slot = spans_of(self.slots, sentences)
        occurrences, occurrence = spans_of(self.occurrences, sentences)
        value = None if self.value is None else self.value[occurrence]
        return Slots(slots, occurrences, self.attribute[slot], self.stop[slot], self.position[occurrence], value)

    def keep(self, keep: NDArray[np.bool_]) -> "Slots":
        """The slots of the attributes in `keep` [A], which get new ids."""
        renumbered = np.cumsum(keep, dtype=np.int64).astype(np.int32) - np.int32(1)
        kept = self.keep_occurrences(np.repeat(keep[self.attribute], self.sizes()))
        return replace(kept, attribute=renumbered[kept.attribute])

    def keep_occurrences(self, keep: NDArray[np.bool_]) -> "Slots":
        """Some of the occurrences [N], and the slots that still have one."""
        sizes = self.sizes()
        counted = np.concatenate([[0], np.cumsum(keep, dtype=np.int64)])  # kept before each occurrence
        ends = np.cumsum(sizes)
        size = counted[ends] - counted[ends - sizes]
        alive = size > 0
        occurrences = counted[self.occurrences]
        sentence = np.repeat(np.arange(len(self.slots) - 1), np.diff(self.slots))
        stop = counted[ends] - occurrences[:-1][sentence]
        return Slots(
            slots=np.concatenate([[0], np.cumsum(alive)]).astype(np.int64)[self.slots],
            occurrences=occurrences.astype(np.int64),
            attribute=self.attribute[alive],
            stop=stop[alive].astype(np.int32),
            position=self.position[keep],
            value=None if self.value is None else self.value[keep],
        )


def last_of(place: Places) -> Any:
    """The top bit of a place."""
    return place.dtype.type(1 << (8 * place.itemsize - 1))


def places_of(states: Slots) -> tuple[Slots, Places]:
    """Slots without those that never occur, and the places of the others."""
    sizes = states.sizes()
    if (sizes < 0).any() or sizes.sum() != len(states.position):
        raise ValueError("the stops of the slots do not cover the occurrences")
    if (sizes == 0).any():
        states = states.keep_occurrences(np.ones(len(states.position), bool))
        sizes = states.sizes()
    longest = int(states.position.max(initial=0)) + 1
    if longest > 2**31 or (states.position < 0).any():
        raise ValueError("a position is out of bounds")
    place: Any = states.position.astype(np.uint16 if longest <= MOST_TOKENS else np.uint32)
    place[np.cumsum(sizes) - 1] |= last_of(place)
    return states, place


def spans_of(offsets: Longs, sentences: Longs) -> tuple[Longs, Longs]:
    """New offsets for some sentences, and the indices of their entries."""
    try:
        sizes = np.diff(offsets)[sentences]
    except (IndexError, OverflowError, TypeError, ValueError) as error:
        raise InputError(
            f"sentences must be an array of indices between 0 and {len(offsets) - 2}, "
            f"got {type(sentences).__name__}: {error}"
        ) from None
    ends = np.cumsum(sizes)
    which = np.repeat(offsets[:-1][sentences] - (ends - sizes), sizes) + np.arange(int(ends[-1]) if len(ends) else 0)
    return np.concatenate([[0], ends]).astype(np.int64), which
