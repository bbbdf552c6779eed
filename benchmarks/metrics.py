"""Options of the metrics, compared on held-out parts of the training data: the table of docs/recipes.md.

Usage: metrics.py FOLDER [--epochs 10] [--seeds 2] [--quick] [ROW …], with conll2000/train.txt and wnut17/train.txt in
FOLDER. A ROW is a recipe with options, such as smd:smd_mu=0.3,c2=0.1. Every tenth sentence is held out, and training
is on the rest: observed features, one sentence a step, calibrated rates. No test part is read.
"""

import argparse
import json
from pathlib import Path
from statistics import mean

from tagfield.data.encode import Encoded, encode_files
from tagfield.data.text.sources import Source
from tagfield.train import Settings, train

CORPORA = {"conll2000": ("chunking", "accuracy"), "wnut17": ("ner", "f1")}
ROWS = (
    *("sgd", "sgd:c2=0.1", "adaptive", "adaptive:c2=0.1"),
    *(f"newton:newton_delta=1,c2={c2}" for c2 in (1, 0.1, 0.01)),
    *("newton:newton_delta=3,c2=0.01", "newton:newton_delta=10,c2=0.01"),
    *("sgdqn", "sgdqn:qn_skip=4", "sgdqn:qn_bound=10", "sgdqn:c2=0.1"),
    *(f"smd:smd_mu={mu}" for mu in (0.02, 0.1, 0.3, 1)),
    "smd:smd_mu=0.02,smd_lambda=0.9",
)
SHOWN = (1, 3, 10)  # epochs


def parts(path: Path, template: str) -> tuple[Encoded, Encoded]:
    """What is trained on, and what is held out."""
    sentences = path.read_text(encoding="utf-8").strip("\n").split("\n\n")
    taken = ([s for i, s in enumerate(sentences) if i % 10], sentences[::10])
    rest, held = (Source("part", ("\n\n".join(part) + "\n\n").encode()) for part in taken)
    encoded = encode_files(rest, template=template)
    return encoded, encode_files(held, template=template, attributes=encoded.attributes, labels=encoded.labels)


def settings(row: str, epochs: int, seed: int) -> Settings:
    name, _, options = row.partition(":")
    told = {key: json.loads(value) for key, value in (each.split("=") for each in options.split(",") if each)}
    return Settings.of(
        name, **told, epochs=epochs, seed=seed, block=1, threads=1, period=0, max_dev_rise=float("inf")
    )  # fmt: skip


def main(folder: Path, rows: list[str], epochs: int, seeds: int) -> None:
    data = {name: parts(folder / name / "train.txt", template) for name, (template, _) in CORPORA.items()}
    shown = [epoch for epoch in SHOWN if epoch <= epochs]
    print(f"| row, after {', '.join(map(str, shown))} epochs | {' | '.join(CORPORA)} |")
    print("| --- " * (1 + len(CORPORA)) + "|")
    for row in rows:
        cells = []
        for name, (_, figure) in CORPORA.items():
            rest, held = data[name]
            runs = [train(rest, settings(row, epochs, seed), dev=held).history for seed in range(seeds)]
            means = [mean(getattr(run[min(e, len(run)) - 1].scores, figure) for run in runs) for e in shown]
            cells.append(", ".join(f"{100 * value:.2f}" for value in means))
        print(f"| {row} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("rows", nargs="*", default=ROWS)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="one epoch, one seed")
    asked = parser.parse_args()
    main(asked.folder, list(asked.rows), *((1, 1) if asked.quick else (asked.epochs, asked.seeds)))
