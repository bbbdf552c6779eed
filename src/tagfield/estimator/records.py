"""What training reports in the form that sklearn-crfsuite gives it: `training_log_`, lines of `verbose=True`."""

from dataclasses import dataclass
from typing import Any

from tagfield.train import Epoch


@dataclass(frozen=True)
class TrainingLog:
    """`training_log_`: the fields of python-crfsuite's log parser that tagfield can fill.

    >>> log = TrainingLog([{"epoch": 1, "objective": 2.0, "seconds": 0.5, "norm": 1.0}], 3)
    >>> log.last_iteration["loss"], log.featgen_num_features
    (2.0, 3)
    """

    epochs: list[dict[str, Any]]
    featgen_num_features: int

    @property
    def iterations(self) -> list[dict[str, Any]]:
        """One dict per epoch: num, time, loss (objective), token_loss, feature_norm, and scores on held-out data."""
        renamed = {"epoch": "num", "loss": "token_loss", "objective": "loss", "norm": "feature_norm"}
        found = [{renamed.get(key, key): value for key, value in epoch.items()} for epoch in self.epochs]
        before = 0.0
        for epoch in found:
            epoch["time"], before = epoch["seconds"] - before, epoch["seconds"]
        return found

    @property
    def last_iteration(self) -> dict[str, Any] | None:
        """The last entry of `iterations`, or None."""
        return self.iterations[-1] if self.epochs else None


def print_epoch(epoch: Epoch) -> None:
    """Print the line of `verbose=True` for one epoch."""
    line = f"Iter {epoch.number:<3d} time={epoch.seconds:<7.2f} loss={epoch.objective:<10.2f} "
    line += f"feature_norm={epoch.norm:<6.2f}"
    if epoch.scores is not None:
        line += f" accuracy={epoch.scores.accuracy:.4f}"
        line += f" F1={epoch.scores.f1:.4f}" if epoch.scores.has("f1") else ""
    print(line)
