"""Time python-crfsuite on the same tasks: the other side of every row of the table.

The time of an epoch is what CRFsuite reports, "Seconds required for this iteration", the median over a run. The
difference between runs of different length was tried too; feature generation (22 s for the large set) hides it.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pycrfsuite

Sentence = list[list[str]]

WINDOWS: list[list[tuple[str, int]]] = [
    *[[("w", k)] for k in range(-2, 3)],
    *[[("w", k), ("w", k + 1)] for k in (-1, 0)],
    *[[("pos", k)] for k in range(-2, 3)],
    *[[("pos", k), ("pos", k + 1)] for k in range(-2, 2)],
    *[[("pos", k), ("pos", k + 1), ("pos", k + 2)] for k in range(-2, 1)],
]


def read(path: Path) -> list[Sentence]:
    """Sentences of (word, tag, label) from a CoNLL file, as any Python script would."""
    sentences, current = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = line.split()
            if cells:
                current.append(cells)
            elif current:
                sentences.append(current)
                current = []
    return [*sentences, current] if current else sentences


def attributes(sentence: Sentence) -> list[list[str]]:
    """The attributes of CRFsuite's chunking example."""
    column = {"w": 0, "pos": 1}
    length = len(sentence)
    found = []
    for t in range(length):
        names = []
        for window in WINDOWS:
            if t + window[0][1] >= 0 and t + window[-1][1] < length:
                left = "|".join(f"{name}[{k}]" for name, k in window)
                right = "|".join(sentence[t + k][column[name]] for name, k in window)
                names.append(f"{left}={right}")
        if t == 0:
            names.append("__BOS__")
        if t == length - 1:
            names.append("__EOS__")
        found.append(names)
    return found


def trainer(sentences: list[Sentence]) -> pycrfsuite.Trainer:
    """A trainer that holds the data: extraction in Python, and `append`."""
    peer = pycrfsuite.Trainer(verbose=False)
    for sentence in sentences:
        peer.append(attributes(sentence), [cells[2] for cells in sentence])
    return peer


def timed_run(peer: pycrfsuite.Trainer, algorithm: str, iterations: int, everything: bool) -> float:
    """Seconds of one whole training run."""
    peer.select(algorithm, "crf1d")
    settings: dict[str, object] = {"max_iterations": iterations, "feature.possible_states": everything}
    settings["feature.possible_transitions"] = everything
    if algorithm in ("l2sgd", "lbfgs"):
        settings |= {"c2": 1.0, "delta": 0.0}
    if algorithm == "l2sgd":
        settings |= {"calibration.samples": 10, "calibration.candidates": 1, "calibration.max_trials": 1}
    peer.set_params(settings)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        peer.train(str(Path(folder, "model")))
        return time.perf_counter() - start


def epoch_seconds(algorithm: str, everything: bool, iterations: int) -> Callable[[pycrfsuite.Trainer], float]:
    """A function that measures one epoch, as CRFsuite's log has it."""

    def measure(peer: pycrfsuite.Trainer) -> float:
        timed_run(peer, algorithm, iterations, everything)
        return median(float(step["time"]) for step in peer.logparser.iterations[1:])

    return measure


if __name__ == "__main__":  # its own process, so that its peak memory is its own: peer.py TRAIN ITERATIONS
    timed_run(trainer(read(Path(sys.argv[1]))), "l2sgd", int(sys.argv[2]), everything=True)
