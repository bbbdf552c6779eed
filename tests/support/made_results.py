"""Made-up results of comparisons, in which the truth is known: for the tests of verdicts."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tagfield.compare.plan import Plan, PlannedRun
from tagfield.compare.results import Results, RunResult, pack_counts

SENTENCES, LENGTH, SEEDS, EPOCHS = 400, 10, 5, 12
TOKENS = SENTENCES * LENGTH


def made_results(
    gains: Mapping[str, float],
    features: tuple[str, ...] = ("all",),
    leads: Mapping[str, float] | None = None,
    chunk_gains: Mapping[str, int] | None = None,
    seconds: Mapping[str, float] | None = None,
    trained: Mapping[str, float] | None = None,
    lengths: Mapping[str, int] | None = None,
) -> Results:
    """Runs of some recipes: plain SGD has 200 wrong tokens, a recipe has `gains` fewer, with some noise of seeds.

    leads: how much higher its curve is than SGD's in each of the first epochs, in accuracy
    chunk_gains: how many more chunks are right; without it labels mark none
    seconds: of an epoch;  trained: the accuracy on the training part;  lengths: epochs of a recipe by iterations
    """
    runs = []
    for kind in features:
        for name, gain in gains.items():
            count = 1 if name == "lbfgs" else SEEDS
            for seed in range(count):
                wrong = _wrong(int(gain), seed, name)
                epochs = (lengths or {}).get(name, EPOCHS)
                curve = _curve(1 - wrong.sum() / TOKENS, (leads or {}).get(name, 0.0), epochs, seed)
                cost = (seconds or {}).get(name, 1.0)
                key = PlannedRun(name, kind, seed)
                lines = [
                    {"epoch": e + 1, "test_accuracy": a, "train_accuracy": (trained or {}).get(name, 0.98)}
                    | {"objective": 1.0, "seconds": cost * (e + 1) * (1 + 0.001 * seed)}
                    for e, a in enumerate(curve)
                ]
                closing: dict[str, Any] = {"rate": None if name in ("pa", "lbfgs") else 0.1, "c2": 1.0, "kept": epochs}
                closing |= {
                    "wrong": pack_counts(wrong),
                    "weights": 1,
                    "epochs": epochs,
                    "seconds": lines[-1]["seconds"],
                }
                right = int(TOKENS - wrong.sum())
                closing |= {"test": {"accuracy": right / TOKENS}, "known": {"tokens": TOKENS, "correct": right}}
                if chunk_gains is not None:
                    closing["chunks"] = [pack_counts(each) for each in _chunks(chunk_gains.get(name, 0), seed)]
                runs.append(RunResult(key, lines, closing))
    plan = Plan(tuple(gains), features, seeds=SEEDS, epochs=EPOCHS)
    data = {"train": {"sentences": 1, "tokens": 1}, "test": {"sentences": SENTENCES, "tokens": TOKENS}}
    return Results(plan, data | {"name": "made up"}, [], runs)


def _wrong(gain: int, seed: int, name: str) -> np.ndarray:
    """Wrong tokens of each sentence: 2 in each of the first hundred; a gain takes some away, a loss adds some."""
    wrong = np.zeros(SENTENCES, int)
    wrong[:100] = 2
    if gain > 0:
        wrong[:gain] -= 1
    else:
        wrong[100 : 100 - gain] += 1
    rng = np.random.default_rng([seed, *name.encode()])
    up, down = rng.choice(np.arange(250, SENTENCES), 2, False), rng.choice(np.arange(60, 100), 2, False)
    wrong[up] += 1
    wrong[down] -= 1
    return wrong


def _curve(last: float, lead: float, epochs: int, seed: int) -> np.ndarray:
    """Accuracy after each epoch: it rises to its last value, with a lead at the start."""
    rising = last - 0.05 * 0.5 ** np.arange(epochs)
    rising[-1] = last
    return rising + lead * np.linspace(1, 0, epochs) * (1 + 0.05 * seed)


def _chunks(gain: int, seed: int) -> np.ndarray:
    """Gold, predicted and correct chunks of each sentence: one of each, every other one wrong."""
    correct = np.arange(SENTENCES) % 2
    if gain > 0:
        correct[: 2 * gain : 2] = 1
    else:
        correct[1 : -2 * gain : 2] = 0
    correct[-1 - 2 * seed] = 0
    return np.stack([np.ones(SENTENCES, int), np.ones(SENTENCES, int), correct])
