"""Programs that use pycrfsuite, as they are and on tagfield.pycrfsuite, one thread each.

Usage: switch.py FOLDER, with train.txt and test.txt of CoNLL-2000 in it; `--quick` runs every row once. Both sides call
the same functions with the same arguments and models. Processor seconds of this process, the two alternating, medians.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import nltk
import peer
import pycrfsuite
import usaddress
from nltk.tag import CRFTagger
from timing import asked

import tagfield.pycrfsuite as ours

MODULES = (ours, pycrfsuite)
Run = Callable[[], object]


def clock(work: Run) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def row(name: str, sides: list[Run], repeats: int) -> None:
    pairs = [[clock(side) for side in sides] for _ in range(repeats)]
    fast, slow = (median(pair[i] for pair in pairs) for i in range(2))
    print(f"| {name} | {fast:.3f} s | {slow:.3f} s | {slow / fast:.1f} |", flush=True)


def addresses(count: int) -> list[str]:
    rng = random.Random(1)
    streets, kinds = (
        ["Main", "Oak", "Washington", "Lake", "Hill", "5th", "Maple"],
        ["St", "Ave.", "Blvd", "Rd", "Ln", "Pkwy"],
    )
    towns = ["Chicago, IL", "Springfield MA", "Boston, MA", "Portland OR"]
    return [
        f"{rng.randrange(9999)} {rng.choice(['', 'N. '])}{rng.choice(streets)} {rng.choice(kinds)} "
        f"{rng.choice(['', 'Apt 5, ', '# 12 '])}{rng.choice(towns)} {rng.randrange(99999):05}"
        for _ in range(count)
    ]


def parsing(module: Any, texts: list[str]) -> Run:
    """usaddress with its shipped model."""
    tagger = module.Tagger()
    tagger.open(usaddress.MODEL_PATH)

    def run() -> None:
        usaddress.TAGGER = tagger
        for text in texts:
            usaddress.parse(text)

    return run


def opening(module: Any, path: str, X: list[Any]) -> Run:
    """Open the model for every sequence, as programs do that keep no Tagger."""

    def run() -> None:
        for items in X:
            tagger = module.Tagger()
            tagger.open(path)
            tagger.tag(items)

    return run


FRESH = """
import json, sys, time
from importlib import import_module
module, path, items = import_module(sys.argv[1]), sys.argv[2], json.loads(sys.stdin.read())
start = time.process_time()
tagger = module.Tagger()
tagger.open(path)
tagger.tag(items)
print(time.process_time() - start)
"""


def fresh(name: str, path: str, items: Any, repeats: int) -> None:
    """Open and label one sequence in a new process, after the imports."""
    pairs = []
    for _ in range(repeats):
        commands = [[sys.executable, "-c", FRESH, module.__name__, path] for module in MODULES]
        runs = [subprocess.run(each, input=json.dumps(items), capture_output=True, text=True) for each in commands]
        pairs.append([float(run.stdout) for run in runs])
    fast, slow = (median(pair[i] for pair in pairs) for i in range(2))
    print(f"| {name} | {1e3 * fast:.2f} ms | {1e3 * slow:.2f} ms | {slow / fast:.1f} |", flush=True)


def tokens(path: Path) -> list[list[tuple[str, str]]]:
    return [[(word, tag) for word, tag, _ in sentence] for sentence in peer.read(path)]


def nltk_tagger(module: Any) -> CRFTagger:
    nltk.tag.crf.pycrfsuite = module
    return CRFTagger(training_opt={"max_iterations": 20})


def nltk_training(module: Any, sentences: list[Any], path: Path) -> Run:
    return lambda: nltk_tagger(module).train(sentences, str(path))


def nltk_tagging(module: Any, words: list[list[str]], path: Path) -> Run:
    tagger = nltk_tagger(module)
    tagger.set_model_file(str(path))
    return lambda: tagger.tag_sents(words)


def training(module: Any, X: list[Any], y: list[Any], algorithm: str, path: Path) -> Run:
    def run() -> None:
        trainer = module.Trainer(algorithm, {"max_iterations": 20}, verbose=False)
        for items, labels in zip(X, y, strict=True):
            trainer.append(items, labels)
        trainer.train(str(path))

    return run


def tagging(module: Any, X: list[Any], path: Path) -> Run:
    tagger = module.Tagger()
    tagger.open(str(path))
    return lambda: [tagger.tag(items) for items in X]


def marginals(module: Any, X: list[Any], path: Path) -> Run:
    """The probability of every label of every token, one call each, as sklearn-crfsuite asks for them."""
    tagger = module.Tagger()
    tagger.open(str(path))
    labels = tagger.labels()

    def run() -> None:
        for items in X:
            tagger.set(items)
            for t in range(len(items)):
                for label in labels:
                    tagger.marginal(label, t)

    return run


def main(folder: Path, quick: bool, scratch: Path) -> None:
    repeats = 1 if quick else 5
    print("| row (one thread) | tagfield | python-crfsuite | times faster |\n| --- | --- | --- | --- |")
    texts = addresses(300 if quick else 3000)
    row(f"usaddress.parse, {len(texts):,} addresses", [parsing(module, texts) for module in MODULES], repeats)
    parsed = [usaddress.tokens2features(usaddress.tokenize(text)) for text in texts[:200]]
    opens = [opening(module, usaddress.MODEL_PATH, parsed) for module in MODULES]
    row("Tagger.open and tag, 200 times, usaddress's model", opens, repeats)
    fresh("Tagger.open and tag in a new process, usaddress's model", usaddress.MODEL_PATH, parsed[0], 4 * repeats - 3)

    nltk.data.path.insert(0, str(scratch))  # NLTK opens models only below its own folders
    sentences, test = tokens(folder / "train.txt"), tokens(folder / "test.txt")
    sentences = sentences[: 200 if quick else 2000]
    words = [[word for word, _ in sentence] for sentence in test]
    model = scratch / "nltk.crf"
    row("NLTK CRFTagger.train, 20 iterations", [nltk_training(m, sentences, model) for m in MODULES], 1)
    row("NLTK CRFTagger.tag_sents, 2,012 sentences", [nltk_tagging(m, words, model) for m in MODULES], repeats)

    train, test = peer.read(folder / "train.txt"), peer.read(folder / "test.txt")
    train = train[: 200 if quick else None]
    X, y = [peer.attributes(sentence) for sentence in train], [[row[2] for row in sentence] for sentence in train]
    T, model = [peer.attributes(sentence) for sentence in test], scratch / "chunks.crfsuite"
    for algorithm in ("l2sgd", "pa", "lbfgs"):
        sides = [training(module, X, y, algorithm, model) for module in MODULES]
        row(f"Trainer: append all and train 20 iterations, {algorithm}", sides, 1)
    size = f"{model.stat().st_size / 1e6:.0f} MB"
    row(f"Tagger.open and tag, 20 times, {size}", [opening(m, str(model), T[:20]) for m in MODULES], repeats)
    fresh(f"Tagger.open and tag in a new process, {size}", str(model), T[0], 4 * repeats - 3)
    row("Tagger.tag, 2,012 sentences", [tagging(module, T, model) for module in MODULES], repeats)
    row("Tagger.marginal, every label of every token", [marginals(module, T, model) for module in MODULES], repeats)


if __name__ == "__main__":
    options = asked(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        main(options.folder, options.quick, Path(scratch))
