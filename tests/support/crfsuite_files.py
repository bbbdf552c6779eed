"""Models of CRFsuite: small ones that it trains, and parts to write as its files."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagfield.model.file import Parts
from tagfield.native._text import Vocabulary
from tagfield.weights.layout import FeatureSet


def small(
    path: Path, algorithm: str = "lbfgs", seed: int = 1, labels: tuple[str, ...] = ("A", "B", "", "é"), **params: Any
) -> bytes:
    """A model of some forty attributes and four labels."""
    pycrfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra dev has it)")
    rng = random.Random(seed)
    trainer = pycrfsuite.Trainer(algorithm, {"max_iterations": 10, **params}, verbose=False)
    for _ in range(30):
        x = [{f"w{rng.randrange(30)}": rng.choice([1.0, 0.5, 2]), "é": f"x{rng.randrange(9)}"} for _ in range(5)]
        trainer.append(x, [rng.choice(labels) for _ in x])
    trainer.train(str(path))
    return path.read_bytes()


def parts_of(labels: list[str], attributes: list[str], states: Any, edges: Any) -> Parts:
    made = FeatureSet.from_triples(len(attributes), len(labels), states, edges, sparse=True, dtype=np.float64)
    return Parts(Vocabulary(labels), Vocabulary(attributes), *made, None, {})
