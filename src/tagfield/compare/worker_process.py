"""The worker process of `compare`: single-threaded, one run after another.

    stdin   the plan, then one run per line              {"recipe": …, "features": …, "seed": …}
    stdout  one line per epoch and one line per run      as in results.jsonl

It exits when stdin or stdout closes, so no worker outlives its parent.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from tagfield.compare.plan import Plan, PlannedRun
from tagfield.compare.results import pack_counts
from tagfield.compare.shared_data import load_data
from tagfield.data.encode import Encoded
from tagfield.errors import TagfieldError
from tagfield.evaluate import ChunkScorer, evaluate
from tagfield.inference.decoder import Decoder
from tagfield.native._text import label_lists
from tagfield.train import Epoch, Trained, train

Send: TypeAlias = Callable[[dict[str, Any]], None]


def epoch_line(run: PlannedRun, epoch: Epoch) -> dict[str, Any]:
    """The result line of one epoch.

    >>> epoch_line(PlannedRun("sgd", "all", 0), Epoch(1, 2.5, 0.1, norm=3.0))
    {'kind': 'epoch', 'run': 'sgd/all/0', 'epoch': 1, 'objective': 2.5, 'norm': 3.0, 'seconds': 0.1}
    """
    line: dict[str, Any] = {"kind": "epoch", "run": run.key, "epoch": epoch.number}
    line |= {"objective": epoch.objective, "norm": epoch.norm, "seconds": round(epoch.seconds, 6)}
    for part, scores in epoch.watched.items():
        line |= {f"{part}_{figure}": getattr(scores, figure) for figure in ("accuracy", "f1") if scores.has(figure)}
    return line


def result_line(run: PlannedRun, data: Encoded, test: Encoded, trained: Trained) -> dict[str, Any]:
    """The result line of a finished run: scores of the kept weights, scores by label, and the confusion matrix."""
    gold = test.gold_labels()
    field = trained.features.field(trained.weights)  # not those of a Model, which leaves out what has no weight
    best = Decoder(field, test).best()
    guess = label_lists(best, tuple(data.labels.strings()), test.dataset.tokens)
    scores = evaluate(gold, guess)
    chunks = ChunkScorer(test.names.strings()).by_sentence(test.gold, best, test.dataset.tokens)
    states, transitions = trained.features.counts
    return {
        "kind": "run",
        "run": run.key,
        "recipe": run.recipe,
        "features": run.features,
        "seed": run.seed,
        "given": [run.c2, run.rate, run.generator],
        "c2": trained.settings.c2,
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
        "wrong": pack_counts(wrong_tokens(gold, guess)),
        **({} if chunks is None else {"chunks": [pack_counts(each) for each in chunks]}),
    }


def known_tokens(gold: list[list[str]], guess: list[list[str]], unseen: set[str]) -> dict[str, int]:
    """Count correct tokens as CRFsuite does: each sentence only up to its first label unseen in training.

    >>> known_tokens([["A", "Z", "A"], ["A"]], [["A", "A", "A"], ["B"]], {"Z"})
    {'tokens': 2, 'correct': 1}
    """
    tokens = correct = 0
    for g, p in zip(gold, guess, strict=True):
        end = next((t for t, label in enumerate(g) if label in unseen), len(g)) if unseen else len(g)
        tokens += end
        correct += sum(a == b for a, b in zip(g[:end], p[:end], strict=True))
    return {"tokens": tokens, "correct": correct}


def wrong_tokens(gold: list[list[str]], guess: list[list[str]]) -> list[int]:
    """How many tokens of each sentence are labelled wrong.

    >>> wrong_tokens([["A", "B"], ["A"]], [["A", "A"], ["A"]])
    [1, 0]
    """
    return [sum(a != b for a, b in zip(g, p, strict=True)) for g, p in zip(gold, guess, strict=True)]


def confusion(gold: list[list[str]], guess: list[list[str]]) -> dict[str, Any]:
    """The number of tokens for each pair of gold and predicted label.

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
    """Train the runs that arrive on stdin."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process; the parent handles it
    data, test = load_data(path)
    plan = Plan.from_dict(json.loads(sys.stdin.readline()))
    for text in sys.stdin:
        perform(PlannedRun(**json.loads(text)), plan, data, test, _send)


def perform(run: PlannedRun, plan: Plan, data: Encoded, test: Encoded, send: Send) -> None:
    """Train one run and send its lines: one for each epoch, then its result or error.

    >>> from tagfield.data.encode import encode_sequences
    >>> data, lines = encode_sequences([[["a"]], [["b"]]], [["X"], ["Y"]]), []
    >>> perform(PlannedRun("sgd", "all", 0), Plan(epochs=2), data, data, lines.append)
    >>> [line["kind"] for line in lines]
    ['epoch', 'epoch', 'run']
    """
    parts = {"train": data, "test": test}
    try:
        trained = train(
            data,
            plan.settings(run),
            watch={name: parts[name] for name in plan.scored},
            on_epoch=lambda epoch: send(epoch_line(run, epoch)),
            clock=time.process_time,  # CPU time, independent of other processes
        )
        send(result_line(run, data, test, trained))
    except TagfieldError as error:
        failed = {
            "recipe": run.recipe,
            "features": run.features,
            "seed": run.seed,
            "given": [run.c2, run.rate, run.generator],
        }
        send({"kind": "run", "run": run.key, **failed, "error": str(error)})


def _send(line: dict[str, Any]) -> None:
    try:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
    except OSError:
        os._exit(1)  # the parent has exited


if __name__ == "__main__":
    main(sys.argv[1])
