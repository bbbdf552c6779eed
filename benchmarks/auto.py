"""Compare `--generator auto` with every fixed recipe: what it chooses, and its score after ten epochs.

Usage: auto.py FOLDER [--seeds N] [--epochs N], with train.txt and test.txt of CoNLL-2000 in FOLDER. The skewed corpus
is the built-in `mentions`, made from the seed, with the template `words`. Fixed recipes run with calibrated rates,
plain and averaged. The best of them is chosen by test score, so it is an upper bound.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tagfield.data.encode import Encoded, encode_files
from tagfield.data.text.sources import Source
from tagfield.demo import Sentence, addresses, mentions
from tagfield.train import Settings, train

FIXED = ("sgd", "u1.g1", "u2.g1", "u2.g1p", "u2.g2", "u2.g3", "adaptive")
BUILT_IN = {"mentions": mentions, "addresses": addresses}


def conll(folder: Path) -> tuple[Encoded, Encoded]:
    known = encode_files([str(folder / "train.txt")])
    return known, encode_files(str(folder / "test.txt"), attributes=known.attributes, labels=known.labels)


def built_in(name: str, seed: int) -> tuple[Encoded, Encoded]:
    """A corpus of words and labels: the template `words` makes shapes and affixes of its own."""

    def source(sentences: list[Sentence]) -> list[Source]:
        text = "\n\n".join("\n".join(f"{word} {label}" for word, _, label in s) for s in sentences)
        return [Source(name, f"{text}\n".encode())]

    corpus = BUILT_IN[name](seed)
    known = encode_files(source(corpus.train), template="words")
    return known, encode_files(source(corpus.test), template="words", attributes=known.attributes, labels=known.labels)


def corpora(folder: Path, seeds: int) -> Iterator[tuple[str, int, tuple[Encoded, Encoded]]]:
    paper = conll(folder)
    for seed in range(seeds):
        yield "CoNLL-2000", seed, paper
    for seed in range(max(3, seeds)):
        yield "mentions", seed, built_in("mentions", seed)


def end(known: Encoded, test: Encoded, **options: Any) -> tuple[float, float, str]:
    """Token accuracy and chunk F1 in % after the last epoch, and the update."""
    trained = train(known, Settings.of(max_dev_rise=math.inf, period=0, **options), dev=test)
    scores, used = trained.history[-1].scores, trained.settings.recipe
    assert scores is not None
    return 100 * scores.accuracy, 100 * scores.f1, f"{used}, rate {used.rate:g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=10)
    given = parser.parse_args()
    print("| corpus | features | seed | auto chose | auto | best fixed | | sgd | auto − best | auto − sgd |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    gains: dict[tuple[str, str], list[tuple[float, dict[str, float]]]] = {}
    for name, seed, (known, test) in corpora(given.folder, given.seeds):
        for features in ("observed", "all"):
            common = {"features": features, "epochs": given.epochs, "seed": seed}
            fixed = {
                f"{recipe}{', averaged' if average else ''}": end(known, test, recipe=recipe, average=average, **common)
                for recipe in FIXED
                for average in (False, True)
            }
            accuracy, f1, chosen = end(known, test, recipe="ngd", generator="auto", **common)
            best = max(fixed, key=lambda recipe: fixed[recipe][0])
            sgd = fixed["sgd"]
            gains.setdefault((name, features), []).append((accuracy, {r: v[0] for r, v in fixed.items()}))
            print(
                f"| {name} | {features} | {seed} | {chosen} | {accuracy:.2f} ({f1:.2f}) | {best} | "
                f"{fixed[best][0]:.2f} ({fixed[best][1]:.2f}) | {sgd[0]:.2f} ({sgd[1]:.2f}) | "
                f"{accuracy - fixed[best][0]:+.2f} | {accuracy - sgd[0]:+.2f} |",
                flush=True,
            )
    print("\nMeans over the seeds, token accuracy:\n")
    print("| corpus | features | auto | " + " | ".join(next(iter(gains.values()))[0][1]) + " |")
    print("| --- | --- | --- |" + " --- |" * (2 * len(FIXED)))
    for (name, features), runs in gains.items():
        means = [np.mean([fixed[recipe] for _, fixed in runs]) for recipe in runs[0][1]]
        auto = np.mean([accuracy for accuracy, _ in runs])
        print(f"| {name} | {features} | {auto:.2f} | " + " | ".join(f"{mean:.2f}" for mean in means) + " |")


if __name__ == "__main__":
    main()
