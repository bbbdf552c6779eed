"""Dataset: labelled sequences as packed arrays, the one record that every room shares.

A sentence is stored by its *distinct* attributes ("slots"), each with the positions where it occurs. The natural
gradient needs this: the response f applies to an attribute's u summed over the whole sentence, so one slot is one
application of f and one update of one weight row.

    sentence s ─▶ tokens[s] .. tokens[s+1]            its positions; labels[...] the gold labels
               ─▶ slots[s] .. slots[s+1]              its distinct attributes
                      slot d ─▶ attribute[d]          attribute id
                             ─▶ occurrences[s] + (stop[d-1] .. stop[d])   where it occurs (stop is 0 before the first)
                                     position[n], value[n]

Slots of a sentence are ordered by (rank within the token, position): neighbours then touch different positions, so
summing scores does not wait on itself.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float32]
Doubles: TypeAlias = NDArray[np.float64]

UNKNOWN = -1  # a label that is not in the model's label set, or that nobody knows


@dataclass(frozen=True)
class Dataset:
    """S sentences, T tokens in all, D slots, N attribute occurrences."""

    tokens: Longs  # [S+1]  first token of each sentence
    slots: Longs  # [S+1]  first slot of each sentence
    occurrences: Longs  # [S+1]  first occurrence of each sentence
    attribute: Ints  # [D]    attribute id of each slot
    stop: Ints  # [D]    end of the slot's occurrences, counted from the sentence's first
    position: Ints  # [N]    position in the sentence
    value: Floats | None  # [N]    None where every value is 1
    labels: Ints  # [T]    label ids; UNKNOWN where the label is not in the label set
    weight: Doubles  # [S]    instance weights

    def __len__(self) -> int:
        return len(self.tokens) - 1
