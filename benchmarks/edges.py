"""The cost of transitions that look at the input when tagging; sentences without them pay nothing. One thread.

Usage: edges.py FOLDER, with train.txt and test.txt of CoNLL-2000 in it. A plain model is trained on train.txt. Its
copies have edge weights, or float64 weights, and tag test.txt. Edge attributes are the word of a token, as in CRF++'s
`B01:%x[0,0]`, and its part of speech; their weights are drawn at random, since speed does not depend on them.
Processor seconds of this process, the rows alternating, medians. The ratio is to the first row of each table.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from timing import asked

from tagfield import Model, Settings
from tagfield.data.dataset import Dataset
from tagfield.data.encode import Encoded, encode_files
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.weights.features import feature_set
from tagfield.weights.layout import FeatureSet, Weights


def edges_of(encoded: Encoded, prefixes: tuple[str, ...]) -> tuple[Dataset, int]:
    """The dataset whose attributes with some prefix are edge attributes too, and how many there are."""
    data = encoded.dataset
    chosen = np.array([name.startswith(prefixes) for name in encoded.attributes.strings()])
    found = data.states.keep(chosen)
    return replace(data, edge_slots=found.keep_occurrences(found.position > 0)), int(chosen.sum())


def with_edges(model: Model, train: Dataset, edges: int) -> tuple[FeatureSet, Weights]:
    """The model with a random weight for every edge feature that occurs in the training data."""
    sizes = len(model.attributes), len(model.labels)
    found = feature_set(open_corpus(train), *sizes, "observed", edge_attributes=edges)
    looks, at = found.coordinates(), model.features.coordinates()
    state, trans = at.values(model.weights)
    drawn = np.random.default_rng(0).normal(0, 1, len(looks.edge))
    return FeatureSet.from_triples(
        *sizes,
        (at.attribute, at.label, state),
        (at.before, at.after, trans),
        sparse=model.features.first is not None,
        edge_attributes=edges,
        edge_weights=(looks.edge_attribute, looks.edge_before, looks.edge_after, drawn),
    )


def doubled(model: Model) -> tuple[FeatureSet, Weights]:
    at = model.features.coordinates()
    state, trans = at.values(model.weights)
    triples, sparse = ((at.attribute, at.label, state), (at.before, at.after, trans)), model.features.first is not None
    return FeatureSet.from_triples(len(model.attributes), len(model.labels), *triples, sparse=sparse, dtype=np.float64)


def clock(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main(folder: Path, repeats: int) -> None:
    train = encode_files(folder / "train.txt")
    model = Model.train(train, Settings(epochs=3), progress=False)
    test = model.encode_files(folder / "test.txt")
    plain = open_corpus(test.dataset)
    rows: list[tuple[str, kernels.Field, kernels.Corpus]] = [("plain model", model.field, plain)]
    for name, prefixes in (("part of speech", ("pos[0]=",)), ("word", ("w[0]=",)), ("both", ("pos[0]=", "w[0]="))):
        data, edges = edges_of(train, prefixes)
        features, weights = with_edges(model, data, edges)
        field = features.field(weights)
        if name == "both":
            rows.insert(1, ("model with edges, sentences without", field, plain))
        found, _ = edges_of(test, prefixes)
        rows.append(
            (f"edges of {name}: {edges:,} attributes, {features.edge_count:,} weights", field, open_corpus(found))
        )
    features, weights = doubled(model)
    rows.insert(2, ("float64 weights, no edges", features.field(weights), plain))
    for what, ask in (("best paths", kernels.tag), ("marginals", kernels.marginals)):
        times = [[clock(partial(ask, corpus, field)) for _, field, corpus in rows] for _ in range(repeats)]
        print(f"| {what} of {len(test):,} sentences | milliseconds | ratio |\n| --- | --- | --- |")
        for k, (name, _, _) in enumerate(rows):
            own, first = median(row[k] for row in times), median(row[0] for row in times)
            print(f"| {name} | {own * 1000:.1f} | {own / first:.2f} |", flush=True)
        print()


if __name__ == "__main__":
    options = asked(__doc__)
    main(options.folder, 1 if options.quick else 15)
