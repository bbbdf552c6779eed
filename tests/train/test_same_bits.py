"""The recipes on the whole corpus give the same model, bit by bit, on any number of threads."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagfield.data.encode import Encoded, encode_sequences
from tagfield.demo import addresses
from tagfield.inference.constraints import rules_of
from tagfield.model.model import Model
from tagfield.train import Settings, train
from tests.support.strategies import edge_slots


def corpus(sentences: int = 150) -> Encoded:
    made = addresses(seed=3, train=sentences, test=0).train
    words = [[cells[0] for cells in sentence] for sentence in made]
    X = [[[w, w[:2], f"before={x[t - 1] if t else ''}"] for t, w in enumerate(x)] for x in words]
    return encode_sequences(X, [[cells[-1] for cells in sentence] for sentence in made])


def partly_unknown(encoded: Encoded) -> Encoded:
    labels = encoded.dataset.labels.copy()
    labels[np.random.default_rng(7).random(len(labels)) < 0.3] = -1
    return replace(encoded, dataset=replace(encoded.dataset, labels=labels))


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "observed": ("lbfgs", {}),
    "all": ("lbfgs", {"features": "all", "linesearch": "Backtracking"}),
    "c1": ("lbfgs", {"c1": 0.1, "c2": 0.1, "features": "all"}),
    "unknown": ("lbfgs", {}),
    "rules": ("lbfgs", {"features": "all"}),
    "class weights": ("lbfgs", {}),
    "edges": ("lbfgs", {"transitions": "all"}),
    "batch": ("ngd", {"batch": True, "generator": "arctan:0.1"}),
}


@pytest.mark.parametrize("name", CASES)
def test_the_arrays_of_the_model_file_are_the_same(name: str, tmp_path: Path) -> None:
    recipe, options = CASES[name]
    encoded = corpus()
    if name == "unknown":
        encoded = partly_unknown(encoded)
    if name == "edges":
        rng = np.random.default_rng(0)
        lengths = np.diff(encoded.dataset.tokens)
        looks = [
            [[(int(rng.integers(3)), 1.0)] if t and s % 3 else [] for t in range(n)] for s, n in enumerate(lengths)
        ]
        names = encode_sequences([[["e0", "e1", "e2"]]], [["X"]]).attributes
        encoded = replace(encoded, dataset=replace(encoded.dataset, edge_slots=edge_slots(looks)), edges=names)
    rules = rules_of("BIO", encoded.labels.strings()) if name == "rules" else None
    weight = np.linspace(0.5, 2, len(encoded.labels)) if name == "class weights" else None
    files, histories = set(), set()
    for threads in (1, 2, 3, 8):
        settings = Settings.of(recipe, epochs=12, threads=threads, **options)
        trained = train(encoded, settings, rules=rules, class_weight=weight)
        histories.add(tuple(epoch.objective for epoch in trained.history))
        path = tmp_path / f"{threads}"
        Model.of(encoded, trained).save(path)
        whole = path.read_bytes()
        files.add(
            whole[8 + int.from_bytes(whole[:8], "little") :]
        )  # without the header, which tells threads and seconds
    assert len(histories) == 1
    assert len(next(iter(histories))) > 3
    assert len(files) == 1
