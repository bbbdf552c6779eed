"""Reads the messages of a training run: the figures of each iteration, and what has just happened.

    start ─▶ featgen_progress … ─▶ featgen_end ─▶ prepared ─▶ iteration … ─▶ optimization_end ─▶ end
                                              └─▶ prepare_error, if there is nothing to optimise

It reads CRFsuite's own logs, and those that tagfield writes in the same words (messages.py).
"""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

HEAD = re.compile(r"\*\*\*\*\* (?:Iteration|Epoch) #(\d+) \*\*\*\*\*")
LABEL = re.compile(
    r"    (?P<label>.*): \((?P<match>\d+), (?P<model>\d+), (?P<ref>\d+)\) "
    r"\((?P<precision>[\d.]+), (?P<recall>[\d.]+), (?P<f1>[\d.]+)\)\n?"
)
MACRO = re.compile(r"Macro-average precision, recall, F1: \(([\d.]+), ([\d.]+), ([\d.]+)\)")
ACCURACY = re.compile(r"(Item|Instance) accuracy: (\d+) / (\d+)")
SECONDS = re.compile(r"Seconds required: ([\d.]+)")
FIGURES: dict[str, tuple[str, Callable[[str], float]]] = {  # start of the line: key, type
    "Loss": ("loss", float),
    "Feature norm": ("feature_norm", float),
    "Error norm": ("error_norm", float),
    "Active features": ("active_features", int),
    "Line search trials": ("linesearch_trials", int),
    "Line search step": ("linesearch_step", float),
    "Seconds required for this iteration": ("time", float),
}


class LabelScore(NamedTuple):
    """Counts and scores of one label on the held-out group."""

    match: int
    model: int
    ref: int
    precision: float
    recall: float
    f1: float


class TrainLogParser:
    """Feed it the messages one by one.

    >>> parser = TrainLogParser()
    >>> parser.feed("Feature generation\\n"), parser.feed("0"), parser.feed("Number of features: 7\\n")
    ('start', 'featgen_progress', None)
    >>> parser.feed("Seconds required: 0.1\\n"), parser.featgen_num_features, parser.featgen_seconds
    ('featgen_end', 7, 0.1)
    >>> for line in ("***** Iteration #1 *****\\n", "Loss: 2.5\\n", "\\n"):
    ...     event = parser.feed(line)
    >>> event, parser.last_iteration, parser.last_log
    ('iteration', {'num': 1, 'scores': {}, 'loss': 2.5}, '***** Iteration #1 *****\\nLoss: 2.5\\n\\n')
    """

    def __init__(self) -> None:
        self.state: str | None = None
        self.featgen_percent = -2
        self.featgen_num_features: int | None = None
        self.featgen_seconds: float | None = None
        self.training_seconds: float | None = None
        self.storing_seconds: float | None = None
        self.iterations: list[dict[str, Any]] = []
        self.last_iteration: dict[str, Any] | None = None
        self.log: list[str] = []
        self.events: list[tuple[str, int, int]] = []  # name, first message, end

    def feed(self, line: str) -> str | None:
        """Take one message; returns the event that it completes, or None."""
        self.log.append(line)
        handle = getattr(self, f"handle_{self.state or 'STARTING'}")
        event: str | None = handle(line)
        if event is not None:
            start = self.events[-1][2] if self.events else 0
            opens = event in ("prepared", "optimization_end")  # this line already belongs to what follows
            self.events.append((event, start, len(self.log) - opens))
        return event

    @property
    def last_log(self) -> str | None:
        """The messages of the last event."""
        if not self.events:
            return None
        _, start, end = self.events[-1]
        return "".join(self.log[start:end])

    def handle_STARTING(self, line: str) -> str | None:
        self.state = "FEATGEN"
        return "start"

    def handle_FEATGEN(self, line: str) -> str | None:
        if line in "0123456789.10" and line:
            self.featgen_percent += 2
            return "featgen_progress"
        if line.startswith("Number of features: "):
            self.featgen_num_features = int(line.rpartition(":")[2])
        seconds = SECONDS.match(line)
        if seconds is None:
            return None
        self.featgen_seconds = float(seconds[1])
        self.state = "AFTER_FEATGEN"
        return "featgen_end"

    def handle_AFTER_FEATGEN(self, line: str) -> str | None:
        if self._iteration_head(line):
            return "prepared"
        if "terminated with error" in line:
            self.state = "AFTER_ITERATION"
            return "prepare_error"
        return None

    def handle_ITERATION(self, line: str) -> str | None:
        assert self.last_iteration is not None
        found, (name, _, value) = self.last_iteration, line.partition(": ")
        if self._iteration_head(line):
            return None
        if line == "\n":
            self.state = "AFTER_ITERATION"
            return "iteration"
        if name in FIGURES:
            key, number = FIGURES[name]
            found[key] = number(value)
            return None
        label, macro, accuracy = LABEL.fullmatch(line), MACRO.match(line), ACCURACY.match(line)
        if label is not None:
            counts, scores = (map(kind, label.group(*names)) for kind, names in SCORE)
            found["scores"][label["label"]] = LabelScore(*counts, *scores)
        elif macro is not None:
            found |= zip(("avg_precision", "avg_recall", "avg_f1"), map(float, macro.groups()), strict=True)
        elif accuracy is not None:
            kind, right, every = accuracy[1].lower(), int(accuracy[2]), int(accuracy[3])
            share = Fraction(right, every) if every else Fraction(0)
            found |= {f"{kind}_accuracy": share, f"{kind}_accuracy_float": float(share)}
        return None

    def handle_AFTER_ITERATION(self, line: str) -> str | None:
        if self._iteration_head(line):
            return None
        if line.startswith("Total seconds required for training: "):
            self.training_seconds = float(line.rpartition(":")[2])
        if line.startswith("Storing the model"):
            self.state = "STORING"
            return "optimization_end"
        return None

    def handle_STORING(self, line: str) -> str | None:
        if line == "\n":
            return "end"
        seconds = SECONDS.match(line)
        if seconds is not None:
            self.storing_seconds = float(seconds[1])
        return None

    def _iteration_head(self, line: str) -> bool:
        head = HEAD.match(line)
        if head is None:
            return False
        self.state = "ITERATION"
        self.last_iteration = {"num": int(head[1]), "scores": {}}
        self.iterations.append(self.last_iteration)
        return True


SCORE: tuple[tuple[Callable[[str], Any], tuple[str, ...]], ...] = (
    (int, ("match", "model", "ref")),
    (float, ("precision", "recall", "f1")),
)
