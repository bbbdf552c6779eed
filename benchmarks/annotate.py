"""Labelling by hand, simulated: what a model knows after so many sentences, by the order in which they are labelled.

Usage: annotate.py FOLDER [--corpora wnut17 ingredients] [--seeds 3] [--first 0] [--fold 0]. FOLDER has
CORPUS/train.txt for each.

    train.txt ─▶ every tenth sentence is held out, those of the fold ─▶ a pool of 1,500 others, by chance (the seed)
    pool ─▶ the order of `tagfield annotate` │ chance ─▶ label with the gold labels ─▶ learn ─▶ F1 on held-out sentences

`stream` labels in the order of chance too, but learns as `partial_fit` does, one pass over each sentence as it comes.
The order was chosen on fold 0 of wnut17 and ingredients with the seeds 0 to 3; other folds and corpora check it.
test.txt is not read.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
from pathlib import Path

import numpy as np

from tagfield.apps.annotate.choosing import Cover, least_sure_first, unsure
from tagfield.apps.annotate.learning import Learning
from tagfield.apps.annotate.session import COVERED
from tagfield.apps.annotate.teacher import SAMPLE
from tagfield.data.encode import WordEncoder
from tagfield.data.text.reading import ReadOptions, read_files
from tagfield.data.text.templates.presets import load_template
from tagfield.model.model import Model
from tagfield.native._text import Vocabulary
from tagfield.train import Settings
from tagfield.train.loop.streaming import Stream

MARKS = (10, 50, 100, 200)  # sentences
COLUMNS = {"ingredients": "w _ _ _ _ y"}
POOL, HELD_OUT = 1500, 600
TEMPLATE = load_template("ner")
Labelled = tuple[list[tuple[str, ...]], list[str]]


def read(folder: Path, corpus: str, fold: int) -> tuple[list[Labelled], list[Labelled]]:
    """The sentences to label, and those that are held out."""
    options = ReadOptions(format="columns", columns=COLUMNS.get(corpus))
    found = read_files(folder / corpus / "train.txt", options).sentences()
    every = [([(word,) for word in each.words], list(map(str, each.labels or ()))) for each in found]
    others = [s for k, s in enumerate(every) if k % 10 != fold]
    return others, [s for k, s in enumerate(every) if k % 10 == fold][:HELD_OUT]


def learned(labelled: list[Labelled]) -> Model:
    return Learning(TEMPLATE).learn([x for x, _ in labelled], [y for _, y in labelled])


def streamed(labelled: list[Labelled]) -> Model:
    settings = Settings("adaptive", features="all", c2=0.1)
    labels = Vocabulary(list(dict.fromkeys(label for _, y in labelled for label in y)))
    stream = Stream(Vocabulary(), labels, settings)
    encoder = WordEncoder(TEMPLATE, stream.attributes, labels)
    stream.learn(encoder.encode([x for x, _ in labelled], [y for _, y in labelled], grow=True), settings)
    return Model.of_stream(stream, settings, TEMPLATE)


def f1(model: Model, held_out: list[Labelled]) -> float:
    return 100 * model.evaluate(model.encode_words(*map(list, zip(*held_out, strict=True)))).f1


def by_doubt(pool: list[Labelled], rng: np.random.Generator) -> list[Labelled]:
    """The sentences in the order in which the page shows them."""
    cover = Cover([[row[0] for row in x] for x, _ in pool])
    left, chosen = list(range(len(pool))), []
    while len(chosen) < MARKS[-1]:
        if len(chosen) < COVERED:
            index = left[int(cover.gains(left).argmax())]
        else:
            some = [left[k] for k in rng.choice(len(left), min(SAMPLE, len(left)), replace=False)]
            doubt = unsure(learned([pool[i] for i in chosen]), [pool[i][0] for i in some])
            index = some[least_sure_first(doubt, rng)[0]]
        left.remove(index)
        chosen.append(index)
        cover.see([row[0] for row in pool[index][0]])
    return [pool[index] for index in chosen]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpora", nargs="+", default=["wnut17", "ingredients"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--fold", type=int, default=0, choices=range(10), help="which tenth is held out")
    asked = parser.parse_args()
    print("| corpus | order | " + " | ".join(f"{n} sentences" for n in MARKS) + " |")
    print("| --- | --- |" + " --- |" * len(MARKS))
    for corpus in asked.corpora:
        sentences, held_out = read(asked.folder, corpus, asked.fold)
        rows: dict[str, list[list[tuple[float, int]]]] = {"least sure first": [], "chance": [], "chance, stream": []}
        for seed in range(asked.first, asked.first + asked.seeds):
            rng = np.random.default_rng(seed)
            pool = [sentences[k] for k in rng.permutation(len(sentences))[:POOL]]
            orders = {"least sure first": by_doubt(pool, rng), "chance": pool, "chance, stream": pool}
            for name, order in orders.items():
                make = streamed if name.endswith("stream") else learned
                scores = [(f1(make(order[:n]), held_out), sum(len(x) for x, _ in order[:n])) for n in MARKS]
                rows[name].append(scores)
        for name, found in rows.items():
            mean = np.mean(found, axis=0)
            cells = [f"{score:.1f} ({words:,.0f} words)" for score, words in mean]
            if name == "least sure first":
                lead = np.subtract(found, rows["chance"])[:, :, 0]  # [seeds, marks]
                cells = [
                    f"{cell}, {each.min():+.1f} to {each.max():+.1f}" for cell, each in zip(cells, lead.T, strict=True)
                ]
            print(f"| {corpus} | {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
