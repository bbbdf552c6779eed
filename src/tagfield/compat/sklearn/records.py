"""What training prints in the form of sklearn-crfsuite: the lines of `verbose=True`."""

from tagfield.train import Epoch


def print_epoch(epoch: Epoch) -> None:
    """Print the line of `verbose=True` for one epoch."""
    line = f"Iter {epoch.number:<3d} time={epoch.seconds:<7.2f} loss={epoch.objective:<10.2f} "
    line += f"feature_norm={epoch.norm:<6.2f}"
    if epoch.scores is not None:
        line += f" accuracy={epoch.scores.accuracy:.4f}"
        line += f" F1={epoch.scores.f1:.4f}" if epoch.scores.has("f1") else ""
    print(line)
