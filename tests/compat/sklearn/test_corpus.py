"""On real text, beside python-crfsuite: the same objective, and the same labels of sentences that nobody trained on."""

from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagfield import CRF
from tests.support import corpus
from tests.support.tolerances import OPTIMUM

pycrfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra dev has it)")
pytestmark = corpus.needs_corpus


def read(path: Path, count: int) -> list[list[list[str]]]:
    """The first sentences, as rows of cells."""
    with path.open(encoding="utf-8") as lines:
        rows = (line.split() for line in lines)
        sentences = iter(lambda: list(takewhile(bool, rows)), [])
        return list(islice(sentences, count))


def features(sentence: list[list[str]], t: int) -> dict[str, Any]:
    word, tag, _ = sentence[t]
    found: dict[str, Any] = {"bias": 1.0, "word": word.lower(), "suffix": word[-3:], "tag": tag}
    found |= {"title": word.istitle(), "digit": word.isdigit(), "length": len(word) / 10}
    for offset in (-1, 1):
        if 0 <= t + offset < len(sentence):
            near, near_tag, _ = sentence[t + offset]
            found |= {f"{offset}:word": near.lower(), f"{offset}:tag": near_tag}
    return found


def sequences(path: Path, count: int) -> tuple[list, list]:
    sentences = read(path, count)
    X = [[features(sentence, t) for t in range(len(sentence))] for sentence in sentences]
    return X, [[label for _, _, label in sentence] for sentence in sentences]


@pytest.mark.slow
@pytest.mark.parametrize("c1", [0.0, 0.1])
def test_python_crfsuite_ends_at_the_same_place(c1: float, tmp_path: Path) -> None:
    (X, y), (X_test, _) = sequences(corpus.TRAIN, 300), sequences(corpus.TEST, 500)
    params = {"c1": c1, "c2": 0.1, "delta": 1e-6}  # the default 1e-5 leaves OWL-QN 2e-5 apart
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", params=params, verbose=False)
    for items, labels in zip(X, y, strict=True):
        trainer.append(items, labels)
    trainer.train(str(tmp_path / "model"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "model"))
    ours = CRF("lbfgs", **params).fit(X, y)
    assert ours.converged_
    assert ours.training_log_.last_iteration["loss"] == pytest.approx(
        trainer.logparser.last_iteration["loss"], rel=OPTIMUM
    )
    mine = [label for labels in ours.predict(X_test) for label in labels]
    theirs = [label for items in X_test for label in tagger.tag(items)]
    assert len(mine) > 10_000
    assert np.mean([a == b for a, b in zip(mine, theirs, strict=True)]) >= 0.999
