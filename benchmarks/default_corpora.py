"""The default before and after, and L-BFGS, on the test parts of many corpora: mean ± standard deviation over seeds.

Usage: default_corpora.py FOLDER [--seeds N] [--log FILE] [--only NAME,…]

Each folder inside FOLDER that has train.txt and test.txt is a corpus. It is read as `tagfield train` reads it: by the
preset that fits its columns, or by a CRF++ template in a file named `template`. The score is chunk F1 if the labels
mark chunks, else token accuracy. Finished runs are kept in the log; start the script again to continue.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from tagfield import Model, Settings, encode_files
from tagfield.data.encode import Encoded

RUNS: dict[str, dict[str, Any]] = {"before": {"rate": 0.4, "epochs": 3}, "default": {}, "lbfgs": {"recipe": "lbfgs"}}
Done = dict[tuple[str, str, int], dict[str, float]]


def read(folder: Path) -> tuple[Encoded, Encoded]:
    """Training and test part."""
    template = folder / "template"
    known = encode_files(folder / "train.txt", template=template if template.exists() else None)
    test = encode_files(folder / "test.txt", template=known.template, attributes=known.attributes, labels=known.labels)
    return known, test


def run(known: Encoded, test: Encoded, options: dict[str, Any], seed: int) -> dict[str, float]:
    """The score on the test part in %, the learning rate, and the CPU seconds of training."""
    start = time.process_time()
    model = Model.train(known, Settings.of(**options, seed=seed, threads=1))
    seconds = time.process_time() - start
    scores = model.evaluate(test)
    rate = model.info["settings"].get("rate") or 0.0
    return {"score": 100 * (scores.f1 if scores.has("f1") else scores.accuracy), "seconds": seconds, "rate": rate}


def cell(runs: list[dict[str, float]]) -> str:
    """Score ± deviation, and seconds in brackets."""
    if not runs:
        return ""
    scores = [each["score"] for each in runs]
    spread = f" ± {np.std(scores, ddof=1):.2f}" if len(scores) > 1 else ""
    return f"{np.mean(scores):.2f}{spread} ({np.mean([each['seconds'] for each in runs]):.1f} s)"


def table(done: Done) -> str:
    """A row for each corpus, a column for each run, and the difference that the default makes."""
    lines = [f"| corpus | rate | {' | '.join(RUNS)} | difference |", "| --- |" + " ---: |" * (len(RUNS) + 2)]
    differences = []
    for corpus in sorted({at for at, _, _ in done}):
        found = {
            name: [each for (at, which, _), each in done.items() if (at, which) == (corpus, name)] for name in RUNS
        }
        rate = f"{found['default'][0]['rate']:g}" if found["default"] else ""
        shown = ""
        if found["default"] and found["before"]:
            after, before = (np.mean([each["score"] for each in found[name]]) for name in ("default", "before"))
            differences.append(after - before)
            shown = f"{after - before:+.2f}".replace("-", "−")
        lines.append(f"| {corpus} | {rate} | {' | '.join(cell(found[name]) for name in RUNS)} | {shown} |")
    if differences:
        lines.append(f"| mean | | {' | ' * (len(RUNS) - 1)} | {np.mean(differences):+.2f} |".replace("-", "−"))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--log", type=Path, default=Path("build/default_corpora.jsonl"))
    parser.add_argument("--only", default="", help="corpora, separated by commas")
    parser.add_argument("--runs", default=",".join(RUNS), help="some of: %(default)s")
    given = parser.parse_args()
    given.log.parent.mkdir(parents=True, exist_ok=True)
    done: Done = {}
    for line in given.log.read_text().splitlines() if given.log.exists() else ():
        row = json.loads(line)
        done[row.pop("corpus"), row.pop("run"), row.pop("seed")] = row
    names = (
        given.only.split(",") if given.only else sorted(path.parent.name for path in given.folder.glob("*/test.txt"))
    )
    for corpus in names:
        wanted = [
            (name, seed)
            for name in given.runs.split(",")
            for seed in range(1 if name == "lbfgs" else given.seeds)  # lbfgs has no randomness
            if (corpus, name, seed) not in done
        ]
        if not wanted:
            continue
        known, test = read(given.folder / corpus)
        for name, seed in wanted:
            done[corpus, name, seed] = found = run(known, test, RUNS[name], seed)
            with given.log.open("a") as log:
                log.write(json.dumps({"corpus": corpus, "run": name, "seed": seed, **found}) + "\n")
    print(table(done))


if __name__ == "__main__":
    main()
