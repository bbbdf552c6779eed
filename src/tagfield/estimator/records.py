"""What a training run leaves behind, in the shapes that sklearn-crfsuite's users read."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tagfield.train import Epoch


class Rows(list[Any]):
    """A list with an entry for each sequence, which NumPy takes for an array of those entries.

    Without this, NumPy would look into the sequences, find that their lengths differ, and give up; so would
    scikit-learn's cross_val_predict.

    >>> np.concatenate([Rows([["A"], ["A", "B"]]), Rows([["B"]])]).tolist()
    [['A'], ['A', 'B'], ['B']]
    """

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = np.empty(len(self), dtype=object)
        array[:] = self[:]
        return array


@dataclass(frozen=True)
class TrainingLog:
    """`training_log_`: python-crfsuite's log parser, as far as there is something to tell.

    >>> log = TrainingLog([{"epoch": 1, "objective": 2.0, "seconds": 0.5, "norm": 1.0}], 3)
    >>> log.last_iteration["loss"], log.featgen_num_features
    (2.0, 3)
    """

    rows: list[dict[str, Any]]
    featgen_num_features: int

    @property
    def iterations(self) -> list[dict[str, Any]]:
        """One dict for each pass: num, time, loss, feature_norm, and the scores on held-out data."""
        renamed = {"epoch": "num", "objective": "loss", "norm": "feature_norm"}
        rows = [{renamed.get(key, key): value for key, value in row.items()} for row in self.rows]
        before = 0.0
        for row in rows:
            row["time"], before = row["seconds"] - before, row["seconds"]
        return rows

    @property
    def last_iteration(self) -> dict[str, Any] | None:
        return self.iterations[-1] if self.rows else None


def print_epoch(epoch: Epoch) -> None:
    """The line of `verbose=True`."""
    line = f"Iter {epoch.number:<3d} time={epoch.seconds:<7.2f} loss={epoch.objective:<10.2f} "
    line += f"feature_norm={epoch.norm:<6.2f}"
    if epoch.scores is not None:
        line += f" accuracy={epoch.scores.accuracy:.4f} F1={epoch.scores.f1:.4f}"
    print(line)
