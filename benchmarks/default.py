"""Which recipe serves a newcomer best: accuracy and F1 by epoch, over four corpora.

Usage: default.py FOLDER [--seeds N], with train.txt and test.txt of CoNLL-2000 in FOLDER. c2 = 1, calibrated rates;
`addresses` and `mentions` are made from the seed and read with the template `words`. Seconds are those of
the whole run, calibration included and scoring not.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import math
from pathlib import Path
from typing import Any

import auto
import numpy as np

from tagfield.encode import Encoded
from tagfield.train import Settings, train

EPOCHS = (1, 3, 5, 10, 20)
ITERATIONS = 200  # of lbfgs, which is shown where it ends, too
CANDIDATES: dict[str, dict[str, Any]] = {
    "u2.g1": {"recipe": "u2.g1"},
    "u2.g1, averaged": {"recipe": "u2.g1", "average": True},
    "u2.g1, on states, averaged": {"recipe": "u2.g1", "average": True, "respond": "states"},
    "adaptive": {"recipe": "adaptive"},
    "adaptive, averaged": {"recipe": "adaptive", "average": True},
    "sgd": {"recipe": "sgd"},
    "sgd, averaged": {"recipe": "sgd", "average": True},
    "lbfgs": {"recipe": "lbfgs", "epochs": ITERATIONS, "period": 10},
}


def course(known: Encoded, test: Encoded, **options: Any) -> tuple[list[tuple[float, float]], float]:
    """Accuracy and F1 in % after each of EPOCHS and at the end, and the seconds."""
    settings = {"epochs": EPOCHS[-1], "period": 0, "max_dev_rise": math.inf} | options
    trained = train(known, Settings.of(**settings), dev=test)
    history = trained.history
    figures = []
    for epoch in [*(history[min(number, len(history)) - 1] for number in EPOCHS), history[-1]]:
        assert epoch.scores is not None
        figures.append((100 * epoch.scores.accuracy, 100 * epoch.scores.f1))
    return figures, history[-1].seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=2)
    given = parser.parse_args()
    paper = auto.conll(given.folder)
    print("| corpus | features | recipe | " + " | ".join(map(str, EPOCHS)) + " | end | seconds |")
    print("| --- | --- | --- |" + " --- |" * (len(EPOCHS) + 2))
    for corpus in ("CoNLL-2000", "addresses", "mentions"):
        parts = [paper if corpus == "CoNLL-2000" else auto.built_in(corpus, seed) for seed in range(given.seeds)]
        for features in ("observed", "all"):
            for name, options in CANDIDATES.items():
                runs = [
                    course(known, test, features=features, seed=seed, **options)
                    for seed, (known, test) in enumerate(parts)
                ]
                means = np.mean([figures for figures, _ in runs], axis=0)
                cells = " | ".join(f"{accuracy:.2f} ({f1:.2f})" for accuracy, f1 in means)
                seconds = np.mean([seconds for _, seconds in runs])
                print(f"| {corpus} | {features} | {name} | {cells} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
