"""A worker: one process, one thread, one run after the other.

    stdin   the plan, then a run for each line         {"recipe": …, "features": …, "seed": …}
    stdout  a line for each epoch and a closing line   as they stand in the ledger

It is started by `compare`, and ends when its standard input ends or nobody reads its output any more, so nothing is
left running when the parent is killed.
"""

import json
import os
import signal
import sys
import time
from typing import Any

import numpy as np

from tagfield.encode import Encoded
from tagfield.errors import TagfieldError
from tagfield.evaluate import evaluate
from tagfield.experiment.plan import Plan, Run
from tagfield.experiment.shared import load_data
from tagfield.model import Model
from tagfield.train import Epoch, Trained, train


def epoch_line(run: Run, epoch: Epoch) -> dict[str, Any]:
    """The ledger's line for an epoch.

    >>> epoch_line(Run("sgd", "all", 0), Epoch(1, 2.5, 0.1, norm=3.0))
    {'kind': 'epoch', 'run': 'sgd/all/0', 'epoch': 1, 'objective': 2.5, 'norm': 3.0, 'seconds': 0.1}
    """
    line: dict[str, Any] = {"kind": "epoch", "run": run.key, "epoch": epoch.number}
    line |= {"objective": epoch.objective, "norm": epoch.norm, "seconds": round(epoch.seconds, 6)}
    for part, scores in epoch.watched.items():
        line |= {f"{part}_accuracy": scores.accuracy, f"{part}_f1": scores.f1}
    return line


def closing_line(run: Run, data: Encoded, test: Encoded, trained: Trained) -> dict[str, Any]:
    """What a run ended with: the scores of the weights that were kept, label by label, and the confusion matrix."""
    gold = test.gold_labels()
    guess = Model.of(data, trained).tag(test)
    scores = evaluate(gold, guess)
    states, transitions = trained.features.counts
    return {
        "kind": "run",
        "run": run.key,
        "recipe": run.recipe,
        "features": run.features,
        "seed": run.seed,
        "rate": getattr(trained.settings.recipe, "rate", None),
        "epochs": len(trained.history),
        "kept": trained.best.number,
        "objective": trained.best.objective,
        "seconds": round(trained.history[-1].seconds, 6),
        "converged": trained.converged,
        "stop_reason": trained.stop_reason,
        "weights": states + transitions,
        "test": scores.to_dict(),
        "known": known_tokens(gold, guess, set(test.unseen_labels)),
        "confusion": confusion(gold, guess),
    }


def known_tokens(gold: list[list[str]], guess: list[list[str]], unseen: set[str]) -> dict[str, int]:
    """How many tokens are right when a sentence counts only up to its first label that training never saw.

    This is how CRFsuite counts item accuracy; the full count is in the scores.

    >>> known_tokens([["A", "Z", "A"], ["A"]], [["A", "A", "A"], ["B"]], {"Z"})
    {'tokens': 2, 'correct': 1}
    """
    tokens = correct = 0
    for g, p in zip(gold, guess, strict=True):
        end = next((t for t, label in enumerate(g) if label in unseen), len(g)) if unseen else len(g)
        tokens += end
        correct += sum(a == b for a, b in zip(g[:end], p[:end], strict=True))
    return {"tokens": tokens, "correct": correct}


def confusion(gold: list[list[str]], guess: list[list[str]]) -> dict[str, Any]:
    """How often each gold label was given each label.

    >>> confusion([["A", "B"]], [["A", "A"]])
    {'labels': ['A', 'B'], 'counts': [[1, 0], [1, 0]]}
    """
    pairs = [(g, p) for a, b in zip(gold, guess, strict=True) for g, p in zip(a, b, strict=True)]
    labels = sorted({label for pair in pairs for label in pair})
    number = {label: index for index, label in enumerate(labels)}
    flat = np.array([number[g] * len(labels) + number[p] for g, p in pairs], np.int64)
    counts = np.bincount(flat, minlength=len(labels) ** 2).reshape(len(labels), -1)
    return {"labels": labels, "counts": counts.tolist()}


def main(path: str) -> None:
    """Serves runs until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    data, test = load_data(path)
    plan = Plan.from_dict(json.loads(sys.stdin.readline()))
    for text in sys.stdin:
        run = Run(**json.loads(text))

        def tell(epoch: Epoch, run: Run = run) -> None:
            _send(epoch_line(run, epoch))

        try:
            trained = train(
                data,
                plan.settings(run),
                watch={"train": data, "test": test},
                on_epoch=tell,
                clock=time.process_time,  # other processes on this machine do not count
            )
            _send(closing_line(run, data, test, trained))
        except TagfieldError as error:
            _send({"kind": "run", "run": run.key, **json.loads(text), "error": str(error)})


def _send(line: dict[str, Any]) -> None:
    try:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
    except OSError:
        os._exit(1)  # the parent is gone


if __name__ == "__main__":
    main(sys.argv[1])
