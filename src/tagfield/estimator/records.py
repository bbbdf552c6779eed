"""Results in the form that sklearn-crfsuite gives them: lists for NumPy, and lines of `verbose=True`."""

from typing import Any

import numpy as np

from tagfield.train import Epoch


class SequenceList(list[Any]):
    """A list with one entry per sequence, which NumPy converts to a one-dimensional array of those entries.

    From a plain list, NumPy would try to make a two-dimensional array and fail, because the sequences differ in length;
    then scikit-learn's cross_val_predict would fail too.

    >>> np.concatenate([SequenceList([["A"], ["A", "B"]]), SequenceList([["B"]])]).tolist()
    [['A'], ['A', 'B'], ['B']]
    """

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = np.empty(len(self), dtype=object)
        array[:] = self[:]
        return array


def print_epoch(epoch: Epoch) -> None:
    """Print the line of `verbose=True` for one epoch."""
    line = f"Iter {epoch.number:<3d} time={epoch.seconds:<7.2f} loss={epoch.objective:<10.2f} "
    line += f"feature_norm={epoch.norm:<6.2f}"
    if epoch.scores is not None:
        line += f" accuracy={epoch.scores.accuracy:.4f}"
        line += f" F1={epoch.scores.f1:.4f}" if epoch.scores.has("f1") else ""
    print(line)
