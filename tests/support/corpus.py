"""Where the CoNLL-2000 files are: in $CONLL2000, or in ../shared/data/conll2000 beside the repository. And data with
labels hidden."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tagfield.data.dataset import UNKNOWN
from tagfield.data.encode import Encoded

HOME = Path(os.environ.get("CONLL2000") or Path(__file__).resolve().parents[3] / "shared" / "data" / "conll2000")
TRAIN = HOME / "train.txt"
TEST = HOME / "test.txt"

needs_corpus = pytest.mark.skipif(
    not (TRAIN.is_file() and TEST.is_file()),
    reason=f"CoNLL-2000 is not in {HOME}; set CONLL2000 to the directory of train.txt and test.txt",
)


def with_hidden(encoded: Encoded, tokens: Any) -> Encoded:
    """The same data, where the labels of some tokens (an index of NumPy's) are not known."""
    labels = encoded.dataset.labels.copy()
    labels[tokens] = UNKNOWN
    return replace(encoded, dataset=replace(encoded.dataset, labels=labels))
