"""The log of a training run with the names and the arithmetic of CRFsuite's, as python-crfsuite's log parser gives it.

    Epoch(objective, norm, figures, scores) ─▶ iteration_of ─▶ {num, loss, feature_norm, error_norm, …, scores, avg_f1}
    all epochs ─▶ TrainingLog ─▶ CRF.training_log_, and whatever prints a log in CRFsuite's words

CRFsuite counts tokens by label: a label that the held-out data does not have gets no figures, but the macro averages
divide by the number of all labels. `scores` has a label unless it was only predicted, as in python-crfsuite.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from tagfield.evaluate import Scores
from tagfield.evaluate.scores import Tally
from tagfield.train.loop.history import Epoch

NOTHING = Tally(0, 0, 0)
RENAMED = {"epoch": "num", "loss": "token_loss", "objective": "loss", "norm": "feature_norm"}


class LabelScore(NamedTuple):
    """The counts of a label, and its figures; None where the held-out data does not have the label."""

    match: int
    model: int
    ref: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class TrainingLog:
    """A training run in python-crfsuite's words.

    >>> log = TrainingLog(iterations_of([Epoch(1, 2.0, 0.5, norm=1.0), Epoch(2, 1.5, 0.75)], ["X"]), 3)
    >>> log.last_iteration["loss"], log.last_iteration["time"], log.featgen_num_features, log.training_seconds
    (1.5, 0.25, 3, 0.75)
    """

    iterations: list[dict[str, Any]]  # one for each pass
    featgen_num_features: int
    featgen_seconds: float | None = None  # what finding the features took
    storing_seconds: float | None = None  # what building the model, and saving it, took
    featgen_percent: int = 100

    @property
    def last_iteration(self) -> dict[str, Any] | None:
        """The last entry of `iterations`, or None."""
        return self.iterations[-1] if self.iterations else None

    @property
    def training_seconds(self) -> float | None:
        """What all passes took together."""
        return None if self.last_iteration is None else self.last_iteration["seconds"]


def iterations_of(
    epochs: Iterable[Epoch], labels: Sequence[str], named: Callable[[str], Any] = str
) -> list[dict[str, Any]]:
    """One dict for each epoch: num, time, loss (the objective), feature_norm, what else its trainer knows, scores.

    labels: those of the training data
    named: from a label's name to the label, as the keys of `scores`

    >>> iterations_of([Epoch(1, 2.0, 0.5, loss=0.1)], [])[0]["token_loss"]
    0.1
    """
    found, before = [], 0.0
    for epoch in epochs:
        row = {RENAMED.get(key, key): value for key, value in epoch.to_dict().items()}
        row |= {"time": epoch.seconds - before, "scores": {}}
        before = epoch.seconds
        if epoch.scores is not None:
            row |= held_out_figures(epoch.scores, labels, named)
        found.append(row)
    return found


def held_out_figures(scores: Scores, labels: Sequence[str], named: Callable[[str], Any] = str) -> dict[str, Any]:
    """Scores on held-out data as CRFsuite counts them.

    >>> scores = Scores(Tally(1, 1, 0), Tally(3, 3, 2), {"X": Tally(2, 1, 1), "Y": Tally(1, 2, 1)}, None, {}, "labels")
    >>> found = held_out_figures(scores, ["X", "Y", "Z"])
    >>> found["scores"]["X"], found["item_accuracy"]
    (LabelScore(match=1, model=1, ref=2, precision=1.0, recall=0.5, f1=0.6666666666666666), Fraction(2, 3))
    >>> round(found["avg_precision"], 4)  # (1 + 1/2 + nothing) / 3
    0.5
    """
    every = [*labels, *(name for name in scores.labels if name not in set(labels))]
    tallies = {name: scores.labels.get(name, NOTHING) for name in every}
    by_label = {
        named(name): LabelScore(t.correct, t.predicted, t.gold, t.precision, t.recall, t.f1)
        if t.gold
        else LabelScore(0, 0, 0, None, None, None)
        for name, t in tallies.items()
        if t.gold or not t.predicted
    }
    counted = [t for t in tallies.values() if t.gold]
    size = max(1, len(every))
    items, instances = (Fraction(t.correct, max(1, t.gold)) for t in (scores.tokens, scores.sequences))
    return {
        "scores": by_label,
        "avg_precision": sum(t.precision for t in counted) / size,
        "avg_recall": sum(t.recall for t in counted) / size,
        "avg_f1": sum(t.f1 for t in counted) / size,
        "item_accuracy": items,
        "item_accuracy_float": float(items),
        "instance_accuracy": instances,
        "instance_accuracy_float": float(instances),
    }
