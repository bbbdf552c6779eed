"""The weights of every recipe are those of the record in tests/golden/weights.json, bit by bit.

The record holds the three builds of the kernels (tests/support/record_golden.py). Bits depend on the compiler, on the
build, and on how NumPy computes the tables of responses. Where any of these differs from the record's,
norm and objective must agree to 1e-4 instead.
"""

import hashlib
import io
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagfield.data.encode import Encoded, encode_files, encode_sequences
from tagfield.data.text.sources import Source
from tagfield.demo import addresses, mentions, write_columns
from tagfield.inference.constraints import rules_of
from tagfield.native import kernels
from tagfield.train import Settings, Trained, train

RECORD = Path(__file__).parents[1] / "golden" / "weights.json"  # tests/support/record_golden.py writes it
CASES = json.loads(RECORD.read_text())["cases"]
LEVEL = kernels.__name__.rsplit("_", 1)[-1]
RECORDED_WITH = "12.2.0"  # GCC's version
# The tables of these responses come out of NumPy's and SciPy's vector functions; a probe of their last bits.
PROBE = "c334ddb817e4c799"


def columns(corpus: Any) -> Encoded:
    text = io.StringIO()
    write_columns(corpus.train, text)
    return encode_files([Source("made", text.getvalue().encode())])


def with_values() -> Encoded:
    rng = np.random.default_rng(5)
    X = [
        [
            {f"w{rng.integers(30)}": 1.0, "size": float(rng.normal()), f"k{rng.integers(5)}": 0.5}
            for _ in range(rng.integers(1, 9))
        ]
        for _ in range(60)
    ]
    y = [[("O", "B-X", "I-X", "B-Y")[int(rng.integers(4))] for _ in x] for x in X]
    return encode_sequences(X, y, weights=rng.uniform(0.2, 2, len(X)))


def many_labels() -> Encoded:
    rng = np.random.default_rng(6)
    X = [[[f"w{rng.integers(40)}", f"v{rng.integers(9)}"] for _ in range(rng.integers(1, 9))] for _ in range(60)]
    return encode_sequences(X, [[f"L{rng.integers(45)}" for _ in x] for x in X])


def partly_unknown() -> Encoded:
    encoded = columns(addresses(seed=2, train=80, test=0))
    labels = encoded.dataset.labels.copy()
    labels[np.random.default_rng(7).random(len(labels)) < 0.3] = -1
    return replace(encoded, dataset=replace(encoded.dataset, labels=labels))


@cache
def data(name: str) -> Encoded:
    return {
        "addresses": lambda: columns(addresses(seed=1, train=150, test=0)),
        "mentions": lambda: columns(mentions(seed=1, train=150, test=0)),
        "values": with_values,
        "labels45": many_labels,
        "unknown": partly_unknown,
    }[name]()


def dense(trained: Trained) -> np.ndarray:
    """Every weight, attribute by attribute and label by label, then the transitions; 0 where there is none."""
    features = trained.features
    rows = [features.row(trained.weights, a) for a in range(features.attributes)]
    return np.concatenate([np.array(rows, np.float32).reshape(-1), trained.weights.transitions().reshape(-1)])


def digest(array: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array, np.float32).tobytes()).hexdigest()[:16]


def as_recorded() -> bool:
    """Whether this machine can be expected to give the bits of the record."""
    u = np.geomspace(1e-12, 30, 500)
    probe = np.concatenate([np.arctan(u), np.tanh(u), np.exp(-u), np.log1p(u), np.sqrt(u)])
    return RECORDED_WITH in kernels.COMPILER and hashlib.sha256(probe.tobytes()).hexdigest()[:16] == PROBE


def trained_on(case: dict[str, Any]) -> Trained:
    encoded = data(case["data"])
    rules = rules_of(case["rules"], encoded.labels.strings()) if "rules" in case else None
    return train(encoded, Settings.of(case["recipe"], **case["options"]), rules=rules)


@pytest.mark.parametrize("at", range(len(CASES)), ids=lambda at: f"{at}-{CASES[at]['recipe']}-{CASES[at]['data']}")
def test_the_weights_are_those_of_the_record(at: int) -> None:
    case = CASES[at]
    trained = trained_on(case)
    weights = dense(trained)
    assert len(trained.history) == case["passes"]
    assert trained.history[-1].objective == pytest.approx(case["objective"], rel=1e-4)
    assert np.linalg.norm(weights.astype(np.float64)) == pytest.approx(case["norm"], rel=1e-4)
    if as_recorded():
        assert digest(weights) == case["weights"][LEVEL]


def test_the_record_covers_every_recipe() -> None:
    from tagfield import RECIPES

    assert {case["recipe"] for case in CASES} == set(RECIPES)
    assert len(CASES) == 137
