"""Do likely annotation errors come first? Add wrong labels to the data, and look for them on the page of errors.

Usage: annotation_errors.py FOLDER [--corpora conll2000 wnut17 ingredients] [--rate 0.05] [--seeds 1] [--clean]
[--rules].
FOLDER has CORPUS/train.txt for each; test.txt is not read.

    train.txt ─▶ a share of its spans becomes wrong: another type │ no label │ a word more or less │ a span elsewhere
              ─▶ ten folds: train on nine tenths, find errors in the other one ─▶ places, and which are wrong on purpose

Precision counts only added errors: errors that the corpus had before count as false alarms, so it is a lower bound.
Recall counts all wrong spans, including those where the model agrees with the wrong label.
`--clean` trains on the labels as they were. `--rules` compares rules; without it only the rule of the page is printed.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from timing import head, row

from tagfield.apps.errors import Labelled, find_errors
from tagfield.apps.errors.labelled import word_finder
from tagfield.data.text.reading import ReadOptions, read_files
from tagfield.model.model import Model

COLUMNS = {"ingredients": "w _ _ _ _ y"}
OUTSIDE = {"ingredients": "OTHER"}
FOLDS = 10
Sentence = tuple[list[str], list[str]]
Floats = NDArray[np.float64]


def read(folder: Path, corpus: str) -> list[Sentence]:
    options = ReadOptions(format="columns", columns=COLUMNS.get(corpus))
    found = read_files(folder / corpus / "train.txt", options).sentences()
    outside = OUTSIDE.get(corpus)
    labelled = [(list(s.words), ["O" if y == outside else str(y) for y in s.labels or ()]) for s in found]
    return [(x, written(len(y), spans_of(y))) for x, y in labelled]  # BIO, so that only what is put in differs


def spans_of(y: list[str]) -> list[tuple[int, int, str]]:
    """Start, end and type of each span."""
    found: list[tuple[int, int, str]] = []
    for t, label in enumerate(y):
        mark, _, kind = label.partition("-")
        if mark == "B" or (mark == "I" and not (found and found[-1][1] == t and found[-1][2] == kind)):
            found.append((t, t + 1, kind))
        elif mark == "I":
            found[-1] = (found[-1][0], t + 1, kind)
    return found


def written(length: int, spans: list[tuple[int, int, str]]) -> list[str]:
    y = ["O"] * length
    for start, end, kind in spans:
        y[start:end] = [f"B-{kind}"] + [f"I-{kind}"] * (end - start - 1)
    return y


def spoiled(y: list[str], kinds: list[str], rate: float, rng: np.random.Generator) -> list[str]:
    """The labels with wrong spans: at this rate a span gets another type, is lost, has one word less, or one more."""
    spans = spans_of(y)
    taken = {t for start, end, _ in spans for t in range(start, end)}
    made: list[tuple[int, int, str]] = []
    for start, end, kind in spans:
        if rng.random() >= rate:
            made.append((start, end, kind))
            continue
        way = int(rng.integers(4))
        if way == 0:
            made.append((start, end, str(rng.choice([other for other in kinds if other != kind]))))
        elif way == 1 and end - start > 1:
            cut = bool(rng.integers(2))
            made.append((start + cut, end - (not cut), kind))
        elif way == 2 and end < len(y) and end not in taken:
            made.append((start, end + 1, kind))
        elif way == 3 and (
            free := [t for t in range(len(y)) if t not in taken]
        ):  # a span where none is; this one stays
            t = int(rng.choice(free))
            taken.add(t)
            made += [(start, end, kind), (t, t + 1, kind)]
        # and otherwise it is lost
    return written(len(y), sorted(made))


@dataclass(frozen=True)
class Found:
    """The places of all folds where the model and the labels differ."""

    chance: Floats  # P(predicted)
    gold: Floats  # P(the label in the data)
    seen: NDArray[np.bool_]  # whether the model knows the words
    marked: NDArray[np.bool_]  # whether the page calls it a likely annotation error
    hit: NDArray[np.bool_]  # whether a wrong label was put in there
    wrong: int  # stretches of wrong labels that were put in


def find(sentences: list[Sentence], rate: float, clean: bool, seed: int) -> Found:
    rng = np.random.default_rng(seed)
    kinds = sorted({kind for _, y in sentences for _, _, kind in spans_of(y)})
    noisy = [(x, spoiled(y, kinds, rate, rng)) for x, y in sentences]
    wrong = [[a != b for a, b in zip(y, z, strict=True)] for (_, y), (_, z) in zip(sentences, noisy, strict=True)]
    columns: list[tuple[Floats, ...]] = []
    for fold in range(FOLDS):
        apart = [k for k in range(len(noisy)) if k % FOLDS == fold]
        taught = [(sentences if clean else noisy)[k] for k in range(len(noisy)) if k % FOLDS != fold]
        model = Model.train_words([x for x, _ in taught], [y for _, y in taught], template="ner", progress=False)
        found = find_errors(model, Labelled.of(model, ([noisy[k][0] for k in apart], [noisy[k][1] for k in apart])))
        places, knows = found.places, word_finder(model)
        assert knows is not None
        ranges = list(zip(places.sentence.tolist(), places.first.tolist(), places.end.tolist(), strict=True))
        seen = [all(knows(word) is not None for word in noisy[apart[s]][0][a:b]) for s, a, b in ranges]
        hit = [any(wrong[apart[s]][a:b]) for s, a, b in ranges]
        gold = found.wrong.gold_chance[places.top]
        columns.append((places.chance, gold, np.array(seen, bool), places.likely, np.array(hit, bool)))
    chance, gold, seen_, marked, hit_ = (np.concatenate(each) for each in zip(*columns, strict=True))
    stretches = sum(flag and not (t and each[t - 1]) for each in wrong for t, flag in enumerate(each))
    return Found(chance, gold, seen_.astype(bool), marked.astype(bool), hit_.astype(bool), stretches)


def average_precision(order: Floats, hit: NDArray[np.bool_]) -> float:
    """The mean precision at each hit, the largest first; ties in the order of chance."""
    rank = np.lexsort((np.random.default_rng(0).random(len(order)), -order))
    ordered = hit[rank]
    return float(100 * (np.cumsum(ordered) / np.arange(1, len(ordered) + 1))[ordered].mean())


def together(parts: list[Found]) -> Found:
    """The places of several draws."""
    arrays = [
        np.concatenate([getattr(part, name) for part in parts]) for name in ("chance", "gold", "seen", "marked", "hit")
    ]
    return Found(*arrays, sum(part.wrong for part in parts))


def first(marks: NDArray[np.bool_], order: Floats) -> Floats:
    """An order in which marked places come before the others."""
    return marks + 0.5 * (order + 1)


ORDERS: dict[str, Callable[[Found], Floats]] = {
    "chance": lambda f: np.random.default_rng(1).random(len(f.hit)),
    "P(predicted)": lambda f: f.chance,
    "P(predicted) − P(gold)": lambda f: f.chance - f.gold,
    "least P(gold)": lambda f: -f.gold,
    "known words, then P(predicted) − P(gold)": lambda f: first(f.seen, f.chance - f.gold),
    "P(predicted) ≥ 0.95 and known words, then P(predicted) − P(gold)": lambda f: first(
        (f.chance >= 0.95) & f.seen, f.chance - f.gold
    ),
    "P(gold) ≤ 0.01 and known words, then least P(gold)": lambda f: first((f.gold <= 0.01) & f.seen, -f.gold),
    "the page: marked, then P(predicted) − P(gold)": lambda f: first(f.marked, f.chance - f.gold),
}
RULES: dict[str, Callable[[Found], NDArray[np.bool_]]] = {
    f"P(predicted) ≥ {sure}{', known words' * known}": lambda f, sure=sure, known=known: (  # type: ignore[misc]
        (f.chance >= sure) & (f.seen | (not known))
    )
    for known in (True, False)
    for sure in (0.9, 0.95, 0.98, 0.99)
} | {
    f"P(gold) ≤ {least}{', known words' * known}": lambda f, least=least, known=known: (  # type: ignore[misc]
        (f.gold <= least) & (f.seen | (not known))
    )
    for known in (True, False)
    for least in (0.05, 0.02, 0.01, 0.005)
}


def report(corpus: str, found: Found, rules: bool) -> None:
    cases = RULES | {"the page": lambda f: f.marked} if rules else {"the page": lambda f: f.marked}
    for name, rule in cases.items():
        marks = rule(found)
        right = int((marks & found.hit).sum())
        precision, recall = right / max(1, marks.sum()), right / found.wrong
        f1 = 200 * precision * recall / max(1e-9, precision + recall)
        cells = [f"{marks.sum():,}", f"{100 * precision:.1f}", f"{100 * recall:.1f}", f"{f1:.1f}"]
        row(corpus, f"{found.wrong:,}", f"{len(found.hit):,}", name, *cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpora", nargs="+", default=["conll2000", "wnut17", "ingredients"])
    parser.add_argument("--rate", type=float, default=0.05, help="share of the spans that become wrong")
    parser.add_argument("--clean", action="store_true", help="train on the labels as they were")
    parser.add_argument("--rules", action="store_true", help="compare rules")
    parser.add_argument("--seeds", type=int, default=1, help="draws of the wrong labels, counted together")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    asked = parser.parse_args()
    seeds = range(asked.first, asked.first + asked.seeds)
    results = {}
    for corpus in asked.corpora:
        sentences = read(asked.folder, corpus)
        results[corpus] = together([find(sentences, asked.rate, asked.clean, seed) for seed in seeds])
    head("corpus", "put in", "places", "marked by", "marks", "precision", "recall", "F1")
    for corpus, found in results.items():
        report(corpus, found, asked.rules)
    head("average precision of the order", *results)
    for name, order in ORDERS.items():
        row(name, *(f"{average_precision(order(found), found.hit):.1f}" for found in results.values()))


if __name__ == "__main__":
    main()
