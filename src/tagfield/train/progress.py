"""What a trainer tells while it runs, and when it should stop.

The library calls back and logs; only commands print. A callback gets an `Epoch` after every pass and may return True
to stop there: the best weights so far are kept.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tagfield.evaluate import Scores


@dataclass(frozen=True)
class Epoch:
    """One pass over the data, or one iteration of L-BFGS."""

    number: int
    objective: float  # NLL (along the pass, for stochastic recipes) + c2·‖θ‖²; PA: the summed loss
    seconds: float  # since training started, without the time that scoring took
    norm: float = 0.0  # ‖θ‖
    rate: float | None = None  # λ̂ of a stochastic recipe
    scores: Scores | None = None  # on the held-out data
    watched: Mapping[str, Scores] = field(default_factory=dict)  # on whatever else is scored along the way
    best: bool = False  # the weights that would be kept if training ended here
    note: str = ""

    def to_dict(self) -> dict[str, object]:
        """For a log line: numbers only.

        >>> Epoch(1, 2.5, 0.1).to_dict()["objective"]
        2.5
        """
        row: dict[str, object] = {"epoch": self.number, "objective": self.objective, "seconds": self.seconds}
        row |= {"norm": self.norm, "best": self.best}
        if self.rate is not None:
            row["rate"] = self.rate
        if self.note:
            row["note"] = self.note
        if self.scores is not None:
            row |= {"accuracy": self.scores.accuracy, "f1": self.scores.f1}
            row |= {"precision": self.scores.precision, "recall": self.scores.recall}
            row |= {"sequence_accuracy": self.scores.sequence_accuracy, "macro_f1": self.scores.macro_f1}
        for name, scores in self.watched.items():
            row |= {f"{name}_accuracy": scores.accuracy, f"{name}_f1": scores.f1}
        return row


OnEpoch: TypeAlias = Callable[[Epoch], bool | None]


@dataclass
class Stopping:
    """CRFsuite's rule: stop when the objective is not `delta` (relative) below the one `period` epochs earlier.

    >>> rule = Stopping(period=2, delta=0.01)
    >>> [rule.add(x) for x in (10.0, 8.0, 7.0, 6.99, 6.98)]
    [False, False, False, False, True]
    """

    period: int = 10
    delta: float = 1e-6
    seen: list[float] = field(default_factory=list)

    def add(self, objective: float) -> bool:
        self.seen.append(objective)
        if self.period <= 0 or len(self.seen) <= self.period:
            return False
        before = self.seen[-1 - self.period]
        return before - objective < self.delta * abs(objective)
