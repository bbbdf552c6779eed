"""Twins of native/text/renumber.hpp and gather.hpp, on lists."""

from typing import Any

import numpy as np

from tagfield.data.dataset import Dataset

Slot = tuple[int, list[tuple[int, float]]]  # attribute, [(position, value)]


def slots_of(data: Dataset) -> list[list[Slot]]:
    """The slots of each sentence, read mark by mark."""
    top = 1 << (8 * data.place.itemsize - 1)
    found: list[list[Slot]] = []
    for s in range(len(data)):
        slots: list[Slot] = []
        n = int(data.occurrences[s])
        for d in range(int(data.slots[s]), int(data.slots[s + 1])):
            places = []
            while True:
                place = int(data.place[n])
                places.append((place & (top - 1), 1.0 if data.value is None else float(data.value[n])))
                n += 1
                if place & top:
                    break
            slots.append((int(data.attribute[d]), places))
        assert n == int(data.occurrences[s + 1])
        found.append(slots)
    return found


def renumbered(sentences: list[list[Slot]], ids: list[int]) -> list[list[Slot]]:
    """The slots with other ids, without those of id −1, in the order of their groups, those with one place first."""
    made = [[(ids[a], places) for a, places in slots if ids[a] >= 0] for slots in sentences]
    return [sorted(slots, key=lambda slot: (slot[0] // 4 % 8, len(slot[1]) > 1)) for slots in made]


def gathered(files: list[list[list[Any]]], order: list[int]) -> list[list[Any]]:
    """Ragged rows out of several files, in the order given."""
    rows = [row for file in files for row in file]
    return [rows[s] for s in order]


def ragged(rows: list[list[Any]], kind: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rows as offsets and one flat array."""
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return offsets, np.array([value for row in rows for value in row], kind)
