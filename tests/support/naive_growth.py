"""Growing a feature set, feature by feature: the twin of `grow`.

union of the features of both; the old weight where there was one, 0 where a feature is new
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Sparse:
    """The features that exist, by name, and their weights."""

    state: dict[tuple[int, int], float]  # (attribute, label)
    trans: dict[tuple[int, int], float]  # (label before, label)

    @classmethod
    def of(cls, present: tuple[np.ndarray, np.ndarray], weights: tuple[np.ndarray, np.ndarray]) -> "Sparse":
        """From masks and weights, [A, L] and [L, L] each."""
        found: list[dict[tuple[int, int], float]] = []
        for mask, values in zip(present, weights, strict=True):
            found.append({})
            for row in range(mask.shape[0]):
                for y in range(mask.shape[1]):
                    if mask[row, y]:
                        found[-1][row, y] = float(values[row, y])
        return cls(*found)


def grow(old: Sparse, new: Sparse) -> Sparse:
    return Sparse(
        {name: old.state.get(name, 0.0) for name in old.state.keys() | new.state.keys()},
        {name: old.trans.get(name, 0.0) for name in old.trans.keys() | new.trans.keys()},
    )
