"""The default against every recipe on four corpora: scores on the test part, mean ± standard deviation over seeds.

Usage: default.py FOLDER [--seeds N] [--log FILE] [--only NAME,…]

FOLDER contains conll2000, wnut17, ewt_xpos and ingredients (which has a file `template`), each with train.txt and
test.txt. The score is chunk F1, and token accuracy for ewt_xpos, whose labels are parts of speech. The default is
trained as it is. Stochastic recipes are averaged; they and the margin recipes make 10 passes, and lbfgs runs until it
converges. Finished runs are kept in the log; start the script again to continue.
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

CORPORA = {"conll2000": "chunking", "wnut17": "ner", "ewt_xpos": "pos", "ingredients": "template"}
PASSES: dict[str, Any] = {"features": "all", "epochs": 10}
AVERAGED = PASSES | {"average": True}
RECIPES: dict[str, dict[str, Any]] = {
    "default": {},
    "rate 0.4, three passes": {"rate": 0.4, "epochs": 3},  # the default before
    "u2.g1, averaged, observed": {"recipe": "u2.g1", "average": True, "epochs": 10},  # the one before that
    **{f"{name}, averaged": AVERAGED | {"recipe": name} for name in ("u2.g1", "sgd", "adaptive")},
    **{name: {"recipe": name, **PASSES} for name in ("pa", "ap", "arow")},
    "lbfgs, observed": {"recipe": "lbfgs"},
    "lbfgs, observed, c1 = c2 = 0.1": {"recipe": "lbfgs", "c1": 0.1, "c2": 0.1},
    **{f"{name}, averaged": AVERAGED | {"recipe": name} for name in ("u1.g1", "u2.g1p", "u2.g2", "u2.g3")},
}


def read(folder: Path, corpus: str) -> tuple[Encoded, Encoded]:
    """Training and test part."""
    template = CORPORA[corpus]
    known = encode_files(
        folder / corpus / "train.txt", template=folder / corpus / template if template == "template" else template
    )
    assert known.template is not None
    test = encode_files(
        folder / corpus / "test.txt", template=known.template, attributes=known.attributes, labels=known.labels
    )
    return known, test


def run(known: Encoded, test: Encoded, corpus: str, seed: int, options: dict[str, Any]) -> dict[str, float]:
    """The score on the test part in %, and the seconds that training took."""
    start = time.process_time()
    model = Model.train(known, Settings.of(**options, seed=seed))
    seconds = time.process_time() - start
    scores = model.evaluate(test)
    return {"score": 100 * (scores.accuracy if corpus == "ewt_xpos" else scores.f1), "seconds": seconds}


def table(done: dict[tuple[str, str, int], dict[str, float]]) -> str:
    """A row for each recipe, a column for each corpus: score ± deviation, and seconds in brackets."""
    lines = ["| recipe | " + " | ".join(CORPORA) + " |", "| --- |" + " ---: |" * len(CORPORA)]
    for name in RECIPES:
        cells = []
        for corpus in CORPORA:
            runs = [each for (at, recipe, _), each in done.items() if (at, recipe) == (corpus, name)]
            scores = [each["score"] for each in runs]
            spread = f" ± {np.std(scores, ddof=1):.2f}" if len(scores) > 1 else ""
            seconds = np.mean([each["seconds"] for each in runs]) if runs else 0.0
            cells.append(f"{np.mean(scores):.2f}{spread} ({seconds:.1f} s)" if runs else "")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--log", type=Path, default=Path("build/default.jsonl"))
    parser.add_argument("--only", default="", help="corpora, separated by commas")
    given = parser.parse_args()
    given.log.parent.mkdir(parents=True, exist_ok=True)
    done: dict[tuple[str, str, int], dict[str, float]] = {}
    for line in given.log.read_text().splitlines() if given.log.exists() else ():
        row = json.loads(line)
        done[row["corpus"], row["recipe"], row["seed"]] = {"score": row["score"], "seconds": row["seconds"]}
    for corpus in [name for name in CORPORA if not given.only or name in given.only.split(",")]:
        known, test = read(given.folder, corpus)
        for name, options in RECIPES.items():
            seeds = 1 if options.get("recipe") == "lbfgs" else given.seeds  # lbfgs uses no chance
            for seed in range(seeds):
                if (corpus, name, seed) in done:
                    continue
                found = run(known, test, corpus, seed, options)
                done[corpus, name, seed] = found
                with given.log.open("a") as log:
                    log.write(json.dumps({"corpus": corpus, "recipe": name, "seed": seed, **found}) + "\n")
    print(table(done))


if __name__ == "__main__":
    main()
