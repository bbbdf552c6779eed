"""A run for displays: epochs with figures, and a clock that a test moves."""

from tagfield.evaluate import evaluate
from tagfield.train import Epoch


class Clock:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def epochs(count: int, *, scores: bool = True) -> list[Epoch]:
    gold = [["B-X", "O"] * 5]
    found = []
    for k in range(1, count + 1):
        guess = [["B-X"] + gold[0][1:k] + ["O"] * (10 - max(k, 1))]
        figures = evaluate(gold, guess) if scores else None
        found.append(Epoch(k, 1000.0 / k, 0.5 * k, 1.0, 0.05, figures, best=True))
    return found
